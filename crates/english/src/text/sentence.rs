//! Sentences and quotations of a text: places where a text may be split, and where it may be cut.
//!
//! All spans are byte ranges of the text they were found in, and begin and end at characters.

use std::{ops::Range, vec::IntoIter};

use super::part;

/// A sentence, or a statement within a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence<'t> {
    /// The words, without white space around them.
    pub(crate) text: &'t str,
    /// Byte range of `text` in the whole text.
    pub(crate) span: Range<usize>,
    /// The mark that ends it, if any.
    end: Option<char>,
}

impl Sentence<'_> {
    /// Returns true for a question.
    pub(crate) fn is_question(&self) -> bool {
        self.end == Some('?') || self.text.ends_with('?')
    }
}

/// Splits a text into sentences: at line ends, and at full stops, exclamation and question marks before white
/// space. Quotations stay whole. A sentence holds the marks that end it; together the sentences hold every
/// word of the text.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = Sentence<'_>> {
    let quotations = quotations(text);
    split(text, true, |c, next, behind| ends_sentence(c, next) && !is_quoted(&quotations, behind))
}

/// Splits a text into statements: its sentences, split further at semicolons, at quotation marks, and at
/// colons and the ends of sentences within quotations. A statement is without the mark that ends it; parts
/// without a word are skipped.
pub(crate) fn statements(text: &str) -> impl Iterator<Item = Sentence<'_>> {
    split(text, false, |c, next, _| {
        let ends_part = || next.is_none_or(|next| next.is_whitespace() || is_quotation_mark(next));
        ends_sentence(c, next)
            || c == ';'
            || is_quotation_mark(c)
            || matches!(c, '.' | '!' | '?' | ':') && ends_part()
    })
}

/// Splits a text at the marks that are ends, given the character and the offset behind each.
fn split(
    text: &str,
    keeps_marks: bool,
    is_end: impl Fn(char, Option<char>, usize) -> bool,
) -> IntoIter<Sentence<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    let marks = text.char_indices().map(|(at, c)| (at, Some(c)));
    for (at, end) in marks.chain([(text.len(), None)]) {
        let behind = at + end.map_or(0, char::len_utf8);
        if end.is_some_and(|c| !is_end(c, part(text, behind..).chars().next(), behind)) {
            continue;
        }
        let whole = part(text, from..if keeps_marks { behind } else { at });
        let words = whole.trim();
        if words.contains(char::is_alphanumeric) || keeps_marks && !words.is_empty() {
            let start = from + whole.len() - whole.trim_start().len();
            found.push(Sentence { text: words, span: start..start + words.len(), end });
        }
        from = behind;
    }
    found.into_iter()
}

fn ends_sentence(c: char, next: Option<char>) -> bool {
    is_line_end(c) || matches!(c, '.' | '!' | '?') && next.is_none_or(char::is_whitespace)
}

/// Returns true for marks that start a sentence, behind which a capital need not be that of a name.
pub(crate) fn opens_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | ':') || QUOTATION_MARKS.iter().any(|(open, _)| *open == c) || is_line_end(c)
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Marks that open and close a quotation, and are never an apostrophe.
const QUOTATION_MARKS: [(char, char); 7] = [
    ('"', '"'),
    ('\u{201c}', '\u{201d}'),
    ('\u{201e}', '\u{201c}'),
    ('\u{ab}', '\u{bb}'),
    ('\u{2039}', '\u{203a}'),
    ('\u{300c}', '\u{300d}'),
    ('\u{300e}', '\u{300f}'),
];

/// Returns true for a mark that opens or closes a quotation and is never an apostrophe.
pub(crate) fn is_quotation_mark(c: char) -> bool {
    QUOTATION_MARKS.iter().any(|(open, close)| [*open, *close].contains(&c))
}

/// Returns true for a mark that may close a quotation, an apostrophe among them.
pub(crate) fn is_closing_mark(c: char) -> bool {
    is_quotation_mark(c) || matches!(c, '\'' | '\u{2018}' | '\u{2019}')
}

