//! Why a folder of insights cannot be read, or nothing in it be archived.

use std::{io, path::PathBuf};

use super::EntryKind;

/// Why a folder of insights cannot be read, or its archive not be written.
///
/// Whatever the error, every insight is where it was or in the archive, whole. After [`Sync`](Self::Sync), and where
/// else archiving broke off, the next call of [`InsightFolder::archive`](super::InsightFolder::archive) goes on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// Nothing is there.
    #[error("there is no folder at {}", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Something else is where the folder should be.
    #[error("{} is not a folder", path.display())]
    NotAFolder {
        /// What was named.
        path: PathBuf,
    },
    /// This system has no way to keep what is done within the folder.
    #[error("the folder {} cannot be opened: folders of insights need a Unix system", path.display())]
    Unsupported {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds more names than are read.
    #[error("{} holds more than {most} files", path.display())]
    TooMany {
        /// The folder.
        path: PathBuf,
        /// How many names a folder may hold.
        most: usize,
    },
    /// The stamp cannot be part of a folder's name. Nothing was moved.
    #[error("{stamp:?} cannot stamp an archive: 1 to {most} of the characters 0-9, A-Z, a-z and - can")]
    Stamp {
        /// The stamp that was given.
        stamp: String,
        /// How long one may be.
        most: usize,
    },
    /// The archive, or the folder in it that this call would write to, is no folder; a link is not followed.
    /// Nothing was moved.
    #[error("{} is {found}; the archive has to be a folder", path.display())]
    InTheWay {
        /// What is in the way.
        path: PathBuf,
        /// What it is.
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
        /// What the system says.
        source: io::Error,
    },
    /// Something cannot be read or looked at.
    #[error("{} cannot be read", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A folder of the archive cannot be made, or what an interrupted run left in it not be cleared. Nothing was
    /// moved.
    #[error("{} cannot be written", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What was moved may not be on the disk yet. The folder in the archive stays open for the next call.
    #[error("{} cannot be brought to the disk", path.display())]
    Sync {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}
