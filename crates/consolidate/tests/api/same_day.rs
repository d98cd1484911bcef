//! Statements of one night are compared with earlier ones of the same night.

use nightfold_memory::effect::advance;
use nightfold_memory::{Change, Config, Importance, Memory, MemorySnapshot, NpcNight, State, ValidConfig};
use proptest::prelude::*;

use crate::support::{at, day, id, memory, of_verb, sleep};

/// Returns a configuration in which nothing is synthesized or pruned, with a minimum similarity low enough
/// for the toy embedder.
fn without_merging() -> ValidConfig {
    let mut config = Config::default();
    (config.reconcile.min_similarity, config.reconcile.rival_similarity) = (0.6, 0.3);
    (config.triage.similar, config.triage.similar_over_budget) = (1.0, 1.0);
    config.budget.storage = 1.0;
    config.check().unwrap()
}

fn active(past: &MemorySnapshot) -> Vec<&str> {
    let active = past.entries.iter().filter(|e| e.state == State::Active);
    active.map(|e| e.entry.text.as_str()).collect()
}

/// Returns the night, and the snapshot after it.
fn after(past: &MemorySnapshot, memories: Vec<Memory>) -> (NpcNight, MemorySnapshot) {
    let night = sleep(day(1, memories), past.clone(), &without_merging());
    let mut past = past.clone();
    advance(&mut past, &night).unwrap();
    (night, past)
}

fn superseded(night: &NpcNight) -> Vec<(&str, &str)> {
    of_verb(night, "supersede").map(|c| (c.id().as_str(), c.sources()[0].as_str())).collect()
}

#[test]
fn same_night_contradiction_supersedes() {
    let heard = memory("a", 25, "the river gate is open", 5);
    let denied = memory("b", 30, "the river gate is not open", 5);
    let (night, past) = after(&MemorySnapshot::empty(), vec![denied, heard]);
    assert_eq!(superseded(&night), [("a", "b")]);
    assert_eq!(active(&past), ["the river gate is not open"]);
    assert_eq!(
        (night.report.counts.stored, night.report.counts.kept, night.report.counts.superseded),
        (2, 1, 1)
    );
}

#[test]
fn paraphrased_repeat_corroborates_one_memory() {
    let first = memory("a", 25, "the river gate is open", 5).with(|m| m.tags = vec!["gate".into()]);
    let again = memory("b", 30, "the river gate is open now", 6).with(|m| m.tags = vec!["river".into()]);
    let (night, past) = after(&MemorySnapshot::empty(), vec![again, first]);
    let [entry] = past.entries.as_slice() else { panic!("{:#?}", night.changes) };
    assert_eq!((entry.entry.id.clone(), entry.corroborations), (id("a"), 1));
    assert_eq!(entry.entry.tags, ["gate", "river"]);
    assert_eq!((entry.entry.last_at, entry.entry.importance), (at(30), Importance::new(6).unwrap()));
    assert_eq!(
        (night.report.counts.stored, night.report.counts.corroborated, night.report.counts.kept),
        (1, 1, 1)
    );
}

/// The later of two memories that say the same is merged into the earlier one, unless its words must be kept.
#[test]
fn merge_keeps_required_words() {
    let first = memory("a", 25, "the river gate is open", 5);
    let again = memory("b", 30, "the river gate is open now", 9);
    let (night, past) = after(&MemorySnapshot::empty(), vec![first, again]);
    assert_eq!(active(&past), ["the river gate is open now"], "{:#?}", night.changes);
    assert_eq!(past.entries[0].corroborations, 1);
    assert_eq!((night.report.important_kept, night.report.important), (1, 1));
}

/// A day with a few statements about two gates, some of which contradict each other.
fn sayings() -> impl Strategy<Value = Vec<Memory>> {
    let gate = prop_oneof![Just("river"), Just("north")];
    let state = prop_oneof![Just("is open"), Just("is not open"), Just("is open now"), Just("is closed")];
    prop::collection::vec((gate, state, 25_i64..40, 3_u8..9), 2..8).prop_map(|said| {
        said.into_iter()
            .enumerate()
            .map(|(n, (gate, state, hour, importance))| {
                memory(&format!("m{n}"), hour, &format!("the {gate} gate {state}"), importance)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn order_of_arrival_changes_nothing(
        (one, other) in sayings().prop_flat_map(|day| (Just(day.clone()), Just(day).prop_shuffle())),
    ) {
        let (one, other) = (after(&MemorySnapshot::empty(), one), after(&MemorySnapshot::empty(), other));
        prop_assert_eq!(one, other);
    }

    /// A superseded statement is older than its successor.
    #[test]
    fn only_earlier_statements_are_superseded(day in sayings()) {
        let (night, past) = after(&MemorySnapshot::empty(), day);
        let when = |id: &str| {
            let written = night.changes.iter().filter_map(Change::entry).find(|e| e.id.as_str() == id).map(|e| e.last_at);
            let confirmed = night.changes.iter().find_map(|c| match c {
                Change::Corroborate { id: of, last_at, .. } if of.as_str() == id => Some(*last_at),
                _ => None,
            });
            confirmed.or(written)
        };
        for (old, new) in superseded(&night) {
            prop_assert!(when(old) < when(new), "{:#?}", night.changes);
        }
        let active = past.entries.iter().filter(|e| e.state == State::Active && e.superseded_by.is_some());
        prop_assert_eq!(active.count(), 0);
        prop_assert!(!past.entries.is_empty());
    }
}
