//! Export of all-MiniLM-L6-v2 from its published weights to an ONNX file, with standard operators and a few
//! of ONNX Runtime's own.
//!
//! The published `model.safetensors` is a table of weights; ONNX Runtime needs a graph. Building the graph
//! here keeps the model to one known source, needs no Python, and produces the same bytes on every machine,
//! so that the result's checksum can be pinned like a download's.

#![expect(clippy::cast_possible_wrap, reason = "ONNX counts in i64, and no model is that large")]

mod bert;
mod embeddings;
mod error;
mod graph;
mod heads;
mod message;
mod weights;

use bert::{Bert, Input, MINI_LM_L6};
pub(crate) use embeddings::PairEmbeddings;
pub use error::OnnxError;
use graph::GraphBuilder;
pub(crate) use heads::HeadSizes;
use weights::{Weight, WeightFile};

/// Returns all-MiniLM-L6-v2 as ONNX, given the bytes of its `model.safetensors`.
///
/// The graph maps `input_ids` (batch × sequence) to `last_hidden_state` (batch × sequence × 384). It has no
/// attention mask: a batch contains texts of equal token count, so nothing is ever padded. Equal weights
/// produce equal bytes.
///
/// # Errors
/// [`OnnxError`] if the bytes are not this model's weights.
pub fn export_mini_lm(safetensors: &[u8]) -> Result<Vec<u8>, OnnxError> {
    export(&MINI_LM_L6, "all-MiniLM-L6-v2", safetensors)
}

/// Number of multiplications, each with an addition, that the matrices of all-MiniLM-L6-v2 take for one token.
pub const PRODUCTS_PER_TOKEN: usize =
    MINI_LM_L6.layers * (4 * MINI_LM_L6.hidden + 2 * MINI_LM_L6.intermediate) * MINI_LM_L6.hidden;

/// A single product of matrices, as a graph.
pub(crate) struct ProductGraph {
    /// The model: `x` (batch × sequence × [`ProductGraph::rows`]) to `y` (batch × sequence × [`ProductGraph::columns`]).
    pub(crate) onnx: Vec<u8>,
    /// Sizes of the matrix.
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// Returns a product with a matrix of the size of all-MiniLM-L6-v2's largest.
pub(crate) fn product_graph() -> ProductGraph {
    let (rows, columns) = (MINI_LM_L6.hidden, MINI_LM_L6.intermediate);
    let values = (0..rows * columns).map(|at| (at % 7) as f32 - 3.0).collect();
    let mut graph = GraphBuilder::default();
    let x = graph.vectors("x", rows);
    let matrix = graph.floats("matrix", &Weight { shape: vec![rows, columns], values });
    let y = graph.node("MatMul", "y", &[&x, &matrix], &[]);
    graph.output(&y, columns);
    ProductGraph { onnx: graph.finish("product").model(), rows, columns }
}

/// Graph of the stance model with the weights of its classifier.
pub(crate) struct StanceGraph {
    /// The encoder as ONNX: `embeddings` to `last_hidden_state` (both batch × sequence × [`StanceGraph::hidden`]). It
    /// multiplies in 8 bits, so pairs are run one at a time to keep their results independent.
    pub(crate) onnx: Vec<u8>,
    /// Tables from which the encoder's input is made.
    pub(crate) embeddings: PairEmbeddings,
    /// Number of dimensions of a token's vector.
    pub(crate) hidden: usize,
    /// Weights of the classifier: rows of entailment, neutral and contradiction, each for the first token's
    /// vector and then for the mean of all.
    pub(crate) classifier: Vec<f32>,
    /// Bias of each row.
    pub(crate) bias: Vec<f32>,
}

/// Returns the graph of the stance model, given the bytes of its weights: matrices in 8 bits with a scale for
/// each row.
///
/// # Errors
/// [`OnnxError`] if the bytes are not this model's weights.
pub(crate) fn export_stance(safetensors: &'static [u8]) -> Result<StanceGraph, OnnxError> {
    let (bert, weights) = (&MINI_LM_L6, WeightFile::read(safetensors)?);
    Ok(StanceGraph {
        onnx: bert.graph("nightfold-stance", &weights, Input::Embeddings)?.model(),
        embeddings: PairEmbeddings::read(bert, &weights)?,
        hidden: bert.hidden,
        classifier: weights.take("head.weight", &[3, 2 * bert.hidden])?.values,
        bias: weights.take("head.bias", &[3])?.values,
    })
}

/// The heads that read grammar, with the weights that are no part of the graph.
pub(crate) struct GrammarHeads {
    /// Part of a model: appended to the bytes of [`export_mini_lm`], it makes a model with the further output
    /// `grammar` (batch × sequence × readings). Messages of protocol buffers that follow each other are merged,
    /// so the file of the sentence model stays as it is.
    pub(crate) graph: Vec<u8>,
    /// Scores of tags by spelling, row after row.
    pub(crate) spelling: Vec<f32>,
    /// Scores of heads by distance.
    pub(crate) distance: Vec<f32>,
    /// Score of having no head.
    pub(crate) root: f32,
}

/// Returns the heads that read grammar from the token vectors of all-MiniLM-L6-v2, given the bytes of their
/// weights.
///
/// # Errors
/// [`OnnxError`] if the bytes are not weights of these sizes.
pub(crate) fn grammar_heads(safetensors: &[u8], sizes: HeadSizes) -> Result<GrammarHeads, OnnxError> {
    let weights = WeightFile::read(safetensors)?;
    let graph = heads::graph(&MINI_LM_L6, sizes, &weights)?;
    let root = weights.take("root", &[1])?.values;
    Ok(GrammarHeads {
        graph: graph.part(),
        spelling: weights.take("spelling", &[sizes.spellings, sizes.tags])?.values,
        distance: weights.take("distance", &[sizes.distances])?.values,
        root: root.first().copied().unwrap_or_default(),
    })
}

fn export(bert: &Bert, name: &str, safetensors: &[u8]) -> Result<Vec<u8>, OnnxError> {
    Ok(bert.graph(name, &WeightFile::read(safetensors)?, Input::Tokens)?.model())
}

#[cfg(test)]
mod tests;
