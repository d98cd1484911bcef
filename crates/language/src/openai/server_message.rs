//! Messages of a server, cleaned for display.

use serde_json::Value;

use super::secret::Secret;

/// Maximum number of characters of a server's message.
const MOST: usize = 300;

/// Returns the message in the body of an error response: the field where servers put it, else the whole body.
pub(super) fn of_body(body: &[u8], key: Option<&Secret>) -> String {
    let json: Option<Value> = serde_json::from_slice(body).ok();
    let message = json.as_ref().and_then(|json| {
        let error = json.get("error");
        [error.and_then(|error| error.get("message")), error, json.get("message"), json.get("detail")]
            .into_iter()
            .find_map(|place| place?.as_str())
    });
    match (message, &json) {
        (Some(message), _) => cleaned(message, key),
        // Written anew, so that no escape hides a letter of the key.
        (None, Some(json)) => cleaned(&json.to_string(), key),
        (None, None) => cleaned(&String::from_utf8_lossy(body), key),
    }
}

/// Returns a text on one line, without control characters and the key, cut after 300 characters.
pub(super) fn cleaned(text: &str, key: Option<&Secret>) -> String {
    // The key is looked for last, when nothing is left in between its characters.
    let line: String = text
        .chars()
        .map(|char| if char.is_whitespace() { ' ' } else { char })
        .filter(|char| !char.is_control())
        .collect();
    let line = key.map_or_else(|| line.clone(), |key| key.hide_in(&line));
    let line = line.trim();
    let cut = line.char_indices().nth(MOST).and_then(|(end, _)| line.get(..end));
    cut.map_or_else(|| line.to_owned(), |cut| format!("{cut}…"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn message_is_found_in_every_known_field() {
        for body in [
            r#"{"error":{"message":"no such model","type":"x"}}"#,
            r#"{"error":"no such model"}"#,
            r#"{"message":"no such model"}"#,
            r#"{"detail":"no such model"}"#,
            "no such model",
            " no\nsuch\tmodel\x07\r\n",
            "\u{1b}no such model\u{9b}",
        ] {
            assert_eq!(of_body(body.as_bytes(), None), "no such model", "{body}");
        }
        assert_eq!(of_body(br#"{"detail":[{"loc":1}]}"#, None), r#"{"detail":[{"loc":1}]}"#);
        assert_eq!(of_body(b"", None), "");
        assert_eq!(of_body(b"\xff!", None), "\u{fffd}!");
    }

    #[test]
    fn key_is_hidden_if_split_escaped_or_cut() {
        let key = Secret::new("sk-secret").unwrap();
        assert_eq!(cleaned("bad sk-\u{7}sec\u{0}ret!", Some(&key)), "bad ***!");
        let long = format!("{}sk-secret", "x".repeat(296));
        assert_eq!(cleaned(&long, Some(&key)), format!("{}***", "x".repeat(296)));
        let escaped = br#"{"error":{"message":"bad \u0073k-secret"}}"#;
        assert_eq!(of_body(escaped, Some(&key)), "bad ***");
        let escaped = br#"{"headers":["Bearer \u0073k-secret"]}"#;
        assert_eq!(of_body(escaped, Some(&key)), r#"{"headers":["Bearer ***"]}"#);
    }

    proptest! {
        #[test]
        fn shown_message_is_short_clean_and_without_the_key(
            before in any::<String>(), after in any::<String>(), repeat in 1_usize..200
        ) {
            let key = Secret::new("sk-secret").unwrap();
            let said = format!("{before}sk-secret{after}").repeat(repeat);
            let shown = of_body(said.as_bytes(), Some(&key));
            prop_assert!(shown.chars().count() <= MOST + 1);
            prop_assert!(!shown.contains("sk-secret") && !shown.contains(char::is_control));
        }
    }
}
