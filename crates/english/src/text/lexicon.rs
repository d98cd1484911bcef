//! Word lists: closed classes of English, small enough to read.

#![expect(clippy::disallowed_types, reason = "every word of every text is looked up, and none is listed")]

use std::{collections::HashMap, sync::LazyLock};

use foldhash::fast::FixedState;

const STOPWORDS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "back", "be",
    "because", "been", "before", "being", "but", "by", "can", "could", "did", "do", "does", "doing", "done",
    "down", "for", "from", "get", "got", "had", "has", "have", "having", "he", "her", "here", "hers", "him",
    "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "like", "made", "make", "me", "more",
    "most", "much", "must", "my", "need", "needs", "no", "not", "now", "of", "off", "on", "once", "only",
    "or", "other", "our", "out", "over", "own", "please", "said", "say", "says", "she", "should", "so",
    "some", "still", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "through", "to", "told", "too", "under", "until", "up", "us", "very", "was", "we",
    "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "yet", "you",
    "your",
];

/// Words that negate a statement, or nearly. The only such list: text is read through [`is_negation`].
const NEGATIONS: &[&str] = &[
    "barely", "cannot", "hardly", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing",
    "nowhere", "rarely", "scarcely", "seldom", "without",
];

const NUMBER_WORDS: &[&str] = &[
    "dozen",
    "eight",
    "eighteen",
    "eighty",
    "eleven",
    "fifteen",
    "fifty",
    "five",
    "forty",
    "four",
    "fourteen",
    "half",
    "hundred",
    "nine",
    "nineteen",
    "ninety",
    "seven",
    "seventeen",
    "seventy",
    "six",
    "sixteen",
    "sixty",
    "ten",
    "thirteen",
    "thirty",
    "thousand",
    "three",
    "twelve",
    "twenty",
    "two",
];

/// Lists that a word is in, a bit for each.
static LISTED: LazyLock<HashMap<&str, u8, FixedState>> = LazyLock::new(|| {
    let mut listed = HashMap::with_hasher(FixedState::default());
    for (list, bit) in [(STOPWORDS, STOPWORD), (NEGATIONS, NEGATION), (NUMBER_WORDS, NUMBER)] {
        list.iter().for_each(|word| *listed.entry(*word).or_default() |= bit);
    }
    listed
});
const STOPWORD: u8 = 1;
const NEGATION: u8 = 2;
const NUMBER: u8 = 4;

fn is(lower: &str, list: u8) -> bool {
    LISTED.get(lower).is_some_and(|lists| lists & list != 0)
}

/// True for a word of a closed class, which carries no theme.
pub(crate) fn is_stopword(lower: &str) -> bool {
    is(lower, STOPWORD)
}

/// True for a word that negates a statement, contractions included.
pub(crate) fn is_negation(lower: &str) -> bool {
    is(lower, NEGATION) || lower.ends_with("n't") || lower.ends_with("n\u{2019}t")
}

/// True for a number that is written out. "One" is left out: it mostly means "someone".
pub(super) fn is_number_word(lower: &str) -> bool {
    is(lower, NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_negations_and_contractions_are_negations() {
        for word in ["not", "seldom", "rarely", "hardly", "without", "won't", "isn\u{2019}t"] {
            assert!(is_negation(word), "{word}");
        }
        assert!(!["often", "note", "want", "sell"].iter().any(|word| is_negation(word)));
    }
}
