//! Closed classes of English words. The lists are data: `data/stance/classes.txt`.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

static CLASSES: LazyLock<BTreeMap<&'static str, BTreeSet<&'static str>>> = LazyLock::new(|| {
    let mut classes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut class = "";
    for line in
        include_str!("../../data/stance/classes.txt").lines().filter(|l| !l.is_empty() && !l.starts_with('#'))
    {
        match line.strip_prefix('[') {
            Some(name) => class = name.trim_end_matches(']'),
            None => classes.entry(class).or_default().extend(line.split_whitespace()),
        }
    }
    classes
});

fn has(class: &str, word: &str) -> bool {
    CLASSES.get(class).is_some_and(|words| words.contains(word))
}

/// What is told to hold of all, of most, of some.
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

/// Small words that turn a place or a direction round.
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
    has("function", word)
}

pub(super) fn is_determiner(word: &str) -> bool {
    has("determiners", word)
}

pub(super) fn is_auxiliary(word: &str) -> bool {
    has("auxiliaries", word)
}

pub(super) fn is_be(word: &str) -> bool {
    has("be", word)
}

pub(super) fn is_preposition(word: &str) -> bool {
    has("prepositions", word)
}

pub(super) fn is_negation(word: &str) -> bool {
    has("negations", word) || word.ends_with("n't")
}

pub(super) fn is_ceasing(word: &str) -> bool {
    has("ceasing", word)
}

pub(super) fn is_hedge(word: &str) -> bool {
    has("hedges", word)
}

pub(super) fn is_speech(word: &str) -> bool {
    has("speech", word)
}

pub(super) fn is_time(word: &str) -> bool {
    has("times", word)
}

pub(super) fn is_mutual(word: &str) -> bool {
    has("mutual", word)
}

pub(super) fn is_one_valued(word: &str) -> bool {
    has("one-valued", word)
}

pub(super) fn is_past(word: &str) -> bool {
    has("past", word)
}

pub(super) fn is_present(word: &str) -> bool {
    has("present", word)
}

/// How much of what there is a quantifier speaks of: 0 of little, 3 of all.
pub(super) fn quantity(word: &str) -> Option<i8> {
    QUANTIFIERS.binary_search_by_key(&word, |q| q.0).ok().map(|at| QUANTIFIERS[at].1)
}

/// The small words of a pair of directions.
pub(super) fn directions() -> impl Iterator<Item = (&'static str, &'static str)> {
    DIRECTIONS.iter().copied()
}

/// One form for "I" and "me", "he" and "him".
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
    fn every_class_is_there() {
        for class in [
            "function",
            "determiners",
            "auxiliaries",
            "be",
            "prepositions",
            "negations",
            "ceasing",
            "hedges",
            "speech",
            "times",
            "mutual",
            "one-valued",
            "past",
            "present",
        ] {
            assert!(CLASSES.get(class).is_some_and(|words| !words.is_empty()), "{class}");
        }
        assert_eq!(CLASSES.len(), 14, "a class that nothing asks for");
        assert!(QUANTIFIERS.is_sorted_by_key(|q| q.0));
    }
}
