//! Why a record file cannot be used.

use std::{io, path::PathBuf};

use super::line::LineError;

/// Why a record file cannot be used. Nothing in it is lost, whatever the error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// It cannot be opened, read or written.
    #[error("the record file {} cannot be {doing}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done: "opened", "read", "written" …
        doing: &'static str,
        /// The system's own error.
        source: io::Error,
    },
    /// Another process is recording to it, or, where it was to be recorded to, reading it.
    #[error("the record file {} is in use by another run\nwait for it to end, or record to another file", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A line is none of a record file.
    #[error("{}:{line}: the line is no recorded answer", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: LineError,
    },
    /// It holds more lines than are read.
    #[error("the record file {} has more than {most} lines", path.display())]
    TooManyLines {
        /// The file.
        path: PathBuf,
        /// How many lines a file may have.
        most: usize,
    },
    /// It was recorded with several models, and none was chosen.
    #[error("the record file {} holds answers of {} models: {}\nchoose one by its name", path.display(), models.len(), models.join(", "))]
    SeveralModels {
        /// The file.
        path: PathBuf,
        /// Their names, in the order of the alphabet.
        models: Vec<String>,
    },
    /// It holds no answer, or none of the model that was chosen.
    #[error("the record file {} holds no answers{}", path.display(), of(model.as_deref(), models))]
    NoAnswers {
        /// The file.
        path: PathBuf,
        /// The model that was chosen, if one was.
        model: Option<String>,
        /// The models that it holds answers of.
        models: Vec<String>,
    },
    /// An earlier answer could not be written. Nothing more is asked, as it would be paid for and lost.
    #[error("the record file {} could not be written before, so nothing more is asked", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
    },
}

fn of(model: Option<&str>, models: &[String]) -> String {
    match model {
        None => String::new(),
        Some(model) if models.is_empty() => format!(" of {model}"),
        Some(model) => format!(" of {model}, only of: {}", models.join(", ")),
    }
}
