//! What applying a night means, without a store: the one place that both stores take it from.
//!
//! A store tells what stands before the night ([`Before`], and [`Ground`] to ask for more); [`judge`] either says
//! that nothing is to be written, or refuses, or gives the rows, edges and log lines to write. Whatever can be
//! refused is refused here, before the first write: a store that has begun to write a night can only fail as a
//! whole.

mod build;
mod contest;
mod upkeep;

use nightfold_memory::{
    LogLine, LongTermMemory, MemoryId, ModelId, NpcNight, Outcome, StoreError, ThemeId, ThemeNight,
};

/// What a store holds of an NPC before a night.
#[derive(Debug, Clone, Default)]
pub(crate) struct Before {
    /// The version in force; 0 for an NPC without a state.
    pub(crate) version: u64,
    /// Whether the version that the night makes is among those of the NPC's applied nights. A version is a
    /// fingerprint: then it is this night.
    pub(crate) applied: bool,
    /// The model of the store's vectors.
    pub(crate) model: Option<ModelId>,
}

/// Questions to what stands before the night, all of its NPC.
pub(crate) trait Ground {
    /// What asking can fail with.
    type Error: From<StoreError>;

    /// A row in any state, without its vector.
    fn row(&self, id: &MemoryId) -> Result<Option<LongTermMemory>, Self::Error>;

    /// Whether a row of this id was deleted for good.
    fn purged(&self, id: &MemoryId) -> Result<bool, Self::Error>;

    /// Whether a row has a vector.
    fn has_vector(&self, id: &MemoryId) -> Result<bool, Self::Error>;

    /// What has an edge to it.
    fn derived(&self, id: &MemoryId) -> Result<Vec<MemoryId>, Self::Error>;

    /// What names it as its successor.
    fn superseded(&self, id: &MemoryId) -> Result<Vec<MemoryId>, Self::Error>;

    /// Whether any night saw a theme.
    fn has_theme(&self, id: &ThemeId) -> Result<bool, Self::Error>;
}

/// What becomes of a night.
#[derive(Debug, Clone)]
pub(crate) enum Verdict {
    /// Nothing is written, and this is the outcome.
    Nothing(Outcome),
    /// This is written.
    Write(Effect),
}

/// Everything a night writes; rows by id, each once and in its last form.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effect {
    /// New rows.
    pub(crate) inserted: Vec<LongTermMemory>,
    /// New images of rows that were there before. Only their standing differs (state, successor, contests,
    /// corroborations, importance, pin, times, tags, sources), never what is remembered. One with a vector had none, and gets it.
    pub(crate) updated: Vec<LongTermMemory>,
    /// Edges that the store has and that go, before any is drawn.
    pub(crate) removed: Vec<Edge>,
    /// New edges; one that the store has already stays as it is.
    pub(crate) edges: Vec<Edge>,
    /// One line for each change, in its order.
    pub(crate) log: Vec<LogLine>,
    /// The themes the night saw, each once, by id.
    pub(crate) themes: Vec<ThemeNight>,
}

impl Effect {
    /// Whether it brings vectors into the store, and so their model.
    pub(crate) fn has_vectors(&self) -> bool {
        let rows = self.inserted.iter().chain(&self.updated);
        !self.themes.is_empty() || rows.into_iter().any(|row| row.entry.vector.is_some())
    }
}

/// `derived` was made from `source` (`DERIVED_FROM`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    /// What was made.
    pub(crate) derived: MemoryId,
    /// What from. The game may name sources that the store never saw.
    pub(crate) source: MemoryId,
}

/// Judges a night against what stands before it.
///
/// # Errors
/// [`StoreError::Stale`], [`StoreError::Model`] and [`StoreError::Conflict`]; and whatever asking fails with.
pub(crate) fn judge<G: Ground>(night: &NpcNight, before: Before, ground: &G) -> Result<Verdict, G::Error> {
    if night.is_empty() {
        return Ok(Verdict::Nothing(Outcome::Empty));
    }
    if before.applied {
        return Ok(Verdict::Nothing(Outcome::AlreadyApplied));
    }
    if night.base_version != before.version {
        return Err(StoreError::Stale {
            npc: night.npc.clone(),
            night: night.night.clone(),
            planned: night.base_version,
            found: before.version,
        }
        .into());
    }
    match before.model {
        Some(stored) if stored != night.model => {
            Err(StoreError::Model { stored, given: night.model.clone() }.into())
        }
        _ => build::effect(night, ground).map(Verdict::Write),
    }
}

/// A refusal of something that a night would do to an entry.
pub(crate) fn conflict(
    night: &NpcNight,
    verb: &'static str,
    id: &MemoryId,
    state: &'static str,
) -> StoreError {
    let (npc, night, id) = (night.npc.clone(), night.night.clone(), id.clone());
    StoreError::Conflict { npc, night, verb, id, state }
}

/// A row as [`Ground::row`] gives it.
pub(crate) fn without_vector(row: &LongTermMemory) -> LongTermMemory {
    let mut row = row.clone();
    row.entry.vector = None;
    row
}
