//! What the sleep phase is told, and what it tells. Every message is an [`EntityEvent`] too: read it with a
//! `MessageReader` in the tick after, or observe it on the NPC with `On<…>`.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use nightfold_memory::{Change, MemoryId, NightLabel, NightReport, NpcId, NpcNight};

use crate::{Lived, MemoryError, NightFailure};

/// An NPC lived through something. The game writes this, from any system; the next sleep phase takes it into the NPC's
/// [`DailyMemories`](crate::DailyMemories).
#[derive(Message, Debug, Clone)]
pub struct MemoryFormed {
    /// Whose memory.
    pub entity: Entity,
    /// What happened.
    pub lived: Lived,
}

/// A memory that was not taken, for it exceeds a bound or nobody is there to have it. Here it is, to do with as the game
/// likes.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct MemoryRefused {
    /// Whose memory it was to be; may be gone.
    pub entity: Entity,
    /// What happened.
    pub lived: Lived,
    /// Why it was not taken.
    pub error: MemoryError,
}

/// An NPC's turn has come: its day is closed and its night begins.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct FellAsleep {
    /// Who.
    pub entity: Entity,
}

/// An NPC's sleep is over; [`Asleep`](crate::Asleep) is removed.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct WokeUp {
    /// Who.
    pub entity: Entity,
}

/// An NPC woke before its night was worked out: the game woke it, or its time came first.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct WokeEarly {
    /// Who.
    pub entity: Entity,
    /// Its name.
    pub npc: NpcId,
    /// Whether its night had begun. One that had not leaves the memories where they are, for another night.
    pub begun: bool,
    /// Whether the rules finish the night now, because not all was said that a language model was asked for.
    pub by_rules: bool,
}

/// An NPC's night is worked out and written: from now on it knows what it made of its day.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct NightConsolidated {
    /// Who; may be gone in the message, never in the event.
    pub entity: Entity,
    /// Its name.
    pub npc: NpcId,
    /// What became of the day.
    pub summary: Arc<NightSummary>,
}

/// An NPC's night did not happen. Nothing of it was written, and its memories are back in its
/// [`DailyMemories`](crate::DailyMemories), or with [`Nights`](crate::Nights) until an NPC of that name sleeps again.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct ConsolidationFailed {
    /// Who; may be gone in the message, never in the event.
    pub entity: Entity,
    /// Its name.
    pub npc: NpcId,
    /// The night that did not happen.
    pub night: NightLabel,
    /// How many memories wait for another night.
    pub memories: usize,
    /// Why.
    pub error: Arc<NightFailure>,
}

/// What became of a day.
#[derive(Debug, Clone, PartialEq)]
pub struct NightSummary {
    /// Which night.
    pub night: NightLabel,
    /// What was counted.
    pub report: NightReport,
    /// The insights it drew, as they can be recalled.
    pub insights: Vec<Insight>,
}

/// Something an NPC concluded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insight {
    /// Its name in the store; `nightfold why` tells what it rests on.
    pub id: MemoryId,
    /// In the NPC's words.
    pub text: String,
}

impl NightSummary {
    pub(crate) fn of(night: &NpcNight) -> Self {
        let insight = |change: &Change| match change {
            Change::Reflect { entry, .. } => Some(Insight { id: entry.id.clone(), text: entry.text.clone() }),
            _ => None,
        };
        Self {
            night: night.night.clone(),
            report: night.report.clone(),
            insights: night.changes.iter().filter_map(insight).collect(),
        }
    }
}
