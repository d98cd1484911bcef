//! Errors of opening the models.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use crate::engine::EngineError;

/// Error of opening a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelOpenError {
    /// The processor does not run the engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
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
    /// A file cannot be used.
    #[error("the {what} {} cannot be {action}", path.display())]
    File {
        /// Kind of the file: "library", "model", "tokenizer".
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The operation: "reached", "loaded", "read", "used by ONNX Runtime" …
        action: &'static str,
        /// Error of the system or of the library that reads the file.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A part of the program or its library does not work.
    #[error("{problem}")]
    Part {
        /// The problem.
        problem: &'static str,
        /// Its cause.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl ModelOpenError {
    /// Returns the error of a file that cannot be used.
    pub(crate) fn file<E: Into<Box<dyn Error + Send + Sync>>>(
        what: &'static str,
        path: &Path,
        action: &'static str,
    ) -> impl Fn(E) -> Self {
        move |source| Self::File { what, path: path.to_owned(), action, source: source.into() }
    }

    /// Returns the error of a part that does not work.
    pub(crate) fn part<E: Into<Box<dyn Error + Send + Sync>>>(problem: &'static str) -> impl Fn(E) -> Self {
        move |source| Self::Part { problem, source: source.into() }
    }
}
