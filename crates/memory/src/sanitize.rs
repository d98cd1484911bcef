//! Making text safe to show: characters that could mislead a reader or control a terminal become visible.

use std::{borrow::Cow, fmt::Write as _};

/// True for a character that is invisible and could hide, join or reorder visible ones: Unicode's
/// `Default_Ignorable_Code_Point` (bidi controls, zero-width characters, fillers, tags) and the interlinear
/// annotations, but not the variation selectors of emoji.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// True for a character that is unsafe to show because it could control a terminal, reverse the reading
/// order, break a line or hide text: controls (C0, DEL, C1), line and paragraph separators, and invisible
/// characters ([`is_invisible`]).
pub fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || is_invisible(c)
}

/// Returns the text with unsafe characters escaped visibly (`\u{…}`) and line breaks and tabs replaced by
/// spaces.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            c if is_unsafe(c) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_characters_are_escaped() {
        assert_eq!(clean("a\u{1b}[2Jb\u{9b}c\u{202e}d\ne"), "a\\u{1b}[2Jb\\u{9b}c\\u{202e}d e");
        assert_eq!(clean("a\u{200b}b\u{61c}c\u{2028}d\u{e0041}"), "a\\u{200b}b\\u{61c}c\\u{2028}d\\u{e0041}");
        assert_eq!(clean("d\u{ad}e\u{2062}f\u{180e}\u{fff9}g"), "d\\u{ad}e\\u{2062}f\\u{180e}\\u{fff9}g");
        assert_eq!(clean("Grüße, “Mara” — 3 €"), "Grüße, “Mara” — 3 €");
        assert_eq!(clean("\u{2764}\u{fe0f}"), "\u{2764}\u{fe0f}");
    }
}
