//! Closed classes of English words. The lists are data: `data/stance/classes.txt`.

#![expect(clippy::disallowed_types, reason = "every word of every text is looked up, and none is listed")]

use std::{collections::HashMap, sync::LazyLock};

use foldhash::fast::FixedState;

/// Names of the classes in the file.
const NAMES: [&str; 13] = [
    "function",
    "determiners",
    "auxiliaries",
    "be",
    "prepositions",
    "ceasing",
    "hedges",
    "speech",
    "times",
    "mutual",
    "one-valued",
    "past",
    "present",
];

/// A class; its discriminant is the index of its name.
#[derive(Clone, Copy)]
enum WordClass {
    Function,
    Determiner,
    Auxiliary,
    Be,
    Preposition,
    Ceasing,
    Hedge,
    Speech,
    Time,
    Mutual,
    OneValued,
    Past,
    Present,
}

/// Classes of each word, a bit for each.
static CLASSES: LazyLock<HashMap<&'static str, u16, FixedState>> = LazyLock::new(|| {
    let mut classes: HashMap<&str, u16, _> = HashMap::with_hasher(FixedState::default());
    let mut bit = 0;
    for line in
        include_str!("../../data/stance/classes.txt").lines().filter(|l| !l.is_empty() && !l.starts_with('#'))
    {
        match line.strip_prefix('[').map(|name| name.trim_end_matches(']')) {
            Some(class) => bit = NAMES.iter().position(|name| *name == class).map_or(0, |at| 1 << at),
            None => line.split_whitespace().for_each(|word| *classes.entry(word).or_default() |= bit),
        }
    }
    classes
});

fn has(class: WordClass, word: &str) -> bool {
    CLASSES.get(word).is_some_and(|classes| classes & 1 << class as u16 != 0)
}

/// Quantifiers with their degree, from 0 (few) to 3 (all).
const QUANTIFIERS: &[(&str, i8)] = &[
    ("all", 3),
    ("always", 3),
    ("any", 3),
    ("each", 3),
    ("every", 3),
    ("everybody", 3),
    ("everyone", 3),
    ("everything", 3),
    ("few", 0),
    ("half", 1),
    ("many", 2),
    ("most", 2),
    ("mostly", 2),
    ("often", 2),
    ("several", 1),
    ("some", 1),
    ("somebody", 1),
    ("someone", 1),
    ("something", 1),
    ("sometimes", 1),
    ("usually", 2),
];

/// Pairs of words with opposed places or directions.
const DIRECTIONS: &[(&str, &str)] = &[
    ("above", "below"),
    ("after", "before"),
    ("from", "to"),
    ("in", "out"),
    ("inside", "outside"),
    ("into", "out"),
    ("off", "on"),
    ("over", "under"),
    ("on", "under"),
    ("up", "down"),
    ("with", "without"),
    ("front", "behind"),
    ("behind", "in"),
    ("in", "under"),
    ("more", "less"),
    ("for", "against"),
];

pub(super) fn is_function(word: &str) -> bool {
    has(WordClass::Function, word)
}

pub(super) fn is_determiner(word: &str) -> bool {
    has(WordClass::Determiner, word)
}

pub(super) fn is_auxiliary(word: &str) -> bool {
    has(WordClass::Auxiliary, word)
}

pub(super) fn is_be(word: &str) -> bool {
    has(WordClass::Be, word)
}

pub(super) fn is_preposition(word: &str) -> bool {
    has(WordClass::Preposition, word)
}

pub(super) fn is_ceasing(word: &str) -> bool {
    has(WordClass::Ceasing, word)
}

pub(super) fn is_hedge(word: &str) -> bool {
    has(WordClass::Hedge, word)
}

pub(super) fn is_speech(word: &str) -> bool {
    has(WordClass::Speech, word)
}

pub(super) fn is_time(word: &str) -> bool {
    has(WordClass::Time, word)
}

pub(super) fn is_mutual(word: &str) -> bool {
    has(WordClass::Mutual, word)
}

pub(super) fn is_one_valued(word: &str) -> bool {
    has(WordClass::OneValued, word)
}

pub(super) fn is_past(word: &str) -> bool {
    has(WordClass::Past, word)
}

pub(super) fn is_present(word: &str) -> bool {
    has(WordClass::Present, word)
}

/// Returns the degree of a quantifier: 0 for few, 3 for all.
pub(super) fn quantity(word: &str) -> Option<i8> {
    QUANTIFIERS.binary_search_by_key(&word, |q| q.0).ok().map(|at| QUANTIFIERS[at].1)
}

/// Returns the bit of a word of place or direction.
pub(super) fn direction(word: &str) -> Option<u32> {
    TURNING.bits.get(word).copied()
}

/// Returns the pairs of opposed directions, each word by its bit.
pub(super) fn directions() -> &'static [(u32, u32)] {
    &TURNING.pairs
}

/// Bits of the words in [`DIRECTIONS`], and the pairs of these bits.
struct OpposedDirections {
    bits: HashMap<&'static str, u32, FixedState>,
    pairs: Vec<(u32, u32)>,
}

static TURNING: LazyLock<OpposedDirections> = LazyLock::new(|| {
    let mut bits: HashMap<&str, u32, _> = HashMap::default();
    let mut bit = |word| {
        let next = 1 << bits.len();
        *bits.entry(word).or_insert(next)
    };
    let pairs = DIRECTIONS.iter().map(|(a, b)| (bit(*a), bit(*b))).collect();
    OpposedDirections { bits, pairs }
});

/// Returns one form for all cases of a personal pronoun: "i" for "I" and "me", "he" for "he" and "him".
pub(super) fn person(word: &str) -> Option<&'static str> {
    Some(match word {
        "i" | "me" | "i'm" | "i've" | "i'd" | "i'll" => "i",
        "we" | "us" | "we're" | "we've" | "we'd" | "we'll" => "we",
        "you" | "you're" | "you've" | "you'd" | "you'll" => "you",
        "he" | "him" | "he'd" | "he'll" => "he",
        "she" | "she'd" | "she'll" => "she",
        "they" | "them" | "they're" | "they've" | "they'd" | "they'll" => "they",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_read_from_file() {
        let file = include_str!("../../data/stance/classes.txt");
        let named: Vec<&str> =
            file.lines().filter_map(|l| l.strip_prefix('[')).map(|l| l.trim_end_matches(']')).collect();
        assert_eq!(named, NAMES);
        for (at, name) in NAMES.iter().enumerate() {
            assert!(CLASSES.values().any(|classes| classes & 1 << at != 0), "{name}");
        }
        assert_eq!(WordClass::Present as usize, NAMES.len() - 1);
        assert!(
            has(WordClass::OneValued, "live")
                && has(WordClass::Speech, "say")
                && !has(WordClass::Past, "live")
        );
        assert!(QUANTIFIERS.is_sorted_by_key(|q| q.0));
    }
}
