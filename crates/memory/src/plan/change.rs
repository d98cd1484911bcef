//! Changes of a plan.

use serde::{Deserialize, Serialize};

use crate::{
    id::MemoryId,
    memory::Importance,
    plan::Reason,
    record::{Confidence, Entry, MemoryRecord},
    time::GameTime,
    vector::Vector,
};

/// Kind of a reflection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ReflectionKind {
    /// Something that keeps happening.
    Pattern,
    /// One thing that leads to another.
    Causal,
    /// Something about somebody else.
    Social,
    /// Something about the NPC itself.
    #[serde(rename = "self")]
    Oneself,
    /// A connection of two themes.
    Connection,
    /// Something that the NPC likes or would rather have.
    Preference,
    /// Something that went wrong several times.
    Caution,
    /// Something that the NPC practises.
    Skill,
    /// Several days with one person.
    Person,
    /// Several days at one place.
    Place,
}

impl ReflectionKind {
    /// Returns the name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pattern => "pattern",
            Self::Causal => "causal",
            Self::Social => "social",
            Self::Oneself => "self",
            Self::Connection => "connection",
            Self::Preference => "preference",
            Self::Caution => "caution",
            Self::Skill => "skill",
            Self::Person => "person",
            Self::Place => "place",
        }
    }
}

/// State of a canonical entry of long-term memory after its duplicates were merged into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergedState {
    /// Number of corroborations after the change, including the occurrences of its duplicates (at least one
    /// for each duplicate).
    pub corroborations: u32,
    /// Time at which the last of them happened.
    pub last_at: GameTime,
    /// Time at which the last of them was written or corroborated.
    pub touched_at: GameTime,
    /// Tags of all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Every entry, except the canonical one, that names a duplicate as a source or successor, duplicates
    /// included; these references are redirected to the canonical entry. A store refuses a plan that leaves
    /// one out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<MemoryId>,
}

impl MergedState {
    /// Writes this state to an entry. Redirecting references to its duplicates is left to the store.
    pub fn apply_to(&self, entry: &mut MemoryRecord) {
        entry.corroborations = self.corroborations;
        entry.touched_at = self.touched_at;
        entry.entry.last_at = self.last_at;
        entry.entry.tags.clone_from(&self.tags);
    }
}

