//! Search for the id of a message that cannot be read whole: without it the client would not learn of the
//! refusal.

use rmcp::model::RequestId;

/// Longest id that is kept, with its quotes.
const LONGEST: usize = 256;

/// Finds the `id` of a message while its bytes are read, and keeps nothing else. A message that is not JSON
/// may contain an `id` in the wrong place; the refusal then reaches another request of the same client.
#[derive(Debug, Default)]
pub(super) struct IdFinder {
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// Position within the outermost object.
    at: FieldPosition,
    found: Option<RequestId>,
}

#[derive(Debug, Default)]
enum FieldPosition {
    /// Position between fields.
    #[default]
    Comma,
    /// Position in a name, or behind it.
    Name(Vec<u8>),
    /// Position in a value, which is kept if it is the id's.
    Value(Option<Vec<u8>>),
}

impl IdFinder {
    pub(super) fn read(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.step(byte));
    }

    pub(super) fn id(self) -> Option<RequestId> {
        self.found
    }

    fn step(&mut self, byte: u8) {
        if self.in_text {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_field();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b',' if self.depth == 1 => self.end_field(),
            b':' if self.depth == 1 => {
                if let FieldPosition::Name(name) = &self.at {
                    self.at = FieldPosition::Value((name.trim_ascii() == b"\"id\"").then(Vec::new));
                }
            }
            b'"' => {
                self.in_text = true;
                if self.depth == 1 && matches!(self.at, FieldPosition::Comma) {
                    self.at = FieldPosition::Name(Vec::new());
                }
                self.keep(byte);
            }
            other => self.keep(other),
        }
    }

    fn keep(&mut self, byte: u8) {
        let (FieldPosition::Name(kept) | FieldPosition::Value(Some(kept))) = &mut self.at else { return };
        if self.depth == 1 && kept.len() <= LONGEST {
            kept.push(byte);
        }
    }

    fn end_field(&mut self) {
        if let FieldPosition::Value(Some(value)) = std::mem::take(&mut self.at)
            && value.len() <= LONGEST
        {
            // Neither a number nor a text: there is no such id.
            self.found = serde_json::from_slice(&value).ok().or(self.found.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(message: &str) -> Option<String> {
        let mut finder = IdFinder::default();
        // In pieces, as it comes.
        message.as_bytes().chunks(3).for_each(|piece| finder.read(piece));
        finder.id().map(|id| id.to_string())
    }

    #[test]
    fn id_is_found_anywhere_in_a_message() {
        assert_eq!(found(r#"{"jsonrpc":"2.0","id":17,"method":"x"}"#).as_deref(), Some("17"));
        let last = r#"{"method":"tools/call","params":{"id":1,"a":["}",{"id":2}]},"jsonrpc":"2.0", "id" : "q-\"7" }"#;
        assert_eq!(found(last).as_deref(), Some("q-\"7"));
        assert_eq!(found(r#"{"text":"\",\"id\":3","id":4}"#).as_deref(), Some("4"));
    }

    #[test]
    fn message_without_an_id_yields_none() {
        for none in [
            "",
            "[]",
            r#"{"jsonrpc":"2.0","method":"x"}"#,
            r#"{"params":{"id":1}}"#,
            r#"{"id":null}"#,
            r#"{"id":{"id":1}}"#,
            r#"{"id":[1,2]}"#,
            r#"{"id":5"#,
            r#"{"x":"id"}"#,
            "]]]]}}}}\"\\",
        ] {
            assert_eq!(found(none), None, "{none}");
        }
        assert_eq!(found(&format!(r#"{{"id":"{}"}}"#, "x".repeat(1000))), None);
    }
}
