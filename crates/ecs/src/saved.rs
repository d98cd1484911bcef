//! Nights under way in a saved game.

use std::{collections::BTreeMap, sync::Arc};

use nightfold::memory::{Day, GameTime, Memory, MemoryId, NpcId, SavePoint, SavePointName};
use serde::{Deserialize, Serialize};

use crate::SleepTiming;

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
    pub(crate) save_point: Option<SavePoint>,
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

/// Seconds of game time at which a night is written and delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(i64, i64)", into = "(i64, i64)")]
pub(crate) struct Due {
    pub(crate) write: i64,
    pub(crate) deliver: i64,
}

impl From<(i64, i64)> for Due {
    fn from((write, deliver): (i64, i64)) -> Self {
        Self { write, deliver }
    }
}

impl From<Due> for (i64, i64) {
    fn from(due: Due) -> Self {
        (due.write, due.deliver)
    }
}

impl Due {
    /// Returns the due moments of a night that begins now; `None` in [`SleepTiming::AsReady`].
    pub(crate) fn of(timing: SleepTiming, now: GameTime) -> Option<Self> {
        match timing {
            SleepTiming::AsReady => None,
            SleepTiming::Lockstep { plan_seconds, write_seconds } => {
                let write = now.seconds() + i64::from(plan_seconds);
                Some(Self { write, deliver: write + i64::from(write_seconds) })
            }
        }
    }
}

/// Night of one NPC as it was begun, and what of it a saved game keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedNight {
    pub(crate) day: Arc<Day>,
    pub(crate) recalls: bool,
    #[serde(default, skip_serializing_if = "NightWork::is_consolidation")]
    pub(crate) work: NightWork,
    /// True if the night was restarted, to be finished by the rules alone: the cost of the earlier attempt is not
    /// known.
    pub(crate) by_rules: bool,
    /// Tokens taken from the budget and not returned yet.
    pub(crate) granted: u64,
    /// Moments of writing and delivery, if they are fixed; `None` in [`SleepTiming::AsReady`](crate::SleepTiming::AsReady).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) due: Option<Due>,
}

impl SavedNight {
    pub(crate) fn new(day: Day, recalls: bool, work: NightWork, due: Option<Due>) -> Self {
        Self { day: Arc::new(day), recalls, work, by_rules: false, granted: 0, due }
    }
}

impl Checkpoint {
    pub(crate) fn new(nights: Vec<SavedNight>, kept: KeptState) -> Self {
        Self { format: CHECKPOINT_FORMAT, nights, kept, save_point: None }
    }

    /// Returns the save point of the store to which [`restore`](crate::restore) rewinds it; `None` if the store is left as it is.
    pub fn save_point(&self) -> Option<&SavePointName> {
        self.save_point.as_ref().map(|point| &point.name)
    }

    /// Returns the checkpoint without its save point: [`restore`](crate::restore) then leaves the store as it is, which
    /// may hold nights that the saved game has not lived through.
    #[must_use]
    pub fn without_save_point(self) -> Self {
        Self { save_point: None, ..self }
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
