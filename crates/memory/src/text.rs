//! Analyses of texts by a language pack: words, names, numbers and negations as plain values.

use std::{ops::Range, slice::SliceIndex};

use crate::grammar::Grammar;

/// Word with its position in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of a word by itself")]
pub struct Token {
    /// Byte offset of its first character.
    pub start: usize,
    /// Byte offset after its last character, endings such as a possessive included.
    pub end: usize,
    /// Byte offset after the word itself, without a possessive ending.
    pub word_end: usize,
    /// Word in lower case, with straight apostrophes and without a possessive ending.
    pub lower: String,
    /// Stem that all forms of the word share.
    pub stem: String,
    /// True if it begins with a capital letter.
    pub capital: bool,
    /// True for the first word of a sentence or of quoted speech.
    pub starts_sentence: bool,
    /// True for a number, in digits or words.
    pub number: bool,
    /// True for a word of a closed class ("the", "of"), which says nothing about a subject.
    pub function: bool,
    /// True for a word that negates a statement, or nearly ("not", "hardly").
    pub negation: bool,
    /// True for a word that refers to the speaker, alone or among others ("I", "our").
    pub speaker: bool,
    /// True for a word that can name a theme: no number, function word, negation or very common word.
    pub names_theme: bool,
}

impl Token {
    /// Returns the word as written in the text, with its endings.
    pub fn written<'t>(&self, text: &'t str) -> &'t str {
        part(text, self.start..self.end)
    }

    /// Returns the word as written in the text, without a possessive ending.
    pub fn word<'t>(&self, text: &'t str) -> &'t str {
        part(text, self.start..self.word_end)
    }
}

/// Analysis of a text: its words and what they say. All lists but `tokens` and `name_order` are sorted and
/// distinct.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Analysis {
    /// Words, in order.
    pub tokens: Vec<Token>,
    /// Stems of content words, names and numbers included.
    pub content: Vec<String>,
    /// Numbers, in digits or words.
    pub numbers: Vec<String>,
    /// Words that look like proper names, in lower case.
    pub names: Vec<String>,
    /// Names in the order of their first occurrence, which shows who does something to whom.
    pub name_order: Vec<String>,
    /// Content that is neither a number nor a name: the subject of the statement.
    pub plain_content: Vec<String>,
    /// Number of words that negate a statement.
    pub negations: usize,
    /// True if the first word is a common one, capitalised only because it is first.
    pub starts_common: bool,
    /// Grammar of the text, if an embedder read it.
    pub grammar: Option<Grammar>,
}

impl Analysis {
    /// Returns the words that begin in a byte range of the text.
    pub fn tokens_in(&self, span: &Range<usize>) -> &[Token] {
        let at = |byte: usize| self.tokens.partition_point(|t| t.start < byte);
        self.tokens.get(at(span.start)..at(span.end)).unwrap_or_default()
    }
}

/// Returns the part of a text in a byte range; empty if the range is not one of this text. No range causes a
/// panic.
pub fn part(text: &str, range: impl SliceIndex<str, Output = str>) -> &str {
    text.get(range).unwrap_or_default()
}

/// True if the text contains the words as whole words: not as the beginning of a longer word or number.
pub fn contains_words(text: &str, words: &str) -> bool {
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

/// Returns the Jaccard index (1912) of two sorted lists of distinct items: the share of all items that both
/// contain, 1 for two empty lists.
pub fn jaccard<T: Ord>(a: &[T], b: &[T]) -> f64 {
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
    use super::contains_words;

    #[test]
    fn only_whole_words_are_contained() {
        assert!(contains_words("\u{201c}the granary holds 1\u{201d}; and", "the granary holds 1"));
        assert!(contains_words("it was so. the granary holds 1.", "the granary holds 1"));
        for longer in [
            "the granary holds 12",
            "the granary holds 1.5",
            "the granary holds 1:30",
            "the granary holds 1st",
        ] {
            assert!(!contains_words(longer, "the granary holds 1"), "{longer}");
        }
        assert!(!contains_words("the old baker can wince", "the old baker can win"));
    }
}
