//! Changes of beliefs in talk and real days, held against what a person read of them.

use std::collections::BTreeMap;

use anyhow::Result;
use nightfold_memory::{Change, Memory, MemoryId, MemoryRecord};
use sha2::{Digest, Sha256};

use crate::data::{ChangeReadings, READ_CHANGES, TalkSet};

/// Nights of one NPC.
#[derive(Debug, Clone)]
pub(super) struct NpcChanges {
    /// All changes, night by night.
    pub(super) changes: Vec<Change>,
    /// All records after the last night.
    pub(super) records: Vec<MemoryRecord>,
}

/// Number of changes of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ReadCount {
    /// Number of those that a person read as false.
    pub(super) wrong: usize,
    /// Number of those that a person read, false ones included.
    pub(super) read: usize,
    /// Number of all.
    pub(super) all: usize,
}

/// Two sides of a change that was read as false or by nobody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReadPair {
    /// Kind of the change, by its name in plans.
    change: &'static str,
    /// Id of the older side; of an end with a hash of the position.
    older: String,
    newer: MemoryId,
    /// Text of the older side, or the position that ended.
    older_text: String,
    newer_text: String,
    /// True if a person read it as false; false if nobody has read it.
    read_as_false: bool,
}

impl ReadPair {
    /// Returns the line as it is kept among the readings, and the texts.
    pub(super) fn told(&self, set: &str) -> String {
        let verdict = if self.read_as_false { "wrong" } else { "?" };
        let Self { change, older, newer, older_text, newer_text, .. } = self;
        format!("{set}\t{change}\t{verdict}\t{older}\t{newer}\n    {older_text:?}\n    {newer_text:?}")
    }
}

/// Result of a set.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct TalkScore {
    /// Number of memories.
    pub(super) memories: usize,
    /// Counts by kind of change.
    pub(super) changes: BTreeMap<&'static str, ReadCount>,
    /// Changes that were read as false, then those that nobody read.
    pub(super) wrong: Vec<ReadPair>,
}

/// Runs the memories of each store by `live`, and joins the changes of its nights with the readings. A change with
/// several newer sides is false if it is with one of them, and read once it is with all.
pub(super) fn talk(
    set: &TalkSet,
    readings: &ChangeReadings,
    mut live: impl FnMut(&[Memory]) -> Result<Vec<NpcChanges>>,
) -> Result<TalkScore> {
    let mut score = TalkScore::default();
    score.changes.extend(READ_CHANGES.map(|change| (change, ReadCount::default())));
    for store in &set.stores {
        score.memories += store.len();
        for lived in live(store)? {
            let texts: BTreeMap<&MemoryId, &str> =
                lived.records.iter().map(|r| (&r.entry.id, r.entry.text.as_str())).collect();
            let text = |id: &MemoryId| texts.get(id).copied().unwrap_or_default().to_owned();
            for change in &lived.changes {
                let Some(count) = score.changes.get_mut(change.verb()) else { continue };
                let (older, older_text) = match change {
                    Change::End { id, position, .. } => (of_position(id, position), position.clone()),
                    _ => (change.id().to_string(), text(change.id())),
                };
                let verdict =
                    |newer: &MemoryId| readings.verdict(set.name, change.verb(), &older, newer.as_str());
                let verdicts: Vec<Option<bool>> = change.sources().iter().map(verdict).collect();
                let wrong = verdicts.contains(&Some(false));
                let read = wrong || !verdicts.contains(&None);
                count.all += 1;
                count.wrong += usize::from(wrong);
                count.read += usize::from(read);
                for (newer, verdict) in
                    change.sources().iter().zip(verdicts).filter(|(_, v)| *v != Some(true))
                {
                    score.wrong.push(ReadPair {
                        change: change.verb(),
                        older: older.clone(),
                        newer: newer.clone(),
                        older_text: older_text.clone(),
                        newer_text: text(newer),
                        read_as_false: verdict == Some(false),
                    });
                }
            }
        }
    }
    score.wrong.sort_by_key(|pair| !pair.read_as_false);
    Ok(score)
}

/// Returns the id of a memory with a hash of one of its positions, which tells them apart without a copy of the words.
fn of_position(id: &MemoryId, position: &str) -> String {
    let hex: String = Sha256::digest(position)[..4].iter().map(|b| format!("{b:02x}")).collect();
    format!("{id}#{hex}")
}

#[cfg(test)]
mod tests {
    use nightfold_memory::{GameTime, Kind, Reason, Rule};

    use super::*;

    fn id(name: &str) -> MemoryId {
        MemoryId::new(name).unwrap()
    }

    fn scored(changes: &[Change], readings: &str) -> TalkScore {
        let memory = Memory::new("Bo".parse().unwrap(), id("a"), GameTime::ZERO, Kind::Chat, "Hi");
        let set = TalkSet { name: "locomo", stores: vec![vec![memory; 4]] };
        let lived = || NpcChanges { changes: changes.to_vec(), records: Vec::new() };
        talk(&set, &ChangeReadings::parse(readings).unwrap(), |_| Ok(vec![lived()])).unwrap()
    }

    #[test]
    fn change_is_read_once_each_pair_of_it_is_and_false_if_one_is() {
        let reason = || Reason::new(Rule::Contradicted);
        let supersede = |older: &str, newer: &[&str]| Change::Supersede {
            id: id(older),
            sources: newer.iter().map(|n| id(n)).collect(),
            reason: reason(),
        };
        let changes = [supersede("a", &["b", "c"]), supersede("d", &["b"]), supersede("e", &["b", "c"])];
        let readings = "locomo\tsupersede\tright\ta\tb\nlocomo\tsupersede\tright\td\tb\n\
                        locomo\tsupersede\tright\te\tb\nlocomo\tsupersede\twrong\te\tc";
        let score = scored(&changes, readings);
        let count = ReadCount { wrong: 1, read: 2, all: 3 };
        assert_eq!(score.changes["supersede"], count);
        let listed: Vec<_> =
            score.wrong.iter().map(|w| (w.older.as_str(), w.newer.as_str(), w.read_as_false)).collect();
        assert_eq!(listed, [("e", "c", true), ("a", "c", false)]);
    }

    #[test]
    fn reading_of_an_end_is_for_one_position() {
        let end = |position: &str| Change::End {
            id: id("a"),
            position: position.to_owned(),
            since: GameTime::ZERO,
            sources: vec![id("b")],
            reason: Reason::new(Rule::Contradicted),
        };
        let readings = format!("locomo\tend\tright\t{}\tb", of_position(&id("a"), "I live here"));
        let score = scored(&[end("I live here"), end("it is cold")], &readings);
        assert_eq!((score.changes["end"].read, score.changes["end"].all), (1, 2));
        assert_eq!(score.wrong[0].older_text, "it is cold");
    }
}
