//! JSON that may stand inside an HTML page.

use std::io::{self, Write};

use nightfold_memory::is_unsafe;
use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter};

/// Writes a value as compact JSON without `<`, `>` or `&`: nothing in it can end a script element, begin a
/// comment or be taken for an entity. Texts may come from players: control, bidi and invisible characters become
/// visible, as [`clean`](nightfold_memory::clean) makes them.
///
/// # Errors
/// Errors of writing to `out`.
pub fn json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(out, EscapedStr)).map_err(io::Error::from)
}

/// Formatter of strings that neither HTML nor a reader can misread.
struct EscapedStr;

impl Formatter for EscapedStr {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut written = 0;
        for (at, c) in fragment.char_indices() {
            let markup = matches!(c, '<' | '>' | '&');
            if !markup && !is_unsafe(c) {
                continue;
            }
            out.write_all(&fragment.as_bytes()[written..at])?;
            let code = u32::from(c);
            if markup { write!(out, "\\u{code:04x}") } else { write!(out, "\\\\u{{{code:x}}}") }?;
            written = at + c.len_utf8();
        }
        out.write_all(&fragment.as_bytes()[written..])
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, out: &mut W, escape: CharEscape) -> io::Result<()> {
        match escape {
            CharEscape::LineFeed | CharEscape::CarriageReturn | CharEscape::Tab => out.write_all(b" "),
            CharEscape::Backspace => out.write_all(b"\\\\u{8}"),
            CharEscape::FormFeed => out.write_all(b"\\\\u{c}"),
            CharEscape::AsciiControl(byte) => write!(out, "\\\\u{{{byte:x}}}"),
            CharEscape::Quote => out.write_all(b"\\\""),
            CharEscape::ReverseSolidus => out.write_all(b"\\\\"),
            CharEscape::Solidus => out.write_all(b"/"),
        }
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::clean;

    use super::*;

    #[test]
    fn hostile_text_cannot_end_the_script_element() {
        let hostile = "</script><!-- &amp; <img src=x> ]]> \"q\" \\";
        let mut bytes = Vec::new();
        json(&mut bytes, &[hostile]).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(['<', '>', '&']), "{text}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), [hostile]);
    }

    #[test]
    fn control_and_bidi_characters_are_made_visible() {
        let mut all: String =
            ('\0'..='\u{ff}').chain("\u{2028}\u{2029}\u{202e}\u{feff} “ä”".chars()).collect();
        all.push_str("end");
        let mut bytes = Vec::new();
        json(&mut bytes, &all).unwrap();
        assert_eq!(serde_json::from_slice::<String>(&bytes).unwrap(), clean(&all));
    }
}
