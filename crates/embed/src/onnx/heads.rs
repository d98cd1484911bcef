//! Heads on the token vectors of the sentence model, as a part of its graph.

use super::{
    bert::Bert,
    error::OnnxError,
    graph::{Attribute, Graph, GraphBuilder, Name},
    weights::WeightFile,
};

/// Layers that the heads read, counted from 0.
const LAYERS: [usize; 3] = [0, 2, 5];

/// Name of the output.
const OUTPUT: &str = "grammar";

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
pub(super) fn graph(bert: &Bert, sizes: HeadSizes, weights: &WeightFile<'_>) -> Result<Graph, OnnxError> {
    let mut g = GraphBuilder::default();
    let layers = LAYERS.map(|layer| Name::new(format!("encoder.layer.{layer}.output.LayerNorm")));
    let x = g.node("Concat", "grammar.layers", &layers.each_ref(), &[Attribute::Int("axis", -1)]);
    let (product, bias) = linear(&mut g, weights, "shared", [sizes.shared, LAYERS.len() * bert.hidden], &x)?;
    let active = g.fused("BiasGelu", "grammar.shared.gelu", &[&product, &bias], &[]);
    let (product, bias) = linear(&mut g, weights, "readings", [sizes.readings, sizes.shared], &active)?;
    let out = g.node("Add", OUTPUT, &[&product, &bias], &[]);
    g.output(&out, sizes.readings);
    Ok(g.finish(OUTPUT))
}

/// Appends a product with a matrix; returns it and the bias to add.
fn linear(
    g: &mut GraphBuilder,
    weights: &WeightFile<'_>,
    name: &str,
    shape: [usize; 2],
    x: &Name,
) -> Result<(Name, Name), OnnxError> {
    let matrix = weights.take(&format!("{name}.weight"), &shape)?;
    let matrix = g.floats(&format!("grammar.{name}.weight"), &matrix.transposed());
    let bias = weights.take(&format!("{name}.bias"), &shape[..1])?;
    let bias = g.floats(&format!("grammar.{name}.bias"), &bias);
    Ok((g.node("MatMul", &format!("grammar.{name}.product"), &[x, &matrix], &[]), bias))
}
