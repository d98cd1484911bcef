//! Tests of response formats with servers that know no schemas.

use std::thread;

use nightfold_language::{Chat, ChatErrorKind::Unreachable, ChatRequest};
use serde_json::json;

use crate::{
    desk::{Desk, ONE, question},
    server::{FaultServer, Reply, Request},
};

/// Response format of a request.
fn format(request: &Request) -> String {
    match request.json().pointer("/response_format/type") {
        Some(format) => format.as_str().unwrap().to_owned(),
        None => "none".to_owned(),
    }
}

fn formats(server: &FaultServer) -> Vec<String> {
    server.requests().iter().map(format).collect()
}

/// Server that knows these formats alone, and refuses others with this status and text.
fn knows(known: &'static [&'static str], status: u16, said: &'static str) -> FaultServer {
    FaultServer::start(move |request, _| {
        if known.contains(&format(request).as_str()) {
            return Reply::chat("{}").into();
        }
        Reply::json(status, &json!({"error": {"message": said}})).into()
    })
}

const UNKNOWN: &str = "response_format of this type is not supported";

#[test]
fn missing_support_of_a_format_is_found_out_once() {
    let old = r#"response_format type must be one of "text" or "json_object", but got: json_schema"#;
    for (known, status, said, asked) in [
        (&["json_schema", "none"][..], 400, UNKNOWN, &["json_schema", "json_schema"][..]),
        (&["json_object", "none"], 400, UNKNOWN, &["json_schema", "json_object", "json_object"]),
        (&["json_object", "none"], 500, old, &["json_schema", "json_object", "json_object"]),
        (&["none"], 422, "Unsupported value", &["json_schema", "json_object", "none", "none"]),
    ] {
        let server = knows(known, status, said);
        let desk = Desk::at(&server);
        let tokens = desk.ask().unwrap().tokens + desk.ask().unwrap().tokens;
        assert_eq!(
            (formats(&server).as_slice(), tokens),
            (&asked.iter().map(ToString::to_string).collect::<Vec<_>>()[..], asked.len() * ONE)
        );
        assert!(desk.clock.sleeps().is_empty(), "nobody is in the way of asking otherwise");
    }
}

#[test]
fn format_fallback_uses_up_no_retry() {
    let server = FaultServer::in_turn([
        Reply::new(400, UNKNOWN).into(),
        Reply::new(503, "").into(),
        Reply::chat("{}").into(),
    ]);
    Desk::with(&server, |settings| settings.retries = 1).ask().unwrap();
    assert_eq!(formats(&server), ["json_schema", "json_object", "json_object"]);
}

#[test]
fn format_is_not_remembered_if_none_helps() {
    let server = knows(&[], 400, "max_tokens is not supported");
    let desk = Desk::at(&server);
    desk.fails(Unreachable, "status 400: max_tokens is not supported (3 tries)");
    desk.ask().unwrap_err();
    assert_eq!(formats(&server), ["json_schema", "json_object", "none"].repeat(2));
}

#[test]
fn concurrent_format_fallbacks_agree() {
    let server = knows(&["none"], 400, UNKNOWN);
    let desk = Desk::at(&server);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| desk.ask().unwrap());
        }
    });
    // Only those who asked at once with the first may have had to find out too.
    let asked = server.requests().len();
    assert!(asked <= 8 + 2 * 4, "{:?}", formats(&server));
    desk.ask().unwrap();
    assert_eq!(server.requests().len(), asked + 1);
}

#[test]
fn refused_format_counts_and_is_not_tried_again_with_the_next_question() {
    let server = knows(&["none"], 400, "response_format is not supported");
    let desk = Desk::at(&server);
    let request = ChatRequest { budget: ONE, ..question() };
    for _ in 0..2 {
        let error = desk.client.complete(&request).unwrap_err();
        assert!(error.reason.contains("status 400"), "{error:?}");
        assert_eq!(error.tokens, ONE);
    }
    assert_eq!(desk.client.complete(&request).unwrap().text, "{}");
    assert_eq!(server.requests().len(), 3);
}
