//! JSON that may stand inside an HTML page.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use nightfold_memory::clean;
use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;

/// Text of players as it is shown: what could steer a reader is made visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown(String);

impl<T: AsRef<str>> From<T> for Shown {
    fn from(text: T) -> Self {
        Self(match clean(text.as_ref().trim()) {
            Cow::Borrowed(text) => text.to_owned(),
            Cow::Owned(text) => text,
        })
    }
}

impl Shown {
    /// Whether there is nothing to show.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// A value as compact JSON in which no `<`, `>` or `&` stands: nothing in it can end a script element, begin a comment or
/// be taken for an entity. Read as JSON it is the same value.
///
/// # Errors
/// What writing to `out` gives.
pub fn json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(out, Inert)).map_err(io::Error::from)
}

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
    fn nothing_in_it_ends_the_element_it_stands_in() {
        let hostile = "</script><!-- &amp; \u{2028}\u{2029} <img src=x> ]]> \"q\" \\";
        let mut bytes = Vec::new();
        json(&mut bytes, &[hostile]).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{text}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), [hostile]);
    }

    #[test]
    fn what_steers_a_reader_is_shown() {
        let mut bytes = Vec::new();
        json(&mut bytes, &Shown::from("a\u{1b}[2J\u{202e}b\nc\u{0} \n")).unwrap();
        assert_eq!(bytes, br#""a\\u{1b}[2J\\u{202e}b c\\u{0}""#);
    }
}
