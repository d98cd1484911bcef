//! Options for opening a store file, and reasons why it cannot be opened.

use std::{io, path::PathBuf, time::Duration};

use nightfold_memory::StoreError;

use crate::access::Access;

/// Options for opening a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOptions {
    /// Access to the store [[`Access::Create`]].
    pub access: Access,
    /// Longest wait for another process to finish writing, before the call fails with [`StoreError::Locked`]
    /// [5 s].
    pub busy_timeout: Duration,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { access: Access::default(), busy_timeout: Duration::from_secs(5) }
    }
}

/// Reason why a store cannot be opened. The file is then unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file does not exist or is empty.
    #[error("there is no store at {}", path.display())]
    Missing {
        /// Path of the missing store.
        path: PathBuf,
    },
    /// The folder for a new store does not exist.
    #[error("the folder {} for the store does not exist", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The path leads to a folder, not a file.
    #[error("{} is a folder; a store is one file", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The path leads to a pipe, a socket or a device, not a file.
    #[error("{} is no file; a store is one file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The file, or the folder of a new file, is write-protected.
    #[error("{} may not be written", path.display())]
    WriteProtected {
        /// The file or the folder.
        path: PathBuf,
    },
    /// The file is not a database.
    #[error("{} is not a store; it is not even a database", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The store has an older format and has to be opened once for writing.
    #[error(
        "the store {} is of the older format {found}; open it for writing once, and it is brought to format {known}",
        path.display()
    )]
    OlderFormat {
        /// The file.
        path: PathBuf,
        /// Format of the file.
        found: i64,
        /// Format that the file would get.
        known: i64,
    },
    /// The backup copy cannot be made that must precede a migration.
    #[error("{} cannot be copied to {} before its format is changed", path.display(), backup.display())]
    Backup {
        /// The file.
        path: PathBuf,
        /// Path of the backup.
        backup: PathBuf,
        /// Cause of the failure.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The path cannot be inspected.
    #[error("{} cannot be opened", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is a database, but of another program or of a newer format, or locked, or it cannot be read.
    #[error("{} cannot be opened as a store", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: StoreError,
    },
}
