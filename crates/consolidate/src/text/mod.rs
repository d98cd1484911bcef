//! Reading a memory's words: tokens, numbers, names, negations, stems. English.

mod lexicon;
mod sentence;
mod terms;
mod token;

use std::slice::SliceIndex;

pub(crate) use lexicon::{is_negation, is_stopword};
pub(crate) use sentence::{
    cuttable, is_closing_mark, is_line_end, is_quotation_mark, is_quoted, quotations, sentences, word_starts,
};
pub(crate) use terms::{Frequencies, slug, telling_terms, title};
pub(crate) use token::{Analysis, Token, Vocabulary, stem, tokens};

/// The text without white space at its ends and without closing full stops.
pub(crate) fn bare(text: &str) -> &str {
    text.trim().trim_end_matches(['.', ' '])
}

/// Returns the part of a text in a byte range, which is empty where the range is none of this text. No text panics.
pub(crate) fn part(text: &str, range: impl SliceIndex<str, Output = str>) -> &str {
    text.get(range).unwrap_or_default()
}

/// Returns true for a word as it is written with the ending of whom something belongs to.
pub(crate) fn is_possessive(written: &str) -> bool {
    written.ends_with("'s") || written.ends_with("\u{2019}s")
}

/// Whether the words stand in the text as they are: not as the beginning of a longer word or number.
pub(crate) fn holds_words(text: &str, words: &str) -> bool {
    let words = words.trim();
    let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    // "1" does not stand in "1.5", nor "14" in "14:30".
    let goes_on = |rest: &str| {
        let mut rest = rest.chars();
        let first = rest.next();
        joins(first) || (matches!(first, Some('.' | ',' | ':' | '-' | '\'')) && joins(rest.next()))
    };
    text.match_indices(words).any(|(at, found)| {
        let (before, rest) = text.split_at_checked(at).unwrap_or_default();
        !joins(before.chars().next_back()) && !goes_on(rest.strip_prefix(found).unwrap_or_default())
    })
}

/// How much two sets of sorted, distinct items share: Jaccard's index, 1 for two empty sets.
pub(crate) fn jaccard<T: Ord>(a: &[T], b: &[T]) -> f64 {
    let (mut shared, mut at, mut of) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(at), b.get(of)) {
        let order = x.cmp(y);
        shared += usize::from(order.is_eq());
        at += usize::from(order.is_le());
        of += usize::from(order.is_ge());
    }
    let all = a.len() + b.len() - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::holds_words;

    #[test]
    fn words_stand_whole_or_not_at_all() {
        assert!(holds_words("\u{201c}the granary holds 1\u{201d}; and", "the granary holds 1"));
        assert!(holds_words("it was so. the granary holds 1.", "the granary holds 1"));
        for longer in [
            "the granary holds 12",
            "the granary holds 1.5",
            "the granary holds 1:30",
            "the granary holds 1st",
        ] {
            assert!(!holds_words(longer, "the granary holds 1"), "{longer}");
        }
        assert!(!holds_words("the old baker can wince", "the old baker can win"));
    }
}
