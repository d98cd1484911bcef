//! Ports to long-term memory.

use serde::{Deserialize, Serialize};

use super::store_error::StoreError;
use crate::{
    id::{MemoryId, ModelId, NightLabel, NpcId, SavePointName},
    person::PersonNames,
    plan::{NpcNight, Reason},
    record::{MemoryRecord, MemorySnapshot},
    theme::ThemeHistory,
    time::GameTime,
};

/// Outcome of applying a night.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The night is written.
    Applied {
        /// New version of the NPC's memory.
        version: u64,
    },
    /// The very same night was applied before; nothing was written.
    AlreadyApplied,
    /// The night changes nothing; nothing was written.
    Empty,
}

/// Night that is in the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AppliedNight {
    /// NPC that the night belongs to.
    pub npc: NpcId,
    /// Label of the night.
    pub night: NightLabel,
    /// Time of sleep.
    pub at: GameTime,
    /// Number of the run that wrote it; nights written by one call of the program share it.
    pub run: u64,
    /// Version that it was planned against.
    pub base_version: u64,
    /// Version that it made.
    pub version: u64,
    /// Number of its changes.
    pub changes: u64,
    /// Tags of the NPC on that night; they choose its profile until a later night has others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub npc_tags: Vec<String>,
}

impl AppliedNight {
    /// Returns a night that a run applies, and that makes this version.
    pub fn new(night: &NpcNight, run: u64, version: u64) -> Self {
        Self {
            npc: night.npc.clone(),
            night: night.night.clone(),
            at: night.at,
            run,
            base_version: night.base_version,
            version,
            changes: night.changes.len() as u64,
            npc_tags: night.npc_tags.clone(),
        }
    }

    /// Returns whether ages can be counted from a moment if this is the NPC's latest night: the moment is of the same
    /// clock and not before it.
    pub fn allows_now(&self, now: GameTime) -> bool {
        now.is_date() == self.at.is_date() && now >= self.at
    }
}

/// Night that was undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Undone {
    /// NPC that the night belonged to.
    pub npc: NpcId,
    /// Label of the night.
    pub night: NightLabel,
    /// Version that is in force again.
    pub version: u64,
}

/// State of long-term memory that a game saved: which version each NPC was at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavePoint {
    /// Name that the game gave it.
    pub name: SavePointName,
    /// Number of NPCs that had a night.
    pub npcs: usize,
    /// Fingerprint of the versions, 16 hex digits: a save point that was made again at another state has another.
    pub state: String,
}

/// State that long-term memory is rewound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RewindTarget {
    /// The nights in force up to a moment, those of that moment included.
    At(GameTime),
    /// The state of a save point, whichever branch it is on.
    SavePoint(SavePointName),
    /// The state of a save point that must be what it was when this was returned: a game that fails between its save
    /// point and its own file would load that file into another state.
    Saved(SavePoint),
}

/// Effect of a rewind on an NPC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rewound {
    /// The NPC.
    pub npc: NpcId,
    /// Number of nights that were shelved.
    pub back: usize,
    /// Number of nights that were shelved before and are in force again.
    pub forward: usize,
    /// Version in force now; 0 if no night is.
    pub version: u64,
}

/// Changes that the erasure of a person makes, or would make, to the memory of one NPC. It quotes no text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Erasure {
    /// True if the NPC itself has the name, and is deleted with all that it knows. The lists below are empty then.
    pub whole: bool,
    /// Entries that name the person: all of them are deleted.
    pub named: Vec<MemoryId>,
    /// Entries that were concluded from deleted ones and do not stand without them: they are deleted too.
    pub withdrawn: Vec<MemoryId>,
    /// Archived entries that become active again, because what had superseded or summarised them is deleted.
    pub restored: Vec<MemoryId>,
    /// Number of other rows that are changed or deleted: entries that lose a source, a contest mark, an ended position or a
    /// corroboration, log lines, and states of themes.
    pub others: usize,
    /// Number of nights that can be undone or carried out again before the erasure and not after it.
    pub nights: usize,
}

impl Erasure {
    /// Returns the ids of all entries that are deleted, those that name the person first.
    pub fn deleted(&self) -> impl Iterator<Item = &MemoryId> {
        self.named.iter().chain(&self.withdrawn)
    }
}

/// Log line of a change to an entry, with its reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogLine {
    /// Night that made the change.
    pub night: NightLabel,
    /// Time of that night.
    pub at: GameTime,
    /// Verb of the change.
    #[serde(rename = "do")]
    pub verb: String,
    /// Entry that was changed.
    pub id: MemoryId,
    /// Evidence that decided it.
    pub reason: Reason,
}

