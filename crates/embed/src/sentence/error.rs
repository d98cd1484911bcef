//! Errors of opening the models.

use crate::{engine::EngineError, onnx::OnnxError};
use std::{error::Error, io, path::PathBuf};

use ort::{
    session::Session,
    value::{TensorElementType, ValueType},
};

use super::DIMENSIONS;

/// Error of opening a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelOpenError {
    /// The processor does not run the engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The library file cannot be accessed.
    #[error("the library {} cannot be reached", path.display())]
    RuntimeFile {
        /// The library file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The library file cannot be loaded.
    #[error("the library {} cannot be loaded", path.display())]
    Load {
        /// The library file.
        path: PathBuf,
        /// The loader's error.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The process has loaded another library already, and can load only one.
    #[error(
        "this process runs the library {} already; it cannot load {} too",
        loaded.display(),
        asked.display()
    )]
    OtherRuntime {
        /// The library in use.
        loaded: PathBuf,
        /// The library that was requested.
        asked: PathBuf,
    },
    /// The library does not initialise.
    #[error("ONNX Runtime does not start")]
    Start(#[source] ort::Error),
    /// The model file cannot be read.
    #[error("the model {} cannot be read", path.display())]
    ModelFile {
        /// The model file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The built-in weights of the grammar's heads cannot be read.
    #[error("the weights that read grammar are damaged")]
    Grammar(#[source] OnnxError),
    /// The runtime cannot read the model.
    #[error("ONNX Runtime cannot use the model {}", path.display())]
    Model {
        /// The model file.
        path: PathBuf,
        /// The runtime's error.
        source: ort::Error,
    },
    /// OpenVINO cannot read the model.
    #[error("OpenVINO cannot use the model {}", path.display())]
    OpenVinoModel {
        /// The model file.
        path: PathBuf,
        /// The library's error.
        source: Box<dyn Error + Send + Sync>,
    },
    /// OpenVINO gets other numbers out of the model than the sentence model gives.
    #[error("{} is not the expected sentence model", path.display())]
    OpenVinoShape {
        /// The model file.
        path: PathBuf,
    },
    /// The model has other inputs or outputs.
    #[error("{} is not the expected sentence model", path.display())]
    Shape {
        /// The model file.
        path: PathBuf,
        /// The difference.
        source: ModelShapeError,
    },
    /// The built-in stance model cannot be read.
    #[error("the stance model's own weights are damaged")]
    Stance(#[source] OnnxError),
    /// ONNX Runtime cannot use the stance model.
    #[error("ONNX Runtime cannot use the stance model")]
    StanceGraph(#[source] ort::Error),
    /// The tokenizer cannot be used.
    #[error("the tokenizer {} cannot be used", path.display())]
    Tokenizer {
        /// The tokenizer file.
        path: PathBuf,
        /// The tokenizer's own error.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// Difference of a model from one that maps token numbers to a vector for each token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "it takes {inputs:?} and gives {outputs:?}; expected is int64 batch × sequence to float32 batch × sequence × 384"
)]
pub struct ModelShapeError {
    /// Types of its inputs.
    pub inputs: Vec<String>,
    /// Types of its outputs.
    pub outputs: Vec<String>,
}

/// Checks that a model maps token numbers to vectors and to as many readings, before any text is passed to it.
pub(super) fn check_shape(session: &Session, readings: usize) -> Result<(), ModelShapeError> {
    let tensor = |value: &ValueType, of: TensorElementType, rank: usize| match value {
        ValueType::Tensor { ty, shape, .. } if *ty == of && shape.len() == rank => shape.last().copied(),
        _ => None,
    };
    let fits = match (session.inputs(), session.outputs()) {
        ([input], [vectors, read]) => {
            tensor(input.dtype(), TensorElementType::Int64, 2).is_some()
                && tensor(vectors.dtype(), TensorElementType::Float32, 3) == i64::try_from(DIMENSIONS).ok()
                && tensor(read.dtype(), TensorElementType::Float32, 3) == i64::try_from(readings).ok()
        }
        _ => false,
    };
    if fits {
        return Ok(());
    }
    let types = |outlets: &[ort::value::Outlet]| outlets.iter().map(|o| o.dtype().to_string()).collect();
    Err(ModelShapeError { inputs: types(session.inputs()), outputs: types(session.outputs()) })
}
