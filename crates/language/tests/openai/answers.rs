//! Tests of questions as they arrive, and of answers as they are parsed.

use std::process::Command;

use nightfold_language::openai::{ChatError, ChatMessage, ChatRequest, ReplyShapeError, Structured, Usage};
use serde_json::{Value, json};

use crate::{
    desk::{Desk, counted_by, question},
    server::{FaultServer, Reply},
};

const HOT: &str = r#"{"hot":true}"#;
const USAGE: Option<Usage> = Some(Usage { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });

/// Serves a body with status 200 once; returns the error, after one request.
#[track_caller]
fn error_of(body: &Value) -> ChatError {
    let server = FaultServer::in_turn([Reply::json(200, body).into()]);
    let error = Desk::at(&server).ask().unwrap_err();
    assert_eq!((server.requests().len(), error.spent().tries), (1, 1), "{error}");
    assert_eq!(error.paid(), counted_by(&server), "it was sent");
    error
}

#[test]
fn question_is_sent_and_answer_parsed() {
    let server = FaultServer::in_turn([Reply::chat(HOT).into()]);
    let reply = Desk::at(&server).ask().unwrap();
    assert_eq!(reply.content, HOT);
    assert_eq!(reply.usage, USAGE);
    assert_eq!((reply.tries, reply.structured), (1, Structured::JsonSchema));
    assert_eq!(reply.paid, counted_by(&server), "fifteen tokens are fewer than were sent");

    let [request] = &server.requests()[..] else { panic!("one request") };
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("accept"), Some("application/json"));
    assert_eq!(request.header("accept-encoding"), Some("identity"));
    assert_eq!(request.header("authorization"), None);
    assert!(request.header("user-agent").is_some_and(|agent| agent.starts_with("nightfold/")));
    assert_eq!(
        request.json(),
        json!({
            "model": "tiny",
            "messages": [
                {"role": "system", "content": "Answer in JSON."},
                {"role": "user", "content": "Is Mara's hearth hot?"}
            ],
            "max_tokens": 32,
            "temperature": 0.0,
            "seed": 7,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "heat", "strict": true, "schema": question().schema.unwrap().schema}
            }
        })
    );
}

#[test]
fn path_of_the_base_url_is_kept() {
    let server = FaultServer::in_turn([Reply::chat("hot").into()]);
    Desk::with(&server, |settings| settings.base_url.push_str("/of/mine//")).ask().unwrap();
    assert_eq!(server.requests()[0].path, "/v1/of/mine/chat/completions");
}

#[test]
fn without_a_schema_any_text_is_an_answer() {
    let server = FaultServer::in_turn([Reply::chat("").into()]);
    let request = ChatRequest::new(vec![ChatMessage::user("Hot?")], 8);
    let reply = Desk::at(&server).client.chat(&request).unwrap();
    assert_eq!((reply.content.as_str(), reply.structured), ("", Structured::Text));
    assert_eq!(server.requests()[0].json().get("response_format"), None);
}

#[test]
fn usage_is_optional() {
    let body = json!({"choices": [{"message": {"content": "hot"}}]});
    let server = FaultServer::in_turn([Reply::json(200, &body).into()]);
    let reply = Desk::at(&server).ask().unwrap();
    assert_eq!((reply.usage, reply.paid), (None, counted_by(&server)));
}

#[test]
fn answer_cut_short_is_an_error() {
    let error = error_of(&json!({
        "choices": [{"message": {"content": "{\"ho"}, "finish_reason": "length"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5}
    }));
    assert!(matches!(error, ChatError::CutShort { max_tokens: 32, usage: USAGE, .. }), "{error:?}");
    assert_eq!(error.kind(), "cut_short");
}

#[test]
fn refusal_is_an_error() {
    let error = error_of(&json!({
        "choices": [{"message": {"content": null, "refusal": "I will\nnot."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    }));
    let ChatError::Refused { reason, usage: USAGE, .. } = &error else { panic!("{error:?}") };
    assert_eq!(reason, "I will not.");

    let error =
        error_of(&json!({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}));
    let ChatError::Refused { reason, usage: None, .. } = &error else { panic!("{error:?}") };
    assert_eq!(reason, "content_filter");
}

#[test]
fn wrong_shape_is_an_error_with_its_cost() {
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
    for choices in [
        json!(null),
        json!([]),
        json!("hot"),
        json!([{}]),
        json!([{"message": {"content": null}}]),
        json!([{"message": {"content": ["hot"]}}]),
        json!([{"message": {"content": 7}, "finish_reason": "stop"}]),
        json!([{"message": {"content": null, "tool_calls": []}, "finish_reason": "tool_calls"}]),
    ] {
        let error = error_of(&json!({"choices": choices, "usage": usage}));
        assert!(matches!(error, ChatError::Shape { usage: USAGE, .. }), "{error:?}");
        assert_eq!(error.kind(), "shape");
    }
    for body in [json!({"error": {"message": "overloaded"}}), json!([]), json!("hot"), json!(null)] {
        let error = error_of(&body);
        assert!(matches!(error, ChatError::Shape { usage: None, .. }), "{error:?}");
    }
}

#[test]
fn body_that_is_no_json_is_an_error() {
    let server = FaultServer::in_turn([Reply::new(200, "<html>Welcome!</html>").into()]);
    let error = Desk::at(&server).ask().unwrap_err();
    let ChatError::Shape { source, .. } = error else { panic!("{error:?}") };
    assert!(matches!(*source, ReplyShapeError::Json(_)), "{source:?}");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn compressed_body_is_refused() {
    let reply = Reply::new(200, [0x1F, 0x8B, 8, 0]).header("Content-Encoding", "gzip");
    let error = Desk::at(&FaultServer::in_turn([reply.into()])).ask().unwrap_err();
    let ChatError::Shape { source, .. } = error else { panic!("{error:?}") };
    assert_eq!(source.to_string(), "it is encoded as gzip, which was not asked for");

    let reply = Reply::chat("hot").header("Content-Encoding", "identity");
    assert_eq!(Desk::at(&FaultServer::in_turn([reply.into()])).ask().unwrap().content, "hot");
}

#[test]
fn proxy_of_the_environment_is_not_used() {
    // The environment belongs to the whole process: another one runs the test above.
    let nowhere = "http://127.0.0.1:1";
    let ran = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "answers::question_is_sent_and_answer_parsed"])
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .envs(["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy"].map(|name| (name, nowhere)))
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && out.contains("1 passed"), "{out}");
}
