//! Sentences and quotations of a text: places where a text may be split, and where it may be cut.
//!
//! All spans are byte ranges of the text they were found in, and begin and end at characters.

use std::{iter::Peekable, ops::Range, str::CharIndices};

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
pub(crate) fn sentences(text: &str) -> Sentences<'_> {
    Sentences::new(text, Unit::Sentence(quotations(text)))
}

/// Splits a text into statements: its sentences, split further at semicolons, at quotation marks, and at
/// colons and the ends of sentences within quotations. A statement is without the mark that ends it; parts
/// without a word are skipped.
pub(crate) fn statements(text: &str) -> Sentences<'_> {
    Sentences::new(text, Unit::Statement)
}

/// Unit into which a text is split.
enum Unit {
    /// Sentences outside these quotations.
    Sentence(Vec<Range<usize>>),
    Statement,
}

/// Iterator returned by [`sentences`] and [`statements`].
pub(crate) struct Sentences<'t> {
    text: &'t str,
    unit: Unit,
    /// Start of the next sentence; `None` behind the last one.
    from: Option<usize>,
    chars: Peekable<CharIndices<'t>>,
}

impl<'t> Sentences<'t> {
    fn new(text: &'t str, unit: Unit) -> Self {
        Self { text, unit, from: Some(0), chars: text.char_indices().peekable() }
    }

    /// Returns the end of the sentence at a mark, if the text is split there.
    fn end_at(&self, mark: Mark, at: usize, behind: usize) -> Option<usize> {
        match &self.unit {
            Unit::Sentence(quotations) => {
                (mark == Mark::Sentence && !is_quoted(quotations, behind)).then_some(behind)
            }
            Unit::Statement => Some(at),
        }
    }
}

impl<'t> Iterator for Sentences<'t> {
    type Item = Sentence<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(from) = self.from.take() {
            let mut part = from..self.text.len();
            let mut end = None;
            while let Some((at, c)) = self.chars.next() {
                let behind = at + c.len_utf8();
                let mark = Mark::of(c, self.chars.peek().map(|&(_, next)| next));
                if let Some(split) = mark.and_then(|mark| self.end_at(mark, at, behind)) {
                    part.end = split;
                    end = Some(c);
                    self.from = Some(behind);
                    break;
                }
            }
            let span = trimmed(self.text, part);
            let words = self.text.get(span.clone()).unwrap_or_default();
            let tells = match self.unit {
                Unit::Sentence(_) => !words.is_empty(),
                Unit::Statement => words.contains(char::is_alphanumeric),
            };
            if tells {
                return Some(Sentence { text: words, span, end });
            }
        }
        None
    }
}

/// A mark at which a text may be split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Ends a sentence.
    Sentence,
    /// Separates statements of a sentence.
    Statement,
}

impl Mark {
    fn of(c: char, next: Option<char>) -> Option<Self> {
        let ends = matches!(c, '.' | '!' | '?');
        let quotes = |n: char| is_quotation_mark(n) && is_closing_mark(n);
        if is_line_end(c) || ends && next.is_none_or(char::is_whitespace) {
            Some(Self::Sentence)
        } else if c == ';' || is_quotation_mark(c) {
            Some(Self::Statement)
        } else {
            let separates = ends || c == ':';
            (separates && next.is_none_or(|n| n.is_whitespace() || quotes(n))).then_some(Self::Statement)
        }
    }
}

/// Returns true for marks that start a sentence, behind which a capital need not be that of a name.
pub(crate) fn opens_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '"' | ':' | '\u{ab}' | '\u{201c}' | '\u{201e}' | '\u{2039}')
        || is_line_end(c)
}

/// Returns true for characters that end a line.
pub(crate) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns true for a mark that opens or closes a quotation and is never an apostrophe.
pub(crate) fn is_quotation_mark(c: char) -> bool {
    matches!(c, '"' | '\u{ab}' | '\u{bb}' | '\u{201c}'..='\u{201f}' | '\u{2039}' | '\u{203a}' | '\u{300c}'..='\u{300f}')
}

/// Returns true for a mark that may close a quotation, an apostrophe among them.
pub(crate) fn is_closing_mark(c: char) -> bool {
    matches!(c, '"' | '\'' | '\u{ab}' | '\u{bb}' | '\u{2018}'..='\u{2019}' | '\u{201c}'..='\u{201d}')
        || matches!(c, '\u{2039}' | '\u{203a}' | '\u{300d}' | '\u{300f}')
}

