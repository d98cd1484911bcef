//! Memories as data: one JSON list, which no memory can end. The list begins with the NPC's own name, since
//! many games write memories in the third person.
//!
//! A memory is shown under an alias, m1 to mN, an entry of an earlier night under e1 to eN: real ids never reach a
//! model, so that a model can only cite ids it was given, and nothing that a game or a player put into an id is
//! read. What the NPC concluded itself has no alias, so that nothing can rest on it.
//!
//! Its text is cleaned (`crate::text`), bounded, and written as a JSON string. Beside the escapes that JSON
//! demands, every character of fences, JSON structure and the role markers of chat templates is written as
//! `\u003c` and the like: `<` and `|` (`<|im_start|>`, `</s>`, `<start_of_turn>`, this fence itself), `[`
//! (`[INST]`, `[|user|]`), `{`, the backtick, and the characters that compatibility normalisation turns into
//! one of these (`＜`, `｜`, …), with the `▁` of `SentencePiece`. Only `"` remains, as `\"`. Words that some
//! prompts use for roles ("Human:", "### Response:") stay: they work at the start of a line, and no memory
//! can start a line.

use std::fmt::Write as _;

use nightfold_memory::{LanguageTask, PastStanding};

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

/// Returns the alias of an entry of an earlier night in a prompt, from its place among those that may be cited.
pub(crate) fn past_alias(place: usize) -> String {
    format!("e{}", place + 1)
}

/// Returns the place with this alias: of `today` memories, or after them of `earlier` entries.
pub(crate) fn place_of_alias(name: &str, today: usize, earlier: usize) -> Option<usize> {
    match name.strip_prefix('e') {
        Some(number) => number_within(number, earlier).map(|place| today + place),
        None => number_within(name.strip_prefix('m')?, today),
    }
}

/// Returns the index that a number from 1 to `n` stands for.
fn number_within(number: &str, n: usize) -> Option<usize> {
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
    /// Fences the memories of a task, then its past.
    pub(super) fn of(task: &LanguageTask) -> Self {
        let mut fenced = Self { block: String::from(OPEN), text_bytes: 0 };
        // Whoever compares two statements has no name.
        if !task.me.is_empty() {
            fenced.push("\"me\":", (&task.me, None), "");
        }
        fenced.text_bytes = 0;
        for (row, source) in task.sources.iter().enumerate() {
            let keep = if source.verbatim { ",\"keep\":true" } else { "" };
            let said = (source.text.as_str(), source.said_by.as_deref());
            fenced.push(&format!("\"id\":\"{}\",\"text\":", alias(row)), said, keep);
        }
        let mut places = 0..;
        for past in &task.past {
            let (head, tail) = match past.standing {
                PastStanding::Concluded => ("\"concluded\":".to_owned(), ""),
                standing => {
                    let id = places.next().map(past_alias).unwrap_or_default();
                    let open = standing == PastStanding::Open;
                    (format!("\"id\":\"{id}\",\"text\":"), if open { ",\"open\":true" } else { "" })
                }
            };
            fenced.push(&head, (&past.text, past.said_by.as_deref()), tail);
        }
        fenced.block.push_str(CLOSE);
        fenced
    }

    /// Appends an object of `head`, the text, who said it, if anybody, and `tail`.
    fn push(&mut self, head: &str, (text, said_by): (&str, Option<&str>), tail: &str) {
        let joint = if self.block.len() > OPEN.len() { ",\n" } else { "" };
        // Writing to a String cannot fail.
        let _ = write!(self.block, "{joint}{{{head}");
        self.push_string(text);
        if let Some(name) = said_by {
            self.block.push_str(",\"by\":");
            self.push_string(name);
        }
        let _ = write!(self.block, "{tail}}}");
    }

    fn push_string(&mut self, text: &str) {
        self.block.push('"');
        let from = self.block.len();
        push_text(&mut self.block, text);
        self.text_bytes += self.block.len() - from;
        self.block.push('"');
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
    use nightfold_memory::{MemoryId, PastText, SourceText, TaskKind};
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Shown {
        id: String,
        text: String,
    }

    fn task(me: &str, texts: &[(&str, bool)], past: &[(&str, PastStanding)]) -> LanguageTask {
        let id = || MemoryId::new("secret").unwrap();
        let sources = texts
            .iter()
            .map(|&(text, verbatim)| SourceText { id: id(), text: text.into(), verbatim, said_by: None })
            .collect();
        let past = past
            .iter()
            .map(|&(text, standing)| PastText { id: id(), text: text.into(), standing, said_by: None })
            .collect();
        LanguageTask { id: 0, kind: TaskKind::Synthesis, me: me.into(), sources, past, tokens: 0, value: 0.0 }
    }

    fn fenced(texts: &[&str]) -> Fenced {
        Fenced::of(&task("Mara", &texts.iter().map(|text| (*text, false)).collect::<Vec<_>>(), &[]))
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
            let fenced = Fenced::of(&task(me, &memories, &[]));
            assert_eq!(fenced.block, format!("<memories>\n[{head}{list}"));
        }
    }

    #[test]
    fn the_past_is_shown_apart_and_conclusions_without_an_alias() {
        let past = [
            ("Joss owes me 3 silver.", PastStanding::Open),
            ("I count on Joss.", PastStanding::Concluded),
            ("Joss came late.", PastStanding::Known),
        ];
        let fenced = Fenced::of(&task("Mara", &[("Joss paid.", false)], &past));
        let shown = "<memories>\n[{\"me\":\"Mara\"},\n{\"id\":\"m1\",\"text\":\"Joss paid.\"},\n\
                     {\"id\":\"e1\",\"text\":\"Joss owes me 3 silver.\",\"open\":true},\n\
                     {\"concluded\":\"I count on Joss.\"},\n\
                     {\"id\":\"e2\",\"text\":\"Joss came late.\"}]\n</memories>";
        assert_eq!(fenced.block, shown);
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
        assert_eq!(place_of_alias("m1", 12, 3), Some(0));
        assert_eq!(place_of_alias("m12", 12, 3), Some(11));
        assert_eq!(place_of_alias("e3", 12, 3), Some(14));
        for name in [
            "m0",
            "e0",
            "e4",
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
            assert_eq!(place_of_alias(name, 12, 3), None, "{name}");
        }
    }
}
