//! Observation of a run: progress, timings, maps and comparisons, early stops and cancelled nights.

use std::time::Duration;

use nightfold_consolidate::{DayMap, JudgedComparison};
use nightfold_memory::{NightLabel, NpcId};

/// Step of a run, by which its time is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunStep {
    /// Reads days, concurrently with the other steps.
    Read,
    /// Reads long-term memory, and applies a planned night to it in memory for NPCs that have another night.
    Past,
    /// Sorts the memories of days and collapses repeats.
    Collapse,
    /// Embeds texts.
    Embed,
    /// Clusters memories into themes, sets budgets, and decides what happens to each memory.
    Triage,
    /// Words syntheses and reflections.
    Synthesize,
    /// Compares new entries with long-term memory and completes the plan.
    Reconcile,
    /// Writes plans to the store, concurrently with the other steps.
    Commit,
}

impl RunStep {
    /// Returns the name used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Past => "past",
            Self::Collapse => "collapse",
            Self::Embed => "embed",
            Self::Triage => "triage",
            Self::Synthesize => "synthesize",
            Self::Reconcile => "reconcile",
            Self::Commit => "commit",
        }
    }
}

/// Receives the progress of a run, and may stop it or cut single nights short.
pub trait Observer: Sync {
    /// Returns true if the run shall stop early: nights in progress are finished, and no further nights are
    /// started. Called before every round of nights.
    fn should_stop(&self) -> bool {
        false
    }

    /// Returns true if this NPC's night shall be finished at once, without further questions to a language model or a
    /// judge. Called before every question.
    fn is_cancelled(&self, npc: &NpcId) -> bool {
        let _ = npc;
        false
    }

    /// Returns true if nobody needs the result any more: nights in progress are given up too, and the run fails with
    /// [`RunError::Abandoned`](crate::RunError::Abandoned). Called between steps and, while many texts are embedded,
    /// before every call of the embedder.
    fn is_abandoned(&self) -> bool {
        false
    }

    /// Reports the start of a step for a whole batch of NPCs, on the thread of the step. [`RunStep::Read`]
    /// and [`RunStep::Commit`] run concurrently with the other steps, which run one after another.
    fn on_step_begin(&self, step: RunStep) {
        let _ = step;
    }

    /// Reports the end of a step, on the thread on which it started.
    fn on_step_end(&self, step: RunStep) {
        let _ = step;
    }

    /// Reports that a night of this NPC is planned. `own` is the time of the steps done for this night alone;
    /// embedding, the language model, the judge and the store serve many nights together and are not included.
    fn on_planned(&self, npc: &NpcId, own: Duration) {
        let _ = (npc, own);
    }

    /// Reports that `texts` more distinct texts are embedded.
    fn on_embedded(&self, texts: usize) {
        let _ = texts;
    }

    /// Returns true if the observer wants a map of every night's memories. Called once for each round of nights; maps
    /// are computed only if this returns true.
    fn wants_map(&self) -> bool {
        false
    }

    /// Receives the memories of a night as points on a plane, if [`Observer::wants_map`] returns true. The
    /// night may still fail.
    fn on_map(&self, npc: &NpcId, night: &NightLabel, map: DayMap) {
        let _ = (npc, night, map);
    }

    /// Returns true if the observer wants every comparison of a night's statements. Called once for each round of
    /// nights.
    fn wants_comparisons(&self) -> bool {
        false
    }

    /// Receives the comparisons of a night's statements with known entries and with each other, with their
    /// judgements, if [`Observer::wants_comparisons`] returns true. The night may still fail.
    fn on_compared(&self, npc: &NpcId, night: &NightLabel, comparisons: Vec<JudgedComparison>) {
        let _ = (npc, night, comparisons);
    }

    /// Reports that `nights` more nights are done: planned, and in a writing run also written. `memories` is the
    /// number of memories of their days.
    fn on_nights(&self, nights: usize, memories: usize) {
        let _ = (nights, memories);
    }
}

/// Observer that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}
