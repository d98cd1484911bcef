//! Chat completion inside a provider's batch result.

use serde_json::Value;

use crate::cost::StatedCost;

/// Ending of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BatchCompletion<'a> {
    /// The answer is complete.
    Complete(&'a str),
    /// The answer stopped at `max_tokens`.
    CutShort,
    /// The model refused, in these words.
    Refused(&'a str),
    /// The body is not a chat completion.
    Invalid,
}

impl<'a> BatchCompletion<'a> {
    pub(super) fn of(body: &'a Value) -> Self {
        let choice = &body["choices"][0];
        let message = &choice["message"];
        match (
            message["refusal"].as_str().filter(|words| !words.is_empty()),
            choice["finish_reason"].as_str(),
        ) {
            (Some(words), _) => Self::Refused(words),
            (None, Some("content_filter")) => Self::Refused("content_filter"),
            (None, Some("length")) => Self::CutShort,
            _ => message["content"].as_str().map_or(Self::Invalid, Self::Complete),
        }
    }
}

/// Returns the tokens of the question, and those of the answer together with everything else that was paid
/// for it, as far as the provider reports them.
pub(super) fn usage(body: &Value) -> StatedCost {
    let tokens = |name: &str| body["usage"][name].as_u64().and_then(|n| usize::try_from(n).ok());
    let (prompt, answer) = (tokens("prompt_tokens"), tokens("completion_tokens"));
    // Hidden thoughts may stand in the total alone.
    let beyond = tokens("total_tokens").zip(prompt).map(|(total, prompt)| total.saturating_sub(prompt));
    StatedCost { prompt, answer: answer.max(beyond) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn batch_completion_is_complete_cut_short_refused_or_invalid() {
        let of = |choice: Value| json!({"choices": [choice]});
        for (body, said) in [
            (
                of(json!({"message": {"content": "{}"}, "finish_reason": "stop"})),
                BatchCompletion::Complete("{}"),
            ),
            (of(json!({"message": {"content": "{}", "refusal": null}})), BatchCompletion::Complete("{}")),
            (
                of(json!({"message": {"content": "{\"te"}, "finish_reason": "length"})),
                BatchCompletion::CutShort,
            ),
            (of(json!({"message": {"content": null, "refusal": "No."}})), BatchCompletion::Refused("No.")),
            (
                of(json!({"message": {}, "finish_reason": "content_filter"})),
                BatchCompletion::Refused("content_filter"),
            ),
            (of(json!({"message": {"content": ["x"]}})), BatchCompletion::Invalid),
            (of(json!({})), BatchCompletion::Invalid),
            (json!({"choices": []}), BatchCompletion::Invalid),
            (json!([]), BatchCompletion::Invalid),
            (json!(null), BatchCompletion::Invalid),
        ] {
            assert_eq!(BatchCompletion::of(&body), said, "{body}");
        }
    }

    #[test]
    fn partial_usage_is_completed_and_unreadable_usage_ignored() {
        for (given, read) in [
            (json!({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}), (Some(3), Some(4))),
            (json!({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 9}), (Some(3), Some(6))),
            (json!({"prompt_tokens": 3, "total_tokens": 9}), (Some(3), Some(6))),
            (json!({"completion_tokens": 4}), (None, Some(4))),
            (json!({"prompt_tokens": -3, "completion_tokens": "4"}), (None, None)),
            (json!(null), (None, None)),
        ] {
            let StatedCost { prompt, answer } = usage(&json!({"usage": given}));
            assert_eq!((prompt, answer), read);
        }
    }
}
