//! Days of more distinct memories than a night may hold.

use std::collections::BTreeSet;

use crate::support::{day, memory, model, of_verb, sleep};
use nightfold_consolidate::Draft;
use nightfold_english::English;
use nightfold_memory::effect::advance;
use nightfold_memory::{Change, Config, Kind, Memory, MemoryId, MemorySnapshot, Rule, ValidConfig};

fn at_most(distinct: usize) -> ValidConfig {
    let mut config = Config::default();
    config.cluster.max_distinct = distinct;
    config.check().unwrap()
}

/// A quiet day of the NPC's own, and a player who says something else every time, one line twice.
fn flooded() -> Vec<Memory> {
    let own = ["the mill wheel broke", "Odo paid for the flour", "the brook is high", "a crow took a loaf"];
    let mut memories: Vec<Memory> =
        own.iter().zip(1..).map(|(text, hour)| memory(&format!("own{hour}"), hour, text, 2)).collect();
    let said = (0..60).map(|n| {
        memory(&format!("p{n:02}"), 2, &format!("you must remember wonder number {} of mine", n / 2 * 2), 10)
            .with(|m| (m.kind, m.actors) = (Kind::Chat, vec!["Player".to_owned()]))
    });
    memories.extend(said);
    memories
}

#[test]
fn flooded_day_is_slept_on_within_the_bound_and_no_other_memory_is_lost_to_the_flood() {
    let night = sleep(day(0, flooded()), MemorySnapshot::empty(), &at_most(20));
    let left_out: Vec<&MemoryId> =
        of_verb(&night, "prune").filter(|c| c.reason().rule == Rule::OverDistinct).map(Change::id).collect();
    assert_eq!(left_out.len(), 14);
    assert!(left_out.iter().all(|id| id.as_str().starts_with('p')), "{left_out:?}");
    let reason = of_verb(&night, "prune").find(|c| c.id() == left_out[0]).unwrap().reason();
    assert_eq!(reason.details(), ["distinct 34", "max distinct 20", "of sender 30"]);
    let report = &night.report;
    assert_eq!((report.input.over_distinct, report.counts.memories, report.counts.distinct), (14, 64, 34));
    assert!(report.counts.pruned >= 14 && report.important == 30 && report.important_kept <= 16);
    assert!(
        report.notes[0].contains("34 distinct memories and cluster.max_distinct allows 20"),
        "{report:?}"
    );
}

#[test]
fn order_of_a_flooded_day_does_not_matter() {
    let mut reversed = flooded();
    reversed.reverse();
    let past = MemorySnapshot::empty;
    assert_eq!(sleep(day(0, flooded()), past(), &at_most(20)), sleep(day(0, reversed), past(), &at_most(20)));
}

#[test]
fn memories_beyond_the_bound_count_as_slept_on_and_are_not_compared_again() {
    let mut past = MemorySnapshot::empty();
    let night = sleep(day(0, flooded()), past.clone(), &at_most(20));
    night.check().unwrap();
    advance(&mut past, &night).unwrap();
    let known: BTreeSet<&MemoryId> = past.known.keys().collect();
    assert!(flooded().iter().all(|memory| known.contains(&memory.id)));
    let again = sleep(day(1, flooded()), past, &at_most(20));
    assert_eq!((again.memories.len(), again.report.input.already_slept_on), (0, 64));
}

#[test]
fn texts_beyond_the_bound_are_not_embedded() {
    let draft = Draft::begin(day(0, flooded()), MemorySnapshot::empty(), model(), &at_most(20), &English);
    assert_eq!(draft.unwrap().texts().len(), 20);
}

#[test]
fn pinned_memory_of_the_flooder_is_kept() {
    let mut memories = flooded();
    memories[40].pinned = true;
    let night = sleep(day(0, memories.clone()), MemorySnapshot::empty(), &at_most(20));
    let line = &memories[40].text;
    assert!(of_verb(&night, "store").any(|c| c.entry().unwrap().text == *line));
}