/// Returns true if a cut at this byte offset would split a quotation.
pub(crate) fn is_quoted(quotations: &[Range<usize>], at: usize) -> bool {
    let behind = quotations.partition_point(|q| q.end <= at);
    quotations.get(behind).is_some_and(|q| q.start < at)
}

/// Finds the quotations of a text, marks included, in order and without overlap. One that is never closed
/// lasts to the end of the text; one within another is a part of it. An apostrophe opens none.
pub(crate) fn quotations(text: &str) -> Vec<Range<usize>> {
    let mut found = double_quotations(text);
    found.extend(single_quotations(text));
    found.sort_unstable_by_key(|q| (q.start, q.end));
    found.dedup_by(|next, last| {
        let overlap = next.start < last.end;
        if overlap {
            last.end = last.end.max(next.end);
        }
        overlap
    });
    found
}

fn double_quotations(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let behind = part(text, at + c.len_utf8()..);
        // The mark in "12\" planks" opens nothing.
        let is_inch = c == '"'
            && !before.is_whitespace()
            && (before.is_numeric() || behind.is_empty() || behind.starts_with(char::is_whitespace));
        let marks = QUOTATION_MARKS.iter().find(|(open, _)| *open == c);
        if let Some((_, close)) = marks.filter(|_| !is_inch && found.last().is_none_or(|last| last.end <= at))
        {
            let length = behind.find(*close).map_or(behind.len(), |end| end + close.len_utf8());
            found.push(at..at + c.len_utf8() + length);
        }
        before = c;
    }
    found
}

