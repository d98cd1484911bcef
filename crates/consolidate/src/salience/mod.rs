//! Salience of a memory by itself, before its cluster is known.
//!
//! If the game rates the importance of a memory, that is its salience. Otherwise its text decides, in two ways:
//! the information in its words grows with the words that no other memory of the day contains, with names and
//! numbers and with what is stated at all, and is higher if the memory mentions the NPC itself; a linear head on
//! its vector reads how important a designer would rate it ([`learned`]). Talk is weighed by its words, anything
//! else by the head.

mod learned;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use nightfold_memory::{Analysis, Kind, LanguagePack, ModelId, Vectors};
use serde::{Deserialize, Serialize};

use self::learned::SalienceHead;
use crate::collapse::DistinctMemory;

/// Weights of the parts of information: words that no other memory of the day contains, names and numbers,
/// mention of the NPC itself, content words of any kind.
const INFORMATION_WEIGHTS: [f64; 4] = [0.4, 0.2, 0.2, 0.2];

/// Number of unique words at which their part reaches half of its maximum.
const HALF_SATURATION_WORDS: f64 = 10.0;

/// Number of names and numbers at which their part reaches half of its maximum.
const HALF_SATURATION_MARKS: f64 = 2.0;

/// Number of content words at which their part reaches half of its maximum.
const HALF_SATURATION_CONTENT: f64 = 8.0;

/// Number of content words below which talk is small talk.
const SMALL_TALK_WORDS: usize = 4;

/// Weight of the head for talk; information in words has the rest.
const HEAD_WEIGHT_CHAT: f64 = 0.2;

/// Weight of the head for anything but talk; information in words has the rest.
const HEAD_WEIGHT: f64 = 0.8;

/// Salience of a memory with the parts that it is made of, in points of importance.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Salience {
    /// Importance that the game gave; `None` if it gave none, and the text decides.
    pub rated: Option<f64>,
    /// Information in the words of an unrated memory, 0 to 10.
    pub information: Option<f64>,
    /// Importance of an unrated memory that a learned head reads from its vector, 1 to 10; `None` for vectors of a
    /// model without a head.
    pub learned: Option<f64>,
    /// The salience itself.
    pub total: f64,
}

/// Returns the salience of each memory of a day on the scale of importance, 0 to 10. `vectors` are those of the
/// memories, by `model`.
pub(crate) fn saliences(
    distinct: &[DistinctMemory],
    analyses: &[Analysis],
    vectors: &Vectors,
    model: &ModelId,
    pack: &dyn LanguagePack,
) -> Vec<Salience> {
    let head = SalienceHead::of(model);
    let mut told_by: BTreeMap<&str, usize> = BTreeMap::new();
    for stem in analyses.iter().flat_map(|a| &a.content) {
        *told_by.entry(stem).or_default() += 1;
    }
    distinct
        .iter()
        .zip(analyses)
        .zip(vectors.rows())
        .map(|((memory, analysis), vector)| {
            if memory.given {
                let rated = f64::from(memory.importance.get());
                return Salience { rated: Some(rated), total: rated, ..Salience::default() };
            }
            let alone = |stem: &str| told_by.get(stem).is_some_and(|n| *n == 1);
            let information = 10.0 * information(&pack.declarative_sentences(&memory.text), analysis, alone);
            let learned = head.as_ref().and_then(|head| head.importance(vector));
            let weight = if memory.kind == Kind::Chat { HEAD_WEIGHT_CHAT } else { HEAD_WEIGHT };
            let total =
                learned.map_or(information, |learned| weight * learned + (1.0 - weight) * information);
            Salience { information: Some(information), learned, total, ..Salience::default() }
        })
        .collect()
}

/// True if a memory is unrated chat with hardly any content words: "Wow, Caroline!", "thanks, see you soon".
pub(crate) fn is_small_talk(memory: &DistinctMemory, analysis: &Analysis) -> bool {
    is_unrated_talk(memory) && analysis.content.len() < SMALL_TALK_WORDS
}

/// True if a memory is chat without an importance.
pub(crate) fn is_unrated_talk(memory: &DistinctMemory) -> bool {
    memory.kind == Kind::Chat && !memory.given
}

/// Returns the information in the given sentences of a text, 0 to 1. `alone` is true for a stem that no other
/// memory contains.
fn information(sentences: &[Range<usize>], analysis: &Analysis, alone: impl Fn(&str) -> bool) -> f64 {
    let (mut own, mut marks, mut content, mut me) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), false);
    for sentence in sentences {
        for token in analysis.tokens_in(sentence) {
            me |= token.speaker;
            let stem = token.stem.as_str();
            if analysis.content.binary_search(&token.stem).is_ok() {
                content.insert(stem);
                if alone(stem) {
                    own.insert(stem);
                }
            }
            if token.number || analysis.names.binary_search(&token.lower).is_ok() {
                marks.insert(token.lower.as_str());
            }
        }
    }
    let saturating = |n: usize, half: f64| n as f64 / (n as f64 + half);
    let parts = [
        saturating(own.len(), HALF_SATURATION_WORDS),
        saturating(marks.len(), HALF_SATURATION_MARKS),
        f64::from(u8::from(me)),
        saturating(content.len(), HALF_SATURATION_CONTENT),
    ];
    INFORMATION_WEIGHTS.iter().zip(parts).map(|(share, part)| share * part).sum()
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;
    use nightfold_memory::Memory;

    use super::*;

    fn saliences_of(memories: &[(&str, Option<u8>)]) -> Vec<f64> {
        let distinct: Vec<DistinctMemory> = memories
            .iter()
            .enumerate()
            .map(|(i, (text, importance))| {
                let memory: Memory = serde_json::from_value(serde_json::json!({
                    "id": format!("m-{i}"), "npc": "n", "at": i, "kind": "chat", "text": text, "importance": importance
                }))
                .unwrap();
                DistinctMemory::of(&memory)
            })
            .collect();
        let analyses: Vec<Analysis> = distinct.iter().map(|d| English.analyze(&d.text, &[])).collect();
        let mut vectors = Vectors::with_capacity(1, distinct.len());
        distinct.iter().for_each(|_| vectors.push(&[1.0]).unwrap());
        let worths: Vec<f64> =
            saliences(&distinct, &analyses, &vectors, &ModelId::new("another").unwrap(), &English)
                .iter()
                .map(|salience| salience.total)
                .collect();
        assert!(worths.iter().all(|w| (0.0..=10.0).contains(w)));
        worths
    }

    #[test]
    fn stated_importance_is_the_salience() {
        let [rich, poor] =
            saliences_of(&[("I sold 14 sheep to Joss at the fair", Some(2)), ("ok", Some(9))])[..]
        else {
            panic!()
        };
        assert_eq!((rich, poor), (2.0, 9.0));
    }

    #[test]
    fn salience_grows_with_information() {
        let worths = saliences_of(&[
            ("I sold 14 sheep to Joss at the fair", None),
            ("The sheep were sold at the fair in spring", None),
            ("Did you buy 14 lambs of Bran by the old bridge?", None),
        ]);
        assert!(worths.is_sorted_by(|a, b| a > b), "{worths:?}");
        assert!(worths[2] < f64::EPSILON, "what is asked tells nothing");
    }

    #[test]
    fn shared_words_lower_salience() {
        let alone = saliences_of(&[("The mill burned down at dawn", None)])[0];
        let shared =
            saliences_of(&[("The mill burned down at dawn", None), ("At dawn the mill was burned", None)])[0];
        assert!(shared < alone);
    }
}
