//! Placeholders of templates that were never filled in: `<random>`, `{name}`, `[item]`.

use std::ops::Range;

/// Pairs of marks around a placeholder.
const MARKS: [(char, char); 3] = [('<', '>'), ('[', ']'), ('{', '}')];
/// Maximum length of a placeholder, in characters; longer parts in brackets are text.
const MAX_CHARS: usize = 40;

/// Returns the byte ranges of placeholders, their marks included, in order.
pub(crate) fn placeholders(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut after = 0;
    for (start, open) in text.char_indices() {
        let Some((_, close)) = MARKS.iter().find(|(mark, _)| *mark == open).filter(|_| start >= after) else {
            continue;
        };
        let inside = super::part(text, start + open.len_utf8()..);
        let within = inside.char_indices().take(MAX_CHARS).take_while(|(_, c)| *c != open && *c != '\n');
        if let Some((at, c)) = within.into_iter().find(|(_, c)| c == close)
            && inside
                .get(..at)
                .is_some_and(|inside| inside.trim_start_matches(['_', '$']).starts_with(char::is_alphabetic))
        {
            after = start + open.len_utf8() + at + c.len_utf8();
            found.push(start..after);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::part, *};

    fn found(text: &str) -> Vec<&str> {
        placeholders(text).into_iter().map(|range| part(text, range)).collect()
    }

    #[test]
    fn placeholders_are_found_with_their_marks() {
        assert_eq!(found("I met <random> at {place} with [item]."), ["<random>", "{place}", "[item]"]);
        assert_eq!(found("<fill in> <<name>>"), ["<fill in>", "<name>"]);
        assert_eq!(found("{ {a} }"), ["{a}"]);
    }

    #[test]
    fn other_brackets_are_text() {
        for text in [
            "3 < 4 and 5 > 4",
            "[14]",
            "<",
            "{\u{e9}",
            "<3",
            "a [long remark of a player that goes on and on and on]",
        ] {
            assert!(found(text).is_empty(), "{text}");
        }
    }
}
