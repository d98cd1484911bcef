//! Collapse of exact repeats: one memory that happened several times.
//!
//! It precedes embedding, because on real days six memories in ten repeat another word for word, and
//! uncollapsed repeats would let cohesion favour idle states.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Emotion, GameTime, Importance, Kind, Memory, MemoryId, heard_from};
use serde::{Deserialize, Serialize};

use super::Phase;
use crate::merged::extend_unique;

/// One distinct text of the day with the merged attributes of all memories that it represents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct DistinctMemory {
    /// Id of the first memory with this text, which represents all.
    pub(crate) id: MemoryId,
    pub(crate) text: String,
    pub(crate) kind: Kind,
    /// Highest importance of all; one rated by the game takes precedence over the default.
    pub(crate) importance: Importance,
    /// True if the game rated the importance of at least one of them; otherwise it is the default.
    pub(crate) given: bool,
    pub(crate) at: GameTime,
    pub(crate) last_at: GameTime,
    /// Ids of the later memories with this text.
    pub(crate) repeats: Vec<MemoryId>,
    pub(crate) actors: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) place: Option<String>,
    pub(crate) emotion: Option<Emotion>,
    pub(crate) pinned: bool,
    pub(crate) sources: Vec<MemoryId>,
    /// Other readings, if the memory is a status line that represents several. It then has no repeats, since
    /// a value that returns is a separate reading.
    pub(crate) readings: Option<Readings>,
}

/// Status lines that say the same as their canonical one, except for their numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Readings {
    /// Phase that joined them.
    pub(crate) phase: Phase,
    /// The other readings, in order of time.
    pub(crate) others: Vec<DistinctMemory>,
}

impl DistinctMemory {
    /// Returns its id and its text.
    pub(crate) fn named(&self) -> (&MemoryId, &str) {
        (&self.id, &self.text)
    }

    /// True for talk, which is never one with what was lived: it may be a lie.
    pub(crate) fn is_talk(&self) -> bool {
        self.kind == Kind::Chat
    }

    /// Returns who said it, if it is talk of others than the NPC `me`.
    pub(crate) fn heard_from(&self, me: &str) -> Option<String> {
        heard_from(self.kind, &self.actors, me)
    }

    /// Returns the number of times it was experienced, in these words or as one of the readings it
    /// represents.
    pub(crate) fn occurrences(&self) -> u32 {
        u32::try_from(1 + self.repeats.len() + self.other_readings().count()).unwrap_or(u32::MAX)
    }
}

/// Collapses equal texts among memories, which must be in canonical order and not blank. Returns the result
/// in that order. Talk does not repeat what was lived, nor the other way round.
pub(crate) fn collapse_exact<'a>(memories: impl IntoIterator<Item = &'a Memory>) -> Vec<DistinctMemory> {
    let mut by_text: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    let mut out: Vec<DistinctMemory> = Vec::new();
    for memory in memories {
        let said = (memory.text.trim(), memory.kind == Kind::Chat);
        if let Some(&i) = by_text.get(&said) {
            out[i].add_repeat(DistinctMemory::of(memory));
        } else {
            by_text.insert(said, out.len());
            out.push(DistinctMemory::of(memory));
        }
    }
    out
}

impl DistinctMemory {
    /// Converts a single memory.
    pub(crate) fn of(memory: &Memory) -> Self {
        Self {
            id: memory.id.clone(),
            text: memory.text.clone(),
            kind: memory.kind,
            importance: memory.importance(),
            given: memory.importance.is_some(),
            at: memory.at,
            last_at: memory.at,
            repeats: Vec::new(),
            actors: memory.actors.clone(),
            tags: memory.tags.clone(),
            place: memory.place.clone(),
            emotion: memory.emotion,
            pinned: memory.pinned,
            sources: memory.sources.clone(),
            readings: None,
        }
    }

    /// Merges a later memory with the same text.
    pub(super) fn add_repeat(&mut self, other: Self) {
        self.merge_attributes(&other);
        extend_unique(&mut self.actors, &other.actors);
        self.place = self.place.take().or(other.place);
        self.pinned |= other.pinned;
        self.repeats.push(other.id);
    }

    /// Merges the attributes of another memory, whatever its text.
    pub(super) fn merge_attributes(&mut self, other: &Self) {
        // A rating by the game takes precedence over the default.
        self.importance = match (self.given, other.given) {
            (true, false) => self.importance,
            (false, true) => other.importance,
            _ => self.importance.max(other.importance),
        };
        self.given |= other.given;
        self.last_at = self.last_at.max(other.last_at);
        self.emotion = self.emotion.or(other.emotion);
        extend_unique(&mut self.tags, &other.tags);
        extend_unique(&mut self.sources, &other.sources);
    }
}

/// Returns the number of texts that occur with more than one importance.
pub(super) fn count_mixed_importance<'a>(memories: impl IntoIterator<Item = &'a Memory>) -> usize {
    let mut by_text: BTreeMap<&str, BTreeSet<u8>> = BTreeMap::new();
    for memory in memories {
        by_text.entry(memory.text.trim()).or_default().insert(memory.importance().get());
    }
    by_text.values().filter(|importances| importances.len() > 1).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_collapse_to_one_with_highest_importance_and_first_and_last_time() {
        let memory = |id: &str, at: i64, importance: u8| -> Memory {
            serde_json::from_value(serde_json::json!({
                "id": id, "npc": "n", "at": at, "kind": "event", "text": "bed is idle", "importance": importance
            }))
            .unwrap()
        };
        let day = [memory("a", 1, 1), memory("b", 5, 7), memory("c", 9, 1)];
        let distinct = collapse_exact(&day);
        assert_eq!((distinct.len(), count_mixed_importance(&day)), (1, 1));
        let only = &distinct[0];
        assert_eq!((only.occurrences(), only.importance.get()), (3, 7));
        assert_eq!((only.at.seconds(), only.last_at.seconds()), (1, 9));
        assert_eq!(only.repeats.iter().map(MemoryId::as_str).collect::<Vec<_>>(), ["b", "c"]);
    }
}
