//! The sentence model in ONNX Runtime, exactly as it was trained.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use memmap2::Mmap;
use ort::environment::Environment;

use super::{
    error::ModelOpenError,
    lazy::made_by,
    runtime::{self, OnnxSession},
    session::{SentenceSession, check_shape},
};
use crate::{
    grammar::GrammarReader,
    provision::{ModelFiles, prepared},
};

/// The model, of which sessions are opened.
pub(super) struct ExactModel {
    files: ModelFiles,
    environment: Environment,
    /// Part of the graph that reads grammar.
    heads: Vec<u8>,
    readings: usize,
    /// The model as it was optimised, if the user's cache keeps it.
    prepared: Option<(PathBuf, Arc<Mmap>)>,
}

impl ExactModel {
    /// Loads the library. A model that is opened for the first time is prepared for all later times.
    pub(super) fn new(files: &ModelFiles, grammar: &GrammarReader) -> Result<Self, ModelOpenError> {
        let mut model = Self {
            files: files.clone(),
            environment: runtime::environment(&files.runtime)?,
            heads: grammar.graph.clone(),
            readings: grammar.readings,
            prepared: None,
        };
        model.prepared = model.mapped()?;
        Ok(model)
    }

    fn mapped(&self) -> Result<Option<(PathBuf, Arc<Mmap>)>, ModelOpenError> {
        let Some(path) = &self.files.prepared else { return Ok(None) };
        let made_from = made_by(&self.files);
        let map = || prepared::mapped(path, &made_from).map(|model| (path.clone(), Arc::new(model)));
        if let Some(mapped) = map() {
            return Ok(Some(mapped));
        }
        let bytes = read(&self.files, &self.heads)?;
        let made = prepared::prepare(path, &made_from, |to| runtime::prepare(&self.environment, &bytes, to));
        if let Err(error) = made {
            tracing::info!(path = %path.display(), %error, "the model is not kept as it was optimised");
        }
        Ok(map())
    }

    /// Opens a session.
    pub(super) fn session(&self) -> Result<Box<dyn SentenceSession>, ModelOpenError> {
        let (path, session) = if let Some((path, model)) = &self.prepared {
            (path, OnnxSession::mapped(&self.environment, Arc::clone(model)))
        } else {
            let bytes = read(&self.files, &self.heads)?;
            (&self.files.model, OnnxSession::new(&self.environment, &bytes))
        };
        let session = session.map_err(unusable(path))?;
        check_shape(&session.session, self.readings).map_err(unusable(path))?;
        Ok(Box::new(session))
    }
}

fn unusable<E: Into<Box<dyn Error + Send + Sync>>>(path: &Path) -> impl Fn(E) -> ModelOpenError {
    ModelOpenError::file("model", path, "used by ONNX Runtime")
}

/// Reads the model, with the heads that read grammar.
pub(super) fn read(files: &ModelFiles, heads: &[u8]) -> Result<Vec<u8>, ModelOpenError> {
    let mut model = fs::read(&files.model).map_err(ModelOpenError::file("model", &files.model, "read"))?;
    model.extend_from_slice(heads);
    Ok(model)
}
