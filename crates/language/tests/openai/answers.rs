//! Tests of questions as they arrive, and of answers as they are parsed.

use std::process::Command;

use nightfold_language::ChatErrorKind::{Refused, Unreadable};
use serde_json::{Value, json};

use crate::{
    desk::{Desk, counted_by, question},
    server::{FaultServer, Reply},
};

const HOT: &str = r#"{"hot":true}"#;

#[test]
fn question_is_sent_and_answer_parsed() {
    let server = FaultServer::in_turn([Reply::chat(HOT).into()]);
    let reply = Desk::at(&server).ask().unwrap();
    assert_eq!((reply.text.as_str(), reply.finished), (HOT, true));
    assert_eq!(reply.tokens, counted_by(&server), "fifteen tokens are fewer than were sent");

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
                "json_schema": {"name": "heat", "strict": true, "schema": question().schema.schema}
            }
        })
    );
}

#[test]
fn refusals_and_wrong_shapes_are_errors_that_count() {
    let choice =
        |choice: Value| json!({"choices": [choice], "usage": {"prompt_tokens": 10, "completion_tokens": 5}});
    let refused = choice(json!({"message": {"content": null, "refusal": "I will\nnot."}}));
    let wordless = choice(json!({"message": {"content": null, "tool_calls": []}}));
    for (body, kind, said) in [
        (refused.to_string(), Refused, "refused: I will not."),
        (wordless.to_string(), Unreadable, "no chat completion"),
        (json!({"error": {"message": "overloaded"}}).to_string(), Unreadable, "no chat completion"),
        (json!("hot").to_string(), Unreadable, "Most end in /v1"),
        ("<html>Welcome!</html>".to_owned(), Unreadable, "no chat completion"),
    ] {
        let server = FaultServer::in_turn([Reply::new(200, body).into()]);
        let error = Desk::at(&server).fails(kind, said);
        assert_eq!(server.requests().len(), 1, "{error}");
        assert_eq!(error.tokens, counted_by(&server), "it was sent");
    }
}

#[test]
fn compressed_body_is_refused() {
    let reply = Reply::new(200, [0x1F, 0x8B, 8, 0]).header("Content-Encoding", "gzip");
    let server = FaultServer::in_turn([reply.into()]);
    Desk::at(&server).fails(Unreadable, "encoded as gzip, which was not asked for");

    let reply = Reply::chat("hot").header("Content-Encoding", "identity");
    assert_eq!(Desk::at(&FaultServer::in_turn([reply.into()])).ask().unwrap().text, "hot");
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
