//! Share of later questions that can still be answered: after each night by itself, and after a whole life of many nights
//! into one store, with maintenance.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use nightfold_memory::{
    GameTime, Memory, MemoryId, MemoryReader as _, MemoryRecord, NpcId, RecordKind, State,
};
use nightfold_store::SqliteStore;
use rand_xoshiro::{Xoshiro256Plus, rand_core::SeedableRng as _};

use super::{
    CorrectCount, interval,
    reading::{QuestionFinding, RecallReader, RetainedEntry},
    selection::Selection,
};
use crate::{
    data::{self, Conversation},
    lab::Lab,
    report::{Cell, Report, Section, row},
    suite::Suite,
};

/// Ages of evidence in days at the end of the conversation, each the start of a class.
const AGES: [u32; 3] = [0, 30, 60];

const DAY: i64 = 86_400;

/// Number of seeds over which stores by lot are averaged.
const SEEDS: u64 = 10;

/// Nights on which conversations are slept, and what is held against them.
struct Span {
    name: &'static str,
    nights: Live,
    /// Share of the full store's recall that they must reach with what comes faintly to mind.
    share_of_full: f64,
    /// Selections of as much text that must not find more than what is active.
    rivals: &'static [Selection],
}

const SPANS: [Span; 2] = [
    Span {
        name: "each night by itself",
        nights: by_night,
        share_of_full: 0.97,
        rivals: &[Selection::Lot, Selection::Longest, Selection::RareWords],
    },
    Span { name: "a life", nights: live, share_of_full: 0.95, rivals: &[Selection::Lot] },
];

/// Runs nights on a conversation; returns what is active at their end, or may come faintly to mind.
type Live = fn(&Lab, &Conversation) -> Result<Vec<LivedEntry>>;

/// Store that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Store {
    /// Whole turns, as much text as the nights leave.
    Turns(Selection),
    /// Active entries after the nights.
    Nights,
    /// Active entries, and archived ones that may come faintly to mind.
    WithFaint,
}

/// Stores that are read, by name.
const STORES: [(&str, Store); 8] = [
    ("full store", Store::Turns(Selection::Full)),
    ("turns by lot (10 seeds)", Store::Turns(Selection::Lot)),
    ("longest turns", Store::Turns(Selection::Longest)),
    ("turns with rare words", Store::Turns(Selection::RareWords)),
    ("newest turns", Store::Turns(Selection::Newest)),
    ("k-means chunks", Store::Turns(Selection::Chunks)),
    ("the nights, active", Store::Nights),
    ("the nights, with faint", Store::WithFaint),
];

pub(crate) struct Life;

impl Suite for Life {
    fn name(&self) -> &'static str {
        "life"
    }

    fn measures(&self) -> &'static str {
        "Share of later questions' evidence that is still found: after each night, slept by rules as if it were the first, and after a \
         whole life into one store, with weekly maintenance. Falls short below 97 and 95 % of the full store's, after a night below as much \
         text by lot, the longest turns or those with rare words, and after a life below lot"
    }

    fn data(&self) -> &'static str {
        "of --data locomo, realtalk, beam, each with memories.jsonl and questions.jsonl; of each the --half"
    }

    /// Two speakers of a conversation are two NPCs, and a session is a day. What is left of all days is searched by the
    /// relevance of `Speaker: text` to the question, as in recall; a synthesis is placed by its sources.
    fn run(&self, lab: &Lab) -> Result<Report> {
        let folders = lab.conversation_folders();
        ensure!(
            !folders.is_empty(),
            "no data is given; this measures on locomo, realtalk or beam in the folder of --data"
        );
        let mut report = Report::default();
        for (name, folder) in folders {
            let conversations = data::conversations(&folder)?;
            let conversations = lab.options.half.map_or(&*conversations, |half| half.of(&conversations));
            for span in &SPANS {
                measure(lab, &name, span, conversations, &mut report)?;
            }
        }
        Ok(report)
    }
}

