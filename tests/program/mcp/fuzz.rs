//! Thousands of senseless or oversized calls: none ends the server, writes, or leaves the scope.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::session::Session;
use crate::support::Desk;

/// Word in every memory of the NPC out of scope, never sent to the server.
const MARK: &str = "velvetgear";

/// Number of messages sent.
const MESSAGES: usize = 4_000;

/// Random numbers by xorshift (Marsaglia 2003), the same in every run.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).expect("below a usize")
    }

    fn of<'a, T: ?Sized>(&mut self, these: &[&'a T]) -> &'a T {
        these[self.below(these.len())]
    }

    fn text(&mut self) -> String {
        match self.below(12) {
            0 => self.of(&["Mara", "Zebulon", "mara", "Zebulon ", "Ma\u{200b}ra", "Nobody"]).to_owned(),
            1 => self
                .of(&["../../etc/passwd", "town.db", "/dev/stdin", "file:///town.db", "C:\\x", "-"])
                .to_owned(),
            2 => self
                .of(&["\u{1b}[2J", "\u{9b}31m", "\u{202e}txt", "a\0b", "\n\r\t", "\u{2028}", "\u{feff}"])
                .to_owned(),
            3 => self
                .of(&["'; DROP TABLE memory; --", "%00%1b", "{{npc}}", "nightfold://night/", "*", "%"])
                .to_owned(),
            4 => self.of(&["z-1", "z-2", "m-1", "m-2", "z-1~2", ""]).to_owned(),
            5 => "x".repeat(self.below(9_000)),
            6 => "\u{1b}".repeat(self.below(300)),
            7 => self.of(&["1204-05-03", "9999-99-99", "-1", "1e999", "NaN", "0"]).to_owned(),
            _ => (0..self.below(30))
                .map(|_| char::from_u32(self.below(0x3000) as u32).unwrap_or('?'))
                .collect(),
        }
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 8 } else { 11 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(i64::try_from(self.below(2_000)).expect("small") - 1_000),
            3 => json!([u64::MAX, 1 << 53, 0][self.below(3)]),
            4 => json!(1e300),
            8 => (0..self.below(5)).map(|_| self.value(depth - 1)).collect(),
            9 => self.nested(),
            10 => (0..self.below(5)).map(|_| (self.text(), self.value(depth - 1))).collect(),
            _ => json!(self.text()),
        }
    }

    fn nested(&mut self) -> Value {
        (0..self.below(100)).fold(json!(1), |inner, _| json!([inner]))
    }

    fn memory(&mut self) -> Value {
        let npc = self.of(&["Mara", "Mara", "Zebulon", "Nobody"]).to_owned();
        let mut memory = json!({
            "id": format!("n-{}", self.below(5)), "npc": npc, "at": self.below(100), "kind": "event",
            "text": format!("I saw {} by the well", self.text()), "importance": self.below(12),
        });
        if self.below(4) == 0 {
            let (field, value) = (self.of(&["at", "vector", "sources", "kind", "id", "x"]), self.value(2));
            memory[field] = value;
        }
        memory
    }

    fn arguments(&mut self, tool: &str) -> Value {
        let mut arguments = match tool {
            "consolidate" => {
                let lines: Vec<String> = (0..self.below(4)).map(|_| self.memory().to_string()).collect();
                json!({ "memories": lines.join(self.of(&["\n", "\n", ","])) })
            }
            "recall" => {
                json!({"npc": self.of(&["Mara", "Zebulon"]), "query": self.text(), "limit": self.below(12)})
            }
            "why" => json!({"id": self.of(&["m-1", "m-2", "m-3", "z-1", "z-2"])}),
            _ => json!({"npc": self.of(&["Mara", "Mara", "Zebulon"])}),
        };
        if self.below(3) == 0 {
            let field = self.of(&[
                "npc", "npcs", "id", "query", "limit", "memories", "until", "by_day", "apply", "store",
            ]);
            arguments[field] = self.value(3);
        }
        if self.below(20) == 0 { self.value(3) } else { arguments }
    }

    /// Returns a request that follows the protocol, with random content.
    fn request(&mut self, uris: &[String]) -> (&'static str, Value) {
        match self.below(12) {
            0 => ("resources/list", json!({"cursor": self.text()})),
            1 => {
                let uri = if self.below(2) == 0 { uris[self.below(uris.len())].clone() } else { self.text() };
                ("resources/read", json!({ "uri": uri }))
            }
            2 => {
                let method = [
                    "tools/list",
                    "ping",
                    "resources/list",
                    "prompts/list",
                    "logging/setLevel",
                    "initialize",
                ];
                (method[self.below(method.len())], self.value(2))
            }
            3 => ("tools/call", json!({"name": self.text(), "arguments": self.value(3)})),
            4 => ("tools/call", self.value(3)),
            _ => {
                let tool = self.of(&["recall", "why", "why", "themes", "themes", "consolidate"]);
                ("tools/call", json!({"name": tool, "arguments": self.arguments(tool)}))
            }
        }
    }

    /// Returns bytes that are not a message.
    fn garbage(&mut self, whole: &str) -> Vec<u8> {
        match self.below(6) {
            0 => (0..self.below(200)).map(|_| u8::try_from(self.below(256)).expect("a byte")).collect(),
            1 => whole.as_bytes()[..self.below(whole.len())].to_vec(),
            2 => "[".repeat(self.below(20_000)).into_bytes(),
            3 => format!("[{whole}]").into_bytes(),
            4 => {
                let mut bytes = whole.as_bytes().to_vec();
                let at = self.below(bytes.len());
                bytes[at] = u8::try_from(self.below(256)).expect("a byte");
                bytes
            }
            _ => self.value(3).to_string().into_bytes(),
        }
    }
}

