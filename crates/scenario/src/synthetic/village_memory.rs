//! Synthetic memories of a villager: routines, people and their words, debts, thoughts, stocks, and, one in a
//! hundred, an important event.

use std::sync::LazyLock;

use nightfold_memory::Memory;
use serde::Deserialize;
use serde_json::json;

use super::Xorshift;

/// Words that memories are made of.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct VillageWords {
    people: Vec<&'static str>,
    things: Vec<&'static str>,
    places: Vec<&'static str>,
    times: Vec<&'static str>,
    chores: Vec<&'static str>,
    moods: Vec<&'static str>,
    events: Vec<&'static str>,
}

static WORDS: LazyLock<VillageWords> = LazyLock::new(|| {
    let words = serde_json::from_str(include_str!("village.json"));
    words.unwrap_or_else(|error| unreachable!("the words are part of the program: {error}"))
});

/// Returns the `n`th of a day's `of` memories.
pub(super) fn memory(
    draw: &mut Xorshift,
    npc: &str,
    night: usize,
    n: usize,
    of: usize,
) -> Result<Memory, serde_json::Error> {
    let lot = draw.below(1_000);
    let (person, other) = (draw.pick(&WORDS.people), draw.pick(&WORDS.people));
    let (place, time, thing) = (draw.pick(&WORDS.places), draw.pick(&WORDS.times), draw.pick(&WORDS.things));
    let (mut kind, mut importance) = ("event", 1 + draw.below(3));
    let text = match lot {
        0..400 => format!("I {} {place} {time}", draw.pick(&WORDS.chores)),
        400..550 => {
            kind = "status";
            format!(
                "Cellar status: {} kegs, {} loaves, {} candles",
                draw.below(30),
                draw.below(60),
                draw.below(90)
            )
        }
        550..760 => {
            kind = "chat";
            importance = 2 + draw.below(4);
            format!("{person} {} at {place} {time}", draw.pick(&WORDS.moods))
        }
        760..860 => {
            importance = 3 + draw.below(3);
            format!("{person} bought {thing} from me for {} coppers", 1 + draw.below(12))
        }
        860..930 => {
            kind = "thought";
            importance = 3 + draw.below(4);
            format!("I wonder whether {person} knows about {other} and {thing}")
        }
        930..980 => {
            importance = 4 + draw.below(3);
            format!("{person} owes {other} {} silver for {thing}", 1 + draw.below(40))
        }
        980..990 => {
            importance = 6;
            format!("A stranger asked about {person} in {place}, and {other} lied to him")
        }
        // One in a hundred: at 50 memories a day, one every other day.
        _ => {
            importance = 7 + draw.below(3);
            format!("{person} {} {place}, on the {}th day of my year", draw.pick(&WORDS.events), night + 1)
        }
    };
    serde_json::from_value(json!({
        "id": format!("n{night:03}-{n:03}"), "npc": npc, "at": 86_400 * night + time_of_day(n, of), "kind": kind,
        "text": text, "importance": importance,
    }))
}

/// Returns seconds after midnight: from six in the morning, over sixteen hours.
pub(super) fn time_of_day(n: usize, of: usize) -> usize {
    21_600 + n * 57_600 / of.max(1)
}
