//! What came back.

use serde_json::Value;

use super::format::Structured;

/// What a question and its answer cost, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the question; of both, where the server states nothing else.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// Tokens of both; their sum where the server does not say.
    pub total_tokens: u64,
}

impl Usage {
    /// The usage in a body, if the server states one that can be read.
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
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatReply {
    /// What the model said, unchecked.
    pub content: String,
    /// What this answer cost, if the server says.
    pub usage: Option<Usage>,
    /// How many requests it took, with those that failed and those in a form that the server did not know.
    pub tries: u32,
    /// How far the server was held to the schema.
    pub structured: Structured,
    /// The tokens of all those requests, as far as the server says: [`usage`](Self::usage) and what failed tries
    /// cost. Where the server says nothing it is 0, and a ledger has to estimate.
    pub paid: u64,
}

/// Why a body is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// It is packed, though that was not asked for.
    #[error("it is encoded as {encoding}, which was not asked for")]
    Encoded {
        /// The name of the encoding.
        encoding: String,
    },
    /// It is no JSON.
    #[error("it is no JSON")]
    Json(#[from] serde_json::Error),
    /// Something is not where it belongs.
    #[error("{path} is {found}, not {wanted}")]
    Misplaced {
        /// Where it belongs.
        path: &'static str,
        /// What should be there.
        wanted: &'static str,
        /// What is there: "missing", "null", "a number" …
        found: &'static str,
    },
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// With its last word.
    All(String),
    /// At `max_tokens`.
    CutShort,
    /// In a refusal, in these words.
    Refused(String),
}

impl Said {
    /// What the body of a successful answer says.
    pub(super) fn of(body: &Value) -> Result<Self, ShapeError> {
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
            .map(|content| Self::All(content.to_owned()))
            .ok_or_else(|| misplaced("choices[0].message.content", "a text", content))
    }
}

fn misplaced(path: &'static str, wanted: &'static str, found: Option<&Value>) -> ShapeError {
    let found = match found {
        None => "missing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a text",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    };
    ShapeError::Misplaced { path, wanted, found }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn usage_is_what_can_be_read_of_it() {
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
    fn an_answer_ends_in_one_of_three_ways() {
        let of =
            |choice| Said::of(&json!({"choices": [choice, {"message": {"content": "another"}}]})).unwrap();
        let all = Said::All("hot".into());
        assert_eq!(of(json!({"message": {"content": "hot"}, "finish_reason": "stop"})), all);
        assert_eq!(of(json!({"message": {"content": "hot", "refusal": null}})), all);
        assert_eq!(of(json!({"message": {"content": "hot", "refusal": ""}, "finish_reason": null})), all);
        assert_eq!(of(json!({"message": {"content": ""}})), Said::All(String::new()));
        assert_eq!(of(json!({"message": {"content": "ho"}, "finish_reason": "length"})), Said::CutShort);
        assert_eq!(of(json!({"finish_reason": "length"})), Said::CutShort);
        let refused = Said::Refused("content_filter".into());
        assert_eq!(of(json!({"message": {"content": null}, "finish_reason": "content_filter"})), refused);
        let refused = Said::Refused("I will not.".into());
        assert_eq!(of(json!({"message": {"content": null, "refusal": "I will not."}})), refused);
    }

    #[test]
    fn what_is_not_in_its_place_is_named() {
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
            assert_eq!(Said::of(&body).unwrap_err().to_string(), said, "{body}");
        }
    }
}
