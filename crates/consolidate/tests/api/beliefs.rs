//! Effect of the statements of a day on the beliefs of an NPC: time, foundation and importance, with the
//! rules as the judge.

use std::collections::BTreeMap;

use crate::support::{at, day, embed_all, id, memory, of_verb, sleep, sleep_judged};
use nightfold_english::English;
use nightfold_memory::effect::advance;
use nightfold_memory::{
    Change, Config, Kind, LanguagePack, Memory, MemoryId, MemoryRecord, MemorySnapshot, NpcNight, RecordKind,
    Rule, Stance, State, ValidConfig, Vector, Verdict,
};
use proptest::{collection::vec, prelude::*};

const OPEN: &str = "the river gate is open";
const SHUT: &str = "the river gate is not open";

fn said(name: &str, hour: i64, text: &str) -> Memory {
    memory(name, hour, text, 5).with(|m| m.kind = Kind::Chat)
}

/// Plans and applies a night with the memories of one day.
fn after(past: &mut MemorySnapshot, night: i64, memories: Vec<Memory>) -> NpcNight {
    let slept = sleep(day(night, memories), past.clone(), &config());
    advance(past, &slept).unwrap();
    slept
}

fn config() -> ValidConfig {
    let mut config = Config::default();
    // A minimum similarity low enough for the toy embedder; nothing is synthesized.
    (config.reconcile.min_similarity, config.reconcile.rival_similarity) = (0.6, 0.3);
    (config.triage.similar, config.triage.similar_over_budget) = (1.0, 1.0);
    config.check().unwrap()
}

/// Returns the snapshot after a night that prunes a trivial memory: it is no news, and its day is full of
/// more salient memories.
fn after_pruning(night: i64, hour: i64, text: &str) -> MemorySnapshot {
    let mut past = MemorySnapshot::empty();
    let busy = (0..6)
        .map(|n| memory(&format!("m{n}"), hour + n, &format!("chore number {n} of the kitchen was done"), 6));
    let slept = after(&mut past, night, busy.chain([memory("trifle", hour, text, 1)]).collect());
    assert!(of_verb(&slept, "prune").any(|c| *c.id() == id("trifle")), "{:#?}", slept.changes);
    past
}

/// Texts of the active entries that are no reflections.
fn active(past: &MemorySnapshot) -> Vec<&str> {
    let lived = past.entries.iter().filter(|e| e.entry.form != RecordKind::Reflection);
    lived.filter(|e| e.state == State::Active).map(|e| e.entry.text.as_str()).collect()
}

fn contested_with(past: &MemorySnapshot, name: &str) -> Vec<MemoryId> {
    past.entries.iter().find(|e| e.entry.id == id(name)).unwrap().contested_with.clone()
}

#[test]
fn statement_that_arrives_late_never_supersedes_a_newer_one() {
    let mut past = MemorySnapshot::empty();
    after(&mut past, 2, vec![memory("new", 50, SHUT, 5)]);
    let night = after(&mut past, 3, vec![memory("late", 10, OPEN, 5)]);
    assert_eq!(active(&past), [SHUT], "{:#?}", night.changes);
    let superseded: Vec<_> =
        of_verb(&night, "supersede").map(|c| (c.id().as_str(), c.sources()[0].as_str())).collect();
    assert_eq!(superseded, [("late", "new")]);
    assert_eq!(night.report.counts.late, 1);
    assert!(
        night.report.notes.iter().any(|note| note.starts_with("1 statement came late")),
        "{:?}",
        night.report
    );
    assert!(of_verb(&night, "supersede").all(|c| c.reason().values["came"].to_string() == "late"));
}

#[test]
fn talk_contests_own_experience_without_superseding_it() {
    for talk in [said("talk", 30, SHUT), memory("talk", 30, "They say the river gate is not open.", 5)] {
        let mut past = MemorySnapshot::empty();
        after(&mut past, 0, vec![memory("own", 1, OPEN, 5)]);
        let night = after(&mut past, 1, vec![talk]);
        assert_eq!(active(&past).len(), 2, "{:#?}", night.changes);
        assert_eq!(of_verb(&night, "supersede").count(), 0);
        assert_eq!(
            (contested_with(&past, "own"), contested_with(&past, "talk")),
            (vec![id("talk")], vec![id("own")])
        );
        assert_eq!(night.report.counts.contested, 1);
    }
}

