//! Effect of the statements of a day on the beliefs of an NPC: time, foundation and importance, with the
//! rules as the judge.

use crate::support::{day, id, memory, model, of_verb, sleep};
use nightfold_consolidate::Draft;
use nightfold_english::English;
use nightfold_memory::effect::advance;
use nightfold_memory::{
    Change, Config, Kind, Memory, MemoryId, MemorySnapshot, NpcNight, RecordKind, Rule, State, ValidConfig,
    Value,
};

const OPEN: &str = "the river gate is open";
const SHUT: &str = "the river gate is not open";

fn said(name: &str, hour: i64, text: &str) -> Memory {
    memory(name, hour, text, 5).with(|m| m.kind = Kind::Chat)
}

/// Plans and applies a night with the memories of one day.
fn after(past: &mut MemorySnapshot, night: i64, memories: Vec<Memory>) -> NpcNight {
    let slept = sleep(day(night, memories), past.clone(), &config(16));
    advance(past, &slept).unwrap();
    slept
}

/// Returns a configuration that compares at most `archived` archived statements.
fn config(archived: usize) -> ValidConfig {
    let mut config = Config::default();
    config.reconcile.archived = archived;
    // A minimum similarity low enough for the toy embedder; nothing is synthesized.
    (config.reconcile.min_similarity, config.reconcile.claim_similarity) = (0.6, 0.3);
    (config.triage.similar, config.triage.similar_over_budget) = (1.0, 1.0);
    config.check().unwrap()
}

/// Returns the snapshot after a night that prunes a trivial memory: it is no news, and its day is full of
/// more salient memories.
fn after_pruning(night: i64, hour: i64, text: &str) -> MemorySnapshot {
    let mut past = MemorySnapshot::empty();
    after_pruning_another(&mut past, "trifle", night, hour, text);
    past
}

fn after_pruning_another(past: &mut MemorySnapshot, name: &str, night: i64, hour: i64, text: &str) {
    let busy = (0..6).map(|n| {
        memory(&format!("{name}-m{n}"), hour + n, &format!("chore number {n} of the kitchen was done"), 6)
    });
    let memories = busy.chain([memory(name, hour, text, 1)]).collect();
    // No archived statement is compared, so pruned memories stay archived.
    let slept = sleep(day(night, memories), past.clone(), &config(0));
    assert!(of_verb(&slept, "prune").any(|c| *c.id() == id(name)), "{:#?}", slept.changes);
    advance(past, &slept).unwrap();
    past.entries.clear();
}

