//! Reasons why a store cannot be opened.

use std::{error::Error, io, path::PathBuf};

use nightfold_memory::StoreError;

/// Reason why a store cannot be opened; nothing was written. The place of a store is the path of its file, or its server,
/// database and schema; a password is never part of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no store: the file does not exist or is empty, or the schema has no tables.
    #[error("there is no store at {0}")]
    Missing(String),
    /// The folder for a new store does not exist.
    #[error("the folder {} for the store does not exist", .0.display())]
    NoFolder(PathBuf),
    /// The path leads to a folder, not a file.
    #[error("{} is a folder; a store is one file", .0.display())]
    Folder(PathBuf),
    /// The path leads to a pipe, a socket or a device, not a file.
    #[error("{} is no file; a store is one file", .0.display())]
    NotAFile(PathBuf),
    /// The file, or the folder of a new file, is write-protected.
    #[error("{} may not be written", .0.display())]
    WriteProtected(PathBuf),
    /// The file is not a database.
    #[error("{} is not a store; it is not even a database", .0.display())]
    NotADatabase(PathBuf),
    /// The schema holds tables of another program.
    #[error("{0} holds tables of another program; name another schema (schema=NAME)")]
    Foreign(String),
    /// The store has an older format and has to be opened once for writing, on a server by a role that may change tables.
    #[error(
        "the store {place} is of the older format {found}; open it for writing once, and it is brought to format {known}"
    )]
    OlderFormat {
        /// Place of the store.
        place: String,
        /// Format of the store.
        found: i64,
        /// Format that the store would get.
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
        source: Box<dyn Error + Send + Sync>,
    },
    /// The path cannot be inspected.
    #[error("{} cannot be opened", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The address is not that of a database.
    #[error("the address is not of the form postgres://USER@HOST:PORT/DATABASE?schema=NAME: {0}")]
    Address(String),
    /// The certificates cannot be read that the server's must be signed with.
    #[error("{} holds no certificates that can be read (sslrootcert)", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// Cause of the failure.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The server cannot be reached, or does not let this user in.
    #[error("{place} cannot be reached")]
    Connect {
        /// Place of the store.
        place: String,
        /// Cause of the failure.
        source: StoreError,
    },
    /// The thread that talks to the server cannot be started.
    #[error("no thread can be started for the connections")]
    Thread(#[from] io::Error),
    /// The store is of another program or of a newer format, or locked, or it cannot be read or made.
    #[error("{place} cannot be opened as a store")]
    Refused {
        /// Place of the store.
        place: String,
        /// The cause.
        source: StoreError,
    },
}
