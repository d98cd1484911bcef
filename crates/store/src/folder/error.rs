//! Errors of reading a folder of insights and of archiving in it.

use std::{io, path::PathBuf};

use super::EntryKind;

/// Error of reading a folder of insights or of writing its archive.
///
/// After any error, each insight is complete and either at its old place or in the archive. After
/// [`Sync`](Self::Sync), or any other interruption, the next call of
/// [`InsightFolder::archive`](super::InsightFolder::archive) continues the run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// Nothing exists at the path.
    #[error("there is no folder at {}", path.display())]
    Missing {
        /// Path of the missing folder.
        path: PathBuf,
    },
    /// The path leads to something other than a folder.
    #[error("{} is not a folder", path.display())]
    NotAFolder {
        /// The given path.
        path: PathBuf,
    },
    /// This system offers no way to confine file operations to the folder.
    #[error("the folder {} cannot be opened: folders of insights need a Unix system", path.display())]
    Unsupported {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds more names than the limit.
    #[error("{} holds more than {most} files", path.display())]
    TooMany {
        /// The folder.
        path: PathBuf,
        /// Largest number of names that a folder may hold.
        most: usize,
    },
    /// The stamp cannot be part of a folder's name. Nothing was moved.
    #[error("{stamp:?} cannot stamp an archive: 1 to {most} of the characters 0-9, A-Z, a-z and - can")]
    Stamp {
        /// The given stamp.
        stamp: String,
        /// Longest stamp, in bytes.
        most: usize,
    },
    /// The archive, or the folder in it that this call would write to, is not a folder; links are not
    /// followed. Nothing was moved.
    #[error("{} is {found}; the archive has to be a folder", path.display())]
    InTheWay {
        /// Path of the entry that is in the way.
        path: PathBuf,
        /// Type of that entry.
        found: EntryKind,
    },
    /// Another call is archiving in the folder. Nothing was moved.
    #[error("{} is being archived by another run", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The folder cannot be locked against another run. Nothing was moved.
    #[error("{} cannot be locked", path.display())]
    Lock {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file or folder cannot be read or inspected.
    #[error("{} cannot be read", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A folder of the archive cannot be made, or the remains of an interrupted run cannot be cleared.
    /// Nothing was moved.
    #[error("{} cannot be written", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The moved files may not be on the disk yet. The folder in the archive stays unfinished for the next
    /// call.
    #[error("{} cannot be brought to the disk", path.display())]
    Sync {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}
