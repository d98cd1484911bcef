//! Errors of the vector cache.

use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Error of opening a vector cache. A run can do without a cache.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The path is a folder, not a file.
    #[error("{} is a folder; a vector cache is one file", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The path leads to a pipe, a socket or a device, not a file.
    #[error("{} is no file; a vector cache is one file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The parent folder does not exist.
    #[error("the folder {} does not exist", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The file is not a vector cache; it is left unchanged.
    #[error("{} is not a vector cache", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The cache was written by another version of this program.
    #[error("the vector cache {} is of format {found}; this version knows format {known}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Format version of the file.
        found: i64,
        /// Format version that is supported.
        known: i64,
    },
    /// The file cannot be opened, read or created.
    #[error("the vector cache {} cannot be opened", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl CacheError {
    /// True if the disk is full or failed, so that nothing is wrong with the path.
    #[must_use]
    pub fn is_of_the_disk(&self) -> bool {
        let Self::File { source, .. } = self else { return false };
        let code = source.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
        matches!(code, Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure))
    }
}
