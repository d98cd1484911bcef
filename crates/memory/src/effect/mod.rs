//! The effect of a night: the rows, edges and log lines that applying it writes. Pure, and the one meaning that every
//! store carries out.
//!
//! A store says what stands before the night ([`PriorState`], and [`PriorRows`] to ask for more); [`effect_of`] says that
//! nothing is to be written, refuses, or returns what to write. Whatever can be refused is refused here, before the first
//! write: a store that has begun to write a night can only fail as a whole. [`advance`] carries the effect out on a
//! [`MemorySnapshot`](crate::MemorySnapshot), so that several nights can be planned ahead without a store.
//!
//! What applying does to a memory of the night:
//!
//! | change | the memory | also |
//! |---|---|---|
//! | `store` | active, as the plan has it | |
//! | `collapse` | repeats archived by the rule | the one that stands for them derives from them |
//! | `prune` | archived by the rule | |
//! | `chunk` | archived by the rule | the synthesis becomes active and derives from them |
//! | `corroborate` | archived by `already-known` | the older entry grows stronger, with the importance and pin of the plan, and derives from them too |
//!
//! and to older entries:
//!
//! | change | the entry | also |
//! |---|---|---|
//! | `strengthen` | the reflection grows stronger | it derives from the sources too |
//! | `supersede` | archived by the rule; one that an earlier night archived stays so by its own rule | it names its successor |
//! | `contest` | stays active, marked as contested with the sources | they stay active, marked as contested with it |
//! | `archive`, `forget` | archived by the rule | |
//! | `collapse` with a standing | stands as the plan says, and derives from its duplicates | they are archived by the rule and name it as their successor; what named one of them names it from now on, and what was contested with one of them is contested with it |
//! | `restore` | active again, without a successor | it gets the vector of the plan where the store has none |
//!
//! Whatever leaves the active set is contested with nothing any more: marks of contest always name two active entries.
//!
//! The themes that a night saw are added, each as it stands after the night; the last addition is how it stands.
//!
//! `reflect` adds an insight. Nothing is deleted except by undoing; only the edges to duplicates give way to edges
//! to what stands for them, and undoing puts them back.
//!
//! A collapse of older entries has to move all that names a duplicate: a night that leaves one out is refused.

mod advance;
mod build;
mod contest;
mod upkeep;

pub use self::advance::advance;
use crate::{LogLine, MemoryId, MemoryRecord, ModelId, NpcNight, Outcome, StoreError, ThemeId, ThemeNight};

/// What a store holds of an NPC before a night.
#[derive(Debug, Clone, Default)]
pub struct PriorState {
    /// The version in force; 0 for an NPC without a state.
    pub version: u64,
    /// Whether the version that the night makes is among those of the NPC's applied nights. A version is a
    /// fingerprint: then it is this night.
    pub applied: bool,
    /// The model of the store's vectors.
    pub model: Option<ModelId>,
}

/// Questions to what stands before the night, all of its NPC.
pub trait PriorRows {
    /// What asking can fail with.
    type Error: From<StoreError>;

    /// A row in any state, without its vector.
    fn row(&self, id: &MemoryId) -> Result<Option<MemoryRecord>, Self::Error>;

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
pub enum Decision {
    /// Nothing is written, and this is the outcome.
    Nothing(Outcome),
    /// This is written.
    Write(Effect),
}

/// Everything a night writes; rows by id, each once and in its last form.
#[derive(Debug, Clone, Default)]
pub struct Effect {
    /// New rows.
    pub inserted: Vec<MemoryRecord>,
    /// New images of rows that were there before. Only their standing differs (state, successor, contests,
    /// corroborations, importance, pin, times, tags, sources), never what is remembered. One with a vector had none, and gets it.
    pub updated: Vec<MemoryRecord>,
    /// Edges that the store has and that go, before any is drawn.
    pub removed: Vec<Edge>,
    /// New edges; one that the store has already stays as it is.
    pub edges: Vec<Edge>,
    /// One line for each change, in its order.
    pub log: Vec<LogLine>,
    /// The themes the night saw, each once, by id.
    pub themes: Vec<ThemeNight>,
}

impl Effect {
    /// Whether it brings vectors into the store, and so their model.
    pub fn has_vectors(&self) -> bool {
        let rows = self.inserted.iter().chain(&self.updated);
        !self.themes.is_empty() || rows.into_iter().any(|row| row.entry.vector.is_some())
    }
}

/// `derived` was made from `source` (`DERIVED_FROM`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// What was made.
    pub derived: MemoryId,
    /// What from. The game may name sources that the store never saw.
    pub source: MemoryId,
}

/// Judges a night against what stands before it.
///
/// # Errors
/// [`StoreError::Stale`], [`StoreError::Model`] and [`StoreError::Conflict`]; and whatever asking fails with.
pub fn effect_of<G: PriorRows>(
    night: &NpcNight,
    before: PriorState,
    ground: &G,
) -> Result<Decision, G::Error> {
    if night.is_empty() {
        return Ok(Decision::Nothing(Outcome::Empty));
    }
    if before.applied {
        return Ok(Decision::Nothing(Outcome::AlreadyApplied));
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
        _ => build::effect(night, ground).map(Decision::Write),
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

/// A row as [`PriorRows::row`] gives it.
pub fn without_vector(row: &MemoryRecord) -> MemoryRecord {
    let mut row = row.clone();
    row.entry.vector = None;
    row
}

/// Versions that nights make, which are their fingerprints too; known before any of them is written.
///
/// # Errors
/// [`StoreError::Backend`] when a night cannot be written as JSON.
pub fn versions(nights: &[NpcNight]) -> Result<Vec<u64>, StoreError> {
    nights.iter().map(NpcNight::next_version).collect::<Result<_, _>>().map_err(StoreError::backend)
}
