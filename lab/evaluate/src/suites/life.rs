//! Share of later questions that can still be answered after a whole life: many nights into one store, with maintenance.

use std::collections::{BTreeMap, BTreeSet};

use nightfold::{Maintenance, MaintenanceTasks, apply_plan};
use nightfold_english::Packs;
use nightfold_memory::{
    Day, Embedder, GameTime, Memory, MemoryId, MemoryReader as _, MemoryRecord, NpcId, RecordKind, State,
};
use nightfold_store::SqliteStore;
use rand_xoshiro::{
    Xoshiro256Plus,
    rand_core::{RngCore, SeedableRng},
};

use super::{
    CorrectCount,
    conversations::{Measured, SEEDS, SETS, sets},
    reading::{QuestionFinding, RecallReader, RetainedEntry},
};
use crate::{
    data::Conversation,
    error::EvaluateError,
    lab::Lab,
    report::{Cell, Report, Section, row},
    suite::Suite,
};

/// Seconds between two rounds of maintenance.
const WEEK: i64 = 7 * DAY;

/// Share of the full store's recall that the life must reach, at the cut of ten.
const SHARE_OF_FULL: f64 = 0.9;

/// Ages of evidence in days at the end of the life, each the start of a class.
const AGES: [u32; 3] = [0, 30, 60];

const DAY: i64 = 86_400;

/// Turns that are searched in place of what a life leaves; all but the first as much text as it leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LifeStore {
    Full,
    Random,
    Longest,
    Newest,
}

/// Stores that a life is compared with, by name.
const STORES: [(&str, LifeStore); 4] = [
    ("full store", LifeStore::Full),
    ("random turns (10 seeds)", LifeStore::Random),
    ("longest turns", LifeStore::Longest),
    ("newest turns", LifeStore::Newest),
];

pub(crate) struct Life;

impl Suite for Life {
    fn name(&self) -> &'static str {
        "life"
    }

    fn measures(&self) -> &'static str {
        "Share of later questions' evidence that is still found after a whole life: night after night into one store, with weekly \
         maintenance. Falls short below 90 % of the full store's, and below as much text chosen otherwise"
    }

    fn data(&self) -> &'static str {
        SETS
    }

    fn run(&self, lab: &Lab) -> Result<Report, EvaluateError> {
        let mut report = Report::default();
        for (name, conversations) in sets(lab)? {
            measure(lab, &name, &conversations, &mut report)?;
        }
        Ok(report)
    }
}

fn measure(lab: &Lab, set: &str, talks: &[Conversation], report: &mut Report) -> Result<(), EvaluateError> {
    let seed = lab.config.seed.0;
    let mut lived = Vec::with_capacity(talks.len());
    for talk in talks {
        lived.push(entries_of(talk, &live(lab, talk)?));
    }
    let mut reader = RecallReader::new(&*lab.embedder, lab.config.recall.clone());
    let mut section = Measured::section(&format!("after a life, {set}"), talks);
    let ages = AGES.map(|from| format!("from {from} days"));
    let mut by_age = Section::new(
        format!("@10 by the age of the evidence, {set}"),
        ["store".to_owned()].into_iter().chain(ages),
    );
    let columns = ["store", "the later one is there", "and comes first"];
    let mut changed = Section::new(format!("statements that changed, {set}"), columns);
    let (mut full, mut best) = (0.0, ("", 0.0));
    let stores =
        STORES.map(|(name, store)| (name, Some(store))).into_iter().chain([("after the life", None)]);
    for (name, store) in stores {
        let trials = if store == Some(LifeStore::Random) { SEEDS } else { 1 };
        let (mut measured, mut aged) = (Measured::default(), [CorrectCount::default(); AGES.len()]);
        let mut changes = ChangeScore::default();
        for trial in 0..trials {
            for (talk, left) in talks.iter().zip(&lived) {
                let selected = store.map(|store| {
                    let allowed = left.iter().map(|entry| entry.chars).sum();
                    selected_turns(talk, store, allowed, seed.wrapping_add(trial))
                });
                let entries = selected.as_ref().unwrap_or(left);
                add_ages(&mut aged, talk, measured.add(talk, entries, &mut reader)?);
                if matches!(store, Some(LifeStore::Full) | None) {
                    changes.add(talk, entries, &reader.ranks(entries, talk));
                }
            }
        }
        section.row(measured.row(name, trials, talks, seed));
        by_age.row([row![name], aged.map(|age| Cell::Number(age.share())).to_vec()].concat());
        if changes.questions > 0 {
            let [stands, first] = [changes.stands, changes.first].map(|n| Cell::Of(n, changes.questions));
            changed.row(vec![name.into(), stands, first]);
        }
        let recall = measured.recall_at_ten();
        match store {
            Some(LifeStore::Full) => full = recall,
            Some(_) if recall > best.1 => best = (name, recall),
            None if recall < SHARE_OF_FULL * full => report.shortfalls.push(format!(
                "{set}: recall@10 after the life is {recall:.4}, {:.3} of the full store's {full:.4}; it must be {SHARE_OF_FULL}",
                recall / full.max(f64::MIN_POSITIVE)
            )),
            None if recall <= best.1 => report.shortfalls.push(format!(
                "{set}: recall@10 after the life is {recall:.4}, not above that of {}: {:.4}",
                best.0, best.1
            )),
            _ => {}
        }
    }
    report.sections.extend([section, by_age, changed]);
    Ok(())
}