/// Selection of an NPC's log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFilter<'a> {
    /// Lines of one entry.
    Entry(&'a MemoryId),
    /// Lines of one verb, of all entries.
    Verb(&'a str),
}

impl LogFilter<'_> {
    /// True if the filter selects a line.
    pub fn selects(self, line: &LogLine) -> bool {
        match self {
            Self::Entry(id) => line.id == *id,
            Self::Verb(verb) => line.verb == verb,
        }
    }
}

/// Entries and nights that a purge deletes, or would delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Purge {
    /// NPC whose memory is purged.
    pub npc: NpcId,
    /// Number of archived entries that are deleted.
    pub entries: usize,
    /// Night that archived the last of the deleted entries. After the purge, this night and all nights before
    /// it can no longer be undone. `None` if there is no such night.
    pub until: Option<NightLabel>,
    /// Number of nights that could be undone before the purge and not after it.
    pub nights: usize,
}

impl Purge {
    /// True if the purge changes nothing.
    pub fn is_empty(&self) -> bool {
        self.entries == 0 && self.nights == 0
    }
}

/// Reads long-term memory.
///
/// Contract:
/// - every read sees one state, never half a night;
/// - nothing is written: code with a `&dyn MemoryReader` cannot change the store.
pub trait MemoryReader: Send + Sync {
    /// Returns the model of the stored vectors; `None` if there are none.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn model(&self) -> Result<Option<ModelId>, StoreError>;

    /// Returns one NPC's active entries with vectors, its themes, the fingerprints of all its ids, and its tags
    /// on the latest night; an empty snapshot for an unknown NPC.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn snapshot(&self, npc: &NpcId) -> Result<MemorySnapshot, StoreError>;

    /// Returns the nights that are applied, the oldest first, of one NPC or of all.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn nights(&self, npc: Option<&NpcId>) -> Result<Vec<AppliedNight>, StoreError>;

    /// Returns the night that made the version in force of an NPC; `None` if it has none.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn latest_night(&self, npc: &NpcId) -> Result<Option<AppliedNight>, StoreError>;

    /// True if the night that makes this version is applied.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn has_version(&self, npc: &NpcId, version: u64) -> Result<bool, StoreError>;

    /// Returns what [`MemoryStore::purge`] would delete.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn purgeable(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError>;

    /// Returns what [`MemoryStore::erase`] would change; `None` if nothing of the NPC names the person.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn erasable(&self, npc: &NpcId, person: &PersonNames) -> Result<Option<Erasure>, StoreError>;

    /// Returns the names of all NPCs that have an entry with this id, archived or not, in order.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn owners(&self, id: &MemoryId) -> Result<Vec<NpcId>, StoreError>;

    /// Returns the names of all NPCs that have entries, in order.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn npcs(&self) -> Result<Vec<NpcId>, StoreError>;

    /// Returns all entries of an NPC, archived ones included, by id and without vectors.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn entries(&self, npc: &NpcId) -> Result<Vec<MemoryRecord>, StoreError>;

    /// Returns the archived entries of an NPC that may come faintly to mind ([`MemoryRecord::is_faint`]), by id, with their
    /// vectors if they were active once.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn faint(&self, npc: &NpcId) -> Result<Vec<MemoryRecord>, StoreError>;

    /// Returns one entry, archived or not, with its vector if the store has one; an entry that was never
    /// active has none.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn entry(&self, npc: &NpcId, id: &MemoryId) -> Result<Option<MemoryRecord>, StoreError>;

    /// Returns up to `most` active entries of an NPC by id, starting after the id `after`, without vectors.
    /// Each page is read from one state, but different pages may be from different states: a plan made from
    /// them is guarded by the version read before.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn active_page(
        &self,
        npc: &NpcId,
        after: Option<&MemoryId>,
        most: usize,
    ) -> Result<Vec<MemoryRecord>, StoreError>;

    /// Returns the ids of an NPC's entries, archived or not, that name `id` as a source or successor, in
    /// order.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn referring(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError>;

    /// Returns the log lines of an NPC that a filter selects, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn log(&self, npc: &NpcId, filter: LogFilter<'_>) -> Result<Vec<LogLine>, StoreError>;

    /// Returns the save points by name.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn save_points(&self) -> Result<Vec<SavePoint>, StoreError>;

    /// Returns what [`MemoryStore::rewind`] would do.
    ///
    /// # Errors
    /// Those of [`MemoryStore::rewind`].
    fn rewindable(&self, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<Rewound>, StoreError>;

    /// Returns all themes of an NPC, the last seen first, those of one night by id.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn themes(&self, npc: &NpcId) -> Result<Vec<ThemeHistory>, StoreError>;

    /// Returns the ids of an entry's sources, repeats folded into it included, in order. The game may have
    /// named sources that the store never saw.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn sources(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError>;

    /// Returns the ids of the entries derived from an entry, in order.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn derived(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError>;
}

