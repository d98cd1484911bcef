//! Parsing of the server's response.

use serde_json::Value;

use super::secret::Secret;
use crate::{
    cost::StatedCost,
    text::{clean, clean_short},
};

/// Maximum number of characters of a server's message.
const MAX_MESSAGE: usize = 300;

/// Ending of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Completion<'a> {
    /// The answer is complete.
    Complete(&'a str),
    /// The answer stopped at `max_tokens`.
    CutShort,
    /// The model refused, in these words.
    Refused(&'a str),
}

impl<'a> Completion<'a> {
    /// Parses the body of a successful response; `None` if it is no chat completion.
    pub(super) fn of(body: &'a Value) -> Option<Self> {
        let choice = body.pointer("/choices/0")?;
        let message = |field: &str| choice.get("message")?.get(field)?.as_str();
        let finish = choice.get("finish_reason").and_then(Value::as_str);
        match (message("refusal").filter(|words| !words.is_empty()), finish) {
            (Some(words), _) => Some(Self::Refused(words)),
            (None, Some("content_filter")) => Some(Self::Refused("content_filter")),
            (None, Some("length")) => Some(Self::CutShort),
            _ => message("content").map(Self::Complete),
        }
    }
}

/// Returns the tokens that the server states for the question, and for the answer with everything else that was paid
/// for it: hidden thoughts may stand in the total alone.
pub(super) fn usage(body: &Value) -> StatedCost {
    let tokens = |name: &str| {
        let tokens = body.get("usage")?.get(name)?.as_u64()?;
        Some(usize::try_from(tokens).unwrap_or(usize::MAX))
    };
    let (answer, total) = (tokens("completion_tokens"), tokens("total_tokens"));
    let rest_of = |part: usize| total.map(|total| total.saturating_sub(part));
    let prompt = tokens("prompt_tokens").or_else(|| rest_of(answer.unwrap_or(0)));
    StatedCost { prompt, answer: answer.max(prompt.and_then(rest_of)) }
}

/// Returns the message in the body of an error response: the field where servers put it, else the whole body.
pub(super) fn message(body: &[u8], key: Option<&Secret>) -> String {
    let json: Option<Value> = serde_json::from_slice(body).ok();
    let message = json.as_ref().and_then(|json| {
        let places = ["/error/message", "/error", "/message", "/detail"];
        places.into_iter().find_map(|place| json.pointer(place)?.as_str())
    });
    match (message, &json) {
        (Some(message), _) => shown(message, key),
        // Written anew, so that no escape hides a letter of the key.
        (None, Some(json)) => shown(&json.to_string(), key),
        (None, None) => shown(&String::from_utf8_lossy(body), key),
    }
}

/// Returns a server's text on one line, without the key, cut after 300 characters.
pub(super) fn shown(text: &str, key: Option<&Secret>) -> String {
    // The key is looked for when nothing is left in between its characters.
    let steers = |c: char| c.is_control() && !c.is_whitespace();
    let line = clean(&text.replace(steers, ""));
    clean_short(&key.map_or_else(|| line.clone(), |key| key.hide_in(&line)), MAX_MESSAGE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn completion_is_complete_cut_short_or_refused() {
        let of = |choice: Value| json!({"choices": [choice, {"message": {"content": "another"}}]});
        for (body, read) in [
            (
                of(json!({"message": {"content": "{}"}, "finish_reason": "stop"})),
                Some(Completion::Complete("{}")),
            ),
            (of(json!({"message": {"content": "", "refusal": null}})), Some(Completion::Complete(""))),
            (of(json!({"message": {"content": "{", "refusal": ""}})), Some(Completion::Complete("{"))),
            (
                of(json!({"message": {"content": "{\"te"}, "finish_reason": "length"})),
                Some(Completion::CutShort),
            ),
            (of(json!({"finish_reason": "length"})), Some(Completion::CutShort)),
            (of(json!({"message": {"content": null, "refusal": "No."}})), Some(Completion::Refused("No."))),
            (of(json!({"finish_reason": "content_filter"})), Some(Completion::Refused("content_filter"))),
            (of(json!({"message": {"content": [{}]}})), None),
            (of(json!({"message": "hot"})), None),
            (json!({"choices": []}), None),
            (json!({"choices": {}}), None),
            (json!([]), None),
            (json!(null), None),
        ] {
            assert_eq!(Completion::of(&body), read, "{body}");
        }
    }

    #[test]
    fn partial_usage_is_completed_and_unreadable_usage_ignored() {
        for (given, read) in [
            (json!({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}), (Some(3), Some(4))),
            (json!({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 9}), (Some(3), Some(6))),
            (json!({"prompt_tokens": 3, "completion_tokens": 4}), (Some(3), Some(4))),
            (json!({"prompt_tokens": 3, "total_tokens": 9}), (Some(3), Some(6))),
            (json!({"completion_tokens": 4, "total_tokens": 9}), (Some(5), Some(4))),
            (json!({"total_tokens": 9}), (Some(9), Some(0))),
            (json!({"completion_tokens": 4}), (None, Some(4))),
            (json!({"prompt_tokens": -3, "completion_tokens": "4"}), (None, None)),
            (json!(null), (None, None)),
        ] {
            let StatedCost { prompt, answer } = usage(&json!({"usage": given}));
            assert_eq!((prompt, answer), read, "{given}");
        }
    }

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
            assert_eq!(message(body.as_bytes(), None), "no such model", "{body}");
        }
        assert_eq!(message(br#"{"detail":[{"loc":1}]}"#, None), r#"{"detail":[{"loc":1}]}"#);
        assert_eq!(message(b"", None), "");
        assert_eq!(message(b"\xff!", None), "\u{fffd}!");
    }

    proptest! {
        #[test]
        fn shown_message_is_short_clean_and_without_the_key(
            before in any::<String>(), after in any::<String>(), repeat in 1_usize..200
        ) {
            let key = Secret::new("sk-secret").unwrap();
            let said = format!("{before}sk-secret{after}").repeat(repeat);
            let shown = message(said.as_bytes(), Some(&key));
            prop_assert!(shown.chars().count() <= MAX_MESSAGE);
            prop_assert!(!shown.contains("sk-secret") && !shown.contains(char::is_control));
        }
    }
}
