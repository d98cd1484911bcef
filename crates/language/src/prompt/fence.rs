//! Memories as data: one JSON list, which no memory can end. The list begins with the NPC's own name, since
//! many games write memories in the third person.
//!
//! A memory is shown under an alias, m1 to mN: real ids never reach a model, so that a model can only cite
//! ids it was given, and nothing that a game or a player put into an id is read.
//!
//! Its text is cleaned (`crate::text`), bounded, and written as a JSON string. Beside the escapes that JSON
//! demands, every character of fences, JSON structure and the role markers of chat templates is written as
//! `\u003c` and the like: `<` and `|` (`<|im_start|>`, `</s>`, `<start_of_turn>`, this fence itself), `[`
//! (`[INST]`, `[|user|]`), `{`, the backtick, and the characters that compatibility normalisation turns into
//! one of these (`＜`, `｜`, …), with the `▁` of `SentencePiece`. Only `"` remains, as `\"`. Words that some
//! prompts use for roles ("Human:", "### Response:") stay: they work at the start of a line, and no memory
//! can start a line.

use std::fmt::Write as _;

use crate::text::clean_chars;

const OPEN: &str = "<memories>\n[";
const CLOSE: &str = "]\n</memories>";

/// Bytes of the fence around the list.
pub(super) const FRAME_BYTES: usize = OPEN.len() + CLOSE.len();

/// Maximum size of one memory's text as it is sent, in bytes; of a longer one the beginning is shown, and
/// `…`. Escapes count, so that a text of special characters costs no more than another.
pub const MAX_TEXT_BYTES: usize = 2_048;

const CUT: char = '…';

/// Returns the alias of a memory in a prompt, from its row.
pub(crate) fn alias(row: usize) -> String {
    format!("m{}", row + 1)
}

/// Returns the row of the memory with this alias among `n`.
pub(crate) fn row_of_alias(name: &str, n: usize) -> Option<usize> {
    let number = name.strip_prefix('m')?;
    let plain = number.bytes().all(|b| b.is_ascii_digit()) && !number.starts_with('0');
    let row = number.parse::<usize>().ok().filter(|_| plain)?.checked_sub(1)?;
    (row < n).then_some(row)
}

/// Memories as a prompt shows them.
pub(super) struct Fenced {
    /// The list, with the fence around it.
    pub(super) block: String,
    /// Bytes of the texts alone, as they are sent.
    pub(super) text_bytes: usize,
}

impl Fenced {
    /// Fences the memories of the NPC with this name; the flag marks a memory whose wording is to be kept.
    pub(super) fn of<'a>(me: &str, memories: impl Iterator<Item = (&'a str, bool)>) -> Self {
        let mut block = String::from(OPEN);
        // Whoever compares two statements has no name.
        if !me.is_empty() {
            block.push_str("{\"me\":\"");
            push_text(&mut block, me);
            block.push_str("\"}");
        }
        let mut text_bytes = 0;
        for (row, (text, keep)) in memories.enumerate() {
            if block.len() > OPEN.len() {
                block.push_str(",\n");
            }
            // Writing to a String cannot fail.
            let _ = write!(block, "{{\"id\":\"{}\",\"text\":\"", alias(row));
            let from = block.len();
            push_text(&mut block, text);
            text_bytes += block.len() - from;
            block.push_str(if keep { "\",\"keep\":true}" } else { "\"}" });
        }
        block.push_str(CLOSE);
        Self { block, text_bytes }
    }

    /// Size of everything that players may have influenced, in bytes: the list between the fence's lines.
    pub(super) fn json_bytes(&self) -> usize {
        self.block.len() - FRAME_BYTES
    }
}

/// Appends a text as the inside of a JSON string, bounded.
fn push_text(out: &mut String, text: &str) {
    let from = out.len();
    // Where the text would end, should it have to be cut.
    let mut fits = from;
    for c in clean_chars(text) {
        if out.len() - from + CUT.len_utf8() <= MAX_TEXT_BYTES {
            fits = out.len();
        }
        push_char(out, c);
        if out.len() - from > MAX_TEXT_BYTES {
            out.truncate(fits);
            out.push(CUT);
            tracing::debug!(
                bytes = text.len(),
                most = MAX_TEXT_BYTES,
                "only the beginning of a memory is shown"
            );
            return;
        }
    }
}