/// Reads and writes long-term memory.
///
/// Contract:
/// - [`MemoryStore::apply`] is atomic for each night and idempotent, also across crashes;
/// - an NPC's version changes with every applied night, never belongs to two states, and returns with the
///   state when the night is undone;
/// - [`MemoryStore::undo`] restores the state before the NPC's latest night exactly;
/// - applying never deletes an entry: entries that leave the active set are archived. Only references to a
///   duplicate are redirected to its canonical entry, and undoing redirects them back;
/// - only [`MemoryStore::purge`] and [`MemoryStore::erase`] delete: entries archived long ago, and the data for undoing nights
///   that old; and all that names a person. The fingerprints of all memories are kept for ever.
pub trait MemoryStore: MemoryReader {
    /// Begins a run and returns its number, which no other run has or will have, even of another process that
    /// shares the store. Nights applied under one number can be undone together.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written.
    fn begin_run(&self) -> Result<u64, StoreError>;

    /// Applies nights in order, each wholly or not at all, and returns an outcome for each. They are written
    /// to disk together before the call returns, so many nights in one call are cheap.
    ///
    /// # Errors
    /// The outer error concerns the store as a whole: none of the nights is written then. An inner error
    /// concerns that night alone, which is left out.
    fn apply(&self, run: u64, nights: &[NpcNight]) -> Result<Vec<Result<Outcome, StoreError>>, StoreError>;

    /// Records that entries were recalled at a moment, and returns the number of existing entries among them.
    /// This is not part of a night: versions stay, earlier plans still apply, and undoing a night does not
    /// revert it.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written; nothing is recorded then.
    fn touch(&self, npc: &NpcId, ids: &[MemoryId], at: GameTime) -> Result<usize, StoreError>;

    /// Undoes the latest night of an NPC; `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written; [`StoreError::Purged`] if the night is older than a
    /// purge.
    fn undo(&self, npc: &NpcId) -> Result<Option<Undone>, StoreError>;

    /// Undoes, all or none, every night of a run that is the latest of its NPC or followed only by nights of
    /// the same run; returns them, the latest first for each NPC. Nights that later runs build on stay.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written, and [`StoreError::Purged`] if one of them is older than
    /// a purge; nothing is undone then.
    fn undo_run(&self, run: u64) -> Result<Vec<Undone>, StoreError>;

    /// Notes the state of all NPCs under a name; an earlier save point of that name is replaced. Nothing is copied: the
    /// state stays reachable as long as its nights are neither undone nor purged.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written.
    fn save_point(&self, name: &SavePointName) -> Result<SavePoint, StoreError>;

    /// Forgets a save point; false if there was none. No night is deleted.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written.
    fn forget_save_point(&self, name: &SavePointName) -> Result<bool, StoreError>;

    /// Brings long-term memory of one NPC or of all back to an earlier state, or forward to a later one that an earlier
    /// rewind has left: all or none. Nights that are no longer in force are shelved, not deleted, so that a later
    /// save point can be reached again. Returns the NPCs that changed, by name. Recalls by day
    /// ([`MemoryStore::touch`]) are no part of a state.
    ///
    /// # Errors
    /// [`StoreError::NoSavePoint`]; [`StoreError::SavePointReplaced`]; [`StoreError::Unreachable`] and
    /// [`StoreError::Purged`] if a night on the way was undone or purged; [`StoreError`] if the store cannot be written. Nothing is changed then.
    fn rewind(&self, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<Rewound>, StoreError>;

    /// Deletes for good the archived entries that an NPC's nights before its last `keep` ones archived, with
    /// their logs, and the data for undoing those nights. Nights count in the order of applying, maintenance
    /// included. The version stays; nights of the NPC that were shelved are given up. An entry that is active, or that a later night archived, stays whole; so
    /// do all fingerprints. Of the themes of those nights the latest state of each stays, if a snapshot of then had it.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written; nothing is deleted then.
    fn purge(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError>;

    /// Deletes for good all that an NPC knows of a person, in one transaction, as [`erasure_of`](crate::effect::erasure_of)
    /// decides it; an NPC that has the name itself is deleted whole. `None` if there is nothing to delete. The erasure is a
    /// night without a day, of this run: the version changes, so that plans made before are refused, and neither it nor any
    /// night before it can be undone. Fingerprints stay, so that the same memories are not slept on again.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written; nothing is deleted then.
    fn erase(&self, run: u64, npc: &NpcId, person: &PersonNames) -> Result<Option<Erasure>, StoreError>;
}
