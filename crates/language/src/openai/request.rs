//! Body of a request.

use serde::Serialize;
use serde_json::Value;

use super::format::ResponseFormat;
use crate::ChatRequest;

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
    max_tokens: u32,
    temperature: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
}

/// Returns the body of a request, byte for byte the same for the same question.
pub(super) fn body(request: &ChatRequest, model: &str, format: ResponseFormat) -> Vec<u8> {
    let body = Body {
        model,
        messages: [
            Message { role: "system", content: request.system },
            Message { role: "user", content: &request.user },
        ],
        max_tokens: request.max_tokens,
        temperature: request.temperature,
        seed: request.seed,
        response_format: format.field(&request.schema),
    };
    serde_json::to_vec(&body).expect("texts and numbers are JSON")
}
