//! Metadata of a name in a folder; links are not followed.

use std::{fmt, time::SystemTime};

/// Type of a file-system entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, wherever it leads.
    Link,
    /// A pipe, a socket or a device.
    Special,
}

impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "a file",
            Self::Folder => "a folder",
            Self::Link => "a link",
            Self::Special => "a pipe, a socket or a device",
        })
    }
}

/// Metadata of a name in a folder.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntryStat {
    pub(super) kind: EntryKind,
    /// Time of the last write to the content (mtime).
    pub(super) touched: SystemTime,
    /// True if its owner may write it; a folder of the archive is then unfinished.
    pub(super) owner_writable: bool,
    /// True if anyone may write it.
    pub(super) writable: bool,
    /// True for a placeholder that only reserves a name, see
    /// [`Dir::rename_into`](super::dir::Dir::rename_into).
    pub(super) placeholder: bool,
}
