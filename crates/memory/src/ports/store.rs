//! Long-term memory.

use serde::{Deserialize, Serialize};

use crate::{
    GameTime, MemoryId, MemoryRecord, MemorySnapshot, ModelId, NightLabel, NpcId, NpcNight, Reason,
    ThemeHistory, ThemeId,
};

/// What applying a night did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is written.
    Applied {
        /// The NPC's version now.
        version: u64,
    },
    /// The very same night was applied before; nothing was written.
    AlreadyApplied,
    /// The night changes nothing; nothing was written.
    Empty,
}

/// A night that is in the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedNight {
    /// Whose night.
    pub npc: NpcId,
    /// Which night.
    pub night: NightLabel,
    /// The moment of sleep.
    pub at: GameTime,
    /// Which apply wrote it: nights written by one call of the program share it.
    pub run: u64,
    /// The version it was planned against.
    pub base_version: u64,
    /// The version it made.
    pub version: u64,
    /// How many changes it made.
    pub changes: u64,
}

/// A night that was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undone {
    /// Whose night.
    pub npc: NpcId,
    /// Which night.
    pub night: NightLabel,
    /// The version that is in force again.
    pub version: u64,
}

/// What happened to an entry, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogLine {
    /// The night that did it.
    pub night: NightLabel,
    /// The moment of that night.
    pub at: GameTime,
    /// What it did: the change's verb.
    #[serde(rename = "do")]
    pub verb: String,
    /// The entry it was done to.
    pub id: MemoryId,
    /// The evidence that decided it.
    pub reason: Reason,
}

/// What a purge deletes, or would delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Purge {
    /// Whose memory.
    pub npc: NpcId,
    /// How many archived entries go for good.
    pub entries: usize,
    /// The night that put the last of them away: it and those before it can no longer be taken back. `None` where no
    /// night is that old.
    pub until: Option<NightLabel>,
    /// How many nights could be taken back before, and cannot after.
    pub nights: usize,
}

impl Purge {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.entries == 0 && self.nights == 0
    }
}

