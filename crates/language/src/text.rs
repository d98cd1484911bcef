//! Cleaning of untrusted texts: removes invisible characters.

use nightfold_memory::is_invisible;

/// True if a character is removed from what a model reads or writes: invisible characters and variation
/// selectors.
pub(crate) fn is_hidden(c: char) -> bool {
    is_invisible(c) || matches!(c, '\u{fe00}'..='\u{fe0f}')
}

/// Returns the text's characters on one line: white space and control characters between words become one
/// space; those at the ends, and invisible characters, are removed.
pub(crate) fn clean_chars(text: &str) -> impl Iterator<Item = char> {
    let mut rest = text.chars().filter(|&c| !is_hidden(c));
    let mut next = None;
    let mut begun = false;
    std::iter::from_fn(move || {
        if let Some(c) = next.take() {
            return Some(c);
        }
        let mut gap = false;
        let c = rest.find(|c| {
            let blank = c.is_whitespace() || c.is_control();
            gap |= blank;
            !blank
        })?;
        let joined = !gap || !begun;
        begun = true;
        if joined {
            return Some(c);
        }
        next = Some(c);
        Some(' ')
    })
}

/// Returns the text on one line, cleaned by [`clean_chars`].
pub(crate) fn clean(text: &str) -> String {
    clean_chars(text).collect()
}

/// Returns the text as [`clean`] does, with at most `most` characters.
pub(crate) fn clean_short(text: &str, most: usize) -> String {
    let mut chars = clean_chars(text);
    let mut short: String = chars.by_ref().take(most).collect();
    if chars.next().is_some() {
        short.pop();
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_text_is_one_line_without_invisible_characters() {
        for (text, cleaned) in [
            ("I swept\tthe \r\n room ", "I swept the room"),
            ("\u{1b}[2Jgone\u{0}so\u{85}on\u{7f}", "[2Jgone so on"),
            ("pay\u{200b}ment \u{202e}silver\u{2069}", "payment silver"),
            ("a\u{e0041}\u{e0042}b\u{fe0f}\u{e0101}", "ab"),
            ("a\u{2028}b\u{2029}c\u{3000}d", "a b c d"),
            (" \u{feff}\u{200d} \n", ""),
            ("Zoë zählt 14 Münzen – 銀貨", "Zoë zählt 14 Münzen – 銀貨"),
        ] {
            assert_eq!(clean(text), cleaned);
            assert_eq!(clean(cleaned), cleaned);
        }
    }

    #[test]
    fn shortened_text_ends_with_an_ellipsis() {
        assert_eq!(clean_short("abc", 3), "abc");
        assert_eq!(clean_short("abc ", 3), "abc");
        assert_eq!(clean_short("abcd", 3), "ab…");
        assert_eq!(clean_short(&"x".repeat(1_000_000), 300).chars().count(), 300);
    }
}
