//! Changes of beliefs in talk and real days, held against what a person read of them.

use std::collections::BTreeMap;

use nightfold_memory::{Change, Memory, MemoryId, MemoryRecord, NpcId};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::data::{ChangeReadings, READ_CHANGES, TalkSet};

/// Nights of one NPC.
#[derive(Debug, Clone)]
pub struct NpcChanges {
    /// NPC that slept.
    pub npc: NpcId,
    /// All changes, night by night.
    pub changes: Vec<Change>,
    /// All records after the last night.
    pub records: Vec<MemoryRecord>,
}

/// Number of changes of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReadCount {
    /// Number of those that a person read as false.
    #[serde(rename = "false")]
    pub wrong: usize,
    /// Number of those that a person read, false ones included.
    pub read: usize,
    /// Number of those that nobody has read yet.
    pub unread: usize,
    /// Number of all.
    pub all: usize,
    /// Number of all, per 1,000 memories.
    pub per_1000: f64,
}

/// Two sides of a change that was read as false or by nobody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReadPair {
    /// NPC that holds the beliefs.
    pub npc: NpcId,
    /// Kind of the change, by its name in plans.
    pub change: String,
    /// Id of the older side; of an end with a hash of the position.
    pub older: String,
    /// Id of the newer side.
    pub newer: MemoryId,
    /// Text of the older side, or the position that ended.
    pub older_text: String,
    /// Text of the newer side.
    pub newer_text: String,
    /// True if a person read it as false; false if nobody has read it.
    pub read_as_false: bool,
}

/// Result of a set.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TalkScore {
    /// Number of memories.
    pub memories: usize,
    /// Counts by kind of change.
    pub changes: BTreeMap<String, ReadCount>,
    /// Changes that were read as false, then those that nobody read.
    pub wrong: Vec<ReadPair>,
}

/// Runs the memories of each store by `live`, and joins the changes of its nights with the readings. A change with
/// several newer sides is false if it is with one of them, and read once it is with all.
///
/// # Errors
/// Any error of `live`.
pub fn talk<E>(
    set: &TalkSet,
    readings: &ChangeReadings,
    mut live: impl FnMut(&[Memory]) -> Result<Vec<NpcChanges>, E>,
) -> Result<TalkScore, E> {
    let mut score = TalkScore::default();
    score.changes.extend(READ_CHANGES.map(|change| (change.to_owned(), ReadCount::default())));
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
                count.unread += usize::from(!read);
                for (newer, verdict) in
                    change.sources().iter().zip(verdicts).filter(|(_, v)| *v != Some(true))
                {
                    score.wrong.push(ReadPair {
                        npc: lived.npc.clone(),
                        change: change.verb().to_owned(),
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
    for count in score.changes.values_mut() {
        count.per_1000 = 1000.0 * count.all as f64 / score.memories.max(1) as f64;
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
        let npc: NpcId = "Bo".parse().unwrap();
        let memory = Memory::new(npc.clone(), id("a"), GameTime::ZERO, Kind::Chat, "Hi");
        let set = TalkSet { name: "locomo", stores: vec![vec![memory; 4]] };
        let lived = || NpcChanges { npc: npc.clone(), changes: changes.to_vec(), records: Vec::new() };
        talk(&set, &ChangeReadings::parse(readings).unwrap(), |_| Ok::<_, ()>(vec![lived()])).unwrap()
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
        let count = ReadCount { wrong: 1, read: 2, unread: 1, all: 3, per_1000: 750.0 };
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
        assert_eq!((score.changes["end"].read, score.changes["end"].unread), (1, 1));
        assert_eq!(score.wrong[0].older_text, "it is cold");
    }
}
