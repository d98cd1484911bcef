//! Text and JSON without characters that could steer a terminal.

use std::{
    borrow::Cow,
    io::{self, Write},
    mem,
};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::terminal::is_unsafe;

/// Returns a value as JSON in which terminal control is escaped.
pub(crate) fn harmless_json(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, EscapingFormatter))?;
    Ok(bytes)
}

/// Formatter of compact JSON that escapes characters that could steer a terminal as `\uXXXX`: the same value,
/// read as JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EscapingFormatter;

impl Formatter for EscapingFormatter {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        write_escaped(out, fragment).map(drop)
    }
}

/// Writes a part of a JSON text with the characters escaped that could steer a terminal; returns true if there are
/// any.
fn write_escaped<W: ?Sized + Write>(out: &mut W, fragment: &str) -> io::Result<bool> {
    let mut written = 0;
    for (at, c) in fragment.char_indices().filter(|(_, c)| is_unsafe(*c)) {
        out.write_all(&fragment.as_bytes()[written..at])?;
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}")?;
        }
        written = at + c.len_utf8();
    }
    out.write_all(&fragment.as_bytes()[written..])?;
    Ok(written > 0)
}

/// Writer that leaves bytes as they are unless they go to a terminal. There, characters that could steer it are
/// escaped as `\uXXXX`, which in JSON is the same value, and what is no text is replaced.
pub(crate) struct TerminalSafeWriter<W> {
    out: W,
    is_terminal: bool,
    /// Line that has not ended yet, on a terminal.
    line: Vec<u8>,
    has_escaped: bool,
}

impl<W: Write> TerminalSafeWriter<W> {
    pub(crate) fn new(out: W, is_terminal: bool) -> Self {
        Self { out, is_terminal, line: Vec::new(), has_escaped: false }
    }

    /// True once a terminal was given something else than the bytes that were written.
    pub(crate) fn has_escaped(&self) -> bool {
        self.has_escaped
    }

    fn show_line(&mut self) -> io::Result<()> {
        let line = mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        let (shown, end) = text.strip_suffix('\n').map_or((&*text, ""), |shown| (shown, "\n"));
        self.has_escaped |= write_escaped(&mut self.out, shown)? || matches!(text, Cow::Owned(_));
        self.out.write_all(end.as_bytes())
    }
}

impl<W: Write> Write for TerminalSafeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.out.write(bytes);
        }
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.show_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.show_line()?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_control_is_escaped_and_the_value_stays() {
        let value =
            serde_json::json!({"a\u{9b}b": "\u{1b}[2J \u{202e}x\u{200b}\u{e0041}\u{7f} Grüße 🌙 \"q\"\n"});
        let text = String::from_utf8(harmless_json(&value).unwrap()).unwrap();
        assert_eq!(text, r#"{"a\u009bb":"\u001b[2J \u202ex\u200b\udb40\udc41\u007f Grüße 🌙 \"q\"\n"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn terminal_gets_no_control_characters_and_a_pipe_every_byte() {
        let lines = "{\"a\":\"Grüße\u{9b}2J \u{202e}🌙\"}\n{\"b\":1}\n".as_bytes();
        for size in 1..lines.len() {
            let [mut shown, mut piped] =
                [true, false].map(|is_terminal| TerminalSafeWriter::new(Vec::new(), is_terminal));
            for part in lines.chunks(size) {
                shown.write_all(part).unwrap();
                piped.write_all(part).unwrap();
            }
            assert!(shown.has_escaped() && !piped.has_escaped());
            let text = String::from_utf8(shown.out).unwrap();
            assert_eq!(text, "{\"a\":\"Grüße\\u009b2J \\u202e🌙\"}\n{\"b\":1}\n");
            assert_eq!(piped.out, lines);
        }
        let mut shown = TerminalSafeWriter::new(Vec::new(), true);
        shown.write_all(b"PAR1\xff\x1b[2J\xe2\x82").unwrap();
        shown.flush().unwrap();
        assert_eq!(String::from_utf8(shown.out).unwrap(), "PAR1\u{fffd}\\u001b[2J\u{fffd}");
    }
}