/// Finds quotations in single marks: they open before a word and not behind one, and close behind a word and
/// not before one.
fn single_quotations(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let behind = at + c.len_utf8();
        let next = part(text, behind..).chars().next().unwrap_or(' ');
        let opens = matches!(c, '\'' | '\u{2018}' | '\u{201a}') && !before.is_alphanumeric();
        let closes = matches!(c, '\'' | '\u{2018}' | '\u{2019}') && !before.is_whitespace();
        match open {
            None if opens && !next.is_whitespace() => open = Some(at),
            Some(from) if closes && !next.is_alphanumeric() => {
                found.push(from..behind);
                open = None;
            }
            _ => {}
        }
        before = c;
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &str) -> Vec<&str> {
        statements(text).map(|s| s.text).collect()
    }

    fn cut(text: &str) -> Vec<&str> {
        sentences(text).map(|s| s.text).collect()
    }

    fn quoted(text: &str) -> Vec<&str> {
        quotations(text).into_iter().filter_map(|span| text.get(span)).collect()
    }

    #[test]
    fn statements_are_split_at_ends_and_quotation_marks() {
        assert_eq!(
            split("It stands. \"The bridge has not fallen!\" he said; I paid 3.5 silver."),
            ["It stands", "The bridge has not fallen", "he said", "I paid 3.5 silver"]
        );
        assert_eq!(split("Joss said: \u{ab}No.\u{bb} I left"), ["Joss said", "No", "I left"]);
        assert_eq!(split("one\u{2028}two\nthree\u{2029}four"), ["one", "two", "three", "four"]);
        assert!(split(" \u{a0}\u{2003}").is_empty() && split("...").is_empty() && split("").is_empty());
    }

    #[test]
    fn questions_are_recognised_by_the_mark_that_ends_them() {
        let asks: Vec<bool> =
            statements("Who came? What?! Joss. \"Why?\" he said").map(|s| s.is_question()).collect();
        assert_eq!(asks, [true, true, false, true, false]);
    }

    #[test]
    fn spans_are_ranges_of_the_original_text() {
        let text = "Ida told us all: \" The mill burns at the caf\u{e9}. Run!\"";
        for sentence in statements(text).chain(sentences(text)) {
            assert_eq!(text.get(sentence.span.clone()), Some(sentence.text));
        }
        assert_eq!(split(text), ["Ida told us all", "The mill burns at the caf\u{e9}", "Run"]);
    }

    #[test]
    fn quotations_are_found_with_all_usual_marks() {
        for (text, found) in [
            ("He said \"go. Now.\" and left", vec!["\"go. Now.\""]),
            (
                "\u{201c}go\u{201d} and \u{201c}stay\u{201d}",
                vec!["\u{201c}go\u{201d}", "\u{201c}stay\u{201d}"],
            ),
            ("\u{201e}geh. Jetzt\u{201c} rief er", vec!["\u{201e}geh. Jetzt\u{201c}"]),
            ("\u{ab} va. Vite \u{bb} dit-il", vec!["\u{ab} va. Vite \u{bb}"]),
            ("'go. Now,' he said", vec!["'go. Now,'"]),
            ("\u{2018}I don\u{2019}t. No\u{2019} he said", vec!["\u{2018}I don\u{2019}t. No\u{2019}"]),
            ("\u{201c}He said \"go. Now\". Go\u{201d} x", vec!["\u{201c}He said \"go. Now\". Go\u{201d}"]),
            ("he said:\"go. Now\" and", vec!["\"go. Now\""]),
            ("he said \"go. Now and left", vec!["\"go. Now and left"]),
        ] {
            assert_eq!(quoted(text), found, "{text}");
        }
    }

    #[test]
    fn apostrophes_and_inches_are_no_quotations() {
        for text in [
            "I don't. It's Joss's.",
            "a 12\" plank. A 6\" one.",
            "the dogs' bowl. It is old.",
            "rock 'n roll. No",
        ] {
            assert!(quotations(text).is_empty(), "{text}: {:?}", quoted(text));
        }
    }

    #[test]
    fn sentences_end_outside_quotations() {
        assert_eq!(
            cut("I saw her.  She said, \"I know it. I still want the other.\" I left! Why?"),
            ["I saw her.", "She said, \"I know it. I still want the other.\" I left!", "Why?"]
        );
        assert_eq!(cut("He said 'No. Never.' Then he left."), ["He said 'No. Never.' Then he left."]);
        assert_eq!(cut("Wait... what?! 3.5 silver."), ["Wait...", "what?!", "3.5 silver."]);
        assert_eq!(cut("The gate is shut\nI left; Tom stayed"), ["The gate is shut", "I left; Tom stayed"]);
    }

    #[test]
    fn many_quotation_marks_are_read_in_linear_time() {
        for part in ["\u{201c}a\" ", "'a ", "\" ", "\u{201e}a", "\u{bb}a ", "a. \u{201d} "] {
            let text = part.repeat(50_000);
            assert!(quotations(&text).len() <= text.len());
            assert!(sentences(&text).count() <= text.len());
        }
    }

    proptest! {
        #[test]
        fn spans_do_not_overlap_and_lie_at_characters(
            text in "[\"'\u{201c}\u{201d}\u{201e}\u{ab}\u{bb}\u{2018}\u{2019}.!?:; \u{a0}\u{2028}\n\u{301}\u{130}a\u{e9}\u{1f600}\u{5d0}]{0,60}",
        ) {
            let mut end = 0;
            for sentence in statements(&text) {
                prop_assert!(end <= sentence.span.start);
                prop_assert_eq!(text.get(sentence.span.clone()), Some(sentence.text));
                end = sentence.span.end;
            }
            let found = quotations(&text);
            prop_assert!(found.windows(2).all(|w| w[0].end <= w[1].start));
            prop_assert!(found.iter().all(|q| text.get(q.clone()).is_some() && !q.is_empty()));
            let cuts: Vec<_> = sentences(&text).map(|s| s.span).collect();
            prop_assert!(cuts.windows(2).all(|w| w[0].end <= w[1].start));
            prop_assert!(cuts.iter().rev().skip(1).all(|c| !is_quoted(&found, c.end)));
            let left = |t: &str| t.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let joined: String = cuts.iter().filter_map(|c| text.get(c.clone())).collect();
            prop_assert_eq!(left(&joined), left(&text));
        }
    }
}
