//! The BERT encoder (Devlin et al. 2018) as a graph.
//!
//! Matrices are multiplied by the standard operator; everything in between uses ONNX Runtime's own operators,
//! which need a single pass: attention of all heads, a bias with its GELU, a residual connection with its
//! layer normalisation.

use super::{
    error::OnnxError,
    graph::{Attribute, Graph, GraphBuilder, Name},
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

/// Input of an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// Tokens: `input_ids` (batch × sequence, integers), all of one segment.
    Tokens,
    /// Their embeddings: `embeddings` (batch × sequence × hidden), the sums of those of words, positions and segments.
    Embeddings,
}

impl Bert {
    /// Returns the graph from the input to `last_hidden_state` (batch × sequence × hidden).
    ///
    /// It has no attention mask: every text of a batch has the same number of tokens, so nothing is padded.
    pub(super) fn graph(&self, name: &str, weights: &WeightFile<'_>, of: Input) -> Result<Graph, OnnxError> {
        let mut encoder = Encoder { sizes: self, weights, graph: GraphBuilder::default() };
        let sum = match of {
            Input::Tokens => encoder.embeddings()?,
            Input::Embeddings => encoder.graph.vectors("embeddings", self.hidden),
        };
        let mut x = encoder.normalised(&sum)?;
        for layer in 0..self.layers {
            let layer = format!("encoder.layer.{layer}");
            let attended = encoder.attention(&layer, &x)?;
            x = encoder.feed_forward(&layer, &attended)?;
        }
        let x = encoder.graph.node("Identity", "last_hidden_state", &[&x], &[]);
        encoder.graph.output(&x, self.hidden);
        Ok(encoder.graph.finish(name))
    }
}

/// Encoder under construction.
struct Encoder<'a> {
    sizes: &'a Bert,
    weights: &'a WeightFile<'a>,
    graph: GraphBuilder,
}

