//! Synthetic memories of a villager: routines, people and their words, debts, thoughts, stocks, and, one in a
//! hundred, an important event.

use nightfold_memory::Memory;
use serde_json::json;

use super::Xorshift;

const PEOPLE: &[&str] = &[
    "Joss",
    "Tom Aldous",
    "Wren",
    "Bran",
    "Elsbeth",
    "Corwin",
    "Pell",
    "Hanne",
    "Berta",
    "Old Ned",
    "Ida",
    "Rana",
    "Captain Ferris",
    "Lysa",
    "the miller's boy",
    "the salt merchant",
    "a pedlar",
    "the reeve",
];
const THINGS: &[&str] = &[
    "ale",
    "bread",
    "the broken axle",
    "salt",
    "a cloak",
    "the goat",
    "candles",
    "the mill wheel",
    "barley",
    "a horseshoe",
    "honey",
    "the well rope",
    "firewood",
    "wool",
    "two hens",
    "the church bell",
    "a ferry ride",
];
const PLACES: &[&str] = &[
    "the common room",
    "the kitchen",
    "the cellar",
    "the yard",
    "the stable",
    "the bridge",
    "the market",
    "the mill",
    "the smithy",
    "the chapel",
    "the north gate",
    "the river bank",
];
const TIMES: &[&str] = &[
    "before opening",
    "at noon",
    "at dusk",
    "after the rush",
    "before dawn",
    "late at night",
    "again",
    "in the rain",
];
const CHORES: &[&str] = &[
    "swept",
    "scrubbed",
    "tidied",
    "aired",
    "locked up",
    "lit the lamps in",
    "checked",
    "mopped",
    "carried water to",
    "walked through",
];
const MOODS: &[&str] = &[
    "seemed tired",
    "laughed a great deal",
    "would not look at me",
    "talked of the harvest",
    "complained about the tax",
    "asked after my sister",
    "was in a hurry",
    "sang an old song",
    "spoke of wolves",
    "praised the stew",
];
const EVENTS: &[&str] = &[
    "lost a child to the fever",
    "was caught stealing from",
    "swore to burn down",
    "married in secret at",
    "was found dead near",
    "confessed to me about the fire at",
    "left the village for ever after a quarrel in",
    "saved me from drowning by",
    "told me where the silver is buried, under",
    "broke an oath to me in",
];

/// Returns the `n`th of a day's `of` memories.
pub(super) fn memory(
    draw: &mut Xorshift,
    npc: &str,
    night: usize,
    n: usize,
    of: usize,
) -> Result<Memory, serde_json::Error> {
    let lot = draw.below(1_000);
    let (person, other) = (draw.pick(PEOPLE), draw.pick(PEOPLE));
    let (place, time, thing) = (draw.pick(PLACES), draw.pick(TIMES), draw.pick(THINGS));
    let (mut kind, mut importance) = ("event", 1 + draw.below(3));
    let text = match lot {
        0..400 => format!("I {} {place} {time}", draw.pick(CHORES)),
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
            format!("{person} {} at {place} {time}", draw.pick(MOODS))
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
            format!("{person} {} {place}, on the {}th day of my year", draw.pick(EVENTS), night + 1)
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