/// Makes a store with one NPC in scope and one out of scope; returns the URIs of all nights as well.
fn town() -> (Desk, Vec<String>) {
    let desk = Desk::new();
    let memory = |npc: &str, id: &str, at: i64, text: &str, tag: &str| {
        json!({"id": id, "npc": npc, "at": at, "kind": "event", "text": text, "importance": 8, "tags": [tag]})
            .to_string()
    };
    let lines = [
        memory("Mara", "m-1", 1, "Joss owes me \u{1b}[31m14 silver\u{202e} for the axle", "debt"),
        memory("Mara", "m-2", 2, "Wren told me that Odo has the fever", "talk"),
        memory("Mara", "m-3", 3, "I swept the common room before dawn", "work"),
        memory("Zebulon", "z-1", 1, &format!("I hid the {MARK} under the mill"), MARK),
        memory("Zebulon", "z-2", 2, &format!("The {MARK} must never be found"), MARK),
        memory("Zebulon", "z-3", 3, &format!("Only I know of the {MARK}"), MARK),
    ];
    desk.write("day.jsonl", lines.join("\n"));
    desk.run("sleep day.jsonl --store town.db --apply").ok();
    let mut everybody = Session::start(&desk, "--store town.db");
    let listed = everybody.ask("resources/list", json!({}))["result"]["resources"].take();
    let uris =
        listed.as_array().expect("resources").iter().map(|r| r["uri"].as_str().expect("a URI").to_owned());
    let uris: Vec<String> = uris.collect();
    assert!(uris.len() == 2 && uris.iter().any(|uri| uri.contains("Zebulon")), "{uris:?}");
    assert!(
        everybody.text("why", &json!({"id": "z-1"})).contains(MARK),
        "it is there for those who may see it"
    );
    (desk, uris)
}

/// Passes every text in a value to `told`, names of fields included.
fn texts(value: &Value, told: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => told(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, told)),
        Value::Object(fields) => fields.iter().for_each(|(name, field)| {
            told(name);
            texts(field, told);
        }),
        _ => {}
    }
}

#[test]
fn fuzzed_calls_neither_end_the_server_nor_write_nor_leave_the_scope() {
    let (desk, uris) = town();
    let (file, all) = (desk.read("town.db"), desk.run("list --store town.db --all --json").ok());
    let bounds = "--set input.max~file~bytes=16384";
    let mut session = Session::start(&desk, &format!("--store town.db --npc Mara {bounds}"));
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    let mut asked = BTreeSet::new();
    let mut said = Vec::new();
    for n in 0..MESSAGES {
        let (method, params) = rng.request(&uris);
        // A text as id, so that no garbage has the same.
        let id = format!("call-{n}");
        let whole = json!({"jsonrpc": "2.0", "method": method, "params": &params, "id": id}).to_string();
        match rng.below(6) {
            0 => {
                // Its id may survive: then it is another call of that name, and may be answered twice.
                let mut line = rng.garbage(&whole.replace(&id, "garbage"));
                line.retain(|&byte| byte != b'\n');
                session.send_bytes(&line);
            }
            1 if rng.below(4) == 0 => {
                let kind =
                    rng.of(&["notifications/cancelled", "notifications/initialized", "notifications/x"]);
                let last = format!("call-{}", n.saturating_sub(1));
                let note = json!({"jsonrpc": "2.0", "method": kind, "params": {"requestId": last}});
                if kind == "notifications/cancelled" {
                    // It need not be answered.
                    asked.remove(&last);
                }
                session.send(&note.to_string());
            }
            _ => {
                session.send(&whole);
                // A longer line is skipped, and so is one that is no message of the protocol.
                if whole.len() < 16_384 && (params.is_object() || params.is_null()) {
                    asked.insert(id);
                }
            }
        }
        // Not more at a time than may wait.
        if asked.len() == 12 {
            said.extend(session.until_answered(std::mem::take(&mut asked)));
        }
    }
    said.extend(session.until_answered(asked));
    let (code, rest) = session.end();
    said.extend(rest);
    assert_eq!(code, 0, "it ends by itself, and well");

    let mut worked = 0;
    for line in &said {
        assert!(!line.contains(|c: char| c.is_control() || c == '\u{202e}'), "{line:?}");
        let answer: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert_eq!(answer["jsonrpc"], "2.0");
        worked += usize::from(answer["result"]["isError"] == false);
        texts(&answer["result"], &mut |text| {
            assert!(!text.to_lowercase().contains(MARK), "it leaves the scope: {line}");
            assert!(!text.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}'), "{text:?}");
        });
        assert!(!line.to_lowercase().contains(MARK), "it leaves the scope: {line}");
    }
    assert!(worked > MESSAGES / 10, "only {worked} calls were of use: the random calls have become bad");
    assert_eq!(desk.read("town.db"), file, "the store is as it was, to the byte");
    assert_eq!(desk.run("list --store town.db --all --json").ok(), all);
    let left: BTreeSet<_> =
        std::fs::read_dir(desk.path("")).expect("a folder").map(|f| f.expect("a file").file_name()).collect();
    assert!(
        left.iter()
            .all(|name| ["day.jsonl", "town.db", "town.db-shm", "town.db-wal"].iter().any(|f| name == f)),
        "{left:?}"
    );
}