fn archived(past: &MemorySnapshot) -> Vec<&str> {
    past.archived.iter().map(|e| e.entry.id.as_str()).filter(|id| !id.contains("-m")).collect()
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
fn late_statement_that_is_better_founded_is_contested_and_counted() {
    let mut past = MemorySnapshot::empty();
    after(&mut past, 2, vec![said("talk", 50, SHUT)]);
    let night = after(&mut past, 3, vec![memory("late", 10, OPEN, 5)]);
    assert_eq!(active(&past).len(), 2, "{:#?}", night.changes);
    assert_eq!((night.report.counts.contested, night.report.counts.late), (1, 1));
    let night = after(&mut past, 4, vec![memory("rain", 80, "it rained on the road all day", 5)]);
    assert_eq!(night.report.counts.late, 0);
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
fn own_observation_resolves_a_contest() {
    let mut past = MemorySnapshot::empty();
    after(&mut past, 0, vec![memory("own", 1, OPEN, 5)]);
    after(&mut past, 1, vec![said("talk", 30, SHUT)]);
    let night = after(&mut past, 2, vec![memory("seen", 50, OPEN, 5)]);
    assert_eq!(active(&past), [OPEN], "{:#?}", night.changes);
    assert_eq!(contested_with(&past, "own"), []);
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
fn repeated_pruned_memory_is_restored() {
    let mut past = after_pruning(0, 1, OPEN);
    assert_eq!(archived(&past), ["trifle"]);
    let night = after(&mut past, 2, vec![memory("again", 50, OPEN, 1)]);
    let changes: Vec<_> = night.changes.iter().map(|c| (c.verb(), c.id().as_str())).collect();
    assert_eq!(changes, [("restore", "trifle"), ("corroborate", "trifle")]);
    let Change::Restore { reason, vector, .. } = &night.changes[0] else { panic!() };
    assert_eq!((reason.rule, vector.is_some()), (Rule::SaidAgain, true));
    assert!(["cosine", "band_from", "judged_by"].iter().all(|name| reason.values.contains_key(*name)));
    let by = reason.values["archived_by"].to_string();
    assert!(["over-budget", "unimportant-incoherent"].contains(&by.as_str()), "{by}");
    assert_eq!(
        (night.report.counts.restored, night.report.counts.corroborated, night.report.counts.kept),
        (1, 1, 0)
    );
    assert_eq!((active(&past), archived(&past)), (vec![OPEN], vec![]));
    let entry = &past.entries[0];
    assert_eq!(
        (entry.entry.id.as_str(), entry.corroborations, entry.archived_by.as_ref()),
        ("trifle", 1, None)
    );
    assert!(entry.entry.vector.is_some() && entry.entry.last_at == crate::support::at(50));
    // From then on it is corroborated like any other entry.
    let night = after(&mut past, 3, vec![memory("once-more", 80, OPEN, 1)]);
    assert_eq!((night.report.counts.restored, past.entries[0].corroborations), (0, 2));
}

#[test]
fn repeated_episode_restores_nothing() {
    let swept = "I swept the stable behind the mill.";
    let past = after_pruning(0, 1, swept);
    let night = after(&mut past.clone(), 2, vec![memory("again", 50, swept, 1)]);
    assert_eq!(
        (night.report.counts.restored, night.report.counts.corroborated),
        (0, 0),
        "{:#?}",
        night.changes
    );
    // In talk it is the same occasion.
    let night = after(&mut past.clone(), 2, vec![said("told", 50, swept)]);
    assert_eq!(
        (night.report.counts.restored, night.report.counts.corroborated),
        (1, 1),
        "{:#?}",
        night.changes
    );
}

#[test]
fn contradicted_archived_memory_is_superseded_and_never_restored() {
    let mut past = after_pruning(0, 1, OPEN);
    let night = after(&mut past, 2, vec![memory("denial", 50, SHUT, 5)]);
    let superseded: Vec<_> = of_verb(&night, "supersede").collect();
    assert_eq!(superseded.len(), 1, "{:#?}", night.changes);
    assert_eq!((superseded[0].id(), superseded[0].sources()), (&id("trifle"), &[id("denial")][..]));
    assert!(matches!(superseded[0].reason().values["archived_by"], Value::Name(_)));
    // No belief changes: the news is kept for its salience alone.
    let kept = of_verb(&night, "store").next().unwrap();
    assert_ne!(kept.reason().rule, Rule::ChangesBelief);
    assert_eq!((active(&past), archived(&past)), (vec![SHUT], vec![]));
    let night = after(&mut past, 3, vec![memory("late", 10, OPEN, 1)]);
    assert_eq!(active(&past), [SHUT], "{:#?}", night.changes);
    assert_eq!(of_verb(&night, "restore").count(), 0);
}

#[test]
fn late_statement_restores_nothing_over_a_newer_one() {
    // Older than the archived statement; then between it and a later archived one that contradicts it.
    let mut past = after_pruning(1, 30, OPEN);
    let night = after(&mut past.clone(), 4, vec![memory("older", 10, OPEN, 1)]);
    assert_eq!(of_verb(&night, "restore").count(), 0, "{:#?}", night.changes);
    after_pruning_another(&mut past, "later", 2, 60, SHUT);
    assert_eq!(archived(&past), ["later", "trifle"], "the last lived first");
    let night = after(&mut past.clone(), 4, vec![memory("between", 40, OPEN, 1)]);
    assert_eq!(of_verb(&night, "restore").count(), 0, "{:#?}", night.changes);
    // A statement later than both of them is news.
    let night = after(&mut past, 4, vec![memory("news", 100, OPEN, 1)]);
    assert_eq!(of_verb(&night, "restore").map(Change::id).collect::<Vec<_>>(), [&id("trifle")]);
    assert_eq!((active(&past), archived(&past)), (vec![OPEN], vec!["later"]));
    // In reverse: the restored entry is believed, so news that contradicts it is kept.
    let night = after(&mut past, 5, vec![memory("shut-again", 130, SHUT, 1)]);
    assert_eq!(of_verb(&night, "supersede").map(Change::id).collect::<Vec<_>>(), [&id("trifle")]);
    assert_eq!(active(&past), [SHUT], "{:#?}", night.changes);
}

#[test]
fn active_entry_is_corroborated_before_an_equal_archived_one() {
    let mut past = after_pruning(0, 1, OPEN);
    let night = sleep(day(1, vec![memory("own", 30, OPEN, 5)]), past.clone(), &config(0));
    advance(&mut past, &night).unwrap();
    let night = after(&mut past, 2, vec![memory("again", 50, OPEN, 5)]);
    assert_eq!(of_verb(&night, "corroborate").map(Change::id).collect::<Vec<_>>(), [&id("own")]);
    assert_eq!((active(&past), archived(&past)), (vec![OPEN], vec!["trifle"]));
}

#[test]
fn less_well_founded_talk_neither_supersedes_nor_contests_archived_statements() {
    let mut past = after_pruning(0, 1, OPEN);
    let night = after(&mut past, 2, vec![said("talk", 50, SHUT)]);
    assert_eq!(
        (night.report.counts.superseded, night.report.counts.contested),
        (0, 0),
        "{:#?}",
        night.changes
    );
    assert_eq!((active(&past), archived(&past)), (vec![SHUT], vec!["trifle"]));
}

#[test]
fn archived_statements_are_compared_up_to_the_limit() {
    let mut past = after_pruning(0, 1, OPEN);
    for n in 1..5 {
        after_pruning_another(
            &mut past,
            &format!("t{n}"),
            n,
            24 * n + 1,
            &format!("the river gate creaks {n}"),
        );
    }
    let texts = |most: usize| {
        let today = day(6, vec![memory("new", 150, "the river gate is open and creaks", 5)]);
        let draft = Draft::begin(today, past.clone(), model(), &config(most), &English).unwrap();
        draft.texts().len() - 1
    };
    assert_eq!([0, 1, 3].map(texts), [0, 1, 3]);
    // Statements that share no content word with the day are skipped.
    assert_eq!(texts(256), 5);
}
