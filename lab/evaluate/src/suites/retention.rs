//! Share of later questions that can still be answered after the night.

use nightfold_memory::{Change, Day, Memory, MemoryId, NpcNight};
use nightfold_store::SqliteStore;
use rand_xoshiro::{
    Xoshiro256Plus,
    rand_core::{RngCore, SeedableRng},
};

use super::{
    conversations::{Measured, SEEDS, SETS, sets},
    reading::{RecallReader, RetainedEntry},
};
use crate::{data::Conversation, error::EvaluateError, lab::Lab, report::Report, suite::Suite};

/// Share of the full store's recall that the night must reach, at the cut of ten.
const SHARE_OF_FULL: f64 = 0.95;

/// Entries that are searched: all memories, or a reduction of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Store {
    Full,
    /// Random half of each NPC-day.
    RandomHalf,
    /// The longer half of each session, of both speakers together.
    LongestHalf,
    /// Entries that the night leaves of each NPC-day; its reflections are not read.
    Night,
}

/// All stores by name, the night last.
const STORES: [(&str, Store); 4] = [
    ("full store", Store::Full),
    ("random half (10 seeds)", Store::RandomHalf),
    ("longest half of a session", Store::LongestHalf),
    ("after the night", Store::Night),
];

pub(crate) struct Retention;

impl Suite for Retention {
    fn name(&self) -> &'static str {
        "retention"
    }

    fn measures(&self) -> &'static str {
        "Share of later questions' evidence that is still found after the night, worded and judged by the rules, each day slept on as if \
         it were the first. Falls short below 95 % of the full store's, and below the longest half's"
    }

    fn data(&self) -> &'static str {
        SETS
    }

    /// Two speakers of a conversation are two NPCs, and a session is a day. The entries left of all days are searched by
    /// the relevance of `Speaker: text` to the question, as in recall; a synthesis is placed by its sources.
    fn run(&self, lab: &Lab) -> Result<Report, EvaluateError> {
        let (mut report, seed) = (Report::default(), lab.config.seed.0);
        for (set, talks) in sets(lab)? {
            let mut reader = RecallReader::new(&*lab.embedder, lab.config.recall.clone());
            let mut section = Measured::section(&format!("after the night, {set}"), &talks);
            let mut at_ten = [0.0; STORES.len()];
            for ((name, store), at_ten) in STORES.into_iter().zip(&mut at_ten) {
                let trials = if store == Store::RandomHalf { SEEDS } else { 1 };
                let mut measured = Measured::default();
                for trial in 0..trials {
                    for talk in &talks {
                        let entries = match store {
                            Store::Night => after_nights(lab, talk)?,
                            _ => selected_turns(talk, store, seed.wrapping_add(trial)),
                        };
                        measured.add(talk, &entries, &mut reader)?;
                    }
                }
                section.row(measured.row(name, trials, &talks, seed));
                *at_ten = measured.recall_at_ten();
            }
            report.sections.push(section);
            let [full, _, longest, night] = at_ten;
            if night < SHARE_OF_FULL * full {
                report.shortfalls.push(format!(
                    "{set}: recall@10 after the night is {night:.4}, {:.3} of the full store's {full:.4}; it must be {SHARE_OF_FULL}",
                    night / full.max(f64::MIN_POSITIVE)
                ));
            } else if night <= longest {
                report.shortfalls.push(format!(
                    "{set}: recall@10 after the night is {night:.4}, not above the longest half's {longest:.4}"
                ));
            }
        }
        Ok(report)
    }
}

/// Returns entries of selected turns in their original words.
fn selected_turns(conversation: &Conversation, store: Store, seed: u64) -> Vec<RetainedEntry> {
    let mut draws = Xoshiro256Plus::seed_from_u64(seed);
    let mut below = |n: usize| (draws.next_u64() >> 33) as usize % n.max(1);
    let mut groups: Vec<Vec<&Memory>> = Vec::new();
    let mut last = None;
    for day in &conversation.days {
        // Both speakers together, as in the published figure.
        let joins = store == Store::LongestHalf && last == Some(&day.night);
        last = Some(&day.night);
        match groups.last_mut() {
            Some(group) if joins => group.extend(&day.memories),
            _ => groups.push(day.memories.iter().collect()),
        }
    }
    let mut entries = Vec::new();
    for mut group in groups {
        let half = (group.len() / 2).max(1).min(group.len());
        match store {
            Store::RandomHalf => {
                let drawn = (0..half).map(|_| group.swap_remove(below(group.len())));
                group = drawn.collect();
            }
            Store::LongestHalf => {
                group.sort_by_key(|m| (std::cmp::Reverse(m.text.chars().count()), m.at));
                group.truncate(half);
            }
            Store::Full | Store::Night => {}
        }
        entries.extend(group.into_iter().map(RetainedEntry::turn));
    }
    entries
}

/// Sleeps on each day in a store of its own; returns the entries that are left.
fn after_nights(lab: &Lab, conversation: &Conversation) -> Result<Vec<RetainedEntry>, EvaluateError> {
    let mut left = Vec::new();
    for day in &conversation.days {
        let days = [(day.npc.clone(), vec![day.clone()])].into();
        let nights = lab.sleep(&conversation.name, &lab.config, None, &SqliteStore::in_memory()?, days)?;
        nights.iter().for_each(|night| left.extend(entries_left(day, night)));
    }
    Ok(left)
}

/// Returns the entries that a night leaves of a day.
fn entries_left(day: &Day, night: &NpcNight) -> Vec<RetainedEntry> {
    let npc = day.npc.as_str();
    let spoken = |text: &str| format!("{npc}: {text}");
    let source = |id: &MemoryId| day.memories.iter().find(|m| m.id == *id);
    // In order: corroborated and superseded entries were written before.
    let mut left: Vec<(&MemoryId, &str, Vec<&Memory>, Vec<String>)> = Vec::new();
    for change in &night.changes {
        match change {
            Change::Store { entry, .. } => {
                let sources = source(&entry.id).into_iter().collect();
                left.push((&entry.id, &entry.text, sources, vec![spoken(&entry.text)]));
            }
            Change::Chunk { entry, .. } => {
                let sources: Vec<&Memory> = entry.sources.iter().filter_map(source).collect();
                let placed_by = sources.iter().map(|memory| spoken(&memory.text)).collect();
                left.push((&entry.id, &entry.text, sources, placed_by));
            }
            Change::Corroborate { id, sources, .. } => {
                let kept = left.iter_mut().filter(|(kept, ..)| *kept == id);
                kept.for_each(|(_, _, told, _)| told.extend(sources.iter().filter_map(source)));
            }
            Change::Supersede { id, .. } => left.retain(|(kept, ..)| *kept != id),
            _ => {}
        }
    }
    let entry = |(_, text, told, placed_by): (_, &str, Vec<_>, _)| RetainedEntry {
        placed_by,
        ..RetainedEntry::combined(npc, text, &told)
    };
    left.into_iter().map(entry).collect()
}
