//! The input of triage, its buckets, and the decisions that it makes.

use std::collections::BTreeSet;

use nightfold_memory::{
    Analysis, CohesionParts, LanguagePack, MemoryId, MemorySnapshot, Reason, ValidConfig,
};
use serde::{Deserialize, Serialize};

use crate::{
    belief::Revision,
    collapse::DistinctMemory,
    gram::Gram,
    linkage::LinkageGroup,
    salience::Salience,
    themes::{ThemeMatcher, ThemeRecurrence},
};

/// Decision on one distinct memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum TriageDecision {
    /// Stored in its own words.
    Store(Reason),
    /// Merged into the synthesis with this index.
    Chunk(usize),
    /// Corroborates an existing entry.
    Corroborate(MemoryId, Reason),
    /// Archived.
    Prune(Reason),
    /// Superseded by a later memory of the day: archived together with its replacement.
    Outdated(Reason),
}

/// Memories that become one synthesis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ChunkGroup {
    /// Rows of the memories, in order of time.
    pub(crate) members: Vec<usize>,
    /// Cluster of the memories; `None` for loose ones.
    pub(crate) cluster: Option<usize>,
    pub(crate) reason: Reason,
}

/// Kind of bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BucketKind {
    /// One cluster, by its index.
    Cluster(usize),
    /// All memories that belong to no cluster.
    Loose,
    /// All memories that represent the readings of a status line; each is a subject of its own.
    Status,
}

/// A cluster, all loose memories or all collapsed status lines, while their memories are triaged.
pub(super) struct Bucket {
    pub(super) kind: BucketKind,
    pub(super) cohesion: f64,
    pub(super) parts: CohesionParts,
    pub(super) recurring: ThemeRecurrence,
    pub(super) members: Vec<usize>,
    /// Groups that are kept as far as there is room.
    pub(super) items: Vec<LinkageGroup>,
    /// Groups that would be kept if there were no budget.
    pub(super) similar: Vec<LinkageGroup>,
    /// Unrated talk, which is kept as far as its text has room.
    pub(super) talk: Vec<LinkageGroup>,
}

impl Bucket {
    pub(super) fn new(kind: BucketKind, cohesion: f64, members: Vec<usize>) -> Self {
        Self {
            kind,
            cohesion,
            parts: CohesionParts::default(),
            recurring: ThemeRecurrence::UNTRACKED,
            members,
            items: Vec::new(),
            similar: Vec::new(),
            talk: Vec::new(),
        }
    }

    /// Returns the number of members that are among these rows.
    pub(super) fn number_of(&self, rows: &BTreeSet<usize>) -> usize {
        self.members.iter().filter(|row| rows.contains(row)).count()
    }

    pub(super) fn cluster(&self) -> Option<usize> {
        match self.kind {
            BucketKind::Cluster(cluster) => Some(cluster),
            BucketKind::Loose | BucketKind::Status => None,
        }
    }
}

/// Decides on the memories of a day.
pub(crate) struct Triager<'a> {
    pub(crate) distinct: &'a [DistinctMemory],
    pub(crate) analyses: &'a [Analysis],
    pub(crate) pack: &'a dyn LanguagePack,
    /// Salience of each memory.
    pub(crate) saliences: &'a [Salience],
    pub(crate) gram: &'a Gram,
    pub(crate) past: &'a MemorySnapshot,
    /// Effect of the day on existing beliefs.
    pub(crate) revision: &'a Revision,
    pub(crate) config: &'a ValidConfig,
    pub(crate) theme_matcher: ThemeMatcher<'a>,
    /// Share of its budgets that the night may use, 0 to 1.
    pub(crate) share: f64,
}
