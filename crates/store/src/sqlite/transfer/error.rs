//! Why a store is not exported or imported.

use std::io;

use nightfold_memory::{ModelId, StoreError};

/// Why an export did not come to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The store cannot be read.
    #[error("the store cannot be exported")]
    Store(#[from] StoreError),
    /// The lines cannot be written.
    #[error("the export cannot be written")]
    Write(#[from] io::Error),
}

/// Why an import was given up: nothing of it is in the store then.
#[derive(Debug, thiserror::Error)]
#[error("{line}:{column}: {problem}")]
pub struct ImportError {
    /// The line, from 1.
    pub line: u64,
    /// The byte of it, from 1.
    pub column: usize,
    /// What is wrong there.
    #[source]
    pub problem: ImportProblem,
}

/// What is wrong with a line of an export, or with where it should go.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportProblem {
    /// The file cannot be read.
    #[error("cannot be read")]
    Read(#[source] io::Error),
    /// More than may be read.
    #[error("the line is longer than {0} bytes (transfer.max_line_bytes)")]
    LongLine(usize),
    /// More than may be read.
    #[error("more than {0} lines (transfer.max_lines)")]
    ManyLines(u64),
    /// Not what an export has in that place.
    #[error("{0}")]
    Json(String),
    /// Another kind of file.
    #[error("this is no export of a store: its first line names the format {0:?}")]
    Foreign(String),
    /// An export of another version of the program.
    #[error("the {what} is {found}; this program reads {known}")]
    Format {
        /// Which number.
        what: &'static str,
        /// The one of the file.
        found: i64,
        /// Those that are known.
        known: String,
    },
    /// Vectors that this store could not compare with its own.
    #[error("the vectors are of {found}, and not of {ours}")]
    Model {
        /// The model of the file.
        found: ModelId,
        /// The model asked for.
        ours: ModelId,
    },
    /// Something is there already.
    #[error("the store is not empty; an import goes into a new one")]
    NotEmpty,
    /// The last line is missing.
    #[error("the file ends before its last line, which has the checksum: it was cut short")]
    CutShort,
    /// Lines are missing, or too many.
    #[error("{found} rows of `{table}`, and the first line tells of {told}")]
    Count {
        /// Which rows.
        table: String,
        /// How many the first line tells of.
        told: u64,
        /// How many there are.
        found: u64,
    },
    /// Something was changed.
    #[error("the lines before have the checksum {found}, and this says {told}: the file was changed")]
    Checksum {
        /// What the last line says.
        told: String,
        /// What it should say.
        found: String,
    },
    /// A row of an NPC that has none of its own.
    #[error("there was no line `npc` of {0:?} before")]
    Stranger(String),
    /// Rows that do not fit together.
    #[error("{what} ({whose})")]
    Unfit {
        /// What does not fit.
        what: &'static str,
        /// The NPC or entry.
        whose: String,
    },
    /// The store refuses the row.
    #[error("the store refuses the row: {0}")]
    Store(#[source] StoreError),
}
