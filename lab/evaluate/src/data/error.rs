//! Errors in labelled data.

use std::{io, path::PathBuf};

use nightfold_formats::jsonl::JsonError;

/// Reason for rejecting labelled data.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// A file of the data is missing in the given folder.
    #[error("there is no {file} in {}; give the folder that holds it", dir.display())]
    Missing {
        /// Given folder.
        dir: PathBuf,
        /// Path of the missing file.
        file: String,
    },
    /// A file or folder exists but cannot be read as text.
    #[error("cannot read {}", path.display())]
    Open {
        /// Path of the file or folder.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// A line is not JSON, or lacks expected fields.
    #[error("{}:{line}: not the JSON that belongs there", path.display())]
    Json {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Description of the error.
        source: JsonError,
    },
    /// A line does not fit its file.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Its fault, in words.
        problem: String,
    },
    /// A file or folder does not hold what belongs there.
    #[error("{}: {problem}", path.display())]
    File {
        /// Path of the file or folder.
        path: PathBuf,
        /// Its fault, in words.
        problem: String,
    },
}

impl DataError {
    /// Returns the error of data without anything that is labelled.
    pub(super) fn empty(path: impl Into<PathBuf>) -> Self {
        Self::File { path: path.into(), problem: "nothing there is labelled".to_owned() }
    }
}