/// Why the store refused. After any of these the store is as it was before the call, except that nights of the
/// same call that came earlier may be written whole.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The plan was made from another state than the store's.
    #[error(
        "the plan for night {night} of {npc} was made at version {planned}, and {npc} is at version {found} now"
    )]
    Stale {
        /// Whose night.
        npc: NpcId,
        /// Which night.
        night: NightLabel,
        /// The version it was planned against.
        planned: u64,
        /// The version in the store.
        found: u64,
    },
    /// The entries' vectors are of another model.
    #[error("the store holds vectors of {stored}, not of {given}")]
    Model {
        /// The store's model.
        stored: ModelId,
        /// The plan's model.
        given: ModelId,
    },
    /// The plan writes an entry under an id that is taken, or changes one that is not there.
    #[error("night {night} of {npc}: cannot {verb} {id}, which {state}")]
    Conflict {
        /// Whose night.
        npc: NpcId,
        /// Which night.
        night: NightLabel,
        /// What was to be done: a change's verb, or a part of it such as "move" or "sleep on".
        verb: &'static str,
        /// To which entry.
        id: MemoryId,
        /// Why it cannot be.
        state: &'static str,
    },
    /// The plan names a new theme as one that is there, or continues one that is not.
    #[error("night {night} of {npc}: cannot follow the theme {id}, which {state}")]
    Theme {
        /// Whose night.
        npc: NpcId,
        /// Which night.
        night: NightLabel,
        /// Which theme.
        id: ThemeId,
        /// Why it cannot be.
        state: &'static str,
    },
    /// What would bring the state before this night back was deleted for good.
    #[error("night {night} of {npc} cannot be taken back: what it put away was purged")]
    Purged {
        /// Whose night.
        npc: NpcId,
        /// Which night.
        night: NightLabel,
    },
    /// Written by a newer version of the program.
    #[error("the store is of format {found}; this version reads up to format {known}")]
    NewerFormat {
        /// The format it states.
        found: i64,
        /// The newest this build knows.
        known: i64,
    },
    /// A database, but not ours.
    #[error("the file is a database of another program (application id {0:#x})")]
    Foreign(i64),
    /// Another process writes to it.
    #[error("the store is locked by another process")]
    Locked(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The file could not be read or written.
    #[error("the store could not be read or written")]
    Backend(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// What is stored does not read as what it should be.
    #[error("the store holds a damaged {what} under {id}")]
    Damaged {
        /// Which part.
        what: &'static str,
        /// Of which entry.
        id: String,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Reads what NPCs know for long.
///
/// Contract:
/// - every read sees one state, never half a night;
/// - nothing is written: whoever is given a `&dyn MemoryReader` cannot change the store.
pub trait MemoryReader: Send + Sync {
    /// The model of the stored vectors; `None` while there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn model(&self) -> Result<Option<ModelId>, StoreError>;

    /// One NPC's active entries with vectors, its themes, and everything known by id; empty for one never seen.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn past(&self, npc: &NpcId) -> Result<MemorySnapshot, StoreError>;

    /// The nights that are applied, oldest first, of one NPC or of all.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn nights(&self, npc: Option<&NpcId>) -> Result<Vec<AppliedNight>, StoreError>;

    /// What [`MemoryStore::purge`] would delete.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn purgeable(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError>;

    /// The names of all NPCs that have an entry of this id, archived or not, in order.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn owners(&self, id: &MemoryId) -> Result<Vec<NpcId>, StoreError>;

    /// The names of all NPCs that have entries, in order.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn npcs(&self) -> Result<Vec<NpcId>, StoreError>;

    /// All entries of an NPC, archived ones included, by id. Vectors are left out.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn entries(&self, npc: &NpcId) -> Result<Vec<MemoryRecord>, StoreError>;

    /// One entry, archived or not, with its vector where the store has one: of what was never active it has none.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn entry(&self, npc: &NpcId, id: &MemoryId) -> Result<Option<MemoryRecord>, StoreError>;

    /// Up to `most` active entries of an NPC by id, from the first after `after` on. Vectors are left out. Pages are
    /// each of one state, but not all of the same: a plan made from them is fenced by the version read before.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn active_page(
        &self,
        npc: &NpcId,
        after: Option<&MemoryId>,
        most: usize,
    ) -> Result<Vec<MemoryRecord>, StoreError>;

    /// The entries of an NPC, archived or not, that name `id` as a source or as their successor, by id.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn referring(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError>;

    /// What happened to one entry, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn log(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<LogLine>, StoreError>;

    /// All themes that nights of an NPC have seen, the last seen first, those of one night by id.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn themes(&self, npc: &NpcId) -> Result<Vec<ThemeHistory>, StoreError>;

    /// What one entry was derived from, by id: its sources, and the repeats it stands for. The game may have named
    /// sources that the store never saw.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn sources(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError>;

    /// What was derived from one entry, by id.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn derived(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError>;
}

/// Keeps what NPCs know for long: everything that a [`MemoryReader`] reads, and the writing of it.
///
/// Contract:
/// - [`MemoryStore::apply`] is atomic for each night and idempotent, also across crashes;
/// - an NPC's version changes with every night applied, is never given to two states, and comes back with the
///   state when the night is undone;
/// - [`MemoryStore::undo`] restores the state before the NPC's latest night exactly;
/// - nothing is ever deleted by applying: what leaves the active set is archived. Only references move, from what is
///   collapsed to what stands for it, and undoing moves them back;
/// - [`MemoryStore::purge`] alone deletes: what was put away long ago, and what would take so old nights back. That a
///   memory was slept on is known for ever.
pub trait MemoryStore: MemoryReader {
    /// Begins a run: gives a number no other run has or will have, also among processes that share the store.
    /// Nights applied under it can be taken back together.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be written.
    fn begin_run(&self) -> Result<u64, StoreError>;

    /// Applies nights in order, each wholly or not at all, and gives an outcome for each. They reach the disk
    /// together when the call returns, which is why many at once are cheap.
    ///
    /// # Errors
    /// The outer error is of the store as a whole: none of the call's nights is written then. An inner one is of
    /// that night alone, which is left out.
    fn apply(&self, run: u64, nights: &[NpcNight]) -> Result<Vec<Result<Outcome, StoreError>>, StoreError>;

    /// Notes that entries came to mind at a moment; gives how many of them there are. It is no part of any night:
    /// versions stay, plans made before still apply, and undoing a night does not take it back.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be written; nothing is noted then.
    fn touch(&self, npc: &NpcId, ids: &[MemoryId], at: GameTime) -> Result<usize, StoreError>;

    /// Takes back the latest night of an NPC; `None` when there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be written; [`StoreError::Purged`] when the night is older than a purge.
    fn undo(&self, npc: &NpcId) -> Result<Option<Undone>, StoreError>;

    /// Takes back, all or none, every night of a run that is the latest of its NPC, or followed only by nights of
    /// the same run; gives them, latest first for each NPC. Nights that later runs build on stay.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be written, and [`StoreError::Purged`] when one of them is older than a
    /// purge; nothing is taken back then.
    fn undo_run(&self, run: u64) -> Result<Vec<Undone>, StoreError>;

    /// Deletes for good the archived entries that an NPC's nights before its last `keep` ones put away (nights as they
    /// were applied, upkeep counts), with what was noted of them, and what would take those nights back. The version
    /// stays. An entry that is active, or that a later night put away, stays whole; so do all fingerprints.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be written; nothing is deleted then.
    fn purge(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError>;
}

impl StoreError {
    /// A failure of what a store is built on: a file, a database, a service.
    pub fn backend(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Backend(Box::new(error))
    }
}
