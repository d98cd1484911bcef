//! Why a vector cache cannot be used.

use std::path::PathBuf;

/// Why a vector cache cannot be used. A run needs none.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// A folder is where the file should be.
    #[error("{} is a folder; a vector cache is one file", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The folder it should be in does not exist.
    #[error("the folder {} does not exist", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// Some other file, which is left as it is.
    #[error("{} is not a vector cache", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A cache of another version of this program.
    #[error("the vector cache {} is of format {found}; this version knows format {known}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The format it has.
        found: i64,
        /// The format this version knows.
        known: i64,
    },
    /// It cannot be opened, read or made.
    #[error("the vector cache {} cannot be opened", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
