//! Floods of one pattern: memories that say in other combinations what many others of the day say.
//!
//! A program that lets an NPC think aloud, or a game that logs every errand, fills a day with sentences of a few parts: "I
//! sit with the tide", "My mind circles back to the tide". Each is a text of its own, and together they are one matter,
//! however many they are. Of such memories a night takes those that have a word which none before them has.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Kind, LanguagePack, Reason, Rule};

use super::LeftOut;
use crate::collapse::DistinctMemory;

/// Number of other memories of the day, at least, that have every word of a memory of a flood: on a short day a share of
/// them is no flood.
const MIN_OTHERS: usize = 8;

/// Returns the distinct memories that a night takes, and those of a flood that it does not. Both stay in the given order,
/// which is canonical.
///
/// A memory is of a flood if each of its content words, numbers aside, is in at least `share` of the day's distinct
/// memories, and in eight others at least. What the game has rated or pinned, talk and status readings are of none.
pub(crate) fn without_flood(
    distinct: Vec<DistinctMemory>,
    share: f64,
    pack: &dyn LanguagePack,
) -> (Vec<DistinctMemory>, Vec<LeftOut>) {
    let least = ((share * distinct.len() as f64).ceil() as usize).max(MIN_OTHERS + 1);
    if distinct.len() < least {
        return (distinct, Vec::new());
    }
    let stems: Vec<BTreeSet<String>> = distinct.iter().map(|memory| stems_of(&memory.text, pack)).collect();
    let mut frequencies: BTreeMap<&str, usize> = BTreeMap::new();
    stems.iter().flatten().for_each(|stem| *frequencies.entry(stem).or_default() += 1);
    let is_of_flood = |memory: &DistinctMemory, stems: &BTreeSet<String>| {
        let may_be = !memory.given && !memory.pinned && !matches!(memory.kind, Kind::Chat | Kind::Status);
        may_be && !stems.is_empty() && stems.iter().all(|stem| frequencies[stem.as_str()] >= least)
    };
    let of_flood: Vec<bool> =
        distinct.iter().zip(&stems).map(|(memory, stems)| is_of_flood(memory, stems)).collect();
    let count = of_flood.iter().filter(|of_flood| **of_flood).count();
    let mut said: BTreeSet<&str> = BTreeSet::new();
    let (mut taken, mut left_out) = (Vec::with_capacity(distinct.len()), Vec::new());
    for ((memory, stems), of_flood) in distinct.into_iter().zip(&stems).zip(of_flood) {
        let says_more = || stems.iter().any(|stem| !said.contains(stem.as_str()));
        if of_flood && !says_more() {
            let reason = Reason::new(Rule::Flood).with("alike", count).with("with_each_word", least);
            left_out.push((memory, reason));
            continue;
        }
        if of_flood {
            said.extend(stems.iter().map(String::as_str));
        }
        taken.push(memory);
    }
    (taken, left_out)
}

/// Returns the stems of a text's content words, numbers aside.
fn stems_of(text: &str, pack: &dyn LanguagePack) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    pack.content_stems(text, &mut |stem| {
        if !stem.chars().any(char::is_numeric) {
            stems.insert(stem.to_owned());
        }
    });
    stems
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;
    use nightfold_memory::Memory;

    use super::*;
    use crate::collapse::collapse_exact;

    const HEADS: [&str; 3] = ["I sit with", "I wonder about", "My mind circles back to"];
    const THINGS: [&str; 9] = ["tide", "rope", "chair", "dusk", "rain", "lamp", "sea", "hearth", "wind"];
    const TAILS: [&str; 3] = ["and it answers nothing", "and let it pass", "as before"];

    fn memory(n: usize, text: &str, fields: &serde_json::Value) -> Memory {
        let mut json = serde_json::json!({"id": format!("m{n:03}"), "npc": "Mara", "at": n, "kind": "thought", "text": text});
        json.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        serde_json::from_value(json).unwrap()
    }

    fn flood(fields: &serde_json::Value) -> Vec<Memory> {
        let texts = HEADS.iter().flat_map(|head| {
            THINGS
                .iter()
                .flat_map(move |thing| TAILS.iter().map(move |tail| format!("{head} the {thing} {tail}.")))
        });
        texts.enumerate().map(|(n, text)| memory(n, &text, fields)).collect()
    }

    fn counts(memories: &[Memory]) -> (usize, usize) {
        let (taken, left_out) = without_flood(collapse_exact(memories), 0.05, &English);
        assert!(left_out.iter().all(|(_, reason)| reason.rule == Rule::Flood));
        (taken.len(), left_out.len())
    }

    #[test]
    fn of_a_flood_those_are_taken_that_have_a_new_word() {
        let mut memories = flood(&serde_json::json!({}));
        let own = ["The ferryman drowned at noon.", "Wren sat with the tide and wept.", "Joss lit the lamp."];
        memories
            .extend(own.iter().enumerate().map(|(n, text)| memory(900 + n, text, &serde_json::json!({}))));
        let (taken, left_out) = without_flood(collapse_exact(&memories), 0.05, &English);
        assert!(own.iter().all(|text| taken.iter().any(|memory| memory.text == *text)), "{taken:#?}");
        assert!(taken.len() <= own.len() + HEADS.len() + THINGS.len() + TAILS.len(), "{}", taken.len());
        assert_eq!(taken.len() + left_out.len(), memories.len());
    }

    #[test]
    fn rated_pinned_and_told_memories_are_of_no_flood() {
        for fields in [
            serde_json::json!({"importance": 3}),
            serde_json::json!({"pinned": true}),
            serde_json::json!({"kind": "chat"}),
        ] {
            assert_eq!(counts(&flood(&fields)), (81, 0), "{fields}");
        }
    }

    #[test]
    fn short_day_of_like_memories_is_no_flood() {
        let served = |n: usize| memory(n, &format!("I served table {n}."), &serde_json::json!({}));
        assert_eq!(counts(&(0..8).map(served).collect::<Vec<_>>()), (8, 0));
        assert_eq!(counts(&(0..30).map(served).collect::<Vec<_>>()), (1, 29));
    }
}
