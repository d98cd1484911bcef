//! The BERT encoder (Devlin et al. 2018) as a graph.
//!
//! Matrices are multiplied by the standard operator; everything in between uses ONNX Runtime's own operators,
//! which need a single pass: attention of all heads, a bias with its GELU, a residual connection with its
//! layer normalisation.

use super::{
    OnnxError,
    graph::{Attribute, GraphBuilder, Name},
    proto::{Dimension, GraphProto},
    weights::{Weight, WeightFile},
};

/// Sizes and constant of an encoder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bert {
    pub(super) vocabulary: usize,
    pub(super) positions: usize,
    pub(super) hidden: usize,
    pub(super) intermediate: usize,
    pub(super) heads: usize,
    pub(super) layers: usize,
    /// Term added to the variance in a layer normalisation.
    pub(super) epsilon: f32,
}

/// Sizes of all-MiniLM-L6-v2.
pub(super) const MINI_LM_L6: Bert = Bert {
    vocabulary: 30_522,
    positions: 512,
    hidden: 384,
    intermediate: 1_536,
    heads: 12,
    layers: 6,
    epsilon: 1e-12,
};

impl Bert {
    /// Returns the graph: `input_ids` (batch × sequence, integers) to `last_hidden_state` (batch × sequence ×
    /// hidden).
    ///
    /// It has no attention mask: every text of a batch has the same number of tokens, so nothing is padded.
    pub(super) fn graph(&self, name: &str, weights: &WeightFile<'_>) -> Result<GraphProto, OnnxError> {
        let mut g = GraphBuilder::new(name);
        let ids = g.input("input_ids", &["batch", "sequence"]);
        let x = self.embeddings(&mut g, weights, &ids, None)?;
        self.hidden_state(g, weights, x)
    }

    /// Returns the graph for pairs of texts: `input_ids` and `token_type_ids` (batch × sequence, integers;
    /// type 1 is the second text) to `last_hidden_state` (batch × sequence × hidden).
    pub(super) fn graph_of_pairs(
        &self,
        name: &str,
        weights: &WeightFile<'_>,
    ) -> Result<GraphProto, OnnxError> {
        let mut g = GraphBuilder::new(name);
        let ids = g.input("input_ids", &["batch", "sequence"]);
        let types = g.input("token_type_ids", &["batch", "sequence"]);
        let x = self.embeddings(&mut g, weights, &ids, Some(&types))?;
        self.hidden_state(g, weights, x)
    }

    /// Completes a graph with its layers and their output.
    fn hidden_state(
        &self,
        mut g: GraphBuilder,
        weights: &WeightFile<'_>,
        x: Name,
    ) -> Result<GraphProto, OnnxError> {
        let x = self.encoder(&mut g, weights, x)?;
        let x = g.node("Identity", "last_hidden_state", &[&x], &[]);
        let sizes = [
            Dimension::Name("batch".to_owned()),
            Dimension::Name("sequence".to_owned()),
            Dimension::Size(self.hidden as i64),
        ];
        g.output(&x, sizes);
        Ok(g.finish())
    }

    /// Appends all layers.
    fn encoder(
        &self,
        g: &mut GraphBuilder,
        weights: &WeightFile<'_>,
        mut x: Name,
    ) -> Result<Name, OnnxError> {
        for layer in 0..self.layers {
            let part = |part: &str| format!("encoder.layer.{layer}.{part}");
            let attended = self.attention(g, weights, &part, &x)?;
            x = self.feed_forward(g, weights, &part, &attended)?;
        }
        Ok(x)
    }

    /// Appends the embeddings of tokens, positions and segments, added and normalised. Without `types` there
    /// is one segment, whose vector is added to every position beforehand.
    fn embeddings(
        &self,
        g: &mut GraphBuilder,
        weights: &WeightFile<'_>,
        ids: &Name,
        types: Option<&Name>,
    ) -> Result<Name, OnnxError> {
        let table = |name: &str, rows| {
            weights.take(&format!("embeddings.{name}_embeddings.weight"), &[rows, self.hidden])
        };
        let words = g.floats("embeddings.word", &table("word", self.vocabulary)?);
        let segments = table("token_type", 2)?;
        let mut positions = table("position", self.positions)?;
        if types.is_none() {
            positions = positions.plus_row(&segments.values[..self.hidden]);
        }
        let positions = g.floats("embeddings.position", &positions);

        let first = g.integers("first", &[0]);
        let second = g.integers("second", &[1]);
        let tokens = g.node("Gather", "embeddings.tokens", &[&words, ids], &[]);
        let shape = g.node("Shape", "input_shape", &[ids], &[]);
        let length = g.node("Gather", "sequence_length", &[&shape, &second], &[]);
        let places = g.node("Slice", "embeddings.places", &[&positions, &first, &length, &first], &[]);
        let mut sum = g.node("Add", "embeddings.sum", &[&tokens, &places], &[]);
        if let Some(types) = types {
            let segments = g.floats("embeddings.segment", &segments);
            let of_types = g.node("Gather", "embeddings.types", &[&segments, types], &[]);
            sum = g.node("Add", "embeddings.sum_with_types", &[&sum, &of_types], &[]);
        }
        let (name, scale, shift) = self.norm(g, weights, "embeddings")?;
        let attributes = [Attribute::Int("axis", -1), Attribute::Float("epsilon", self.epsilon)];
        Ok(g.node("LayerNormalization", &name, &[&sum, &scale, &shift], &attributes))
    }