/// One change that applying a plan makes. `id` names the entry that is written; `sources` names the memories
/// or entries from which it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Change {
    /// Folds repeats into one memory: repeats of a text on a day, or of a status line on a day or in
    /// long-term memory.
    Collapse {
        /// Memory or entry that is kept for all.
        id: MemoryId,
        /// Repeats.
        sources: Vec<MemoryId>,
        /// State of the canonical entry after the change, if the repeats are entries of earlier nights.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        standing: Option<MergedState>,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// Keeps a memory in its own words.
    Store {
        /// Entry that is written.
        #[serde(flatten)]
        entry: Entry,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// Synthesizes several memories, or summarises entries, into one entry; the originals are archived.
    Chunk {
        /// Entry that is written; its sources are the originals. Under [`Rule::Abstracted`](crate::Rule) they
        /// are entries of earlier nights, otherwise memories of the day.
        #[serde(flatten)]
        entry: Entry,
        /// Name of the entry: the one to three most distinctive words of its sources.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// Archives a memory of the day.
    Prune {
        /// Memory that is archived.
        id: MemoryId,
        /// Always empty; repeats of the memory are listed under `collapse`.
        sources: Vec<MemoryId>,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// Adds a reflection.
    Reflect {
        /// Entry that is written; its sources are the memories it rests on. Under
        /// [`Rule::Distilled`](crate::Rule) they are entries of earlier nights, otherwise at least one is a memory of
        /// the day.
        #[serde(flatten)]
        entry: Entry,
        /// Name of the entry: the one to three most distinctive words of its sources.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// Kind of the reflection.
        reflection: ReflectionKind,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// Corroborates an entry of an earlier night, or one of the same night, with memories that say the same;
    /// the memories are archived.
    Corroborate {
        /// Entry that is corroborated.
        id: MemoryId,
        /// Memories that say the same.
        sources: Vec<MemoryId>,
        /// Number of corroborations after the change.
        corroborations: u32,
        /// Confidence after the change.
        confidence: Confidence,
        /// Time of the last occurrence after the change.
        last_at: GameTime,
        /// Tags after the change.
        tags: Vec<String>,
        /// Importance after the change: the highest of all its occurrences.
        importance: Importance,
        /// True if it is pinned after the change.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pinned: bool,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// Corroborates an active reflection that was derived again from other memories, which become its sources
    /// too. Other changes decide what happens to the memories.
    Strengthen {
        /// Reflection that is corroborated.
        id: MemoryId,
        /// Memories it was derived from this time.
        sources: Vec<MemoryId>,
        /// Number of corroborations after the change.
        corroborations: u32,
        /// Confidence after the change.
        confidence: Confidence,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// Supersedes an entry of an earlier night, or one of the same night, by another entry and archives it.
    /// An archived entry that nothing superseded yet gets its successor.
    Supersede {
        /// Entry that is superseded.
        id: MemoryId,
        /// Entries that supersede it; the first is its successor.
        sources: Vec<MemoryId>,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// Marks an active entry as contested with entries that contradict it and are less well founded. All of
    /// them stay active until it is settled which one holds.
    Contest {
        /// Entry that is contested.
        id: MemoryId,
        /// Entries that contradict it: at least one, all active.
        sources: Vec<MemoryId>,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// Marks a position of an active entry as ended: it no longer holds. The entry stays active, and its text as it
    /// was.
    End {
        /// Entry that states the position.
        id: MemoryId,
        /// Words of the entry that state it.
        position: String,
        /// Time from which on it no longer holds.
        since: GameTime,
        /// Entries because of which it ended: at least one; the mark names the first.
        sources: Vec<MemoryId>,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// Archives an older entry.
    Archive {
        /// Entry that is archived.
        id: MemoryId,
        /// Entries or memories that caused it.
        sources: Vec<MemoryId>,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// Makes an entry that an earlier night archived active again.
    Restore {
        /// Entry that is restored.
        id: MemoryId,
        /// Always empty; the entry keeps its own sources.
        sources: Vec<MemoryId>,
        /// Embedding of its text, for an entry that was never active; ignored if the store has a vector.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        vector: Option<Vector>,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// Archives an older entry that has faded.
    Forget {
        /// Entry that is forgotten.
        id: MemoryId,
        /// Entries or memories that caused it.
        sources: Vec<MemoryId>,
        /// Evidence that decided it.
        reason: Reason,
    },
}

impl Change {
    /// Values of the `do` field.
    pub const VERBS: [&str; 13] = [
        "collapse",
        "store",
        "chunk",
        "prune",
        "reflect",
        "corroborate",
        "strengthen",
        "supersede",
        "contest",
        "end",
        "archive",
        "restore",
        "forget",
    ];

    /// Returns the value of the `do` field, one of [`Change::VERBS`].
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
            Self::End { .. } => "end",
            Self::Archive { .. } => "archive",
            Self::Restore { .. } => "restore",
            Self::Forget { .. } => "forget",
        }
    }

    /// Returns the id of the entry or memory that is written.
    pub fn id(&self) -> &MemoryId {
        match self {
            Self::Store { entry, .. } | Self::Chunk { entry, .. } | Self::Reflect { entry, .. } => &entry.id,
            Self::Collapse { id, .. }
            | Self::Prune { id, .. }
            | Self::Corroborate { id, .. }
            | Self::Strengthen { id, .. }
            | Self::Supersede { id, .. }
            | Self::Contest { id, .. }
            | Self::End { id, .. }
            | Self::Archive { id, .. }
            | Self::Restore { id, .. }
            | Self::Forget { id, .. } => id,
        }
    }

    /// Returns the ids of the memories or entries that the change comes from.
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
            | Self::End { sources, .. }
            | Self::Archive { sources, .. }
            | Self::Restore { sources, .. }
            | Self::Forget { sources, .. } => sources,
        }
    }

    /// Returns the evidence that decided the change.
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
            | Self::End { reason, .. }
            | Self::Archive { reason, .. }
            | Self::Restore { reason, .. }
            | Self::Forget { reason, .. } => reason,
        }
    }

    /// Returns the new active entry that the change writes, if any.
    pub fn entry(&self) -> Option<&Entry> {
        match self {
            Self::Store { entry, .. } | Self::Chunk { entry, .. } | Self::Reflect { entry, .. } => {
                Some(entry)
            }
            _ => None,
        }
    }
}
