//! Tests that the key goes into one header only, and that questions and answers go into no log.

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use nightfold_language::{
    ChatError,
    openai::{ChatClient, EndpointSettings, Secret},
};
use serde_json::json;
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

use crate::{
    desk::{Desk, all_of},
    server::{FaultServer, Reply},
};

const KEY: &str = "sk-SECRET-9999";

fn with_key(settings: &mut EndpointSettings) {
    settings.key = Some(Secret::new(KEY).unwrap());
}

/// Asks a server that gives one reply; returns the error, and everything that was traced meanwhile.
fn asked(reply: Reply) -> (ChatError, String) {
    let server = FaultServer::in_turn([reply.into()]);
    let desk = Desk::with(&server, with_key);
    let notes = Notes::default();
    let error = tracing::subscriber::with_default(notes.clone(), || desk.ask().unwrap_err());
    let [.., request] = &server.requests()[..] else { panic!("a request") };
    assert_eq!(request.header("authorization"), Some("Bearer sk-SECRET-9999"));
    assert!(!String::from_utf8_lossy(&request.body).contains(KEY));
    assert!(!format!("{:?}", desk.client).contains(KEY));
    let noted = notes.0.lock().unwrap().clone();
    (error, noted)
}

#[test]
fn key_in_a_server_message_is_hidden() {
    let echo = format!("wrong key: Bearer {KEY}, {KEY}");
    let (begun, ended) = KEY.split_at_checked(5).unwrap();
    let split = format!("wrong key: {begun}\u{0}\u{1b}{ended}");
    let message = json!({"error": {"message": echo}});
    let completion = |message| json!({"choices": [{"message": message, "finish_reason": "stop"}]});
    for reply in [
        Reply::json(401, &message),
        Reply::json(429, &message),
        Reply::json(503, &message),
        Reply::json(400, &json!({"detail": [{"headers": {"authorization": echo}}]})),
        Reply::new(403, echo.clone()),
        Reply::new(403, split),
        Reply::new(403, r#"{"error":{"message":"bad sk-\u0053ECRET-9999"}}"#),
        Reply::new(403, r#"{"headers":["Bearer sk-\u0053ECRET-9999"]}"#),
        Reply::new(403, format!("{}{echo}", "x".repeat(285))),
        Reply::new(307, "").header("Location", &format!("http://127.0.0.1:1/?key={KEY}")),
        Reply::new(200, echo.clone()),
        Reply::new(200, "").header("Content-Encoding", KEY),
        Reply::json(200, &message),
        Reply::json(200, &completion(json!({"content": null, "refusal": echo}))),
        Reply::json(200, &completion(json!({"content": [echo]}))),
    ] {
        let (error, noted) = asked(reply.clone());
        let shown = all_of(&error);
        assert!(!shown.contains("SECRET"), "{reply:?}: {shown}");
        assert!(!noted.contains("SECRET"), "{noted}");
    }
}

#[test]
fn trace_of_a_try_contains_neither_question_nor_answer() {
    let server =
        FaultServer::in_turn([Reply::new(503, "the furnace").into(), Reply::chat("the furnace").into()]);
    let desk = Desk::with(&server, with_key);
    let notes = Notes::default();
    tracing::subscriber::with_default(notes.clone(), || desk.ask().unwrap());
    let noted = notes.0.lock().unwrap().clone();
    for wanted in
        ["status=503", "outcome=Err(Unreachable)", "status=200", "outcome=Ok(true)", "milliseconds="]
    {
        assert!(noted.contains(wanted), "{wanted} in {noted}");
    }
    for secret in [KEY, "Bearer", "hearth", "Answer in JSON", "furnace"] {
        assert!(!noted.contains(secret), "{secret} in {noted}");
    }
}

#[test]
fn unencrypted_key_is_warned_about() {
    let warned = |base: &str| {
        let mut settings = EndpointSettings::new(base, "tiny");
        with_key(&mut settings);
        let notes = Notes::default();
        tracing::subscriber::with_default(notes.clone(), || ChatClient::new(settings).unwrap());
        let noted = notes.0.lock().unwrap().clone();
        assert!(!noted.contains(KEY));
        noted.contains("the key is sent unencrypted")
    };
    assert!(warned("http://models.example.com/v1"));
    assert!(!warned("https://models.example.com/v1"));
    assert!(!warned("http://127.0.0.1:8080/v1"));
}

/// Every event of this thread, as text.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<String>>);

impl Subscriber for Notes {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Fields(&mut self.0.lock().unwrap()));
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push_str(&format!("{field}={value:?} "));
    }
}
