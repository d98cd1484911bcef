//! Why a batch cannot be written or read.

use std::{fmt, io, path::PathBuf};

use crate::recorded::RecordError;

/// Which file of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchFile {
    /// What goes to the provider.
    Tasks,
    /// What the aliases stand for.
    Index,
    /// What the provider gave back.
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

/// Why a batch cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// Its folder cannot be made or read.
    #[error("the folder {} cannot be made or read", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// The system's own error.
        source: io::Error,
    },
    /// No tasks were written to the folder.
    #[error("the folder {} holds no batch", path.display())]
    NoBatch {
        /// Which.
        path: PathBuf,
    },
    /// One of its files cannot be read or written.
    #[error("the batch's {file} cannot be read or written")]
    Io {
        /// Which.
        file: BatchFile,
        /// The system's own error.
        source: io::Error,
    },
    /// A line is not the JSON it should be. What stands before it is recorded.
    #[error("line {line} of the batch's {file} cannot be read")]
    Line {
        /// Which file.
        file: BatchFile,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A line of the index is of another format.
    #[error(
        "line {line} of the batch's index is of format {found}, and {known} is the one this version reads"
    )]
    Format {
        /// The line, from 1.
        line: usize,
        /// Its format.
        found: u32,
        /// The format that is read.
        known: u32,
    },
    /// A line of the index is longer than any that was written.
    #[error("line {line} of the batch's index is longer than {most} bytes")]
    TooLong {
        /// The line, from 1.
        line: usize,
        /// How long one may be.
        most: usize,
    },
    /// What was answered cannot be recorded.
    #[error("the batch's answers cannot be recorded")]
    Record(#[from] RecordError),
}