/// Active entry of an NPC at the end of its life.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LivedEntry {
    /// NPC that remembers it.
    npc: NpcId,
    text: String,
    /// Turns that it stands for, those that corroborated it included.
    turns: Vec<MemoryId>,
}

/// Lives through a conversation, night by night into one store with weekly maintenance; returns what is active then.
fn live(lab: &Lab, conversation: &Conversation) -> Result<Vec<LivedEntry>, EvaluateError> {
    let store = SqliteStore::in_memory()?;
    let mut maintained: Option<GameTime> = None;
    for session in conversation.days.chunk_by(|a, b| a.night == b.night) {
        let now = session.iter().map(|day| day.until).max().unwrap_or(GameTime::ZERO);
        let since = *maintained.get_or_insert(now);
        if now.seconds() - since.seconds() >= WEEK {
            maintain(lab, &store, now)?;
            maintained = Some(now);
        }
        let days: BTreeMap<NpcId, Vec<Day>> =
            session.iter().map(|day| (day.npc.clone(), vec![day.clone()])).collect();
        lab.sleep(&conversation.name, &lab.config, lab.judge.as_deref(), &store, days)?;
    }
    let npcs: BTreeSet<&NpcId> = conversation.days.iter().map(|day| &day.npc).collect();
    let end = conversation.days.iter().map(|day| day.until).max().unwrap_or(GameTime::ZERO);
    maintain(lab, &store, end)?;
    let mut lived = Vec::new();
    for npc in npcs {
        let records = store.entries(npc)?;
        let by_id: BTreeMap<&MemoryId, &MemoryRecord> = records.iter().map(|r| (&r.entry.id, r)).collect();
        let active = |r: &&MemoryRecord| r.state == State::Active && r.entry.form != RecordKind::Reflection;
        lived.extend(records.iter().filter(active).map(|record| LivedEntry {
            npc: npc.clone(),
            text: record.entry.text.clone(),
            turns: turns_of(record, &by_id),
        }));
    }
    Ok(lived)
}

/// Runs all maintenance that is due for everybody in the store.
fn maintain(lab: &Lab, store: &SqliteStore, now: GameTime) -> Result<(), EvaluateError> {
    let tasks = MaintenanceTasks { now: Some(now), ..MaintenanceTasks::ALL };
    let (npcs, maintenance) = (store.npcs()?, Maintenance { config: &lab.config, packs: &Packs, store });
    let planned = maintenance
        .plan_worded(&npcs, tasks, None, |_| Ok::<&dyn Embedder, EvaluateError>(&*lab.embedder))?;
    apply_plan(store, &planned.plan)?;
    Ok(())
}

/// Returns the turns that an entry stands for: itself, and the sources of its sources.
fn turns_of(record: &MemoryRecord, by_id: &BTreeMap<&MemoryId, &MemoryRecord>) -> Vec<MemoryId> {
    let mut open = vec![&record.entry.id];
    let mut seen: BTreeSet<&MemoryId> = BTreeSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(by_id.get(id).into_iter().flat_map(|record| &record.entry.sources));
        }
    }
    seen.into_iter().cloned().collect()
}

/// Returns the entries of a life with the turns that they cover.
fn entries_of(conversation: &Conversation, lived: &[LivedEntry]) -> Vec<RetainedEntry> {
    let turns: BTreeMap<&MemoryId, &Memory> = conversation.turns().map(|turn| (&turn.id, turn)).collect();
    let entry = |lived: &LivedEntry| {
        let told: Vec<&Memory> = lived.turns.iter().filter_map(|id| turns.get(id).copied()).collect();
        RetainedEntry::combined(lived.npc.as_str(), &lived.text, &told).placed_by_turns(&told)
    };
    lived.iter().map(entry).collect()
}

/// Returns turns in their original words, as many as fit into the allowed number of characters.
fn selected_turns(
    conversation: &Conversation,
    store: LifeStore,
    allowed: usize,
    seed: u64,
) -> Vec<RetainedEntry> {
    let mut turns: Vec<&Memory> = conversation.turns().collect();
    let length = |turn: &Memory| turn.text.chars().count();
    match store {
        LifeStore::Full => return turns.into_iter().map(RetainedEntry::turn).collect(),
        LifeStore::Random => {
            let mut draws = Xoshiro256Plus::seed_from_u64(seed);
            turns.sort_by_cached_key(|_| draws.next_u64());
        }
        LifeStore::Longest => turns.sort_by_key(|turn| (std::cmp::Reverse(length(turn)), turn.at)),
        LifeStore::Newest => turns.sort_by_key(|turn| (std::cmp::Reverse(turn.at), turn.id.clone())),
    }
    let mut left = allowed;
    turns
        .into_iter()
        .map_while(|turn| {
            left = left.checked_sub(length(turn))?;
            Some(RetainedEntry::turn(turn))
        })
        .collect()
}

