//! Errors of the vector cache.

use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Error of opening a vector cache. A run can do without a cache.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The path leads to a folder, a pipe, a socket or a device.
    #[error("{} is {}; a vector cache is one file", path.display(), if path.is_dir() { "a folder" } else { "no file" })]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The file is not a vector cache that this version knows; it is left unchanged.
    #[error("{} is not a vector cache that this version knows", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be opened, written or created.
    #[error("the vector cache {} cannot be used", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: rusqlite::Error,
    },
}

impl CacheError {
    /// True if the disk is full or failed, so that nothing is wrong with the path.
    #[must_use]
    pub fn is_of_the_disk(&self) -> bool {
        let Self::File { source, .. } = self else { return false };
        matches!(source.sqlite_error_code(), Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure))
    }
}
