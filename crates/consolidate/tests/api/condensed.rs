//! Days of paragraphs, which another program has condensed already.

use std::collections::BTreeSet;

use crate::support::{day, memory, of_verb, sleep};
use nightfold_memory::{Change, Config, Kind, Memory, MemorySnapshot, Rule, ValidConfig};

/// Returns paragraphs of four sentences, each of another hour; all have two sentences in common.
fn paragraphs(count: i64) -> Vec<Memory> {
    let told = ["mill", "ferry", "chapel", "forge", "orchard", "harbour", "tannery", "bakery"];
    let one = |n: i64| {
        let place = told[n as usize % told.len()];
        let text = format!(
            "I spent the morning at the {place} with Joss and helped him carry {n} heavy barrels up the stairs. He told \
             me that the steward will come on market day. In the afternoon we mended the old roof together. On the way \
             home we spoke about the {place} and number {n}."
        );
        memory(&format!("p{n:02}"), n, &text, 4)
    };
    (1..=count).map(one).collect()
}

fn kept_as_condensed(memories: Vec<Memory>, config: &ValidConfig) -> (usize, usize) {
    let night = sleep(day(1, memories), MemorySnapshot::empty(), config);
    night.check().unwrap();
    assert_eq!(of_verb(&night, "chunk").count(), 0, "a synthesis takes the place of none");
    let stored: Vec<&Change> = of_verb(&night, "store").collect();
    let condensed = stored.iter().filter(|change| change.reason().rule == Rule::Condensed).count();
    (condensed, stored.len())
}

#[test]
fn a_day_of_five_is_kept_whole_and_one_of_forty_is_not() {
    let config = Config::default().check().unwrap();
    assert_eq!(kept_as_condensed(paragraphs(5), &config), (5, 5));
    let (condensed, stored) = kept_as_condensed(paragraphs(40), &config);
    assert_eq!((condensed, stored), (16, 16 + 12), "half of the other 24");
}

#[test]
fn talk_and_what_the_game_rates_as_unimportant_are_left_to_other_rules() {
    let config = Config::default().check().unwrap();
    let mut memories = paragraphs(10);
    for said in &mut memories[..3] {
        (said.kind, said.importance) = (Kind::Chat, None);
    }
    for trivial in &mut memories[3..6] {
        trivial.importance = nightfold_memory::Importance::new(1).ok();
    }
    let night = sleep(day(1, memories), MemorySnapshot::empty(), &config);
    let condensed = of_verb(&night, "store").filter(|change| change.reason().rule == Rule::Condensed);
    let condensed: BTreeSet<&str> = condensed.map(|change| change.id().as_str()).collect();
    assert_eq!(condensed, BTreeSet::from(["p07", "p08", "p09", "p10"]));
}
