//! JSON that may stand inside an HTML page.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use nightfold_memory::clean;
use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;

/// Text of players, safe to show: control and bidi characters are made visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafeText(String);

impl<T: AsRef<str>> From<T> for SafeText {
    fn from(text: T) -> Self {
        Self(match clean(text.as_ref().trim()) {
            Cow::Borrowed(text) => text.to_owned(),
            Cow::Owned(text) => text,
        })
    }
}

impl SafeText {
    /// True if the text is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for SafeText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Writes a value as compact JSON without `<`, `>` or `&`: nothing in it can end a script element, begin a
/// comment or be taken for an entity. Parsed as JSON it is the same value.
///
/// # Errors
/// Errors of writing to `out`.
pub fn json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(out, Inert)).map_err(io::Error::from)
}

/// Formatter that escapes the characters that HTML or older JavaScript would interpret.
struct Inert;

impl Formatter for Inert {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut written = 0;
        // U+2028 and U+2029 end a line in older JavaScript.
        let risky = |c: &(usize, char)| matches!(c.1, '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
        for (at, c) in fragment.char_indices().filter(risky) {
            out.write_all(&fragment.as_bytes()[written..at])?;
            write!(out, "\\u{:04x}", u32::from(c))?;
            written = at + c.len_utf8();
        }
        out.write_all(&fragment.as_bytes()[written..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_cannot_end_the_script_element() {
        let hostile = "</script><!-- &amp; \u{2028}\u{2029} <img src=x> ]]> \"q\" \\";
        let mut bytes = Vec::new();
        json(&mut bytes, &[hostile]).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{text}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), [hostile]);
    }

    #[test]
    fn control_and_bidi_characters_are_made_visible() {
        let mut bytes = Vec::new();
        json(&mut bytes, &SafeText::from("a\u{1b}[2J\u{202e}b\nc\u{0} \n")).unwrap();
        assert_eq!(bytes, br#""a\\u{1b}[2J\\u{202e}b c\\u{0}""#);
    }
}
