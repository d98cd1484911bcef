//! Parsing of the server's answer.

use serde_json::Value;

use super::format::Structured;
use crate::cost::StatedCost;

/// Cost of a question and its answer, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the question; tokens of question and answer if the server states only the total.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// Tokens of question and answer; their sum if the server states no total.
    pub total_tokens: u64,
}

impl Usage {
    /// Returns the usage in a body, if the server states a readable one.
    pub(super) fn of(body: &Value) -> Option<Self> {
        let usage = body.get("usage")?.as_object()?;
        let tokens = |name: &str| usage.get(name).and_then(Value::as_u64);
        let (prompt, completion, total) =
            (tokens("prompt_tokens"), tokens("completion_tokens"), tokens("total_tokens"));
        let (prompt_tokens, completion_tokens) = match (prompt, completion, total) {
            (Some(prompt), Some(completion), _) => (prompt, completion),
            (Some(prompt), None, Some(total)) => (prompt, total.saturating_sub(prompt)),
            (None, Some(completion), Some(total)) => (total.saturating_sub(completion), completion),
            (None, None, Some(total)) => (total, 0),
            // Half of it is not what it cost.
            (_, _, None) => return None,
        };
        let total_tokens = total.unwrap_or_else(|| prompt_tokens.saturating_add(completion_tokens));
        Some(Self { prompt_tokens, completion_tokens, total_tokens })
    }

    /// Returns the cost for a ledger: what the total states beyond the question counts to the answer.
    pub(super) fn stated(self) -> StatedCost {
        let tokens = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let rest = self.total_tokens.saturating_sub(self.prompt_tokens).max(self.completion_tokens);
        StatedCost { prompt: Some(tokens(self.prompt_tokens)), answer: Some(tokens(rest)) }
    }
}

/// Answer of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatReply {
    /// The model's text, unchecked.
    pub content: String,
    /// Cost of this answer as the server states it, if it does; nothing vouches for it.
    pub usage: Option<Usage>,
    /// Number of requests that were made, including failed ones and those with a response format that the
    /// server did not know.
    pub tries: u32,
    /// Strength of the schema's enforcement by the server.
    pub structured: Structured,
    /// Tokens that all those requests count: each its question and the answer that it was allowed, whatever became of
    /// it. [`usage`](Self::usage) can raise that; it lowers only the question of the last request, and not below one
    /// token for four bytes sent. Requests that never left count nothing.
    pub paid: usize,
}

/// Reason why a body is not an answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplyShapeError {
    /// The body is compressed, though no compression was requested.
    #[error("it is encoded as {encoding}, which was not asked for")]
    Encoded {
        /// Name of the encoding.
        encoding: String,
    },
    /// The body is not JSON.
    #[error("it is no JSON")]
    Json(#[from] serde_json::Error),
    /// A field is missing or has the wrong type.
    #[error("{path} is {found}, not {wanted}")]
    Misplaced {
        /// Path of the field.
        path: &'static str,
        /// Type that was expected.
        wanted: &'static str,
        /// Type that was found: "missing", "null", "a number" …
        found: &'static str,
    },
}

/// Ending of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChatCompletion {
    /// The answer is complete.
    Complete(String),
    /// The answer stopped at `max_tokens`.
    CutShort,
    /// The model refused, in these words.
    Refused(String),
}

impl ChatCompletion {
    /// Parses the body of a successful answer.
    pub(super) fn of(body: &Value) -> Result<Self, ReplyShapeError> {
        let choices = body.get("choices");
        let choice =
            choices.and_then(Value::as_array).ok_or_else(|| misplaced("choices", "a list", choices))?;
        let choice = choice.first().ok_or_else(|| misplaced("choices[0]", "an object", None))?;
        let message = choice.get("message");
        let refusal = message.and_then(|message| message.get("refusal")).and_then(Value::as_str);
        let finish = choice.get("finish_reason").and_then(Value::as_str);
        match (refusal.filter(|refusal| !refusal.is_empty()), finish) {
            (Some(refusal), _) => return Ok(Self::Refused(refusal.to_owned())),
            (None, Some("content_filter")) => return Ok(Self::Refused("content_filter".to_owned())),
            (None, Some("length")) => return Ok(Self::CutShort),
            _ => {}
        }
        let message = message
            .filter(|message| message.is_object())
            .ok_or_else(|| misplaced("choices[0].message", "an object", message))?;
        let content = message.get("content");
        content
            .and_then(Value::as_str)
            .map(|content| Self::Complete(content.to_owned()))
            .ok_or_else(|| misplaced("choices[0].message.content", "a text", content))
    }
}