fn measure(lab: &Lab, set: &str, span: &Span, talks: &[Conversation], report: &mut Report) -> Result<()> {
    let (seed, after) = (lab.config.seed.0, span.name);
    let lived = talks
        .iter()
        .map(|talk| Ok(entries_of(talk, &(span.nights)(lab, talk)?)))
        .collect::<Result<Vec<_>>>()?;
    let turns = || talks.iter().flat_map(Conversation::turns);
    let questions: usize = talks.iter().map(|talk| talk.questions.len()).sum();
    let mut section = Section::new(
        format!(
            "after {after}, {set}: {questions} questions about {} turns of {} conversations, as much text read as ten average turns have",
            turns().count(),
            talks.len()
        ),
        ["store", "entries", "text", "recall", "95 %", "words"]
            .map(str::to_owned)
            .into_iter()
            .chain(AGES.map(|from| format!("from {from} days"))),
    );
    let all_chars = turns().map(|turn| turn.text.chars().count()).sum::<usize>().max(1) as f64;
    let mut reader = RecallReader::new(&*lab.embedder, lab.config.recall.clone());
    let mut recalls = Vec::new();
    for (name, store) in STORES {
        let trials = if store == Store::Turns(Selection::Lot) { SEEDS } else { 1 };
        let (mut entries, mut chars, mut ages) = (0, 0, [CorrectCount::default(); AGES.len()]);
        let (mut shares, mut words) = (Vec::new(), Vec::new());
        for trial in 0..trials {
            for (talk, left) in talks.iter().zip(&lived) {
                let active = || left.iter().filter(|entry| !entry.faint);
                let allowed = active().map(|entry| entry.chars).sum();
                let selected = match store {
                    Store::Turns(selection) => {
                        &selection.select(talk, allowed, seed.wrapping_add(trial), &*lab.embedder)?
                    }
                    Store::Nights => &active().cloned().collect::<Vec<_>>(),
                    Store::WithFaint => left,
                };
                entries += selected.len();
                chars += selected.iter().map(|entry| entry.chars).sum::<usize>();
                let findings = reader.read(selected, talk)?;
                add_ages(&mut ages, talk, &findings);
                shares.extend(findings.iter().map(|found| found.share));
                words.extend(findings.iter().filter_map(|found| found.words));
            }
        }
        let recall = mean(&shares);
        let share = |sum: usize, all: f64| Cell::Share(sum as f64 / trials as f64 / all);
        let mut cells = row![
            name,
            share(entries, turns().count().max(1) as f64),
            share(chars, all_chars),
            recall,
            interval(&shares, &mut Xoshiro256Plus::seed_from_u64(seed), |shares| Some(mean(shares))),
            mean(&words),
        ];
        cells.extend(ages.map(|age| Cell::Number(age.share())));
        section.row(cells);
        recalls.push((name, store, recall));
    }
    report.sections.push(section);
    let of = |store| recalls.iter().find(|(_, other, _)| *other == store).map_or(0.0, |(.., recall)| *recall);
    let (recall, full) = (of(Store::Nights), of(Store::Turns(Selection::Full)));
    let (with_faint, least) = (of(Store::WithFaint), span.share_of_full);
    if with_faint < least * full {
        report.shortfalls.push(format!(
            "{set}: recall after {after}, with faint memories, is {with_faint:.4}; it must be {least} of the full store's {full:.4}"
        ));
    }
    let told = format!("{set}: recall after {after} is {recall:.4}");
    let is_rival = |store: &Store| span.rivals.iter().any(|rival| *store == Store::Turns(*rival));
    for (name, _, other) in recalls.iter().filter(|(_, store, other)| is_rival(store) && recall < *other) {
        report.shortfalls.push(format!("{told}, below that of {name}: {other:.4}"));
    }
    Ok(())
}

