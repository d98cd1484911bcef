//! Errors of writing and reading a batch.

use std::{fmt, io, path::PathBuf};

use crate::recorded::RecordError;

/// One of the three files of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchFile {
    /// The tasks, which go to the provider.
    Tasks,
    /// The index, which maps aliases to memory ids.
    Index,
    /// The results, which come from the provider.
    Results,
}

impl fmt::Display for BatchFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Tasks => "tasks",
            Self::Index => "index",
            Self::Results => "results",
        })
    }
}

/// Error of writing or reading a batch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The folder cannot be created or read.
    #[error("the folder {} cannot be made or read", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's own error.
        source: io::Error,
    },
    /// The folder contains no tasks.
    #[error("the folder {} holds no batch", path.display())]
    NoBatch {
        /// The folder.
        path: PathBuf,
    },
    /// A file of the batch cannot be read or written.
    #[error("the batch's {file} cannot be read or written")]
    Io {
        /// The file.
        file: BatchFile,
        /// The system's own error.
        source: io::Error,
    },
    /// A line is not the expected JSON. The lines before it are recorded.
    #[error("line {line} of the batch's {file} cannot be read")]
    Line {
        /// The file.
        file: BatchFile,
        /// Number of the line, from 1.
        line: usize,
        /// The JSON error.
        source: serde_json::Error,
    },
    /// A line of the index has another format version.
    #[error(
        "line {line} of the batch's index is of format {found}, and {known} is the one this version reads"
    )]
    Format {
        /// Number of the line, from 1.
        line: usize,
        /// Format version of the line.
        found: u32,
        /// Format version that is supported.
        known: u32,
    },
    /// A line of the index is longer than any that is written.
    #[error("line {line} of the batch's index is longer than {most} bytes")]
    TooLong {
        /// Number of the line, from 1.
        line: usize,
        /// Maximum length of a line, in bytes.
        most: usize,
    },
    /// An answer cannot be recorded.
    #[error("the batch's answers cannot be recorded")]
    Record(#[from] RecordError),
}
