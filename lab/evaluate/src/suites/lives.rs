//! Endings of positions in lives, held against their keys.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use nightfold_memory::{Change, MemoryId};

use crate::{data::KeyedLife, report::Cell};

/// Number of memories or syntheses that changes touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FalseCount {
    /// Number of those that the key does not allow.
    pub(super) wrong: usize,
    /// Number of all.
    pub(super) all: usize,
}

impl FalseCount {
    fn count(&mut self, allowed: bool) {
        self.all += 1;
        self.wrong += usize::from(!allowed);
    }
}

impl From<FalseCount> for Cell {
    fn from(count: FalseCount) -> Self {
        Self::Of(count.wrong, count.all)
    }
}

/// Number of the key's endings that the nights found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FoundCount {
    /// Number of older sides that are superseded or ended in part, themselves or in a synthesis.
    pub(super) found: usize,
    /// Number of older sides that are found or contested.
    pub(super) found_or_contested: usize,
    /// Number of all.
    pub(super) all: usize,
}

/// Result of a life.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct KeyedScore {
    /// Number of memories.
    pub(super) memories: usize,
    /// Memories that changes superseded or ended in part.
    pub(super) ended: FalseCount,
    /// Syntheses and reflections that changes superseded or ended in part; allowed if one of their memories is.
    pub(super) ended_syntheses: FalseCount,
    /// Memories on either side of a contest, themselves or in a synthesis.
    pub(super) contested: FalseCount,
    /// Number of corroborations.
    pub(super) corroborations: usize,
    /// Endings of the key that were found.
    pub(super) changes: FoundCount,
    /// The same by the type of their question.
    pub(super) questions: BTreeMap<String, FoundCount>,
}

impl KeyedScore {
    /// Returns the share of false endings among all endings of memories and syntheses.
    pub(super) fn false_share(&self) -> f64 {
        let all = self.ended.all + self.ended_syntheses.all;
        (self.ended.wrong + self.ended_syntheses.wrong) as f64 / all.max(1) as f64
    }
}

/// Runs each life by `live`, which returns all changes of its nights, and compares them with the key. Returns
/// the scores of the lives by name, and that of all together.
pub(super) fn lives(
    lives: &[KeyedLife],
    mut live: impl FnMut(&KeyedLife) -> Result<Vec<Change>>,
) -> Result<(BTreeMap<String, KeyedScore>, KeyedScore)> {
    let (mut by_name, mut all) = (BTreeMap::<String, KeyedScore>::new(), KeyedScore::default());
    for life in lives {
        let changes = live(life)?;
        for score in [by_name.entry(life.name.clone()).or_default(), &mut all] {
            count(score, life, &changes);
        }
    }
    Ok((by_name, all))
}

/// Adds a life to a score.
fn count(score: &mut KeyedScore, life: &KeyedLife, changes: &[Change]) {
    let mut origins = Origins {
        memories: life.memories.iter().map(|memory| &memory.id).collect(),
        sources: BTreeMap::new(),
    };
    let (mut ended, mut contested) = (BTreeSet::new(), BTreeSet::new());
    score.memories += life.memories.len();
    for change in changes {
        match change {
            Change::Chunk { entry, .. } | Change::Reflect { entry, .. } => {
                origins.sources.insert(&entry.id, &entry.sources);
            }
            Change::Supersede { id, .. } | Change::End { id, .. } => {
                ended.insert(id);
            }
            Change::Contest { id, sources, .. } => contested.extend([id].into_iter().chain(sources)),
            Change::Corroborate { .. } => score.corroborations += 1,
            _ => {}
        }
    }
    let key = &life.key;
    let pairs = || key.changes.iter().chain(&key.doubt);
    let may_end: BTreeSet<&MemoryId> = pairs().map(|pair| &pair.older).chain(&key.either).collect();
    let newer: BTreeSet<&MemoryId> = pairs().map(|pair| &pair.newer).collect();
    for &id in &ended {
        let is_memory = origins.memories.contains(id);
        let counted = if is_memory { &mut score.ended } else { &mut score.ended_syntheses };
        counted.count(!origins.of(id).is_disjoint(&may_end));
    }
    let [ended, contested] = [ended, contested]
        .map(|ids| ids.into_iter().flat_map(|id| origins.of(id)).collect::<BTreeSet<&MemoryId>>());
    for id in &contested {
        score.contested.count(may_end.contains(id) || newer.contains(id));
    }
    for change in &key.changes {
        let found = ended.contains(&change.older);
        let either = found || contested.contains(&change.older);
        for counted in [&mut score.changes, score.questions.entry(change.question.clone()).or_default()] {
            counted.all += 1;
            counted.found += usize::from(found);
            counted.found_or_contested += usize::from(either);
        }
    }
}

