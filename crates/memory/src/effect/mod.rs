//! Effect of a night: the rows, edges and log lines that applying it writes. It is computed without I/O and
//! is the one definition that every store carries out.
//!
//! A store passes the state before the night ([`PriorState`], and [`PriorRows`] for single rows);
//! [`effect_of`] decides that nothing is written, refuses the night, or returns what to write. Every refusal
//! happens here, before the first write: a store that has begun to write a night can only fail as a whole.
//! [`advance`] carries the effect out on a [`MemorySnapshot`](crate::MemorySnapshot), so that several nights
//! can be planned ahead without a store.
//!
//! Effect of each change on a memory of the night:
//!
//! | change | the memory | also |
//! |---|---|---|
//! | `store` | active, as in the plan | |
//! | `collapse` | repeats archived by the rule | the memory that is kept derives from them |
//! | `prune` | archived by the rule | |
//! | `chunk` | archived by the rule | the synthesis becomes active and derives from them |
//! | `corroborate` | archived by `already-known` | the older entry gets the corroborations, confidence, importance and pin of the plan, and derives from them too |
//!
//! and on older entries:
//!
//! | change | the entry | also |
//! |---|---|---|
//! | `strengthen` | gets the corroborations and confidence of the plan | the reflection derives from the sources too |
//! | `supersede` | archived by the rule; one that an earlier night archived keeps its own rule | it gets its successor |
//! | `contest` | stays active, marked as contested with the sources | they stay active, marked as contested with it |
//! | `end` | stays active, with one more ended position that names the first source | |
//! | `archive`, `forget` | archived by the rule | |
//! | `collapse` with a merged state | gets the state of the plan, and derives from its duplicates | they are archived by the rule with it as their successor; references to a duplicate become references to it, and entries contested with a duplicate are contested with it |
//! | `restore` | active again, without a successor | it gets the vector of the plan if the store has none |
//!
//! An entry that leaves the active set loses its contest marks: a mark always names two active entries. It keeps its ended
//! positions, which tell what it said that no longer held. They are of its own words: an entry that duplicates are
//! collapsed into does not get theirs, and an ended position goes on to name an entry that was archived, a collapsed
//! duplicate too.
//!
//! Vectors are [rounded](crate::Vector::rounded) when they enter long-term memory: entries and the centres of themes.
//!
//! Each theme that the night saw is added in its state after the night; the last addition is the current
//! state.
//!
//! `reflect` adds a reflection. Nothing is deleted except by undoing; only edges to duplicates are replaced
//! by edges to the canonical entry, and undoing puts them back.
//!
//! A collapse of older entries has to move every reference to a duplicate: a night that leaves one out is
//! refused.

mod advance;
mod branch;
mod build;
mod contest;
mod end;
mod erasure;
mod maintenance;

pub use self::{
    advance::advance,
    branch::{RewindPath, ShelvedNight, rewind_path},
    erasure::{
        Erasure, ErasureEffect, LogPlace, MIN_SUPPORT, NpcHistory, RecordHistory, ThemeState, erasure_of,
    },
};
use serde::{Deserialize, Serialize};

use crate::{LogLine, MemoryId, MemoryRecord, ModelId, NpcNight, Outcome, StoreError, ThemeId, ThemeNight};

/// State of an NPC in a store before a night.
#[derive(Debug, Clone, Default)]
pub struct PriorState {
    /// Version in force; 0 for an NPC without a state.
    pub version: u64,
    /// True if the version that the night makes is among those of the NPC's applied nights. Versions are
    /// fingerprints, so this very night was applied before.
    pub applied: bool,
    /// Model of the store's vectors.
    pub model: Option<ModelId>,
}

/// Rows of one NPC in a store before a night.
pub trait PriorRows {
    /// Error of reading the store.
    type Error: From<StoreError>;

    /// Returns a row in any state, without its vector.
    ///
    /// # Errors
    /// [`PriorRows::Error`] when the store cannot be read.
    fn row(&self, id: &MemoryId) -> Result<Option<MemoryRecord>, Self::Error>;

