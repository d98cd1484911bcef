//! The BERT encoder (Devlin et al. 2018) as a graph of standard operators.

use super::{
    OnnxError,
    graph::{Attribute, GraphBuilder, Name},
    proto::{Dimension, GraphProto},
    weights::{Weight, Weights},
};

/// The sizes of an encoder, and its two constants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bert {
    pub(super) vocabulary: usize,
    pub(super) positions: usize,
    pub(super) hidden: usize,
    pub(super) intermediate: usize,
    pub(super) heads: usize,
    pub(super) layers: usize,
    /// `1 / sqrt(hidden / heads)`, written out so that no platform's square root decides the bytes.
    pub(super) attention_scale: f32,
    /// Added to the variance in a layer normalisation.
    pub(super) epsilon: f32,
}

/// all-MiniLM-L6-v2.
pub(super) const MINI_LM_L6: Bert = Bert {
    vocabulary: 30_522,
    positions: 512,
    hidden: 384,
    intermediate: 1_536,
    heads: 12,
    layers: 6,
    attention_scale: 0.176_776_7,
    epsilon: 1e-12,
};

/// The values every layer uses.
struct Shared {
    attention_scale: Name,
    sqrt_half: Name,
    one: Name,
    half: Name,
    split_heads: Name,
    join_heads: Name,
}

impl Bert {
    /// The graph: `input_ids` (batch × sequence, integers) to `last_hidden_state` (batch × sequence × hidden).
    ///
    /// There is no attention mask: every text of a batch has the same number of tokens, so nothing is padded.
    pub(super) fn graph(&self, name: &str, weights: &Weights<'_>) -> Result<GraphProto, OnnxError> {
        let mut g = GraphBuilder::new(name);
        let ids = g.input("input_ids", &["batch", "sequence"]);
        let mut x = self.embeddings(&mut g, weights, &ids)?;
        let (heads, head_size) = (self.heads as i64, (self.hidden / self.heads) as i64);
        let shared = Shared {
            attention_scale: g.scalar("attention_scale", self.attention_scale),
            sqrt_half: g.scalar("sqrt_half", std::f32::consts::FRAC_1_SQRT_2),
            one: g.scalar("one", 1.0),
            half: g.scalar("half", 0.5),
            // In a shape, 0 keeps the size that is there.
            split_heads: g.integers("split_heads", &[0, 0, heads, head_size]),
            join_heads: g.integers("join_heads", &[0, 0, self.hidden as i64]),
        };
        for layer in 0..self.layers {
            let part = |part: &str| format!("encoder.layer.{layer}.{part}");
            let attended = self.attention(&mut g, weights, &shared, &part, &x)?;
            x = self.feed_forward(&mut g, weights, &shared, &part, &attended)?;
        }
        let x = g.node("Identity", "last_hidden_state", &[&x], &[]);
        let sizes = [
            Dimension::Name("batch".to_owned()),
            Dimension::Name("sequence".to_owned()),
            Dimension::Size(self.hidden as i64),
        ];
        g.output(&x, sizes);
        Ok(g.finish())
    }

    /// Token, position and segment vectors, added and normalised. There is one segment, so its vector is added
    /// to every position beforehand.
    fn embeddings(&self, g: &mut GraphBuilder, weights: &Weights<'_>, ids: &Name) -> Result<Name, OnnxError> {
        let table = |name: &str, rows| {
            weights.take(&format!("embeddings.{name}_embeddings.weight"), &[rows, self.hidden])
        };
        let words = g.floats("embeddings.word", &table("word", self.vocabulary)?);
        let segments = table("token_type", 2)?;
        let positions = table("position", self.positions)?.plus_row(&segments.values[..self.hidden]);
        let positions = g.floats("embeddings.position", &positions);

        let first = g.integers("first", &[0]);
        let second = g.integers("second", &[1]);
        let tokens = g.node("Gather", "embeddings.tokens", &[&words, ids], &[]);
        let shape = g.node("Shape", "input_shape", &[ids], &[]);
        let length = g.node("Gather", "sequence_length", &[&shape, &second], &[]);
        let places = g.node("Slice", "embeddings.places", &[&positions, &first, &length, &first], &[]);
        let sum = g.node("Add", "embeddings.sum", &[&tokens, &places], &[]);
        self.layer_norm(g, weights, "embeddings", &sum)
    }

