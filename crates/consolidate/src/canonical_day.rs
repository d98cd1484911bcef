//! Canonical order of a day: every memory gets a unique id, memories processed on an earlier night are
//! skipped, and blank ones are counted.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Fingerprint, InputCounts, Memory, MemoryId, MemorySnapshot};

use crate::merged::extend_unique;

/// A day in canonical order, ready to be collapsed.
pub(crate) struct CanonicalDay {
    /// New memories, blank ones included, by time, id and text.
    pub(crate) memories: Vec<Memory>,
    pub(crate) counts: InputCounts,
    /// Ids under which memories are kept whose own id a different memory has.
    pub(crate) renamed: Vec<MemoryId>,
}

/// Different memories that share one id.
struct IdCollisions {
    /// Position of each memory: its index among the new ones, or `None` if it is in the store.
    positions: BTreeMap<Fingerprint, Option<usize>>,
    /// Number to try next as the suffix that makes the id of a colliding memory unique.
    next_suffix: usize,
}

impl IdCollisions {
    /// Collects the memories in the store under `id`, `id~2`, `id~3` …, those whose id was erased included.
    fn stored(id: &MemoryId, past: &MemorySnapshot) -> Self {
        let mut positions = BTreeMap::new();
        let mut next_suffix = 1;
        let known = |id: MemoryId| past.known.get(&id).or_else(|| past.known.get(&id.erased()));
        while let Some(&known) = known(id.numbered(next_suffix)) {
            positions.insert(known, None);
            next_suffix += 1;
        }
        Self { positions, next_suffix }
    }
}

/// Orders the day and makes its ids unique. The outcome does not depend on the input order.
pub(crate) fn canonicalize(mut memories: Vec<Memory>, past: &MemorySnapshot) -> CanonicalDay {
    memories.sort_by(|a, b| {
        (a.at, &a.id, &a.text).cmp(&(b.at, &b.id, &b.text)).then_with(|| {
            // Rows that differ only in other fields are ordered by their JSON.
            let written = |m: &Memory| serde_json::to_string(m).unwrap_or_default();
            written(a).cmp(&written(b))
        })
    });
    let mut counts = InputCounts::default();
    let mut renamed = Vec::new();
    let mut by_id: BTreeMap<MemoryId, IdCollisions> = BTreeMap::new();
    let mut taken: BTreeSet<MemoryId> = BTreeSet::new();
    let mut fresh: Vec<Memory> = Vec::with_capacity(memories.len());
    for mut memory in memories {
        let known = Fingerprint::of(&memory.text, memory.at);
        let namesakes =
            by_id.entry(memory.id.clone()).or_insert_with(|| IdCollisions::stored(&memory.id, past));
        match namesakes.positions.get(&known) {
            Some(None) => counts.already_slept_on += 1,
            Some(&Some(place)) => {
                counts.repeated_rows += 1;
                merge_repeated_row(&mut fresh[place], memory);
            }
            None => {
                let is_free = |id: &MemoryId| !taken.contains(id) && !past.known.contains_key(id);
                let mut id = memory.id.numbered(namesakes.next_suffix);
                while !is_free(&id) {
                    namesakes.next_suffix += 1;
                    id = memory.id.numbered(namesakes.next_suffix);
                }
                if namesakes.next_suffix > 1 {
                    renamed.push(id.clone());
                }
                namesakes.next_suffix += 1;
                namesakes.positions.insert(known, Some(fresh.len()));
                taken.insert(id.clone());
                memory.id = id;
                fresh.push(memory);
            }
        }
    }
    counts.renamed_ids = renamed.len();
    counts.without_importance = fresh.iter().filter(|m| m.importance.is_none()).count();
    counts.blank = fresh.iter().filter(|m| m.is_blank()).count();
    counts.equal_times = fresh
        .iter()
        .enumerate()
        .filter(|(i, m)| {
            i.checked_sub(1).is_some_and(|j| fresh[j].at == m.at)
                || fresh.get(i + 1).is_some_and(|n| n.at == m.at)
        })
        .count();
    CanonicalDay { memories: fresh, counts, renamed }
}

/// Number of renamed memories that a note names.
const NAMED: usize = 12;