#[test]
fn lies_dreams_and_questions_change_no_belief() {
    for text in [
        "The player lied to me: The river gate is not open",
        "I dreamt that the river gate is not open.",
        "Is the river gate not open?",
        "If the river gate is not open, we must wait.",
    ] {
        let mut past = MemorySnapshot::empty();
        after(&mut past, 0, vec![memory("own", 1, OPEN, 5)]);
        let night = after(&mut past, 1, vec![memory("heard", 30, text, 5)]);
        assert!(active(&past).contains(&OPEN), "{text}: {:#?}", night.changes);
        assert_eq!(contested_with(&past, "own"), [], "{text}");
    }
}

#[test]
fn newer_equally_founded_statement_supersedes_important_belief() {
    let mut past = MemorySnapshot::empty();
    after(&mut past, 0, vec![memory("old", 1, OPEN, 9)]);
    let night = after(&mut past, 1, vec![memory("new", 30, SHUT, 4)]);
    assert_eq!(active(&past), [SHUT], "{:#?}", night.changes);
}

#[test]
fn news_that_changes_a_belief_is_kept_whatever_the_budget() {
    let mut past = MemorySnapshot::empty();
    after(&mut past, 0, vec![memory("old", 1, OPEN, 5)]);
    let busy = (0..6)
        .map(|n| memory(&format!("m{n}"), 26 + n, &format!("chore number {n} of the kitchen was done"), 6));
    let night = after(&mut past, 1, busy.chain([memory("news", 40, SHUT, 1)]).collect());
    assert!(active(&past).contains(&SHUT) && !active(&past).contains(&OPEN), "{:#?}", night.changes);
}

#[test]
fn news_never_removes_what_happened() {
    for (happened, later) in [
        ("I did not light the river lamp.", "I lit the river lamp."),
        ("I hit Joss with the shovel.", "I did not hit Joss with the shovel."),
        ("I offered Hale forty crowns.", "I paid Hale twenty crowns."),
        ("The baby was born.", "The baby is not born."),
    ] {
        let mut past = MemorySnapshot::empty();
        after(&mut past, 0, vec![memory("old", 1, happened, 5)]);
        let night = after(&mut past, 1, vec![memory("new", 30, later, 5)]);
        assert!(active(&past).contains(&happened), "{happened}: {:#?}", night.changes);
        assert_eq!(contested_with(&past, "old"), [], "{happened}");
    }
}

#[test]
fn repeated_trifle_stays_archived() {
    let mut past = after_pruning(0, 1, OPEN);
    let night = after(&mut past, 2, vec![memory("again", 50, OPEN, 1)]);
    assert_eq!(of_verb(&night, "restore").count(), 0, "{:#?}", night.changes);
    assert!(!past.entries.iter().any(|record| record.entry.id == id("trifle")));
}

/// Statements of positions, of episodes, and of both.
const SAID: [&str; 14] = [
    "I gave Wren the key of the river gate and am at the river.",
    "I am at the river gate and gave Wren the key.",
    "The river gate is open.",
    "The river gate is not open.",
    "Wren keeps the key of the river gate.",
    "I opened the river gate.",
    "I did not open the river gate.",
    "Wren drowned at the river gate.",
    "Wren is the keeper of the gate. I gave Wren the key.",
    "The key is lost, and I searched the river for it.",
    "I owe Wren four silver.",
    "I paid Wren the four silver.",
    "I don't trust Wren, I trust the river.",
    "The river froze.",
];

