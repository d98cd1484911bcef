//! Watching a run: for progress bars and timings, and for whoever must wake early.

use std::time::Duration;

use nightfold_consolidate::{DayMap, JudgedComparison};
use nightfold_memory::{NightLabel, NpcId};

/// A step of a run, by which its time is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Days are read, beside the other steps.
    Read,
    /// Long-term memory is read, and brought up to date for whoever sleeps again.
    Past,
    /// Days are put in order, repeats collapsed.
    Collapse,
    /// Texts become vectors.
    Embed,
    /// Themes, budgets, fates.
    Triage,
    /// Syntheses and reflections are worded.
    Synthesize,
    /// Plans are held against long-term memory and written down.
    Reconcile,
    /// Plans are applied, beside the other steps.
    Commit,
}

impl Step {
    /// The name used in reports.
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

/// Is told how a run gets on, and may end an NPC's sleep.
pub trait Observer: Sync {
    /// Whether the run is to end before its time: the nights that are going on are finished, others not begun. Asked
    /// before every wave of nights.
    fn stops(&self) -> bool {
        false
    }

    /// Whether this NPC wakes now: nothing more is asked of a language model or a judge for it, and its night is
    /// finished without them at once. Asked before every question.
    fn wakes(&self, npc: &NpcId) -> bool {
        let _ = npc;
        false
    }

    /// A step begins, for all NPCs that sleep together, on the thread that calls. [`Step::Read`] and [`Step::Commit`] go on
    /// beside the others; of these another begins only when this one is over.
    fn begins(&self, step: Step) {
        let _ = step;
    }

    /// A step is over; told on the thread on which it began.
    fn ends(&self, step: Step) {
        let _ = step;
    }

    /// A night of this NPC is planned. `own` is what its own steps took on their threads; embedding, a language model and
    /// the store are asked for many nights together and not counted.
    fn planned(&self, npc: &NpcId, own: Duration) {
        let _ = (npc, own);
    }

    /// `texts` more distinct texts have vectors.
    fn embedded(&self, texts: usize) {
        let _ = texts;
    }

    /// Whether it wants a map of every night's memories. Asked once for each wave of nights; a run that nobody draws
    /// computes none.
    fn draws(&self) -> bool {
        false
    }

    /// The memories of a night as points on a plane, where [`Observer::draws`] says so. The night may fail still.
    fn mapped(&self, npc: &NpcId, night: &NightLabel, map: DayMap) {
        let _ = (npc, night, map);
    }

    /// True if it wants every comparison of a night's statements. Asked once for each wave of nights.
    fn wants_comparisons(&self) -> bool {
        false
    }

    /// The statements of a night that were compared with what is known and with each other, and what they were judged to be,
    /// where [`Observer::wants_comparisons`] says so. The night may fail still.
    fn on_compared(&self, npc: &NpcId, night: &NightLabel, comparisons: Vec<JudgedComparison>) {
        let _ = (npc, night, comparisons);
    }

    /// `nights` more nights are planned, and written if they were to be; `memories` is how many memories their days held.
    fn nights(&self, nights: usize, memories: usize) {
        let _ = (nights, memories);
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}
