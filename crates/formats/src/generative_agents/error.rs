//! Errors of reading a save.

use std::{io, path::PathBuf};

use nightfold_memory::IdError;

use crate::jsonl::JsonLineError;

/// Folder of a save that has one folder for each persona.
pub(super) const PERSONAS: &str = "personas";

/// Failure to read a save.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// A folder without personas.
    #[error("{} is a folder, but not a save: it has no folder `{PERSONAS}`", path.display())]
    NoPersonas {
        /// The folder.
        path: PathBuf,
    },
    /// The folder of a persona whose name no NPC can have.
    #[error("{}: the name of the folder is the persona's, and {source}", path.display())]
    Name {
        /// The folder.
        path: PathBuf,
        /// Rule for names that it breaks.
        source: IdError,
    },
    /// The folder of a persona whose name is not UTF-8.
    #[error("{}: the name of the folder is the persona's, and is not UTF-8", path.display())]
    NotUtf8 {
        /// The folder.
        path: PathBuf,
    },
    /// A pipe, a device or a folder in the place of a file.
    #[error("{} is no file", path.display())]
    NoFile {
        /// Path of the pipe, device or folder.
        path: PathBuf,
    },
    /// A file that is larger than allowed.
    #[error("{} is larger than {most} bytes (input.max_file_bytes)", path.display())]
    Large {
        /// The file.
        path: PathBuf,
        /// Most bytes allowed.
        most: usize,
    },
    /// More files and folders than allowed.
    #[error("{} holds more than {most} files and folders (input.max_files)", path.display())]
    Many {
        /// The folder of the save.
        path: PathBuf,
        /// Most files and folders allowed.
        most: usize,
    },
    /// A file or folder that cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A file of nodes that is not UTF-8 or not one JSON object.
    #[error(transparent)]
    File(JsonLineError),
    /// One node with missing or wrong fields, or beyond a bound.
    #[error(transparent)]
    Node(JsonLineError),
    /// One node whose name no memory can have.
    #[error("{}:{line}: column {column}: the name of the node {source}", path.display())]
    NodeName {
        /// The file.
        path: PathBuf,
        /// Number of the line on which the node begins, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// Rule for names that it breaks.
        source: IdError,
    },
}

impl SaveError {
    /// True if only one node is bad: the nodes after it can still be read.
    pub fn is_of_one_node(&self) -> bool {
        matches!(self, Self::Node(_) | Self::NodeName { .. })
    }
}
