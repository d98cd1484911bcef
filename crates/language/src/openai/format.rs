//! Response formats: the shape that a server is asked for, as strictly as it understands.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::AnswerSchema;

/// Response format, from the strictest to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ResponseFormat {
    /// The answer follows the schema.
    JsonSchema,
    /// The answer is some JSON object.
    JsonObject,
    /// The answer is any text.
    Text,
}

impl ResponseFormat {
    const ALL: [Self; 3] = [Self::JsonSchema, Self::JsonObject, Self::Text];

    /// Returns the next weaker format; `None` for the weakest.
    pub(super) fn weaker(self) -> Option<Self> {
        Self::ALL.get(self as usize + 1).copied()
    }

    /// Returns the field `response_format` of a request; `None` if it has none.
    pub(super) fn field(self, AnswerSchema { name, schema }: &AnswerSchema) -> Option<Value> {
        match self {
            Self::JsonSchema => {
                let shape = json!({"name": name, "strict": true, "schema": schema});
                Some(json!({"type": "json_schema", "json_schema": shape}))
            }
            Self::JsonObject => Some(json!({"type": "json_object"})),
            Self::Text => None,
        }
    }
}

/// Strictest format that the server is not known to refuse; initially the strictest of all.
#[derive(Debug, Default)]
pub(super) struct NegotiatedFormat(AtomicUsize);

impl NegotiatedFormat {
    /// Returns the format of the next request.
    pub(super) fn get(&self) -> ResponseFormat {
        ResponseFormat::ALL[self.0.load(Ordering::Relaxed)]
    }

    /// Notes that the server refused every stricter format than this one. Returns true if that is news.
    pub(super) fn settle(&self, format: ResponseFormat) -> bool {
        self.0.fetch_max(format as usize, Ordering::Relaxed) < format as usize
    }
}

/// True if an answer says that the server does not know the requested format.
///
/// Older versions of llama.cpp answer with status 500; then only a word that names the format counts.
pub(super) fn is_refused(status: u16, body: &[u8]) -> bool {
    const NAMES: [&str; 3] = ["response_format", "json_schema", "json_object"];
    const HINTS: [&str; 4] = ["unsupported", "not supported", "structured output", "grammar"];
    let said = String::from_utf8_lossy(body).to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    match status {
        400 | 422 => says(&NAMES) || says(&HINTS),
        500 | 501 => says(&NAMES),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_a_response_format_are_recognised() {
        for (status, said, refused) in [
            // LM Studio
            (400, r#"{"error":"'response_format.type' must be 'json_schema' or 'text'"}"#, true),
            // mlx-vlm
            (422, r#"{"detail":"Unsupported response_format type: 'json_object'"}"#, true),
            // llama.cpp of 2024
            (
                500,
                r#"{"error":{"code":500,"message":"response_format type must be one of \"text\" or \"json_object\", but got: json_schema","type":"server_error"}}"#,
                true,
            ),
            (400, "This model does not support structured outputs", true),
            (400, "the prompt is too long", false),
            (401, "response_format", false),
            (500, "unsupported", false),
            (503, "json_schema", false),
        ] {
            assert_eq!(is_refused(status, said.as_bytes()), refused, "{status} {said}");
        }
    }
}
