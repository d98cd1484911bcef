//! One copy of the sentence model, whatever computes it.

use nightfold_memory::EmbedderError;
use ort::{
    session::Session,
    value::{TensorElementType, ValueType},
};

use super::{pool::DIMENSIONS, runtime::OnnxSession};

/// Copy of the model that computes on one thread.
pub(crate) trait SentenceSession: Send {
    /// Runs the model on `shape[0]` texts of `shape[1]` tokens each, and passes the vectors of all tokens and what
    /// the heads read from each to `take`.
    ///
    /// # Errors
    /// [`EmbedderError::Run`] with the library's error.
    fn run(
        &mut self,
        ids: &[i64],
        shape: [usize; 2],
        take: &mut dyn FnMut(&[f32], &[f32]),
    ) -> Result<(), EmbedderError>;
}

impl SentenceSession for OnnxSession {
    fn run(
        &mut self,
        ids: &[i64],
        shape: [usize; 2],
        take: &mut dyn FnMut(&[f32], &[f32]),
    ) -> Result<(), EmbedderError> {
        let failed = |source: ort::Error| EmbedderError::Run(Box::new(source));
        let input = ort::value::TensorRef::from_array_view((shape, ids)).map_err(failed)?;
        let outputs = self.session.run(ort::inputs![input]).map_err(failed)?;
        let (_, states) = outputs[0].try_extract_tensor::<f32>().map_err(failed)?;
        let (_, readings) = outputs[1].try_extract_tensor::<f32>().map_err(failed)?;
        take(states, readings);
        Ok(())
    }
}

/// Difference of a model from one that maps token numbers to a vector for each token.
#[derive(Debug, thiserror::Error)]
#[error(
    "it takes {inputs:?} and gives {outputs:?}; expected is int64 batch × sequence to float32 batch × sequence × 384"
)]
pub(super) struct ModelShapeError {
    /// Types of its inputs.
    inputs: Vec<String>,
    /// Types of its outputs.
    outputs: Vec<String>,
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
