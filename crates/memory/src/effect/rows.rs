//! Rows that a night finds in a store, and rows that it writes.

use serde::{Deserialize, Serialize};

use crate::{
    id::{MemoryId, ThemeId},
    ports::{LogLine, StoreError},
    record::MemoryRecord,
    theme::ThemeNight,
};

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

/// Returns a row without its vector, as [`PriorRows::row`] does.
pub fn without_vector(row: &MemoryRecord) -> MemoryRecord {
    let mut row = row.clone();
    row.entry.vector = None;
    row
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