/// Returns the range without white space at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let end = range.start + part.trim_end().len();
    range.start + (part.len() - part.trim_start().len()).min(end - range.start)..end
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
    let singles = single_quotations(text);
    if singles.is_empty() {
        return found;
    }
    found.extend(singles);
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

/// Returns the marks that may close a quotation, the most likely first.
fn closing_marks(open: char) -> &'static [char] {
    match open {
        '"' => &['"', '\u{201d}', '\u{201c}'],
        '\u{201c}' | '\u{201d}' | '\u{201f}' => &['\u{201d}', '"'],
        '\u{201e}' => &['\u{201c}', '\u{201d}', '"'],
        '\u{ab}' => &['\u{bb}'],
        '\u{bb}' => &['\u{ab}', '\u{bb}'],
        '\u{2039}' => &['\u{203a}'],
        '\u{203a}' => &['\u{2039}', '\u{203a}'],
        '\u{300c}' => &['\u{300d}'],
        '\u{300e}' => &['\u{300f}'],
        _ => &[],
    }
}

/// Returns true if a quotation mark with these neighbours opens a quotation; the one in "12\" planks" does
/// not.
fn opens_quotation(c: char, before: Option<char>, next: Option<char>) -> bool {
    let space_before = before.is_none_or(char::is_whitespace);
    let space_behind = next.is_none_or(char::is_whitespace);
    match c {
        '"' => space_before || !(space_behind || before.is_some_and(char::is_numeric)),
        '\u{201d}' | '\u{bb}' | '\u{203a}' => space_before && !space_behind,
        _ => !closing_marks(c).is_empty(),
    }
}

fn double_quotations(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Closing marks that are missing in the rest of the text: no text is searched to its end twice.
    let mut missing: Vec<char> = Vec::new();
    let mut before = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let rest = chars.as_str();
        if is_quotation_mark(c) && opens_quotation(c, before, rest.chars().next()) {
            let from = text.len() - rest.len();
            let length = closing_marks(c).iter().find_map(|&close| {
                let length = (!missing.contains(&close)).then(|| closed_length(rest, c, close))?;
                if length.is_none() {
                    missing.push(close);
                }
                length
            });
            let Some(length) = length else {
                found.push(at..text.len());
                return found;
            };
            found.push(at..from + length);
            // Behind the closing mark, which is the last character read.
            while chars.offset() < from + length {
                before = chars.next().map(|(_, c)| c);
            }
        } else {
            before = Some(c);
        }
    }
    found
}

/// Returns the number of bytes up to the `close` that matches `open`, that mark included.
fn closed_length(rest: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, c) in rest.char_indices() {
        if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + c.len_utf8());
            }
        } else if c == open {
            depth += 1;
        }
    }
    None
}

/// Finds quotations in single marks: they open before a word and not behind one, and close behind a word and
/// not before one.
fn single_quotations(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<usize> = None;
    let mut before: Option<char> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|&(_, n)| n);
        match open {
            None if matches!(c, '\'' | '\u{2018}' | '\u{201a}') => {
                let opens =
                    !before.is_some_and(char::is_alphanumeric) && next.is_some_and(|n| !n.is_whitespace());
                open = opens.then_some(at);
            }
            Some(from) if matches!(c, '\'' | '\u{2018}' | '\u{2019}') => {
                let closes =
                    before.is_some_and(|b| !b.is_whitespace()) && !next.is_some_and(char::is_alphanumeric);
                if closes {
                    found.push(from..at + c.len_utf8());
                    open = None;
                }
            }
            _ => {}
        }
        before = Some(c);
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
            ("\u{bb}geh. Jetzt\u{ab} rief er", vec!["\u{bb}geh. Jetzt\u{ab}"]),
            ("'go. Now,' he said", vec!["'go. Now,'"]),
            ("\u{2018}I don\u{2019}t. No\u{2019} he said", vec!["\u{2018}I don\u{2019}t. No\u{2019}"]),
            (
                "\u{201c}He said \u{201c}go. Now\u{201d}. Go\u{201d} x",
                vec!["\u{201c}He said \u{201c}go. Now\u{201d}. Go\u{201d}"],
            ),
            ("\u{201c}He said \"go. Now\". Go\u{201d} x", vec!["\u{201c}He said \"go. Now\". Go\u{201d}"]),
            ("he said:\"go. Now\" and", vec!["\"go. Now\""]),
            ("he said \u{201c}go. Now\" and", vec!["\u{201c}go. Now\""]),
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
