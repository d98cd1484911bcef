//! Errors of record files.

use std::{io, path::PathBuf};

use super::file::MAX_RECORD_BYTES;

/// Error of a record file. The file loses nothing, whatever the error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file cannot be opened, read or written.
    #[error("the record file {} cannot be {doing}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operation: "opened", "read", "written" …
        doing: &'static str,
        /// The system's own error.
        source: io::Error,
    },
    /// Another process is recording to the file.
    #[error("the record file {} is in use by another run\nwait for it to end, or record to another file", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A line is not a record.
    #[error("{}:{line}: the line is no recorded answer", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Error in the line.
        source: serde_json::Error,
    },
    /// A line is longer than any record.
    #[error("{}:{line}: the line is longer than {MAX_RECORD_BYTES} bytes", path.display())]
    LongLine {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
    },
    /// The file was recorded with several models, and none was chosen.
    #[error("the record file {} holds answers of {} models: {}\nchoose one by its name", path.display(), models.len(), models.join(", "))]
    SeveralModels {
        /// The file.
        path: PathBuf,
        /// Names of the models, in alphabetical order.
        models: Vec<String>,
    },
    /// The file contains no answer, or none of the chosen model.
    #[error("the record file {} holds no answers{}", path.display(), of(model.as_deref(), models))]
    NoAnswers {
        /// The file.
        path: PathBuf,
        /// The chosen model, if any.
        model: Option<String>,
        /// The models whose answers the file contains.
        models: Vec<String>,
    },
    /// An earlier answer could not be written. No more questions are asked, as their answers would be paid
    /// for and lost.
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
