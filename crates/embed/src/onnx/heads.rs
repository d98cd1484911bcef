//! Heads on the token vectors of the sentence model, as a part of its graph.

use super::{
    Bert, OnnxError,
    graph::{Attribute, GraphBuilder, Name},
    proto::{Dimension, GraphProto},
    weights::WeightFile,
};

/// Layers that the heads read, counted from 0.
const LAYERS: [usize; 3] = [0, 2, 5];

/// Name of the output.
pub(super) const OUTPUT: &str = "grammar";

/// Sizes of the heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeadSizes {
    /// Number of dimensions of the layer that all readings share.
    pub(crate) shared: usize,
    /// Number of readings of a token.
    pub(crate) readings: usize,
    /// Number of readings that are scores of tags.
    pub(crate) tags: usize,
    /// Number of kinds of spelling.
    pub(crate) spellings: usize,
    /// Number of distances that are told apart.
    pub(crate) distances: usize,
}

/// Returns nodes and weights that map outputs of the encoder's layers to `grammar` (batch × sequence ×
/// readings). They are a graph only together with the encoder's.
pub(super) fn graph(
    bert: &Bert,
    sizes: HeadSizes,
    weights: &WeightFile<'_>,
) -> Result<GraphProto, OnnxError> {
    let HeadSizes { shared, readings, .. } = sizes;
    let mut g = GraphBuilder::new(OUTPUT);
    let layers = LAYERS.map(|layer| Name::new(format!("encoder.layer.{layer}.output.LayerNorm")));
    let axis = [Attribute::Int("axis", -1)];
    let x = g.node("Concat", "grammar.layers", &layers.each_ref(), &axis);
    let matrix = weights.take("shared.weight", &[shared, LAYERS.len() * bert.hidden])?;
    let matrix = g.floats("grammar.shared.weight", &matrix.transposed());
    let bias = g.floats("grammar.shared.bias", &weights.take("shared.bias", &[shared])?);
    let wide = g.node("MatMul", "grammar.shared.product", &[&x, &matrix], &[]);
    let active = g.fused("BiasGelu", "grammar.shared.gelu", &[&wide, &bias], &[]);
    let matrix = weights.take("readings.weight", &[readings, shared])?;
    let matrix = g.floats("grammar.readings.weight", &matrix.transposed());
    let bias = g.floats("grammar.readings.bias", &weights.take("readings.bias", &[readings])?);
    let product = g.node("MatMul", "grammar.readings.product", &[&active, &matrix], &[]);
    let out = g.node("Add", OUTPUT, &[&product, &bias], &[]);
    let sizes = [
        Dimension::Name("batch".to_owned()),
        Dimension::Name("sequence".to_owned()),
        Dimension::Size(readings as i64),
    ];
    g.output(&out, sizes);
    Ok(g.finish())
}