fn misplaced(path: &'static str, wanted: &'static str, found: Option<&Value>) -> ReplyShapeError {
    let found = match found {
        None => "missing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a text",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    };
    ReplyShapeError::Misplaced { path, wanted, found }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn partial_usage_is_completed_and_unreadable_usage_ignored() {
        let of = |usage| {
            Usage::of(&json!({"usage": usage}))
                .map(|u| (u.prompt_tokens, u.completion_tokens, u.total_tokens))
        };
        assert_eq!(
            of(json!({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 9})),
            Some((3, 4, 9))
        );
        assert_eq!(of(json!({"prompt_tokens": 3, "completion_tokens": 4})), Some((3, 4, 7)));
        assert_eq!(of(json!({"total_tokens": 9})), Some((9, 0, 9)));
        assert_eq!(of(json!({"prompt_tokens": 3, "total_tokens": 9})), Some((3, 6, 9)));
        assert_eq!(
            of(json!({"prompt_tokens": u64::MAX, "completion_tokens": 1})),
            Some((u64::MAX, 1, u64::MAX))
        );
        for unread in
            [json!({}), json!(null), json!(7), json!({"prompt_tokens": 3}), json!({"total_tokens": "9"})]
        {
            assert_eq!(of(unread.clone()), None, "{unread}");
        }
        assert_eq!(Usage::of(&json!([])), None);
    }

    #[test]
    fn chat_completion_is_complete_cut_short_or_refused() {
        let of = |choice| {
            ChatCompletion::of(&json!({"choices": [choice, {"message": {"content": "another"}}]})).unwrap()
        };
        let all = ChatCompletion::Complete("hot".into());
        assert_eq!(of(json!({"message": {"content": "hot"}, "finish_reason": "stop"})), all);
        assert_eq!(of(json!({"message": {"content": "hot", "refusal": null}})), all);
        assert_eq!(of(json!({"message": {"content": "hot", "refusal": ""}, "finish_reason": null})), all);
        assert_eq!(of(json!({"message": {"content": ""}})), ChatCompletion::Complete(String::new()));
        assert_eq!(
            of(json!({"message": {"content": "ho"}, "finish_reason": "length"})),
            ChatCompletion::CutShort
        );
        assert_eq!(of(json!({"finish_reason": "length"})), ChatCompletion::CutShort);
        let refused = ChatCompletion::Refused("content_filter".into());
        assert_eq!(of(json!({"message": {"content": null}, "finish_reason": "content_filter"})), refused);
        let refused = ChatCompletion::Refused("I will not.".into());
        assert_eq!(of(json!({"message": {"content": null, "refusal": "I will not."}})), refused);
    }

    #[test]
    fn misplaced_field_is_named_in_the_error() {
        for (body, said) in [
            (json!([]), "choices is missing, not a list"),
            (json!({"choices": {}}), "choices is an object, not a list"),
            (json!({"choices": []}), "choices[0] is missing, not an object"),
            (json!({"choices": [7]}), "choices[0].message is missing, not an object"),
            (json!({"choices": [{"message": "hot"}]}), "choices[0].message is a text, not an object"),
            (json!({"choices": [{"message": {}}]}), "choices[0].message.content is missing, not a text"),
            (
                json!({"choices": [{"message": {"content": null}}]}),
                "choices[0].message.content is null, not a text",
            ),
            (
                json!({"choices": [{"message": {"content": [{}]}}]}),
                "choices[0].message.content is a list, not a text",
            ),
        ] {
            assert_eq!(ChatCompletion::of(&body).unwrap_err().to_string(), said, "{body}");
        }
    }
}