/// Returns a note on memories that were renamed; `None` without any.
pub(crate) fn renaming_note(renamed: &[MemoryId]) -> Option<String> {
    let mut names: Vec<&str> = renamed.iter().take(NAMED).map(MemoryId::as_str).collect();
    names.extend((renamed.len() > NAMED).then_some("…"));
    let (opening, kept) = match renamed.len() {
        0 => return None,
        1 => ("1 memory has the id of a different one".to_owned(), "it is kept as"),
        n => (format!("{n} memories have ids of different ones"), "they are kept as"),
    };
    Some(format!("{opening}: {kept} {}", names.join(", ")))
}

/// True for different texts that were given one id. They are never merged, however similar they are.
pub(crate) fn are_namesakes((id, text): (&MemoryId, &str), (other, said): (&MemoryId, &str)) -> bool {
    id.is_namesake_of(other) && text.trim() != said.trim()
}

/// Merges the attributes of a repeated row into the first one.
fn merge_repeated_row(first: &mut Memory, row: Memory) {
    first.importance = first.importance.max(row.importance);
    first.pinned |= row.pinned;
    extend_unique(&mut first.actors, &row.actors);
    extend_unique(&mut first.tags, &row.tags);
    extend_unique(&mut first.sources, &row.sources);
    first.place = first.place.take().or(row.place);
    first.emotion = first.emotion.or(row.emotion);
    first.vector = first.vector.take().or(row.vector);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(id: &str, at: i64, text: &str) -> Memory {
        serde_json::from_value(
            serde_json::json!({"id": id, "npc": "n", "at": at, "kind": "event", "text": text, "importance": 3}),
        )
        .unwrap()
    }

    #[test]
    fn memory_whose_id_was_erased_is_not_slept_on_again() {
        let mut past = MemorySnapshot::empty();
        let told = memory("gift-of-conan", 1, "He gave me a coin");
        past.known.insert(told.id.erased(), Fingerprint::of(&told.text, told.at));
        let other = memory("gift-of-conan", 2, "It rained");
        let day = canonicalize(vec![told, other], &past);
        assert_eq!((day.memories.len(), day.counts.already_slept_on), (1, 1));
        assert_eq!(day.memories[0].id.as_str(), "gift-of-conan~2");
    }

    #[test]
    fn colliding_ids_are_renamed_and_repeated_rows_merged() {
        let day = vec![
            memory("a", 2, "later"),
            memory("a", 1, "first"),
            memory("a", 1, "first"),
            memory("b", 1, ""),
        ];
        let mut reversed = day.clone();
        reversed.reverse();
        let gathered = canonicalize(day, &MemorySnapshot::empty());
        let ids: Vec<_> = gathered.memories.iter().map(|m| m.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "a~2"]);
        let counts = gathered.counts;
        assert_eq!(
            (counts.renamed_ids, counts.repeated_rows, counts.blank, counts.equal_times),
            (1, 1, 1, 2)
        );
        assert_eq!(canonicalize(reversed, &MemorySnapshot::empty()).memories, gathered.memories);
    }

    #[test]
    fn repeated_rows_merge_attributes_in_any_order() {
        let low = memory("a", 1, "x");
        let mut high = memory("a", 1, "x");
        high.importance = serde_json::from_str("9").unwrap();
        high.pinned = true;
        high.actors = vec!["Tom".to_owned()];
        let one = canonicalize(vec![low.clone(), high.clone()], &MemorySnapshot::empty()).memories;
        assert_eq!(one, canonicalize(vec![high, low], &MemorySnapshot::empty()).memories);
        assert_eq!(one.len(), 1);
        assert_eq!((one[0].importance().get(), one[0].pinned, one[0].actors.len()), (9, true, 1));
    }

    #[test]
    fn processed_memory_is_skipped_also_under_its_renamed_id() {
        let mut past = MemorySnapshot::empty();
        for m in canonicalize(vec![memory("a", 1, "first"), memory("a", 2, "later")], &past).memories {
            past.known.insert(m.id, Fingerprint::of(&m.text, m.at));
        }
        let again = canonicalize(vec![memory("a", 2, "later"), memory("a", 3, "new")], &past);
        assert_eq!(again.counts.already_slept_on, 1);
        assert_eq!(again.memories.len(), 1);
        assert_eq!(again.memories[0].id.as_str(), "a~3");
    }
}