/// Memories of a life, and the sources of each synthesis and reflection.
struct Origins<'a> {
    memories: BTreeSet<&'a MemoryId>,
    sources: BTreeMap<&'a MemoryId, &'a [MemoryId]>,
}

impl<'a> Origins<'a> {
    /// Returns the memories that an entry was made from, through syntheses of syntheses.
    fn of(&self, id: &'a MemoryId) -> BTreeSet<&'a MemoryId> {
        let (mut waiting, mut seen) = (vec![id], BTreeSet::new());
        while let Some(next) = waiting.pop() {
            if seen.insert(next) && !self.memories.contains(next) {
                waiting.extend(self.sources.get(next).copied().unwrap_or_default());
            }
        }
        seen.retain(|id| self.memories.contains(id));
        seen
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::{Entry, GameTime, Kind, Memory, Reason, RecordKind, Rule};

    use super::*;
    use crate::data::lives::{KeyedChange, LifeKey};

    fn id(name: &str) -> MemoryId {
        MemoryId::new(name).unwrap()
    }

    fn memory(name: &str) -> Memory {
        Memory::new("Bo".parse().unwrap(), id(name), GameTime::ZERO, Kind::Event, name)
    }

    fn synthesis(name: &str, sources: &[&str]) -> Change {
        let mut entry = Entry::verbatim(&memory(name));
        (entry.form, entry.sources) = (RecordKind::Synthesis, sources.iter().map(|s| id(s)).collect());
        Change::Chunk { entry, name: String::new(), reason: Reason::new(Rule::Contradicted) }
    }

    fn supersede(older: &str) -> Change {
        Change::Supersede { id: id(older), sources: vec![id("n")], reason: Reason::new(Rule::Contradicted) }
    }

    fn contest(older: &str, newer: &str) -> Change {
        Change::Contest { id: id(older), sources: vec![id(newer)], reason: Reason::new(Rule::Contradicted) }
    }

    /// Returns the score of a life of five memories, and that of two such lives.
    fn scored(changes: &[Change]) -> [KeyedScore; 2] {
        let keyed = |older: &str, question: &str| KeyedChange {
            older: id(older),
            newer: id("n"),
            question: question.to_owned(),
        };
        let life = |name: &str| KeyedLife {
            name: name.to_owned(),
            memories: ["a", "b", "c", "d", "n"].map(memory).into(),
            key: LifeKey {
                changes: vec![keyed("a", "where"), keyed("b", "owes")],
                doubt: vec![keyed("c", "")],
                either: Vec::new(),
            },
        };
        let scores = lives(&[life("first"), life("second")], |_| Ok(changes.to_vec()));
        let (mut by_name, all) = scores.unwrap();
        [by_name.remove("first").unwrap(), all]
    }

    #[test]
    fn ending_is_false_unless_the_key_lists_its_older_side() {
        let [score, _] = scored(&[supersede("a"), supersede("c"), supersede("d"), supersede("d")]);
        assert_eq!(score.ended, FalseCount { wrong: 1, all: 3 });
        assert_eq!(score.changes, FoundCount { found: 1, found_or_contested: 1, all: 2 });
        assert_eq!(score.questions["owes"], FoundCount { all: 1, ..FoundCount::default() });
        assert!((score.false_share() - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn ended_synthesis_ends_all_its_memories_and_is_right_if_one_may_end() {
        let changes = [
            synthesis("s", &["b", "d"]),
            synthesis("t", &["s"]),
            synthesis("u", &["d", "n"]),
            supersede("t"),
            supersede("u"),
        ];
        let [score, _] = scored(&changes);
        assert_eq!((score.ended.all, score.ended_syntheses), (0, FalseCount { wrong: 1, all: 2 }));
        assert_eq!(score.questions["owes"].found, 1);
    }

    #[test]
    fn both_sides_of_a_contest_count_and_lives_are_added_up() {
        let [score, all] = scored(&[contest("a", "n"), contest("d", "n")]);
        assert_eq!(score.contested, FalseCount { wrong: 1, all: 3 });
        let changes = FoundCount { found: 0, found_or_contested: 1, all: 2 };
        assert_eq!(score.changes, changes);
        assert_eq!((all.memories, all.contested.all, all.changes.found_or_contested), (10, 6, 2));
        assert_eq!(all.questions["where"].all, 2);
    }
}
