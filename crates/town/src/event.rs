//! Events of a town.

use nightfold_ecs::{
    ConsolidationFailed, MindChange, MindMaintained, NightConsolidated, NightProgress, NightSummary,
    RecallAnswered, RecalledEntry, WakeReason, WokeUp,
    memory::{Counts, NightLabel, NpcId},
};
use serde::Serialize;

use crate::error::with_causes;

/// Something that happened in a town. Texts in it may be written by players.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TownEvent {
    /// An NPC's night began: its day is closed.
    FellAsleep {
        /// The NPC.
        npc: NpcId,
    },
    /// An NPC's night was written; from now on the NPC knows its results.
    Consolidated {
        /// The NPC.
        npc: NpcId,
        /// Label of the night.
        night: NightLabel,
        /// Counts of the night.
        counts: Box<Counts>,
        /// Changes of the NPC's mind.
        changes: Vec<MindChange>,
    },
    /// An NPC's night failed; its memories are kept for another night.
    Failed {
        /// The NPC.
        npc: NpcId,
        /// Label of the night.
        night: NightLabel,
        /// Number of memories that are kept.
        memories: usize,
        /// Reason.
        error: String,
    },
    /// An NPC's long-term memory was maintained.
    Maintained {
        /// The NPC.
        npc: NpcId,
        /// Changes of the NPC's mind; empty if it failed.
        changes: Vec<MindChange>,
        /// Reason for the failure, after which nothing was changed.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// An NPC's sleep ended.
    Woke {
        /// The NPC.
        npc: NpcId,
        /// Reason for waking.
        why: WakeReason,
        /// Progress of its night.
        night: NightProgress,
    },
    /// A question was answered.
    Answered {
        /// The NPC that was asked.
        npc: NpcId,
        /// Ticket of the question.
        ticket: u64,
        /// Entries that answer it, best first.
        memories: Vec<RecalledEntry>,
        /// Text for a prompt of what the NPC has in mind, if the question asked for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        context: Option<String>,
        /// Reason why there is no answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// The town waits for vectors of these texts (see [`EmbedderChoice::Host`](crate::EmbedderChoice::Host)).
    VectorsWanted {
        /// Number of the batch.
        batch: u64,
        /// Texts, at most 64.
        texts: Vec<String>,
    },
}

impl TownEvent {
    /// Returns the name of the kind of event, as in its JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::FellAsleep { .. } => "fell_asleep",
            Self::Consolidated { .. } => "consolidated",
            Self::Failed { .. } => "failed",
            Self::Maintained { .. } => "maintained",
            Self::Woke { .. } => "woke",
            Self::Answered { .. } => "answered",
            Self::VectorsWanted { .. } => "vectors_wanted",
        }
    }

    pub(crate) fn consolidated(told: &NightConsolidated) -> Self {
        let NightSummary { night, report, changes } = &*told.summary;
        Self::Consolidated {
            npc: told.npc.clone(),
            night: night.clone(),
            counts: Box::new(report.counts),
            changes: changes.clone(),
        }
    }

    pub(crate) fn failed(told: ConsolidationFailed) -> Self {
        let ConsolidationFailed { npc, night, memories, error, .. } = told;
        Self::Failed { npc, night, memories, error: with_causes(&*error) }
    }

    pub(crate) fn maintained(told: MindMaintained) -> Self {
        let (changes, error) = match told.result {
            Ok(summary) => (summary.changes.clone(), None),
            Err(error) => (Vec::new(), Some(with_causes(&*error))),
        };
        Self::Maintained { npc: told.npc, changes, error }
    }

    pub(crate) fn woke(told: WokeUp) -> Self {
        let WokeUp { npc, why, night, .. } = told;
        Self::Woke { npc, why, night }
    }

    pub(crate) fn answered(npc: NpcId, told: RecallAnswered) -> Self {
        let (memories, error) = match told.memories {
            Ok(memories) => (memories, None),
            Err(error) => (Vec::new(), Some(with_causes(&*error))),
        };
        Self::Answered { npc, ticket: told.ticket, memories, context: told.context, error }
    }
}
