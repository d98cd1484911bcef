//! What is asked.

use serde::Serialize;
use serde_json::Value;

use super::format::Structured;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Whoever sets the task.
    System,
    /// Whoever asks.
    User,
    /// The model; in a request, an example of what it should say.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// What sets the task.
    pub fn system(content: impl Into<String>) -> Self {
        Self { role: Role::System, content: content.into() }
    }

    /// What is asked.
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: Role::User, content: content.into() }
    }

    /// What the model said, or should say.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: content.into() }
    }
}

/// The shape an answer should have.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonSchema {
    /// Its name: 1 to 64 of `a-z A-Z 0-9 _ -`, as servers want it.
    pub name: String,
    /// The JSON Schema. Strict servers want `additionalProperties: false` and every property required.
    pub schema: Value,
}

/// One question.
///
/// ```
/// use nightfold_language::openai::{ChatRequest, JsonSchema, Message};
/// use serde_json::json;
///
/// let mut request = ChatRequest::new(vec![Message::user("Is fire hot? Answer in JSON: {\"hot\": …}")], 32);
/// request.schema = Some(JsonSchema {
///     name: "heat".into(),
///     schema: json!({"type": "object", "properties": {"hot": {"type": "boolean"}}, "required": ["hot"],
///                    "additionalProperties": false}),
/// });
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// The conversation so far. It should name the shape of the answer in words too, with the word JSON: not every
    /// server holds an answer to a schema, and some insist on the word.
    pub messages: Vec<Message>,
    /// The shape of the answer \[any text\]. The reply says how far the server was held to it; what it said is not
    /// checked here.
    pub schema: Option<JsonSchema>,
    /// Most tokens of an answer. One that needs more is an error.
    pub max_tokens: u32,
    /// How freely the model chooses its words, a finite number of 0 to 2 \[0\].
    pub temperature: f32,
    /// What the model's chance starts from \[the server's choice\].
    pub seed: Option<u64>,
}

impl ChatRequest {
    /// A question to be answered as plainly as can be, in any shape.
    pub fn new(messages: Vec<Message>, max_tokens: u32) -> Self {
        Self { messages, schema: None, max_tokens, temperature: 0.0, seed: None }
    }

    /// The question as the server reads it, byte for byte the same for the same question.
    pub(super) fn body(&self, model: &str, structured: Structured) -> Vec<u8> {
        let response_format = match (structured, &self.schema) {
            (Structured::JsonSchema, Some(JsonSchema { name, schema })) => {
                Some(FormatBody::JsonSchema { json_schema: SchemaBody { name, strict: true, schema } })
            }
            (Structured::JsonObject, Some(_)) => Some(FormatBody::JsonObject),
            (Structured::Text, _) | (_, None) => None,
        };
        let body = Body {
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
struct Body<'a> {
    model: &'a str,
    messages: &'a [Message],
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
            vec![Message::system("Be brief."), Message::user("Hot?"), Message::assistant("{}")],
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
    fn a_body_is_what_the_interface_wants() {
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
    fn without_a_schema_no_format_is_asked_for() {
        let request = ChatRequest::new(vec![Message::user("Hot?")], 1);
        let plain = r#"{"model":"tiny","messages":[{"role":"user","content":"Hot?"}],"max_tokens":1,"temperature":0.0}"#;
        assert_eq!(body(&request, Structured::JsonSchema), plain);
        assert_eq!(body(&request, Structured::JsonObject), plain);
    }
}
