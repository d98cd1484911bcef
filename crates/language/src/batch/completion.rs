//! A chat completion as a provider's result holds it.

use serde_json::Value;

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said<'a> {
    /// With its last word.
    All(&'a str),
    /// At `max_tokens`.
    CutShort,
    /// In a refusal, in these words.
    Refused(&'a str),
    /// It is no chat completion.
    Nothing,
}

impl<'a> Said<'a> {
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
            _ => message["content"].as_str().map_or(Self::Nothing, Self::All),
        }
    }
}

/// Tokens of the question, and of the answer with all else that was paid for it, as far as the provider says.
pub(super) fn usage(body: &Value) -> (Option<usize>, Option<usize>) {
    let tokens = |name: &str| body["usage"][name].as_u64().and_then(|n| usize::try_from(n).ok());
    let (prompt, answer) = (tokens("prompt_tokens"), tokens("completion_tokens"));
    // Hidden thoughts may stand in the total alone.
    let beyond = tokens("total_tokens").zip(prompt).map(|(total, prompt)| total.saturating_sub(prompt));
    (prompt, answer.max(beyond))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_ends_in_one_of_four_ways() {
        let of = |choice: Value| json!({"choices": [choice]});
        for (body, said) in [
            (of(json!({"message": {"content": "{}"}, "finish_reason": "stop"})), Said::All("{}")),
            (of(json!({"message": {"content": "{}", "refusal": null}})), Said::All("{}")),
            (of(json!({"message": {"content": "{\"te"}, "finish_reason": "length"})), Said::CutShort),
            (of(json!({"message": {"content": null, "refusal": "No."}})), Said::Refused("No.")),
            (of(json!({"message": {}, "finish_reason": "content_filter"})), Said::Refused("content_filter")),
            (of(json!({"message": {"content": ["x"]}})), Said::Nothing),
            (of(json!({})), Said::Nothing),
            (json!({"choices": []}), Said::Nothing),
            (json!([]), Said::Nothing),
            (json!(null), Said::Nothing),
        ] {
            assert_eq!(Said::of(&body), said, "{body}");
        }
    }

    #[test]
    fn usage_is_what_can_be_read_of_it() {
        for (given, read) in [
            (json!({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}), (Some(3), Some(4))),
            (json!({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 9}), (Some(3), Some(6))),
            (json!({"prompt_tokens": 3, "total_tokens": 9}), (Some(3), Some(6))),
            (json!({"completion_tokens": 4}), (None, Some(4))),
            (json!({"prompt_tokens": -3, "completion_tokens": "4"}), (None, None)),
            (json!(null), (None, None)),
        ] {
            assert_eq!(usage(&json!({"usage": given})), read);
        }
    }
}
