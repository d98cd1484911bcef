//! Saved towns.

use nightfold_ecs::{Asleep, Checkpoint, DailyMemories, NpcMind, NpcTags, memory::GameTime};
use serde::{Deserialize, Serialize};

/// Format of a saved town that this version writes, and the latest that it reads.
pub const SAVED_TOWN_FORMAT: u32 = 1;

/// A saved town: its NPCs with their days and sleeps, and its nights under way. Serialise it into the game's own save.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedTown {
    /// Format version, [`SAVED_TOWN_FORMAT`].
    pub(crate) format: u32,
    pub(crate) now: GameTime,
    /// True if its nights are written and told at fixed moments.
    pub(crate) lockstep: bool,
    pub(crate) tokens: u64,
    pub(crate) npcs: Vec<SavedNpc>,
    pub(crate) nights: Checkpoint,
    /// Long-term memory as lines of JSON, if it is carried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<String>,
}

impl PartialEq for SavedTown {
    fn eq(&self, other: &Self) -> bool {
        // Minds hold an index that is no part of what is saved.
        serde_json::to_value(self).ok() == serde_json::to_value(other).ok()
    }
}

/// One NPC of a saved town.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedNpc {
    pub(crate) mind: NpcMind,
    pub(crate) day: DailyMemories,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) asleep: Option<Asleep>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tags: Option<NpcTags>,
}
