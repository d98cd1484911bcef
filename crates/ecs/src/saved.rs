//! Nights under way in a saved game.

use std::{collections::BTreeMap, sync::Arc};

use nightfold::memory::{Day, GameTime, Memory, MemoryId, NpcId, SavePointName};
use serde::{Deserialize, Serialize};

/// Version of the checkpoint format that this build reads and writes.
pub const CHECKPOINT_FORMAT: u32 = 1;

/// The nights under way, to be saved with the game. [`SleepQueue::checkpoint`](crate::SleepQueue::checkpoint) makes a checkpoint, [`restore`](crate::restore)
/// resumes from it. It holds days, not results: a loaded game plans these nights again. Nights that had
/// already reached the store are recognised there and not written twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub(crate) format: u32,
    pub(crate) nights: Vec<SavedNight>,
    #[serde(flatten)]
    pub(crate) kept: KeptState,
    /// Save point of the store that belongs to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) save_point: Option<SavePointName>,
}

/// State that a checkpoint keeps beside the nights under way.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptState {
    /// Memories of failed nights whose NPC is gone.
    #[serde(rename = "unslept", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) unconsolidated: BTreeMap<NpcId, Vec<Memory>>,
    /// NPCs that the game woke since the last tick, and whether their night had begun.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) woken: BTreeMap<NpcId, bool>,
    /// Entries recalled since the last night of each NPC, and when.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) touched: BTreeMap<NpcId, Vec<(MemoryId, GameTime)>>,
}

/// One night of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedNight {
    pub(crate) day: Arc<Day>,
    pub(crate) recalls: bool,
    #[serde(default, skip_serializing_if = "NightWork::is_consolidation")]
    pub(crate) work: NightWork,
    pub(crate) by_rules: bool,
    pub(crate) granted: u64,
    /// Seconds of game time at which the night is written and delivered; `None` in [`SleepTiming::AsReady`](crate::SleepTiming::AsReady).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) due: Option<(i64, i64)>,
}

impl Checkpoint {
    pub(crate) fn new(nights: Vec<SavedNight>, kept: KeptState) -> Self {
        Self { format: CHECKPOINT_FORMAT, nights, kept, save_point: None }
    }

    /// Returns the save point of the store to which [`restore`](crate::restore) rewinds it; `None` if the store is left as it is.
    pub fn save_point(&self) -> Option<&SavePointName> {
        self.save_point.as_ref()
    }

    /// Returns the days that were taken from their NPCs and whose nights have no result yet.
    pub fn days(&self) -> impl Iterator<Item = &Day> {
        self.nights.iter().filter(|night| night.work.is_consolidation()).map(|night| &*night.day)
    }

    /// Returns the memories of nights that failed after their NPC was despawned.
    pub fn unconsolidated(&self) -> impl Iterator<Item = (&NpcId, &[Memory])> {
        self.kept.unconsolidated.iter().map(|(npc, memories)| (npc, memories.as_slice()))
    }
}

/// Work of a night.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NightWork {
    /// The memories of the day are consolidated.
    #[default]
    Consolidation,
    /// Long-term memory is maintained; the day has no memories.
    Maintenance {
        /// Number of active entries up to which nothing is done.
        least: usize,
    },
}

impl NightWork {
    pub(crate) fn is_consolidation(&self) -> bool {
        *self == Self::Consolidation
    }
}
