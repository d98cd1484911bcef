//! Texts for PostgreSQL, whose texts hold every character but U+0000.

use std::borrow::Cow;

/// Begins an escape. No text needs this character (it is no character: U+10FFFF is never assigned).
const ESCAPE: char = '\u{10ffff}';

/// Escapes U+0000, which players may write as well as anything else.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\0' => out.extend([ESCAPE, '0']),
            ESCAPE => out.extend([ESCAPE, ESCAPE]),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Reverses [`escaped`].
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            ESCAPE => out.push(if chars.next() == Some('0') { '\0' } else { ESCAPE }),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_text_comes_back(text in "[\\PC\\x00\u{10ffff}0]*") {
            let escaped = escaped(&text);
            prop_assert!(!escaped.contains('\0'));
            prop_assert_eq!(&*unescaped(&escaped), text.as_str());
        }
    }
}
