//! One change of a plan.

use serde::{Deserialize, Serialize};

use crate::{Confidence, Entry, GameTime, Importance, MemoryId, MemoryRecord, Reason, Vector};

/// What sort of insight a reflection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReflectionKind {
    /// Something that keeps happening.
    Pattern,
    /// One thing leading to another.
    Causal,
    /// About someone.
    Social,
    /// About oneself.
    #[serde(rename = "self")]
    Oneself,
    /// Across two themes.
    Connection,
}

impl ReflectionKind {
    /// The name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pattern => "pattern",
            Self::Causal => "causal",
            Self::Social => "social",
            Self::Oneself => "self",
            Self::Connection => "connection",
        }
    }
}

/// How a canonical entry of long-term memory stands after it took its duplicates over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// How often it has been said again, after this: what its duplicates were lived through counts, each at least once.
    pub corroborations: u32,
    /// When the last of them happened.
    pub last_at: GameTime,
    /// When the last of them was touched.
    pub touched_at: GameTime,
    /// The tags of all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Every entry but the canonical one that names a duplicate as a source or a successor, duplicates included; they name
    /// the canonical one from now on. A store refuses a plan that leaves one out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<MemoryId>,
}

impl Standing {
    /// Lets an entry stand so. What names its duplicates is the store's to move.
    pub fn give(&self, entry: &mut MemoryRecord) {
        entry.corroborations = self.corroborations;
        entry.touched_at = self.touched_at;
        entry.entry.last_at = self.last_at;
        entry.entry.tags.clone_from(&self.tags);
    }
}

/// One thing that applying a plan does. `id` names the entry that is written; `sources` what it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Change {
    /// Repeats become one memory: of one text on a day, of one status line on a day or in long-term memory.
    Collapse {
        /// The memory or entry that stands for all.
        id: MemoryId,
        /// The repeats.
        sources: Vec<MemoryId>,
        /// Where they are entries that earlier nights wrote: how the canonical one stands after this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        standing: Option<Standing>,
        /// The evidence that decided it.
        reason: Reason,
    },
    /// A memory is kept in its own words.
    Store {
        /// What is written.
        #[serde(flatten)]
        entry: Entry,
        /// The evidence that decided it.
        reason: Reason,
    },
    /// Several memories are told as one; they themselves go to the archive.
    Chunk {
        /// What is written; its sources are the memories told. By [`Rule::Abstracted`](crate::Rule) they are entries that
        /// earlier nights wrote, else memories of the day.
        #[serde(flatten)]
        entry: Entry,
        /// One to three words for it, the most telling of what it tells.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// The evidence that decided it.
        reason: Reason,
    },
    /// A memory goes to the archive.
    Prune {
        /// The memory.
        id: MemoryId,
        /// Its repeats stand under `collapse`; this is empty.
        sources: Vec<MemoryId>,
        /// The evidence that decided it.
        reason: Reason,
    },
    /// An insight is drawn.
    Reflect {
        /// What is written; its sources are what it rests on.
        #[serde(flatten)]
        entry: Entry,
        /// One to three words for it, the most telling of what it rests on.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// What sort of insight it is.
        reflection: ReflectionKind,
        /// The evidence that decided it.
        reason: Reason,
    },
    /// An older entry, or one of earlier the same night, was lived through again: it grows stronger, and the memories go
    /// to the archive.
    Corroborate {
        /// The entry.
        id: MemoryId,
        /// The memories that say it again.
        sources: Vec<MemoryId>,
        /// How often it has been said again, after this.
        corroborations: u32,
        /// How sure the NPC is, after this.
        confidence: Confidence,
        /// When it was last lived through, after this.
        last_at: GameTime,
        /// Its tags, after this.
        tags: Vec<String>,
        /// Its importance, after this: the highest it was ever lived through with.
        importance: Importance,
        /// Whether it is pinned, after this.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pinned: bool,
        /// The evidence that decided it.
        reason: Reason,
    },
    /// A reflection that stands was drawn again, from other memories: it grows stronger and rests on these as well. What
    /// becomes of the memories stands elsewhere in the plan.
    Strengthen {
        /// The reflection.
        id: MemoryId,
        /// The memories it was drawn from this time.
        sources: Vec<MemoryId>,
        /// Number of times it has been said or drawn again, after this.
        corroborations: u32,
        /// Confidence of the NPC, after this.
        confidence: Confidence,
        /// Rule that decided it, and its values.
        reason: Reason,
    },
    /// An older entry, or one of earlier the same night, no longer holds: another takes its place, and it goes to the
    /// archive. One that a night archived before, and that nothing took the place of, gets its successor.
    Supersede {
        /// The entry.
        id: MemoryId,
        /// What holds now.
        sources: Vec<MemoryId>,
        /// The evidence that decided it.
        reason: Reason,
    },
    /// An active entry, of an earlier night or of this one, is contradicted by others that are less well founded: all of
    /// them stay active, each marked as contested with it, until something settles which holds.
    Contest {
        /// The entry.
        id: MemoryId,
        /// The other side: at least one, all of them active.
        sources: Vec<MemoryId>,
        /// The evidence that decided it.
        reason: Reason,
    },
    /// An older entry leaves the active set.
    Archive {
        /// The entry.
        id: MemoryId,
        /// What caused it.
        sources: Vec<MemoryId>,
        /// The evidence that decided it.
        reason: Reason,
    },
    /// What an earlier night put away is active again.
    Restore {
        /// The entry.
        id: MemoryId,
        /// What it comes from stands with the entry; this is empty.
        sources: Vec<MemoryId>,
        /// The embedding of its text, for what was never active; passed over where the store has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        vector: Option<Vector>,
        /// The evidence that decided it.
        reason: Reason,
    },
    /// An older entry has faded and leaves the active set.
    Forget {
        /// The entry.
        id: MemoryId,
        /// What caused it.
        sources: Vec<MemoryId>,
        /// The evidence that decided it.
        reason: Reason,
    },
}

