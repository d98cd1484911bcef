//! Test of the client against llama.cpp's own server: the protocol, not the quality of the answers.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::thread;

use nightfold_language::openai::{
    ChatClient, ChatError, ChatMessage, ChatRequest, EndpointSettings, JsonSchema, ResponseFormat, Secret,
    Structured,
};
use serde_json::{Value, json};

#[path = "support/llama.rs"]
mod llama;

const KEY: &str = "sk-real-SECRET";

fn question(text: &str) -> ChatRequest {
    let schema = json!({
        "type": "object",
        "properties": {"hot": {"type": "boolean"}, "why": {"type": "string", "maxLength": 40}},
        "required": ["hot", "why"],
        "additionalProperties": false
    });
    let messages = vec![
        ChatMessage::system("Is it hot? Answer in JSON: {\"hot\": …, \"why\": …}."),
        ChatMessage::user(text),
    ];
    ChatRequest {
        schema: Some(JsonSchema { name: "heat".into(), schema }),
        seed: Some(7),
        ..ChatRequest::new(messages, 96)
    }
}

#[test]
fn client_works_with_llama_cpp_server() {
    let Some(server) = llama::Llama::start(KEY) else { return };
    let settings = || {
        let mut settings = EndpointSettings::new(server.base_url(), "smollm2");
        settings.key = Some(Secret::new(KEY).unwrap());
        settings
    };
    let client = ChatClient::new(settings().check().unwrap());

    // More at once than the server has slots for, over connections that are kept.
    thread::scope(|scope| {
        for text in
            ["The hearth glows.", "Snow lies on the roof.", "The kettle sings.", "The well is frozen."]
        {
            let client = &client;
            scope.spawn(move || {
                let reply = client.chat(&question(text)).unwrap();
                let answer: Value = serde_json::from_str(&reply.content).unwrap();
                assert!(answer["hot"].is_boolean() && answer["why"].is_string(), "{answer}");
                let usage = reply.usage.unwrap();
                assert!(usage.prompt_tokens > 0 && usage.completion_tokens > 0, "{usage:?}");
                assert_eq!(reply.tries, 1);
                assert!(reply.paid as u64 >= usage.total_tokens, "{usage:?}");
                assert_eq!(reply.structured, Structured::JsonSchema);
            });
        }
    });

    let mut short = question("The hearth glows.");
    short.max_tokens = 3;
    let error = client.chat(&short).unwrap_err();
    assert!(matches!(error, ChatError::CutShort { usage: Some(_), .. }), "{error:?}");
    assert!(error.paid() > 3, "the question was paid too");

    for structured in [Structured::JsonObject, Structured::Text] {
        let mut settings = settings();
        settings.response_format = ResponseFormat::Pinned(structured);
        let outcome = ChatClient::new(settings.check().unwrap()).chat(&question("The hearth glows."));
        assert!(matches!(outcome, Ok(_) | Err(ChatError::CutShort { .. })), "{outcome:?}");
    }

    let mut settings = settings();
    settings.key = Some(Secret::new("sk-wrong").unwrap());
    let error = ChatClient::new(settings.check().unwrap()).chat(&question("The hearth glows.")).unwrap_err();
    assert!(matches!(error, ChatError::Status { status: 401, .. }), "{error:?}");
    println!("{error}");

    let too_long = client.chat(&question(&"The hearth glows. ".repeat(2_000))).unwrap_err();
    assert!(matches!(too_long, ChatError::Status { status: 400, .. }), "{too_long:?}");
    println!("{too_long}");
}