    /// True if a row of this id was deleted for good.
    ///
    /// # Errors
    /// [`PriorRows::Error`] when the store cannot be read.
    fn purged(&self, id: &MemoryId) -> Result<bool, Self::Error>;

    /// True if a row has a vector.
    ///
    /// # Errors
    /// [`PriorRows::Error`] when the store cannot be read.
    fn has_vector(&self, id: &MemoryId) -> Result<bool, Self::Error>;

    /// Returns the ids of the rows that derive from a row.
    ///
    /// # Errors
    /// [`PriorRows::Error`] when the store cannot be read.
    fn derived(&self, id: &MemoryId) -> Result<Vec<MemoryId>, Self::Error>;

    /// Returns the ids of the rows that a row superseded, those that name it as their successor.
    ///
    /// # Errors
    /// [`PriorRows::Error`] when the store cannot be read.
    fn predecessors(&self, id: &MemoryId) -> Result<Vec<MemoryId>, Self::Error>;

    /// True if any night saw a theme.
    ///
    /// # Errors
    /// [`PriorRows::Error`] when the store cannot be read.
    fn has_theme(&self, id: &ThemeId) -> Result<bool, Self::Error>;
}

/// Decision about a night.
#[derive(Debug, Clone)]
pub enum Decision {
    /// Nothing is written; the outcome says why.
    Nothing(Outcome),
    /// The effect is written.
    Write(Effect),
}

/// Everything that a night writes. Rows are sorted by id, each once and in its last form.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Effect {
    /// New rows.
    pub inserted: Vec<MemoryRecord>,
    /// New images of rows that were there before. Only their state differs (state, successor, contests,
    /// ended positions, corroborations, importance, pin, times, tags, sources), never the text. A row with a vector had none
    /// before and gets it.
    pub updated: Vec<MemoryRecord>,
    /// Edges of the store that are removed, before any edge is added.
    pub removed: Vec<Edge>,
    /// New edges; one that the store has already stays as it is.
    pub edges: Vec<Edge>,
    /// One line for each change, in its order.
    pub log: Vec<LogLine>,
    /// Themes that the night saw, each once, by id.
    pub themes: Vec<ThemeNight>,
}

impl Effect {
    /// True if it brings vectors into the store, and thereby their model.
    pub fn has_vectors(&self) -> bool {
        let rows = self.inserted.iter().chain(&self.updated);
        !self.themes.is_empty() || rows.into_iter().any(|row| row.entry.vector.is_some())
    }
}

/// Edge of provenance: `derived` was made from `source` (`DERIVED_FROM`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge {
    /// Id of the entry that was made.
    pub derived: MemoryId,
    /// Id of its source. The game may name sources that the store never saw.
    pub source: MemoryId,
}

/// Decides about a night, given the state before it.
///
/// # Errors
/// [`StoreError::Stale`], [`StoreError::Model`] and [`StoreError::Conflict`]; and any error of reading the
/// store.
pub fn effect_of<G: PriorRows>(
    night: &NpcNight,
    before: PriorState,
    prior: &G,
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
        _ => build::effect(night, prior).map(Decision::Write),
    }
}

/// Returns the error for a change that an entry's state does not allow.
pub(crate) fn conflict(
    night: &NpcNight,
    verb: &'static str,
    id: &MemoryId,
    state: &'static str,
) -> StoreError {
    let (npc, night, id) = (night.npc.clone(), night.night.clone(), id.clone());
    StoreError::Conflict { npc, night, verb, id, state }
}

/// Returns a row without its vector, as [`PriorRows::row`] does.
pub fn without_vector(row: &MemoryRecord) -> MemoryRecord {
    let mut row = row.clone();
    row.entry.vector = None;
    row
}

/// Returns the versions that nights make, before any of them is written; a version is also a night's
/// fingerprint.
///
/// # Errors
/// [`StoreError::Backend`] if a night cannot be written as JSON.
pub fn versions(nights: &[NpcNight]) -> Result<Vec<u64>, StoreError> {
    nights.iter().map(NpcNight::next_version).collect::<Result<_, _>>().map_err(StoreError::backend)
}
