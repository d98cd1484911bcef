//! Errors of turning weights into a graph.

/// Error of turning weights into a graph.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OnnxError {
    /// The bytes are not a safetensors file.
    #[error("the weights are no safetensors file")]
    Safetensors(#[from] safetensors::SafeTensorError),
    /// A tensor of the model is missing.
    #[error("the weights hold no tensor {name}")]
    TensorMissing {
        /// Name of the tensor.
        name: String,
    },
    /// A tensor has another shape or type than the model's.
    #[error("tensor {name} is {dtype:?} {found:?}; the model has F32 {expected:?}")]
    TensorShape {
        /// Name of the tensor.
        name: String,
        /// The expected shape.
        expected: Vec<usize>,
        /// The shape in the file.
        found: Vec<usize>,
        /// The type in the file.
        dtype: safetensors::Dtype,
    },
}