impl Encoder<'_> {
    /// Appends the embeddings of tokens and positions, added. There is one segment, whose vector is added to every
    /// position beforehand.
    fn embeddings(&mut self) -> Result<Name, OnnxError> {
        let ids = &self.graph.input("input_ids");
        let hidden = self.sizes.hidden;
        let table = |name: &str, rows| {
            self.weights.take(&format!("embeddings.{name}_embeddings.weight"), &[rows, hidden])
        };
        let segments = table("token_type", 2)?;
        let positions = table("position", self.sizes.positions)?.plus_row(&segments.values[..hidden]);
        let words = table("word", self.sizes.vocabulary)?;
        let g = &mut self.graph;
        let words = g.floats("embeddings.word", &words);
        let positions = g.floats("embeddings.position", &positions);
        let first = g.integer("first", 0);
        let second = g.integer("second", 1);
        let tokens = g.node("Gather", "embeddings.tokens", &[&words, ids], &[]);
        let shape = g.node("Shape", "input_shape", &[ids], &[]);
        let length = g.node("Gather", "sequence_length", &[&shape, &second], &[]);
        let places = g.node("Slice", "embeddings.places", &[&positions, &first, &length, &first], &[]);
        Ok(g.node("Add", "embeddings.sum", &[&tokens, &places], &[]))
    }

    /// Appends the layer normalisation of the embeddings.
    fn normalised(&mut self, sum: &Name) -> Result<Name, OnnxError> {
        let (name, scale, shift) = self.norm("embeddings")?;
        let attributes = [Attribute::Int("axis", -1), Attribute::Float("epsilon", self.sizes.epsilon)];
        Ok(self.graph.node("LayerNormalization", &name, &[sum, &scale, &shift], &attributes))
    }

    /// Appends multi-head self-attention with its residual connection. It scales by `1 / sqrt(hidden /
    /// heads)`.
    fn attention(&mut self, layer: &str, x: &Name) -> Result<Name, OnnxError> {
        let square = [self.sizes.hidden; 2];
        let names = ["query", "key", "value"].map(|what| format!("{layer}.attention.self.{what}"));
        let bias = |name: &String| self.weights.take(&format!("{name}.bias"), &square[..1]);
        let biases = names.iter().map(bias).collect::<Result<Vec<_>, _>>()?;
        let bias = self.graph.floats(&format!("{layer}.attention.self.bias"), &Weight::joined(&biases));
        let [query, key, value] = names.map(|name| self.product(&name, square, x));
        let heads = [Attribute::Int("num_heads", self.sizes.heads as i64)];
        let inputs = [&query?, &key?, &value?, &bias];
        let context = format!("{layer}.attention.context");
        let context = self.graph.fused("MultiHeadAttention", &context, &inputs, &heads);
        self.closed(&format!("{layer}.attention.output"), square, &context, x)
    }

    /// Appends two dense layers around a GELU, with their residual connection.
    fn feed_forward(&mut self, layer: &str, x: &Name) -> Result<Name, OnnxError> {
        let Bert { hidden, intermediate, .. } = *self.sizes;
        let name = format!("{layer}.intermediate.dense");
        let wide = self.product(&name, [intermediate, hidden], x)?;
        let bias = self.vector(&format!("{name}.bias"), intermediate)?;
        let active =
            self.graph.fused("BiasGelu", &format!("{layer}.intermediate.gelu"), &[&wide, &bias], &[]);
        self.closed(&format!("{layer}.output"), [hidden, intermediate], &active, x)
    }

    /// Appends the dense layer that ends `part`, the residual connection from `before`, and their layer
    /// normalisation.
    fn closed(&mut self, part: &str, shape: [usize; 2], x: &Name, before: &Name) -> Result<Name, OnnxError> {
        let product = self.product(&format!("{part}.dense"), shape, x)?;
        let bias = self.vector(&format!("{part}.dense.bias"), self.sizes.hidden)?;
        let (name, scale, shift) = self.norm(part)?;
        let epsilon = [Attribute::Float("epsilon", self.sizes.epsilon)];
        let inputs = [&product, before, &scale, &shift, &bias];
        Ok(self.graph.fused("SkipLayerNormalization", &name, &inputs, &epsilon))
    }

    /// Returns the name of the layer normalisation of `part`, and its two vectors.
    fn norm(&mut self, part: &str) -> Result<(String, Name, Name), OnnxError> {
        let name = format!("{part}.LayerNorm");
        let scale = self.vector(&format!("{name}.weight"), self.sizes.hidden)?;
        let shift = self.vector(&format!("{name}.bias"), self.sizes.hidden)?;
        Ok((name, scale, shift))
    }

    /// Adds a vector of the file as a constant.
    fn vector(&mut self, name: &str, size: usize) -> Result<Name, OnnxError> {
        Ok(self.graph.floats(name, &self.weights.take(name, &[size])?))
    }

    /// Appends `x · weightᵀ`. The file contains `out × in`; the graph contains it transposed, ready for
    /// multiplication.
    ///
    /// A matrix in 8 bits is multiplied as it is: `x` is quantised to 8 bits by its own smallest and largest
    /// number, and the sums are integers (Jacob et al. 2018). Therefore the other rows of `x` influence the
    /// result.
    fn product(&mut self, name: &str, shape: [usize; 2], x: &Name) -> Result<Name, OnnxError> {
        let (matrix, product) = (format!("{name}.weight"), format!("{name}.product"));
        if let Some((weight, scales)) = self.weights.quantised(&matrix, shape)? {
            let scales = self.graph.floats(&format!("{name}.scale"), &scales);
            let weight = self.graph.bytes(&matrix, &weight.transposed());
            return Ok(self.graph.fused("DynamicQuantizeMatMul", &product, &[x, &weight, &scales], &[]));
        }
        let weight = self.weights.take(&matrix, &shape)?;
        let weight = self.graph.floats(&matrix, &weight.transposed());
        Ok(self.graph.node("MatMul", &product, &[x, &weight], &[]))
    }
}
