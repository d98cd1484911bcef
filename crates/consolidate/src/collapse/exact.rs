//! Exact repeats: one memory that happened several times.
//!
//! It comes before embedding because it must: on real days six memories in ten repeat another word for word, and
//! with the repeats left in, cohesion rewards idleness.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Emotion, GameTime, Importance, Kind, Memory, MemoryId};
use serde::{Deserialize, Serialize};

use super::Phase;
use crate::gather::unite;

/// A text of the day with everything that is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Distinct {
    /// The first memory with this text; it stands for all.
    pub(crate) id: MemoryId,
    pub(crate) text: String,
    pub(crate) kind: Kind,
    /// The highest of all.
    pub(crate) importance: Importance,
    /// Whether the game said so, of one of them at least; if not, it is the default.
    pub(crate) given: bool,
    pub(crate) at: GameTime,
    pub(crate) last_at: GameTime,
    /// The later ones.
    pub(crate) repeats: Vec<MemoryId>,
    pub(crate) actors: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) place: Option<String>,
    pub(crate) emotion: Option<Emotion>,
    pub(crate) pinned: bool,
    pub(crate) sources: Vec<MemoryId>,
    /// Where it is a status line that stands for others: those. It has no repeats then, since a value that comes back is a
    /// reading of its own.
    pub(crate) readings: Option<Readings>,
}

/// Status lines that say the same as their canonical one, but for their numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Readings {
    /// How they were found to be the same.
    pub(crate) phase: Phase,
    /// In order of time.
    pub(crate) others: Vec<Distinct>,
}

impl Distinct {
    /// How often it was lived through: its very words, or as one of the readings it stands for.
    pub(crate) fn occurrences(&self) -> u32 {
        u32::try_from(1 + self.repeats.len() + self.others().count()).unwrap_or(u32::MAX)
    }
}

/// Collapses memories that are in canonical order and not blank, and gives them in that order.
pub(crate) fn exact<'a>(memories: impl IntoIterator<Item = &'a Memory>) -> Vec<Distinct> {
    let mut by_text: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out: Vec<Distinct> = Vec::new();
    for memory in memories {
        if let Some(&i) = by_text.get(memory.text.trim()) {
            out[i].repeat(Distinct::of(memory));
        } else {
            by_text.insert(memory.text.trim(), out.len());
            out.push(Distinct::of(memory));
        }
    }
    out
}

impl Distinct {
    /// A memory by itself.
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

    /// Takes a later one of the same words.
    pub(super) fn repeat(&mut self, other: Self) {
        self.know(&other);
        unite(&mut self.actors, &other.actors);
        self.place = self.place.take().or(other.place);
        self.pinned |= other.pinned;
        self.repeats.push(other.id);
    }

    /// Takes what another one knows, be its words the same or not.
    pub(super) fn know(&mut self, other: &Self) {
        // What the game said counts before what is only assumed.
        self.importance = match (self.given, other.given) {
            (true, false) => self.importance,
            (false, true) => other.importance,
            _ => self.importance.max(other.importance),
        };
        self.given |= other.given;
        self.last_at = self.last_at.max(other.last_at);
        self.emotion = self.emotion.or(other.emotion);
        unite(&mut self.tags, &other.tags);
        unite(&mut self.sources, &other.sources);
    }
}

/// How many texts come with more than one importance.
pub(super) fn mixed_importance<'a>(memories: impl IntoIterator<Item = &'a Memory>) -> usize {
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
    fn repeats_become_one_with_the_highest_importance_and_both_times() {
        let memory = |id: &str, at: i64, importance: u8| -> Memory {
            serde_json::from_value(serde_json::json!({
                "id": id, "npc": "n", "at": at, "kind": "event", "text": "bed is idle", "importance": importance
            }))
            .unwrap()
        };
        let day = [memory("a", 1, 1), memory("b", 5, 7), memory("c", 9, 1)];
        let distinct = exact(&day);
        assert_eq!((distinct.len(), mixed_importance(&day)), (1, 1));
        let only = &distinct[0];
        assert_eq!((only.occurrences(), only.importance.get()), (3, 7));
        assert_eq!((only.at.seconds(), only.last_at.seconds()), (1, 9));
        assert_eq!(only.repeats.iter().map(MemoryId::as_str).collect::<Vec<_>>(), ["b", "c"]);
    }
}