    /// Multi-head self-attention with its residual connection.
    fn attention(
        &self,
        g: &mut GraphBuilder,
        weights: &Weights<'_>,
        shared: &Shared,
        part: &dyn Fn(&str) -> String,
        x: &Name,
    ) -> Result<Name, OnnxError> {
        let square = [self.hidden, self.hidden];
        let mut heads = |what: &str, order: &[i64]| {
            let name = part(&format!("attention.self.{what}"));
            let all = linear(g, weights, &name, square, x)?;
            let split = g.node("Reshape", &format!("{name}.split"), &[&all, &shared.split_heads], &[]);
            let turned = format!("{name}.heads");
            Ok::<_, OnnxError>(g.node("Transpose", &turned, &[&split], &[Attribute::Ints("perm", order)]))
        };
        let query = heads("query", &[0, 2, 1, 3])?;
        let key = heads("key", &[0, 2, 3, 1])?;
        let value = heads("value", &[0, 2, 1, 3])?;

        let scores = g.node("MatMul", &part("attention.scores"), &[&query, &key], &[]);
        let scaled = g.node("Mul", &part("attention.scaled"), &[&scores, &shared.attention_scale], &[]);
        let last = [Attribute::Int("axis", -1)];
        let probabilities = g.node("Softmax", &part("attention.probabilities"), &[&scaled], &last);
        let context = g.node("MatMul", &part("attention.context"), &[&probabilities, &value], &[]);
        let order = [Attribute::Ints("perm", &[0, 2, 1, 3])];
        let context = g.node("Transpose", &part("attention.turned"), &[&context], &order);
        let context = g.node("Reshape", &part("attention.joined"), &[&context, &shared.join_heads], &[]);

        let dense = linear(g, weights, &part("attention.output.dense"), square, &context)?;
        let sum = g.node("Add", &part("attention.output.sum"), &[&dense, x], &[]);
        self.layer_norm(g, weights, &part("attention.output"), &sum)
    }

    /// Two dense layers around a GELU, with their residual connection.
    fn feed_forward(
        &self,
        g: &mut GraphBuilder,
        weights: &Weights<'_>,
        shared: &Shared,
        part: &dyn Fn(&str) -> String,
        x: &Name,
    ) -> Result<Name, OnnxError> {
        let wide = linear(g, weights, &part("intermediate.dense"), [self.intermediate, self.hidden], x)?;
        let gelu = |what: &str| part(&format!("intermediate.gelu.{what}"));
        let active = g.node("Mul", &gelu("scaled"), &[&wide, &shared.sqrt_half], &[]);
        let active = g.node("Erf", &gelu("erf"), &[&active], &[]);
        let active = g.node("Add", &gelu("shifted"), &[&active, &shared.one], &[]);
        let active = g.node("Mul", &gelu("product"), &[&active, &wide], &[]);
        let active = g.node("Mul", &gelu("halved"), &[&active, &shared.half], &[]);

        let dense = linear(g, weights, &part("output.dense"), [self.hidden, self.intermediate], &active)?;
        let sum = g.node("Add", &part("output.sum"), &[&dense, x], &[]);
        self.layer_norm(g, weights, &part("output"), &sum)
    }

    /// The layer normalisation that closes `part`.
    fn layer_norm(
        &self,
        g: &mut GraphBuilder,
        weights: &Weights<'_>,
        part: &str,
        x: &Name,
    ) -> Result<Name, OnnxError> {
        let name = format!("{part}.LayerNorm");
        let mut vector = |what: &str| {
            let name = format!("{name}.{what}");
            weights.take(&name, &[self.hidden]).map(|weight| g.floats(&name, &weight))
        };
        let (scale, shift) = (vector("weight")?, vector("bias")?);
        let attributes = [Attribute::Int("axis", -1), Attribute::Float("epsilon", self.epsilon)];
        Ok(g.node("LayerNormalization", &name, &[x, &scale, &shift], &attributes))
    }
}

/// `x · weightᵀ + bias`. The file holds `out × in`; the graph holds it transposed, ready to be multiplied.
fn linear(
    g: &mut GraphBuilder,
    weights: &Weights<'_>,
    name: &str,
    shape: [usize; 2],
    x: &Name,
) -> Result<Name, OnnxError> {
    let weight: Weight = weights.take(&format!("{name}.weight"), &shape)?;
    let weight = g.floats(&format!("{name}.weight"), &weight.transposed());
    let bias = weights.take(&format!("{name}.bias"), &shape[..1])?;
    let bias = g.floats(&format!("{name}.bias"), &bias);
    let product = g.node("MatMul", &format!("{name}.product"), &[x, &weight], &[]);
    Ok(g.node("Add", name, &[&product, &bias], &[]))
}
