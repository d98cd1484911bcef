//! Exact repeats: one memory that happened several times.
//!
//! It comes before embedding because it must: on real days six memories in ten repeat another word for word, and
//! with the repeats left in, cohesion rewards idleness.

use std::collections::BTreeMap;

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
    /// Where it is a status line that stands for others: those.
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
    /// How often its very words were lived through.
    pub(crate) fn own_occurrences(&self) -> u32 {
        u32::try_from(self.repeats.len() + 1).unwrap_or(u32::MAX)
    }

    /// How often it was lived through, its readings included.
    pub(crate) fn occurrences(&self) -> u32 {
        self.others().map(Self::own_occurrences).fold(self.own_occurrences(), u32::saturating_add)
    }
}

/// Collapses memories that are in canonical order and not blank. Gives them in that order, and how many texts
/// came with more than one importance.
pub(crate) fn collapse<'a>(memories: impl Iterator<Item = &'a Memory>) -> (Vec<Distinct>, usize) {
    let mut by_text: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out: Vec<(Distinct, bool)> = Vec::new();
    for memory in memories {
        if let Some(&i) = by_text.get(memory.text.trim()) {
            let (first, mixed) = &mut out[i];
            *mixed |= first.importance != memory.importance();
            first.importance = first.importance.max(memory.importance());
            first.last_at = first.last_at.max(memory.at);
            first.pinned |= memory.pinned;
            first.repeats.push(memory.id.clone());
            unite(&mut first.actors, &memory.actors);
            unite(&mut first.tags, &memory.tags);
            unite(&mut first.sources, &memory.sources);
            first.place = first.place.take().or_else(|| memory.place.clone());
            first.emotion = first.emotion.or(memory.emotion);
            continue;
        }
        by_text.insert(memory.text.trim(), out.len());
        let first = Distinct {
            id: memory.id.clone(),
            text: memory.text.clone(),
            kind: memory.kind,
            importance: memory.importance(),
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
        };
        out.push((first, false));
    }
    let mixed = out.iter().filter(|(_, mixed)| *mixed).count();
    (out.into_iter().map(|(distinct, _)| distinct).collect(), mixed)
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
        let (distinct, mixed) = collapse(day.iter());
        assert_eq!(distinct.len(), 1);
        assert_eq!(mixed, 1);
        let only = &distinct[0];
        assert_eq!((only.occurrences(), only.importance.get()), (3, 7));
        assert_eq!((only.at.seconds(), only.last_at.seconds()), (1, 9));
        assert_eq!(only.repeats.iter().map(MemoryId::as_str).collect::<Vec<_>>(), ["b", "c"]);
    }
}