    /// Appends multi-head self-attention with its residual connection. It scales by `1 / sqrt(hidden /
    /// heads)`.
    fn attention(
        &self,
        g: &mut GraphBuilder,
        weights: &WeightFile<'_>,
        part: &dyn Fn(&str) -> String,
        x: &Name,
    ) -> Result<Name, OnnxError> {
        let square = [self.hidden, self.hidden];
        let names = ["query", "key", "value"].map(|what| part(&format!("attention.self.{what}")));
        let mut biases = Vec::with_capacity(names.len());
        for name in &names {
            biases.push(weights.take(&format!("{name}.bias"), &square[..1])?);
        }
        let bias = g.floats(&part("attention.self.bias"), &Weight::joined(&biases));
        let [query, key, value] = names.map(|name| product(g, weights, &name, square, x));
        let heads = [Attribute::Int("num_heads", self.heads as i64)];
        let inputs = [&query?, &key?, &value?, &bias];
        let context = g.fused("MultiHeadAttention", &part("attention.context"), &inputs, &heads);
        self.closed(g, weights, &part("attention.output"), square, &context, x)
    }

    /// Appends two dense layers around a GELU, with their residual connection.
    fn feed_forward(
        &self,
        g: &mut GraphBuilder,
        weights: &WeightFile<'_>,
        part: &dyn Fn(&str) -> String,
        x: &Name,
    ) -> Result<Name, OnnxError> {
        let name = part("intermediate.dense");
        let wide = product(g, weights, &name, [self.intermediate, self.hidden], x)?;
        let bias = bias(g, weights, &name, self.intermediate)?;
        let active = g.fused("BiasGelu", &part("intermediate.gelu"), &[&wide, &bias], &[]);
        self.closed(g, weights, &part("output"), [self.hidden, self.intermediate], &active, x)
    }

    /// Appends the dense layer that ends `part`, the residual connection from `before`, and their layer
    /// normalisation.
    fn closed(
        &self,
        g: &mut GraphBuilder,
        weights: &WeightFile<'_>,
        part: &str,
        shape: [usize; 2],
        x: &Name,
        before: &Name,
    ) -> Result<Name, OnnxError> {
        let name = format!("{part}.dense");
        let product = product(g, weights, &name, shape, x)?;
        let bias = bias(g, weights, &name, self.hidden)?;
        let (name, scale, shift) = self.norm(g, weights, part)?;
        let epsilon = [Attribute::Float("epsilon", self.epsilon)];
        let inputs = [&product, before, &scale, &shift, &bias];
        Ok(g.fused("SkipLayerNormalization", &name, &inputs, &epsilon))
    }

    /// Returns the name of the layer normalisation of `part`, and its two vectors.
    fn norm(
        &self,
        g: &mut GraphBuilder,
        weights: &WeightFile<'_>,
        part: &str,
    ) -> Result<(String, Name, Name), OnnxError> {
        let name = format!("{part}.LayerNorm");
        let mut vector = |what: &str| {
            let name = format!("{name}.{what}");
            weights.take(&name, &[self.hidden]).map(|weight| g.floats(&name, &weight))
        };
        let (scale, shift) = (vector("weight")?, vector("bias")?);
        Ok((name, scale, shift))
    }
}

/// Appends `x · weightᵀ`. The file contains `out × in`; the graph contains it transposed, ready for
/// multiplication.
///
/// A matrix in 8 bits is multiplied as it is: `x` is quantised to 8 bits by its own smallest and largest
/// number, and the sums are integers (Jacob et al. 2018). Therefore the other rows of `x` influence the
/// result.
fn product(
    g: &mut GraphBuilder,
    weights: &WeightFile<'_>,
    name: &str,
    shape: [usize; 2],
    x: &Name,
) -> Result<Name, OnnxError> {
    if let Some(weight) = weights.quantised(&format!("{name}.weight"), shape)? {
        let [rows, columns] = shape;
        let scales = g.floats(&format!("{name}.scale"), &weight.scales);
        let weight = g.bytes(&format!("{name}.weight"), &[columns, rows], &weight.transposed());
        return Ok(g.fused("DynamicQuantizeMatMul", &format!("{name}.product"), &[x, &weight, &scales], &[]));
    }
    let weight: Weight = weights.take(&format!("{name}.weight"), &shape)?;
    let weight = g.floats(&format!("{name}.weight"), &weight.transposed());
    Ok(g.node("MatMul", &format!("{name}.product"), &[x, &weight], &[]))
}

fn bias(g: &mut GraphBuilder, weights: &WeightFile<'_>, name: &str, size: usize) -> Result<Name, OnnxError> {
    let name = format!("{name}.bias");
    Ok(g.floats(&name, &weights.take(&name, &[size])?))
}
