//! Request to the server.

use serde::Serialize;
use serde_json::Value;

use super::format::Structured;
use crate::{cost::CostBound, prompt::TEMPLATE_TOKENS};

/// Role of a message's author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// The program that sets the task.
    System,
    /// The user who asks.
    User,
    /// The model; in a request, an example of its answer.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChatMessage {
    /// Role of its author.
    pub role: ChatRole,
    /// Text of the message.
    pub content: String,
}

impl ChatMessage {
    /// Creates a message that sets the task.
    pub fn system(content: impl Into<String>) -> Self {
        Self { role: ChatRole::System, content: content.into() }
    }

    /// Creates a message that asks.
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: ChatRole::User, content: content.into() }
    }

    /// Creates a message of the model, real or as an example.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: ChatRole::Assistant, content: content.into() }
    }
}

/// Requested shape of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonSchema {
    /// Name of the shape: 1 to 64 of `a-z A-Z 0-9 _ -`, as servers demand.
    pub name: String,
    /// JSON Schema. Strict servers demand `additionalProperties: false` and every property required.
    pub schema: Value,
}

/// One question.
///
/// ```
/// use nightfold_language::openai::{ChatMessage, ChatRequest, JsonSchema};
/// use serde_json::json;
///
/// let mut request = ChatRequest::new(vec![ChatMessage::user("Is fire hot? Answer in JSON: {\"hot\": …}")], 32);
/// request.schema = Some(JsonSchema {
///     name: "heat".into(),
///     schema: json!({"type": "object", "properties": {"hot": {"type": "boolean"}}, "required": ["hot"],
///                    "additionalProperties": false}),
/// });
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// The conversation so far. It should describe the shape of the answer in words too, with the word JSON:
    /// not every server enforces a schema, and some insist on the word.
    pub messages: Vec<ChatMessage>,
    /// Shape of the answer \[any text\]. The reply states how strictly the server enforced the schema; the
    /// content of the answer is not checked here.
    pub schema: Option<JsonSchema>,
    /// Maximum number of tokens of an answer. A longer one is an error.
    pub max_tokens: u32,
    /// Upper bound of the tokens of the question \[one for each byte of the request, and 128 for the words of a chat
    /// template\].
    pub prompt_tokens: Option<usize>,
    /// Maximum number of tokens of all requests of the call together: each counts its question and `max_tokens` when
    /// it is sent, and one that could exceed this is not sent \[no limit\].
    pub budget: Option<usize>,
    /// Sampling temperature, a finite number of 0 to 2 \[0\].
    pub temperature: f32,
    /// Seed of the sampling \[the server's choice\].
    pub seed: Option<u64>,
}

impl ChatRequest {
    /// Creates a question with temperature 0, no seed, no schema and no limit on the tokens of all its requests.
    pub fn new(messages: Vec<ChatMessage>, max_tokens: u32) -> Self {
        Self {
            messages,
            schema: None,
            max_tokens,
            prompt_tokens: None,
            budget: None,
            temperature: 0.0,
            seed: None,
        }
    }

    /// Returns the upper bound of the cost of one request of this size.
    pub(super) fn cost_bound(&self, bytes: usize) -> CostBound {
        let prompt = self.prompt_tokens.unwrap_or(bytes.saturating_add(TEMPLATE_TOKENS));
        CostBound { prompt, answer: self.max_tokens, bytes }
    }

    /// Returns the body of the request, byte for byte the same for the same question.
    pub(super) fn body(&self, model: &str, structured: Structured) -> Vec<u8> {
        let response_format = match (structured, &self.schema) {
            (Structured::JsonSchema, Some(JsonSchema { name, schema })) => {
                Some(FormatBody::JsonSchema { json_schema: SchemaBody { name, strict: true, schema } })
            }
            (Structured::JsonObject, Some(_)) => Some(FormatBody::JsonObject),
            (Structured::Text, _) | (_, None) => None,
        };
        let body = ChatBody {
            model,
            messages: &self.messages,
            max_tokens: self.max_tokens,
            temperature: self.temperature,
            seed: self.seed,
            response_format,
        };
        serde_json::to_vec(&body).expect("texts and numbers are JSON")
    }
}

#[derive(Serialize)]
struct ChatBody<'a> {
    model: &'a str,
    messages: &'a [ChatMessage],
    max_tokens: u32,
    temperature: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<FormatBody<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum FormatBody<'a> {
    JsonSchema { json_schema: SchemaBody<'a> },
    JsonObject,
}

#[derive(Serialize)]
struct SchemaBody<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a Value,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request() -> ChatRequest {
        let mut request = ChatRequest::new(
            vec![ChatMessage::system("Be brief."), ChatMessage::user("Hot?"), ChatMessage::assistant("{}")],
            32,
        );
        request.schema = Some(JsonSchema { name: "heat".into(), schema: json!({"type": "object"}) });
        request.temperature = 0.7;
        request.seed = Some(7);
        request
    }

    fn body(request: &ChatRequest, structured: Structured) -> String {
        String::from_utf8(request.body("tiny", structured)).unwrap()
    }

    #[test]
    fn body_has_the_format_of_the_api() {
        let plain = r#"{"model":"tiny","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hot?"},{"role":"assistant","content":"{}"}],"max_tokens":32,"temperature":0.7,"seed":7"#;
        let request = request();
        assert_eq!(body(&request, Structured::Text), format!("{plain}}}"));
        assert_eq!(
            body(&request, Structured::JsonObject),
            format!(r#"{plain},"response_format":{{"type":"json_object"}}}}"#)
        );
        assert_eq!(
            body(&request, Structured::JsonSchema),
            format!(
                r#"{plain},"response_format":{{"type":"json_schema","json_schema":{{"name":"heat","strict":true,"schema":{{"type":"object"}}}}}}}}"#
            )
        );
    }

    #[test]
    fn without_a_schema_no_response_format_is_sent() {
        let request = ChatRequest::new(vec![ChatMessage::user("Hot?")], 1);
        let plain = r#"{"model":"tiny","messages":[{"role":"user","content":"Hot?"}],"max_tokens":1,"temperature":0.0}"#;
        assert_eq!(body(&request, Structured::JsonSchema), plain);
        assert_eq!(body(&request, Structured::JsonObject), plain);
    }
}
