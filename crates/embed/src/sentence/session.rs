//! One copy of the sentence model, whatever computes it.

use nightfold_memory::EmbedderError;

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

impl SentenceSession for ort::session::Session {
    fn run(
        &mut self,
        ids: &[i64],
        shape: [usize; 2],
        take: &mut dyn FnMut(&[f32], &[f32]),
    ) -> Result<(), EmbedderError> {
        let failed = |source: ort::Error| EmbedderError::Run(Box::new(source));
        let input = ort::value::TensorRef::from_array_view((shape, ids)).map_err(failed)?;
        let outputs = Self::run(self, ort::inputs![input]).map_err(failed)?;
        let (_, states) = outputs[0].try_extract_tensor::<f32>().map_err(failed)?;
        let (_, readings) = outputs[1].try_extract_tensor::<f32>().map_err(failed)?;
        take(states, readings);
        Ok(())
    }
}
