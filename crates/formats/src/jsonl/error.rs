//! Errors of reading JSONL.

use std::{io, path::PathBuf};

use super::LineProblem;

/// A bad line, with the file and the place in it.
///
/// The message names all of it: `day.jsonl:3: column 12: field `at`: …`.
#[derive(Debug, thiserror::Error)]
#[error("{}:{line}: {problem}", file.display())]
pub struct JsonLineError {
    /// Name of the file, as the caller gave it.
    pub file: PathBuf,
    /// Number of the line, from 1.
    pub line: usize,
    /// The fault of the line.
    pub problem: LineProblem,
}

impl JsonLineError {
    /// Returns the column in bytes, from 1, where it is known.
    pub fn column(&self) -> Option<usize> {
        self.problem.column()
    }

    /// Returns the path to the field that is wrong, where it is known.
    pub fn field(&self) -> Option<&str> {
        self.problem.field()
    }
}

/// Failure to read JSONL.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonlError {
    /// The file cannot be opened or read. Nothing is read after this.
    #[error("cannot read {}", file.display())]
    Read {
        /// Name of the file.
        file: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A folder was named instead of a file.
    #[error("{} is a folder; give a JSONL file", file.display())]
    Folder {
        /// Name of the folder.
        file: PathBuf,
    },
    /// A pipe, a socket or a device was named instead of a file.
    #[error("{} is {kind}, not a file", file.display())]
    NotAFile {
        /// Name that was given.
        file: PathBuf,
        /// Kind in words, such as "a pipe".
        kind: &'static str,
    },
    /// One line is bad. The lines after it can still be read.
    #[error(transparent)]
    Line(#[from] JsonLineError),
}
