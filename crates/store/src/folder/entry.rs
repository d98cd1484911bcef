//! What is seen of a name in a folder, without following it.

use std::{fmt, time::SystemTime};

/// What a name in a folder stands for.
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

/// What is seen of a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) kind: EntryKind,
    /// When its content was last written.
    pub(super) touched: SystemTime,
    /// Whether its owner may write it.
    pub(super) open: bool,
    /// Whether anyone may write it.
    pub(super) writable: bool,
    /// Whether it only keeps a name free, see [`Dir::rename_into`](super::dir::Dir::rename_into).
    pub(super) placeholder: bool,
}