fn mean(shares: &[f64]) -> f64 {
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}

/// Entry of an NPC at the end of its life: an active one, or one that may come faintly to mind.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LivedEntry {
    /// NPC that remembers it.
    npc: NpcId,
    text: String,
    /// Turns that it stands for, those that corroborated it included.
    turns: Vec<MemoryId>,
    faint: bool,
}

/// Sleeps by rules on each day in a store of its own.
fn by_night(lab: &Lab, conversation: &Conversation) -> Result<Vec<LivedEntry>> {
    let mut lived = Vec::new();
    for day in &conversation.days {
        let store = SqliteStore::in_memory()?;
        let days = [(day.npc.clone(), vec![day.clone()])].into();
        lab.sleep(&conversation.name, &lab.config, None, &store, days)?;
        lived.extend(recallable(&store, &day.npc)?);
    }
    Ok(lived)
}

/// Lives through a conversation.
fn live(lab: &Lab, conversation: &Conversation) -> Result<Vec<LivedEntry>> {
    let store = SqliteStore::in_memory()?;
    lab.live(&conversation.name, &store, &conversation.days)?;
    let npcs: BTreeSet<&NpcId> = conversation.days.iter().map(|day| &day.npc).collect();
    let lived = npcs.into_iter().map(|npc| recallable(&store, npc)).collect::<Result<Vec<_>>>()?;
    Ok(lived.into_iter().flatten().collect())
}

/// Returns the active entries of an NPC but its reflections, and those that may come faintly to mind.
fn recallable(store: &SqliteStore, npc: &NpcId) -> Result<Vec<LivedEntry>> {
    let records = store.entries(npc)?;
    let by_id: BTreeMap<&MemoryId, &MemoryRecord> = records.iter().map(|r| (&r.entry.id, r)).collect();
    let is_recallable = |r: &&MemoryRecord| match r.state {
        State::Active => r.entry.form != RecordKind::Reflection,
        State::Archived => r.is_faint(),
    };
    let lived = records.iter().filter(is_recallable).map(|record| LivedEntry {
        npc: npc.clone(),
        text: record.entry.text.clone(),
        turns: turns_of(record, &by_id),
        faint: record.is_faint(),
    });
    Ok(lived.collect())
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
        let entry = RetainedEntry::combined(lived.npc.as_str(), &lived.text, &told).placed_by_turns(&told);
        RetainedEntry { faint: lived.faint, ..entry }
    };
    lived.iter().map(entry).collect()
}

/// Counts the turns of evidence, and those of them that are read, in each class of age.
fn add_ages(ages: &mut [CorrectCount; AGES.len()], talk: &Conversation, findings: &[QuestionFinding]) {
    let at: BTreeMap<&MemoryId, GameTime> = talk.turns().map(|turn| (&turn.id, turn.at)).collect();
    let end = at.values().max().copied().unwrap_or(GameTime::ZERO);
    for (question, finding) in talk.questions.iter().zip(findings) {
        for id in &question.evidence {
            let days = at.get(id).map_or(0, |at| (end.seconds() - at.seconds()) / DAY);
            let class = AGES.iter().rposition(|from| days >= i64::from(*from)).unwrap_or(0);
            ages[class].count(finding.evidence.contains(id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::selection::tests::conversation, *};

    #[test]
    fn combined_entry_covers_the_turns_that_it_still_tells() {
        let talk = conversation(&[("I paid Joss 14 silver", 0), ("The mill burned down", 1)]);
        let turns = vec![MemoryId::new("t0").unwrap(), MemoryId::new("t1").unwrap()];
        let lived = LivedEntry {
            npc: NpcId::new("Ann").unwrap(),
            text: "I paid Joss 14 silver.".to_owned(),
            turns,
            faint: false,
        };
        let entries = entries_of(&talk, &[lived]);
        assert_eq!(entries[0].covers, [MemoryId::new("t0").unwrap()]);
    }
}
