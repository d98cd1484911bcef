//! Tests of response formats with servers that know no schemas.

use std::thread;

use nightfold_language::openai::{ChatError, ChatMessage, ChatRequest, ResponseFormat, Structured};
use serde_json::json;

use crate::{
    desk::{Desk, question},
    server::{Behaviour, FaultServer, Reply, Request},
};

/// Response format of a request.
fn form(request: &Request) -> String {
    match request.json().pointer("/response_format/type") {
        Some(form) => form.as_str().unwrap().to_owned(),
        None => "none".to_owned(),
    }
}

fn forms(server: &FaultServer) -> Vec<String> {
    server.requests().iter().map(form).collect()
}

/// Server that knows these formats alone, and refuses others with this status and text.
fn knows(known: &'static [&'static str], status: u16, said: &'static str) -> FaultServer {
    FaultServer::start(move |request, _| {
        if known.contains(&form(request).as_str()) {
            return Reply::chat("{}").into();
        }
        Reply::json(status, &json!({"error": {"message": said}})).into()
    })
}

const UNKNOWN: &str = "response_format of this type is not supported";

#[test]
fn missing_schema_support_is_found_out_once() {
    let server = knows(&["json_object", "none"], 400, UNKNOWN);
    let desk = Desk::at(&server);
    let first = desk.ask().unwrap();
    assert_eq!((first.structured, first.tries), (Structured::JsonObject, 2));
    let second = desk.ask().unwrap();
    assert_eq!((second.structured, second.tries), (Structured::JsonObject, 1));
    assert_eq!(forms(&server), ["json_schema", "json_object", "json_object"]);
    assert!(desk.clock.sleeps().is_empty(), "nobody is in the way of asking otherwise");
}

#[test]
fn missing_format_support_is_found_out_once() {
    let server = knows(&["none"], 422, "Unsupported value");
    let desk = Desk::at(&server);
    assert_eq!(desk.ask().unwrap().structured, Structured::Text);
    assert_eq!(desk.ask().unwrap().structured, Structured::Text);
    assert_eq!(forms(&server), ["json_schema", "json_object", "none", "none"]);
}

#[test]
fn server_with_schemas_but_no_objects_is_asked_by_schema() {
    let server = knows(&["json_schema", "none"], 400, UNKNOWN);
    assert_eq!(Desk::at(&server).ask().unwrap().structured, Structured::JsonSchema);
    assert_eq!(forms(&server), ["json_schema"]);
}

#[test]
fn old_server_refuses_a_format_with_status_500() {
    let said = r#"response_format type must be one of "text" or "json_object", but got: json_schema"#;
    let server = knows(&["json_object", "none"], 500, said);
    assert_eq!(Desk::at(&server).ask().unwrap().structured, Structured::JsonObject);
    assert_eq!(forms(&server), ["json_schema", "json_object"]);
}

#[test]
fn format_fallback_uses_up_no_retry() {
    let server = FaultServer::in_turn([
        Reply::new(400, UNKNOWN).into(),
        Reply::new(503, "").into(),
        Reply::chat("{}").into(),
    ]);
    let desk = Desk::with(&server, |settings| settings.retries = 1);
    let reply = desk.ask().unwrap();
    assert_eq!((reply.tries, reply.structured), (3, Structured::JsonObject));
    assert_eq!(forms(&server), ["json_schema", "json_object", "json_object"]);
}

#[test]
fn pinned_format_is_kept_on_refusal() {
    for (structured, name) in
        [(Structured::JsonSchema, "json_schema"), (Structured::JsonObject, "json_object")]
    {
        let server = knows(&["none"], 400, UNKNOWN);
        let desk =
            Desk::with(&server, |settings| settings.response_format = ResponseFormat::Pinned(structured));
        let error = desk.ask().unwrap_err();
        assert!(matches!(error, ChatError::Status { status: 400, .. }), "{error:?}");
        assert_eq!(forms(&server), [name]);
    }
    let server = knows(&["none"], 400, UNKNOWN);
    let desk =
        Desk::with(&server, |settings| settings.response_format = ResponseFormat::Pinned(Structured::Text));
    assert_eq!(desk.ask().unwrap().structured, Structured::Text);
    assert_eq!(forms(&server), ["none"]);
}

#[test]
fn format_is_not_remembered_if_no_form_helps() {
    let server = knows(&[], 400, "max_tokens is not supported");
    let desk = Desk::at(&server);
    let error = desk.ask().unwrap_err();
    assert!(matches!(error, ChatError::Status { status: 400, .. }), "{error:?}");
    assert_eq!(error.spent().tries, 3);
    desk.ask().unwrap_err();
    assert_eq!(forms(&server), ["json_schema", "json_object", "none"].repeat(2));
}

#[test]
fn refusal_of_an_unsent_format_changes_nothing() {
    let server = FaultServer::in_turn([Reply::new(400, UNKNOWN).into()]);
    let desk = Desk::at(&server);
    desk.client.chat(&ChatRequest::new(vec![ChatMessage::user("Hot?")], 8)).unwrap_err();
    assert_eq!(forms(&server), ["none"]);
}

#[test]
fn question_without_schema_does_not_weaken_the_next() {
    let server = FaultServer::in_turn([Reply::chat("{}").into()]);
    let desk = Desk::at(&server);
    desk.client.chat(&ChatRequest::new(vec![ChatMessage::user("Hot?")], 8)).unwrap();
    desk.ask().unwrap();
    assert_eq!(forms(&server), ["none", "json_schema"]);
}

#[test]
fn format_is_accepted_even_if_the_answer_is_useless() {
    let server = FaultServer::start(|request, _| -> Behaviour {
        if form(request) == "json_schema" {
            return Reply::new(400, UNKNOWN).into();
        }
        Reply::json(200, &json!({"choices": [{"message": {}, "finish_reason": "length"}]})).into()
    });
    let desk = Desk::at(&server);
    desk.ask().unwrap_err();
    desk.ask().unwrap_err();
    assert_eq!(forms(&server), ["json_schema", "json_object", "json_object"]);
}

#[test]
fn concurrent_format_fallbacks_agree() {
    let server = knows(&["none"], 400, UNKNOWN);
    let desk = Desk::at(&server);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(desk.client.chat(&question()).unwrap().structured, Structured::Text));
        }
    });
    // Only those who asked at once with the first may have had to find out too.
    assert!(server.requests().len() <= 8 + 2 * 4, "{:?}", forms(&server));
    assert_eq!(desk.ask().unwrap().tries, 1);
}