/// Counts the turns of evidence, and those of them that are read, in each class of age.
fn add_ages(ages: &mut [CorrectCount; AGES.len()], talk: &Conversation, findings: &[QuestionFinding]) {
    let at: BTreeMap<&MemoryId, GameTime> = talk.turns().map(|turn| (&turn.id, turn.at)).collect();
    let end = at.values().max().copied().unwrap_or(GameTime::ZERO);
    for (question, finding) in talk.questions.iter().zip(findings) {
        for id in &question.evidence {
            let days = at.get(id).map_or(0, |at| (end.seconds() - at.seconds()) / DAY);
            let class = AGES.iter().rposition(|from| days >= i64::from(*from)).unwrap_or(0);
            ages[class].count(finding.at_ten.contains(id));
        }
    }
}

/// Questions on what changed or was contradicted.
#[derive(Default)]
struct ChangeScore {
    /// Number of questions with an earlier and a later statement.
    questions: usize,
    /// Number of them whose later statement is in the store.
    stands: usize,
    /// Number of them whose later statement comes before the earlier one when the question is asked.
    first: usize,
}

impl ChangeScore {
    /// Adds the questions of a conversation; `ranks` are the places of the entries for each question, the best first.
    fn add(&mut self, talk: &Conversation, entries: &[RetainedEntry], ranks: &[Vec<usize>]) {
        for (question, ranked) in talk.questions.iter().zip(ranks).filter(|(q, _)| q.change.is_known()) {
            let rank = |turns: &[MemoryId]| {
                let states = |place: &usize| entries[*place].covers.iter().any(|turn| turns.contains(turn));
                ranked.iter().position(states)
            };
            let (earlier, later) = (rank(&question.change.earlier), rank(&question.change.later));
            self.questions += 1;
            self.stands += usize::from(later.is_some());
            let is_first = later.is_some_and(|later| earlier.is_none_or(|earlier| later < earlier));
            self.first += usize::from(is_first);
        }
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::{Kind, NightLabel};

    use super::*;
    use crate::data::{ConversationQuestion, StatementChange};

    fn conversation(texts: &[(&str, i64)]) -> Conversation {
        let npc = NpcId::new("Ann").unwrap();
        let memories: Vec<Memory> = texts
            .iter()
            .enumerate()
            .map(|(n, (text, day))| {
                let at = GameTime::from_seconds(day * DAY).unwrap();
                Memory::new(npc.clone(), MemoryId::new(format!("t{n}")).unwrap(), at, Kind::Chat, *text)
            })
            .collect();
        let until = memories.last().unwrap().at;
        let days = vec![Day::new(npc, NightLabel::new("1").unwrap(), until, memories)];
        Conversation { name: "c".to_owned(), days, questions: Vec::new() }
    }

    #[test]
    fn stores_compared_hold_no_more_text_than_the_life() {
        let talk = conversation(&[("a long old turn", 0), ("short", 40), ("newest", 90)]);
        let ids = |store| -> Vec<String> {
            selected_turns(&talk, store, 15, 1).iter().map(|e| e.covers[0].to_string()).collect()
        };
        assert_eq!(ids(LifeStore::Full), ["t0", "t1", "t2"]);
        assert_eq!(ids(LifeStore::Longest), ["t0"]);
        assert_eq!(ids(LifeStore::Newest), ["t2", "t1"]);
        assert!(selected_turns(&talk, LifeStore::Random, 15, 1).iter().map(|e| e.chars).sum::<usize>() <= 15);
    }

    #[test]
    fn combined_entry_covers_the_turns_that_it_still_tells() {
        let talk = conversation(&[("I paid Joss 14 silver", 0), ("The mill burned down", 1)]);
        let turns = vec![MemoryId::new("t0").unwrap(), MemoryId::new("t1").unwrap()];
        let lived =
            LivedEntry { npc: NpcId::new("Ann").unwrap(), text: "I paid Joss 14 silver.".to_owned(), turns };
        let entries = entries_of(&talk, &[lived]);
        assert_eq!(entries[0].covers, [MemoryId::new("t0").unwrap()]);
    }

    #[test]
    fn later_statement_counts_if_it_comes_before_the_earlier_one() {
        let mut talk = conversation(&[("The quota is 1000", 0), ("The quota is 1200", 1)]);
        let [earlier, later] = ["t0", "t1"].map(|id| vec![MemoryId::new(id).unwrap()]);
        talk.questions.push(ConversationQuestion {
            text: "What is the quota?".to_owned(),
            answer: "1200".to_owned(),
            evidence: later.clone(),
            change: StatementChange { earlier, later },
        });
        let entries = selected_turns(&talk, LifeStore::Full, 0, 1);
        let of = |ranks: Vec<usize>| {
            let mut score = ChangeScore::default();
            score.add(&talk, &entries, &[ranks]);
            (score.questions, score.stands, score.first)
        };
        assert_eq!((of(vec![1, 0]), of(vec![0, 1]), of(vec![0])), ((1, 1, 1), (1, 1, 0), (1, 0, 0)));
    }
}