impl Change {
    /// The word in the `do` field.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Collapse { .. } => "collapse",
            Self::Store { .. } => "store",
            Self::Chunk { .. } => "chunk",
            Self::Prune { .. } => "prune",
            Self::Reflect { .. } => "reflect",
            Self::Corroborate { .. } => "corroborate",
            Self::Strengthen { .. } => "strengthen",
            Self::Supersede { .. } => "supersede",
            Self::Contest { .. } => "contest",
            Self::Archive { .. } => "archive",
            Self::Restore { .. } => "restore",
            Self::Forget { .. } => "forget",
        }
    }

    /// The entry or memory that is written.
    pub fn id(&self) -> &MemoryId {
        match self {
            Self::Store { entry, .. } | Self::Chunk { entry, .. } | Self::Reflect { entry, .. } => &entry.id,
            Self::Collapse { id, .. }
            | Self::Prune { id, .. }
            | Self::Corroborate { id, .. }
            | Self::Strengthen { id, .. }
            | Self::Supersede { id, .. }
            | Self::Contest { id, .. }
            | Self::Archive { id, .. }
            | Self::Restore { id, .. }
            | Self::Forget { id, .. } => id,
        }
    }

    /// What it comes from.
    pub fn sources(&self) -> &[MemoryId] {
        match self {
            Self::Store { entry, .. } | Self::Chunk { entry, .. } | Self::Reflect { entry, .. } => {
                &entry.sources
            }
            Self::Collapse { sources, .. }
            | Self::Prune { sources, .. }
            | Self::Corroborate { sources, .. }
            | Self::Strengthen { sources, .. }
            | Self::Supersede { sources, .. }
            | Self::Contest { sources, .. }
            | Self::Archive { sources, .. }
            | Self::Restore { sources, .. }
            | Self::Forget { sources, .. } => sources,
        }
    }

    /// The evidence that decided it.
    pub fn reason(&self) -> &Reason {
        match self {
            Self::Collapse { reason, .. }
            | Self::Store { reason, .. }
            | Self::Chunk { reason, .. }
            | Self::Prune { reason, .. }
            | Self::Reflect { reason, .. }
            | Self::Corroborate { reason, .. }
            | Self::Strengthen { reason, .. }
            | Self::Supersede { reason, .. }
            | Self::Contest { reason, .. }
            | Self::Archive { reason, .. }
            | Self::Restore { reason, .. }
            | Self::Forget { reason, .. } => reason,
        }
    }

    /// The new active entry it writes, if it writes one.
    pub fn entry(&self) -> Option<&Entry> {
        match self {
            Self::Store { entry, .. } | Self::Chunk { entry, .. } | Self::Reflect { entry, .. } => {
                Some(entry)
            }
            _ => None,
        }
    }
}
