//! Messages to and from the sleep phase. Those from it are [`EntityEvent`]s too: read them with a
//! `MessageReader` in the next tick, or observe them on the NPC with `On<…>`.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use nightfold_memory::{MemoryReader, NightLabel, NightReport, NpcId, NpcNight};
use serde::Serialize;

use crate::{MemoryError, MindChange, NewMemory, NightFailure, changes};

/// A memory formed by an NPC. The game writes it from any system; the next sleep phase adds it to the NPC's
/// [`DailyMemories`](crate::DailyMemories).
#[derive(Message, Debug, Clone)]
pub struct MemoryFormed {
    /// NPC that formed it.
    pub entity: Entity,
    /// The memory, without an id yet.
    pub memory: NewMemory,
}

/// A memory that was refused because it exceeds a bound or its NPC no longer exists; returned to the game.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct MemoryRefused {
    /// NPC that it was meant for; may be despawned.
    pub entity: Entity,
    /// The refused memory.
    pub memory: NewMemory,
    /// Reason for the refusal.
    pub error: MemoryError,
}

/// Beginning of an NPC's night: its turn has come and its day is closed.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct FellAsleep {
    /// NPC that fell asleep.
    pub entity: Entity,
}

/// End of an NPC's sleep: [`Asleep`](crate::Asleep) is gone. Sent once for each sleep.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct WokeUp {
    /// NPC that woke.
    pub entity: Entity,
    /// Name of the NPC.
    pub npc: NpcId,
    /// Reason for waking.
    pub why: WakeReason,
    /// Progress of its night.
    pub night: NightProgress,
}

/// Reason for the end of a sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WakeReason {
    /// [`Asleep::until`](crate::Asleep::until) is reached.
    Rested,
    /// The game removed [`Asleep`](crate::Asleep).
    Woken,
}

/// Progress of an NPC's night at the moment of waking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "progress", rename_all = "snake_case")]
pub enum NightProgress {
    /// Its turn had not come: its memories stay in its day for another night.
    NotBegun,
    /// It is worked out or written: [`NightConsolidated`] or [`ConsolidationFailed`] comes later.
    UnderWay {
        /// True if the rules finish the night because answers of a language model were still outstanding.
        by_rules: bool,
    },
    /// It is over, or there was nothing to consolidate.
    Over,
}

/// A mind that was taken from its entity again, because another entity of the world has its name.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct MindRefused {
    /// Entity whose [`NpcMind`](crate::NpcMind) is removed.
    pub entity: Entity,
    /// Name that is taken.
    pub npc: NpcId,
    /// Entity that has the name.
    pub holder: Entity,
}

/// An NPC's night was written: from now on the NPC knows its results.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct NightConsolidated {
    /// NPC that slept; may be despawned in the message, never in the event.
    pub entity: Entity,
    /// Name of the NPC.
    pub npc: NpcId,
    /// Results of the night.
    pub summary: Arc<NightSummary>,
}

/// An NPC's night failed. Nothing of it was written, and its memories are back in its
/// [`DailyMemories`](crate::DailyMemories), or kept in [`SleepQueue`](crate::SleepQueue) until an NPC of that name
/// sleeps.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct ConsolidationFailed {
    /// NPC that slept; may be despawned in the message, never in the event.
    pub entity: Entity,
    /// Name of the NPC.
    pub npc: NpcId,
    /// Label of the failed night.
    pub night: NightLabel,
    /// Number of memories kept for another night.
    pub memories: usize,
    /// Reason for the failure.
    pub error: Arc<NightFailure>,
}

/// Maintenance of an NPC's long-term memory ended. Nothing is sent if there was nothing to do.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct MindMaintained {
    /// NPC that was maintained; may be despawned in the message, never in the event.
    pub entity: Entity,
    /// Name of the NPC.
    pub npc: NpcId,
    /// Changes of the maintenance, or the reason for the failure, after which nothing was changed.
    pub result: Result<Arc<NightSummary>, Arc<NightFailure>>,
}

/// Results of a night, or of maintenance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NightSummary {
    /// Label of the night.
    pub night: NightLabel,
    /// Counts of the night.
    pub report: NightReport,
    /// Changes of the NPC's mind, in the order of the plan.
    pub changes: Vec<MindChange>,
}

impl NightSummary {
    pub(crate) fn of(night: &NpcNight, store: &dyn MemoryReader) -> Self {
        let changes = changes::of_night(night, store);
        Self { night: night.night.clone(), report: night.report.clone(), changes }
    }

    /// Returns the texts of the conclusions that the NPC drew, as they can be recalled.
    pub fn reflections(&self) -> impl Iterator<Item = &str> {
        self.changes.iter().filter_map(|change| match change {
            MindChange::Reflected { statement, .. } => statement.text.as_deref(),
            _ => None,
        })
    }
}
