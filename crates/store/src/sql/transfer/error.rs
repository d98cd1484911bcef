//! Errors of exporting and importing a store.

use std::io;

use nightfold_memory::{ModelId, StoreError};

use super::super::DatabaseFault;

/// Longest line, in bytes: that of a night's log, or of an entry with its texts, is much shorter.
pub(super) const LONGEST_LINE: usize = 16 << 20;

/// Reason why an export failed.
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

impl From<DatabaseFault> for ExportError {
    fn from(fault: DatabaseFault) -> Self {
        Self::Store(fault.into())
    }
}

/// Reason why an import failed; nothing of it is in the store then.
#[derive(Debug, thiserror::Error)]
#[error("{line}:{column}: {problem}")]
pub struct ImportError {
    /// Line number, from 1.
    pub line: u64,
    /// Byte within the line, from 1.
    pub column: usize,
    /// The problem at that place.
    #[source]
    pub problem: ImportProblem,
}

/// A failure of the store as a whole, before or after any line.
impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self { line: 1, column: 1, problem: ImportProblem::Store(error) }
    }
}

/// Problem with a line of an export or with the target store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportProblem {
    /// The file cannot be read.
    #[error("cannot be read")]
    Read(#[source] io::Error),
    /// The line is longer than the limit.
    #[error("the line is longer than {LONGEST_LINE} bytes")]
    LineTooLong,
    /// The line does not have the JSON that an export has there.
    #[error("{0}")]
    Json(String),
    /// A field of the line is missing, holds a value of another kind, or contradicts others.
    #[error("field `{field}`: {source}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// The fault.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file is not an export of a store.
    #[error("this is no export of a store: its first line names the format {0:?}")]
    Foreign(String),
    /// The export was written by another version of the program.
    #[error("the {what} is {found}; this program reads {known}")]
    Format {
        /// Kind of the number that differs.
        what: &'static str,
        /// Number in the file.
        found: i64,
        /// Numbers that this program reads.
        known: String,
    },
    /// The vectors are of a model that cannot be compared with the store's own.
    #[error("the vectors are of {found}, and not of {ours}")]
    Model {
        /// Model of the file.
        found: ModelId,
        /// Model that was asked for.
        ours: ModelId,
    },
    /// The store already has contents.
    #[error("the store is not empty; an import goes into a new one")]
    NotEmpty,
    /// The last line is missing.
    #[error("the file ends before its last line, which has the checksum: it was cut short")]
    CutShort,
    /// A table has fewer or more rows than the first line states.
    #[error("{found} rows of `{table}`, and the first line tells of {told}")]
    Count {
        /// Name of the table.
        table: String,
        /// Number of rows stated in the first line.
        told: u64,
        /// Number of rows found.
        found: u64,
    },
    /// The content does not match its checksum.
    #[error("the lines before have the checksum {found}, and this says {told}: the file was changed")]
    Checksum {
        /// Checksum in the last line.
        told: String,
        /// Checksum of the lines before.
        found: String,
    },
    /// A row belongs to an NPC that has no row of its own.
    #[error("there was no line `npc` of {0:?} before")]
    UnknownNpc(String),
    /// Rows contradict each other.
    #[error("{what} ({whose})")]
    Inconsistent {
        /// Description of the contradiction.
        what: &'static str,
        /// The NPC or entry.
        whose: String,
    },
    /// The store refuses the row.
    #[error("the store refuses the row: {0}")]
    Store(#[source] StoreError),
}