/// Appends a character, escaped for the inside of a JSON string.
fn push_char(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        c if is_marker(c) => {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        }
        c => out.push(c),
    }
}

/// True if fences, JSON structure or role markers consist of this character or of its normalised form.
fn is_marker(c: char) -> bool {
    matches!(
        c,
        '<' | '>' | '[' | ']' | '{' | '}' | '|' | '`'
            // Small, full-width and upright forms of them.
            | '\u{fe37}' | '\u{fe38}' | '\u{fe47}' | '\u{fe48}'
            | '\u{fe5b}' | '\u{fe5c}' | '\u{fe64}' | '\u{fe65}'
            | '\u{ff1c}' | '\u{ff1e}' | '\u{ff3b}' | '\u{ff3d}'
            | '\u{ff40}' | '\u{ff5b}' | '\u{ff5c}' | '\u{ff5d}'
            // What SentencePiece writes a space as, and DeepSeek its markers with.
            | '\u{2581}'
    )
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Shown {
        id: String,
        text: String,
    }

    fn fenced(texts: &[&str]) -> Fenced {
        Fenced::of("Mara", texts.iter().map(|text| (*text, false)))
    }

    fn shown(texts: &[&str]) -> Vec<Shown> {
        let fenced = fenced(texts);
        let json = fenced.block.strip_prefix("<memories>\n").unwrap().strip_suffix("\n</memories>").unwrap();
        let list: Vec<serde_json::Value> = serde_json::from_str(json).unwrap();
        assert_eq!(list[0], serde_json::json!({"me": "Mara"}));
        list[1..].iter().map(|memory| Shown::deserialize(memory).unwrap()).collect()
    }

    #[test]
    fn memories_are_shown_by_alias() {
        let memories = [("I swept the room.", false), ("\"Pay,\" said C:\\Joss <b>", true)];
        let list = "{\"id\":\"m1\",\"text\":\"I swept the room.\"},\n\
                    {\"id\":\"m2\",\"text\":\"\\\"Pay,\\\" said C:\\\\Joss \\u003cb\\u003e\",\"keep\":true}]\n</memories>";
        for (me, head) in [("Mara <b>", "{\"me\":\"Mara \\u003cb\\u003e\"},\n"), ("", "")] {
            let fenced = Fenced::of(me, memories.into_iter());
            assert_eq!(fenced.block, format!("<memories>\n[{head}{list}"));
        }
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        for (c, bytes) in [("x", 1), ("ü", 2), ("銀", 3), ("<", 6), ("\"", 2), ("🪙", 4)] {
            let whole = c.repeat(MAX_TEXT_BYTES / bytes);
            assert_eq!(shown(&[&whole])[0].text, whole);
            let fenced = fenced(&[&c.repeat(1_000_000)]);
            assert!(fenced.text_bytes <= MAX_TEXT_BYTES && fenced.text_bytes > MAX_TEXT_BYTES - 9, "{c}");
            let cut = &shown(&[&c.repeat(MAX_TEXT_BYTES)])[0];
            assert_eq!(cut.id, "m1");
            assert!(bytes == 1 || cut.text.ends_with(&format!("{c}…")), "{c}");
        }
    }

    #[test]
    fn only_given_aliases_are_resolved() {
        assert_eq!(row_of_alias("m1", 12), Some(0));
        assert_eq!(row_of_alias("m12", 12), Some(11));
        for name in [
            "m0",
            "m13",
            "m01",
            "m+1",
            "m",
            "",
            "1",
            "M1",
            " m1",
            "m1 ",
            "mara-d1-05",
            "m99999999999999999999",
        ] {
            assert_eq!(row_of_alias(name, 12), None, "{name}");
        }
    }
}