/// Those of them that say nothing but how things are, or that as talk somebody only told.
const MAY_GO: [&str; 7] = [
    "The river gate is open.",
    "The river gate is not open.",
    "Wren keeps the key of the river gate.",
    "I owe Wren four silver.",
    "I don't trust Wren, I trust the river.",
    "Wren drowned at the river gate.",
    "The river froze.",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    /// Whatever a judge answers, an episode never leaves the active set because of news, and no statement is superseded
    /// or ended by its own words.
    #[test]
    fn no_verdict_removes_what_happened(days in vec(vec((0..SAID.len(), any::<bool>()), 1..6), 1..5), lot in any::<u64>()) {
        let mut past = MemorySnapshot::empty();
        let mut verdicts = (0..).map(|n: u32| lot.rotate_left(n.wrapping_mul(7)) % 5);
        for (night, said) in (0_i64..).zip(days) {
            let memories = (0_i64..).zip(said).map(|(hour, (text, talk))| {
                memory(&format!("d{night}-{hour}"), 24 * night + hour, SAID[text], 5)
                    .with(|m| m.kind = if talk { Kind::Chat } else { Kind::Event })
            });
            let before: BTreeMap<MemoryId, (Kind, String)> = past
                .entries
                .iter()
                .filter(|e| e.entry.form != RecordKind::Reflection)
                .map(|e| (e.entry.id.clone(), (e.entry.kind, e.entry.text.clone())))
                .collect();
            let today = day(night, memories.collect());
            let lived: BTreeMap<MemoryId, (Kind, String)> =
                today.memories.iter().map(|m| (m.id.clone(), (m.kind, m.text.clone()))).collect();
            let slept = sleep_judged(today, past.clone(), &config(), |_| match verdicts.next() {
                Some(0) => Verdict::certain(Stance::Same),
                Some(1) => Verdict::certain(Stance::Unrelated),
                _ => Verdict::certain(Stance::Contradiction),
            });
            let said = |id: &MemoryId| lived.get(id).or_else(|| before.get(id));
            for change in &slept.changes {
                let Some((kind, text)) = said(change.id()) else { continue };
                let by = change.sources().first().and_then(said);
                let asserted = English.assertions(*kind, text);
                match change {
                    Change::Supersede { .. } => {
                        prop_assert!(MAY_GO.contains(&text.as_str()), "{text}");
                        prop_assert!(asserted.iter().all(|part| part.is_position), "{text}");
                        prop_assert!(by.is_none_or(|(_, by)| by != text), "{text}");
                    }
                    Change::End { position, .. } => {
                        let part = asserted.iter().find(|part| text.get(part.span.clone()) == Some(position.as_str()));
                        prop_assert!(part.is_some(), "{text}: {position}");
                        prop_assert!(by.is_none_or(|(_, by)| !position.contains(by.as_str())), "{text}");
                    }
                    Change::Contest { .. } => {
                        prop_assert!(asserted.iter().any(|part| part.is_position), "{text}");
                    }
                    _ => {}
                }
            }
            advance(&mut past, &slept).unwrap();
        }
    }
}

#[test]
fn recalled_faint_entry_is_back_and_compared_with_the_day() {
    let mut past = after_pruning(0, 1, OPEN);
    let faint = |memory: Memory, vector: Option<Vector>| {
        let embedded = embed_all(&[&memory.text]).vector(0);
        let mut record = MemoryRecord::of_today(&memory, embedded, "day-0".parse().unwrap());
        record.entry.vector = vector;
        (record.state, record.archived_by) = (State::Archived, Some("over-budget".to_owned()));
        record.recalled_at = Some(at(25));
        record
    };
    let rain = memory("rain", 2, "Rain fell on the mill all morning.", 2);
    let was_active = embed_all(&[&rain.text]).vector(0);
    past.add_recalled([faint(memory("trifle", 1, OPEN, 1), None), faint(rain, Some(was_active))]);
    let night = after(&mut past, 1, vec![memory("news", 30, SHUT, 5)]);
    let rules: Vec<Rule> = of_verb(&night, "restore").map(|change| change.reason().rule).collect();
    assert_eq!(rules, [Rule::Recalled, Rule::Recalled], "{:#?}", night.changes);
    assert!(active(&past).contains(&"Rain fell on the mill all morning."));
    // What no longer holds comes back, and the news of the day supersedes it.
    assert!(active(&past).contains(&SHUT) && !active(&past).contains(&OPEN), "{:#?}", night.changes);
    assert_eq!(past.recalled, []);
}
