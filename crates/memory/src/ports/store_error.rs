//! Reasons why a store refused.

use std::path::PathBuf;

use crate::id::{MemoryId, ModelId, NightLabel, NpcId, SavePointName, ThemeId};

/// Reason why a store refused. The store is then as it was before the call, except that earlier nights of the
/// same call may have been written whole.
///
/// If the disk fails in the middle of a commit and all processes that have the store open die before one of them writes
/// again, the call may have happened after all, wholly: repeat it, and it is completed or found done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The plan was made from another state than that of the store.
    #[error(
        "the plan for night {night} of {npc} was made at version {planned}, and {npc} is at version {found} now"
    )]
    Stale {
        /// NPC of the night.
        npc: NpcId,
        /// Label of the night.
        night: NightLabel,
        /// Version that the night was planned against.
        planned: u64,
        /// Version in the store.
        found: u64,
    },
    /// The entries' vectors are of another model than those of the store.
    #[error("the store holds vectors of {stored}, not of {given}")]
    Model {
        /// Model of the store.
        stored: ModelId,
        /// Model of the plan.
        given: ModelId,
    },
    /// The plan writes an entry under an id that is taken, or changes one that does not exist or is in the
    /// wrong state.
    #[error("night {night} of {npc}: cannot {verb} {id}, which {state}")]
    Conflict {
        /// NPC of the night.
        npc: NpcId,
        /// Label of the night.
        night: NightLabel,
        /// Verb of the change, or of a step of it such as "move" or "sleep on".
        verb: &'static str,
        /// Id of the entry.
        id: MemoryId,
        /// Description of the obstacle.
        state: &'static str,
    },
    /// The plan has a new theme with the id of an existing one, or continues a theme that does not exist.
    #[error("night {night} of {npc}: cannot follow the theme {id}, which {state}")]
    Theme {
        /// NPC of the night.
        npc: NpcId,
        /// Label of the night.
        night: NightLabel,
        /// Id of the theme.
        id: ThemeId,
        /// Description of the obstacle.
        state: &'static str,
    },
    /// The night cannot be undone, because the data for undoing it was purged, or deleted by an erasure.
    #[error("night {night} of {npc} cannot be taken back: what it archived was purged or erased")]
    Purged {
        /// NPC of the night.
        npc: NpcId,
        /// Label of the night.
        night: NightLabel,
    },
    /// The run that the nights belong to has ended: by hand, or because nights of it were undone. Nothing was written.
    #[error("run {run} has ended: by hand, or because nights of it were undone")]
    RunEnded {
        /// Number of the run.
        run: u64,
    },
    /// There is no save point of this name.
    #[error("there is no save point {name}")]
    NoSavePoint {
        /// Name that was given.
        name: SavePointName,
    },
    /// The save point has another state than the one that was noted with the game.
    #[error(
        "save point {name} is not what it was when the game was saved: it was made again, or one of its NPCs was erased"
    )]
    SavePointReplaced {
        /// Name of the save point.
        name: SavePointName,
    },
    /// A state cannot be reached again: a night that leads there was undone, or its data was purged.
    #[error("{npc} cannot be rewound to version {version}: a night that leads there was undone or purged")]
    Unreachable {
        /// NPC that was to be rewound.
        npc: NpcId,
        /// Version of the state.
        version: u64,
    },
    /// The store was written by a newer version of the program.
    #[error("the store is of format {found}; this version reads up to format {known}")]
    NewerFormat {
        /// Format that the store states.
        found: i64,
        /// Newest format that this build reads.
        known: i64,
    },
    /// The file has the id of a store, and no format that a store can have: it is damaged.
    #[error("the file has the id of a store, but is of the format {0}; formats begin at 1")]
    NoFormat(i64),
    /// The file is a database of another program.
    #[error("the file is a database of another program (application id {0:#x})")]
    Foreign(i64),
    /// The file that was opened as the store is not in its place any more: it was deleted, moved or replaced, or its
    /// write-ahead log was. What was written since then is not there.
    #[error("the store {} was taken away while it was in use: {found}", path.display())]
    Displaced {
        /// Path under which the store was opened.
        path: PathBuf,
        /// Description of the file that is at the path instead.
        found: &'static str,
    },
    /// Another process is writing to the store.
    #[error("the store is locked by another process")]
    Locked(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The store could not be read or written.
    #[error("the store could not be read or written")]
    Backend(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A stored value cannot be read back.
    #[error("the store holds a damaged {what} under {id}")]
    Damaged {
        /// Damaged part.
        what: &'static str,
        /// Entry that it belongs to.
        id: String,
        /// Error of reading it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl StoreError {
    /// Returns an error for a failure underneath the store: of a file, a database or a service.
    pub fn backend(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Backend(Box::new(error))
    }
}
