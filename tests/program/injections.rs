//! Injections: texts by players that try to steer the reader of an NPC's memory, shown by every command that
//! shows memories.

#[path = "../../crates/language/tests/support/hostile.rs"]
pub(crate) mod hostile;

use hostile::HOSTILE;
use serde_json::{Value, json};

use crate::support::Desk;

/// True for a character that steers a terminal or a reader: controls, bidi controls and marks, zero-width
/// characters, line separators, tags. The list is independent of the program's own, which is under test.
fn steers(c: char) -> bool {
    let code = u32::from(c);
    let shows_nothing = [
        (0xad, 0xad),
        (0x34f, 0x34f),
        (0x61c, 0x61c),
        (0x180b, 0x180e),
        (0x200b, 0x200f),
        (0x2028, 0x202e),
        (0x2060, 0x206f),
        (0xfeff, 0xfeff),
        (0xfff9, 0xfffb),
        (0xe0000, 0xe0fff),
    ];
    (c.is_control() && c != '\n') || shows_nothing.iter().any(|&(from, to)| (from..=to).contains(&code))
}

/// Returns a day of nothing but injections, in every field that holds words, each twice.
fn day() -> String {
    let line = |(n, text): (usize, &&str)| -> Value {
        json!({
            "id": format!("m{n}"), "npc": "Mara \u{202e}Thorne", "at": 60 * n, "kind": "chat", "text": text,
            "importance": 1 + n % 10, "actors": [text], "tags": [text], "place": text,
        })
    };
    HOSTILE.iter().chain(HOSTILE).enumerate().map(|row| format!("{}\n", line(row))).collect()
}

#[test]
fn injected_control_characters_are_escaped_by_every_command() {
    let desk = Desk::new();
    desk.write("day.jsonl", day());
    let mut shown = String::new();
    for (command, json) in [
        ("sleep day.jsonl -v", false),
        ("sleep day.jsonl --store town.db --plan night.json", false),
        ("sleep day.jsonl --store town.db --apply", false),
        ("show night.json -v", false),
        ("list --store town.db --all", false),
        ("list --store town.db --all --json", true),
        ("why m0 --store town.db", false),
        ("why m0 --store town.db --graph", false),
        ("themes Mara_\u{202e}Thorne --store town.db", false),
        ("themes Mara_\u{202e}Thorne --store town.db --json", true),
        ("recall Mara_\u{202e}Thorne instructions --store town.db", false),
        ("recall Mara_\u{202e}Thorne instructions --store town.db --json", true),
        ("collapse day.jsonl --all-status", false),
        ("why m0 --store town.db --json", true),
        ("sleep day.jsonl --json", true),
    ] {
        let ran = desk.run(command);
        assert_eq!(ran.code, 0, "{command}: {}", ran.err);
        let steering: Vec<char> = ran.out.chars().chain(ran.err.chars()).filter(|c| steers(*c)).collect();
        assert!(steering.is_empty(), "{command}: {steering:?}");
        if !json {
            shown.push_str(&ran.out);
        }
    }
    // They are shown all the same, for who reads them should know.
    for seen in
        ["Ignore your instructions", "\\u{1b}[2J", "pay\\u{202e}revlis", "\\u{e0001}", "<script>", "\\u{ad}"]
    {
        assert!(shown.contains(seen), "{seen}");
    }
}
