//! Putting a day in order: every memory gets an id of its own, what was slept on before is passed over, blanks
//! are set aside.

use std::collections::BTreeMap;

use nightfold_memory::{InputCounts, Known, Memory, MemoryId, Past};

/// A day in canonical order, ready to be collapsed.
pub(crate) struct Gathered {
    /// What is new, blanks included, by time, id and text.
    pub(crate) memories: Vec<Memory>,
    pub(crate) counts: InputCounts,
}

/// Orders the day and settles its ids. The outcome does not depend on the order the memories came in.
pub(crate) fn gather(mut memories: Vec<Memory>, past: &Past) -> Gathered {
    memories.sort_by(|a, b| (a.at, &a.id, &a.text, a.importance).cmp(&(b.at, &b.id, &b.text, b.importance)));
    let mut counts = InputCounts::default();
    let mut taken: BTreeMap<MemoryId, Known> = BTreeMap::new();
    let mut fresh: Vec<Memory> = Vec::with_capacity(memories.len());
    for mut memory in memories {
        let this = Known { text: memory.text.clone(), at: memory.at };
        // `id`, `id~2`, `id~3` … until one is free or holds this very memory.
        let mut n = 1;
        let repeats = loop {
            let id = memory.id.numbered(n);
            match (past.known.get(&id), taken.get(&id)) {
                (Some(known), _) if *known == this => {
                    counts.already_slept_on += 1;
                    break true;
                }
                (_, Some(known)) if *known == this => {
                    counts.repeated_rows += 1;
                    break true;
                }
                (None, None) => {
                    counts.renamed_ids += usize::from(n > 1);
                    memory.id = id;
                    break false;
                }
                _ => n += 1,
            }
        };
        if !repeats {
            taken.insert(memory.id.clone(), this);
            fresh.push(memory);
        }
    }
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
    Gathered { memories: fresh, counts }
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
    fn one_id_for_two_memories_keeps_both_and_repeats_are_read_once() {
        let day = vec![
            memory("a", 2, "later"),
            memory("a", 1, "first"),
            memory("a", 1, "first"),
            memory("b", 1, ""),
        ];
        let mut reversed = day.clone();
        reversed.reverse();
        let gathered = gather(day, &Past::empty());
        let ids: Vec<_> = gathered.memories.iter().map(|m| m.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "a~2"]);
        let counts = gathered.counts;
        assert_eq!(
            (counts.renamed_ids, counts.repeated_rows, counts.blank, counts.equal_times),
            (1, 1, 1, 2)
        );
        assert_eq!(gather(reversed, &Past::empty()).memories, gathered.memories);
    }

    #[test]
    fn what_was_slept_on_is_passed_over_also_under_its_other_id() {
        let mut past = Past::empty();
        for m in gather(vec![memory("a", 1, "first"), memory("a", 2, "later")], &past).memories {
            past.known.insert(m.id, Known { text: m.text, at: m.at });
        }
        let again = gather(vec![memory("a", 2, "later"), memory("a", 3, "new")], &past);
        assert_eq!(again.counts.already_slept_on, 1);
        assert_eq!(again.memories.len(), 1);
        assert_eq!(again.memories[0].id.as_str(), "a~3");
    }
}
