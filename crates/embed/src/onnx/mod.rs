//! all-MiniLM-L6-v2 from its published weights to an ONNX file, by standard operators and a few of ONNX Runtime's own.
//!
//! The published `model.safetensors` is a table of weights; ONNX Runtime wants a graph. Writing the graph here
//! keeps the model to one known source, needs no Python, and gives the same bytes on every machine, so that the
//! result's checksum can be pinned like a download's.

#![expect(clippy::cast_possible_wrap, reason = "ONNX counts in i64, and no model is that large")]

mod bert;
mod graph;
mod proto;
#[cfg(test)]
pub(crate) mod tiny_nli;
mod weights;

use prost::Message;

use bert::{Bert, MINI_LM_L6};
use graph::ONNX_RUNTIME;
use proto::{GraphProto, ModelProto, OperatorSetIdProto};
use weights::Weights;

/// The file format's version.
const IR_VERSION: i64 = 8;
/// The first operator set that has `LayerNormalization`.
const OPERATOR_SET: i64 = 17;

/// Why weights could not be turned into a graph.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OnnxError {
    /// Not a safetensors file.
    #[error("the weights are no safetensors file")]
    Safetensors(#[from] safetensors::SafeTensorError),
    /// A tensor of the model is not there.
    #[error("the weights hold no tensor {name}")]
    TensorMissing {
        /// Its name.
        name: String,
    },
    /// A tensor is not what the model has under this name.
    #[error("tensor {name} is {dtype:?} {found:?}; the model has F32 {expected:?}")]
    TensorShape {
        /// Its name.
        name: String,
        /// The shape the model has.
        expected: Vec<usize>,
        /// The shape in the file.
        found: Vec<usize>,
        /// The type in the file.
        dtype: safetensors::Dtype,
    },
}

/// Writes all-MiniLM-L6-v2 as ONNX, given the bytes of its `model.safetensors`.
///
/// The graph takes `input_ids` (batch × sequence) and gives `last_hidden_state` (batch × sequence × 384). It has no
/// attention mask: a batch holds texts of equal token count, so nothing is ever padded. Equal weights give equal
/// bytes.
///
/// # Errors
/// [`OnnxError`] when the bytes are not this model's weights.
pub fn export_mini_lm(safetensors: &[u8]) -> Result<Vec<u8>, OnnxError> {
    export(&MINI_LM_L6, "all-MiniLM-L6-v2", safetensors)
}

/// The stance model as a graph and what reads its output.
pub(crate) struct StanceGraph {
    /// The encoder as ONNX: `input_ids` and `token_type_ids` (batch × sequence) to `last_hidden_state` (batch × sequence ×
    /// [`StanceGraph::hidden`]). It multiplies in 8 bits, so a batch of one pair alone gives the same whatever is asked beside it.
    pub(crate) onnx: Vec<u8>,
    /// Numbers of a token's vector.
    pub(crate) hidden: usize,
    /// Rows of entailment, neutral and contradiction: weights of the first token's vector, then of the mean of all.
    pub(crate) head: Vec<f32>,
    /// Bias added to each.
    pub(crate) bias: Vec<f32>,
}

/// Makes the graph of the stance model, given the bytes of its weights: matrices in 8 bits with a scale for each row.
///
/// # Errors
/// [`OnnxError`] when the bytes are not this model's weights.
pub(crate) fn export_stance(safetensors: &[u8]) -> Result<StanceGraph, OnnxError> {
    let (bert, weights) = (&MINI_LM_L6, Weights::read(safetensors)?);
    Ok(StanceGraph {
        onnx: encoded(bert.graph_of_pairs("nightfold-stance", &weights)?),
        hidden: bert.hidden,
        head: weights.take("head.weight", &[3, 2 * bert.hidden])?.values,
        bias: weights.take("head.bias", &[3])?.values,
    })
}

fn export(bert: &Bert, name: &str, safetensors: &[u8]) -> Result<Vec<u8>, OnnxError> {
    Ok(encoded(bert.graph(name, &Weights::read(safetensors)?)?))
}

fn encoded(graph: GraphProto) -> Vec<u8> {
    let model = ModelProto {
        ir_version: Some(IR_VERSION),
        opset_import: vec![
            OperatorSetIdProto { domain: Some(String::new()), version: Some(OPERATOR_SET) },
            OperatorSetIdProto { domain: Some(ONNX_RUNTIME.to_owned()), version: Some(1) },
        ],
        producer_name: Some("nightfold".to_owned()),
        doc_string: Some("Every text of a batch must have the same number of tokens.".to_owned()),
        graph: Some(graph),
    };
    model.encode_to_vec()
}

#[cfg(test)]
mod tests;
