//! Test that no key reaches a log: ureq writes what it sends to any logger that takes its trace records.
//!
//! A logger belongs to the whole process, so this test is a program of its own.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
};

use log::{LevelFilter, Log, Metadata, Record};
use nightfold_language::{
    AnswerSchema, Chat, ChatRequest,
    openai::{ChatClient, EndpointSettings, Secret},
};

#[path = "support/server.rs"]
mod server;

use server::{FaultServer, Reply};

/// Logger that takes every record, or every one but ureq's dump of sent bytes.
struct Logger {
    takes_dumps: AtomicBool,
    lines: Mutex<String>,
}

static LOGGER: Logger = Logger { takes_dumps: AtomicBool::new(true), lines: Mutex::new(String::new()) };

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() != "ureq_proto::util" || self.takes_dumps.load(Ordering::SeqCst)
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            self.lines.lock().unwrap().push_str(&format!("{} {}\n", record.target(), record.args()));
        }
    }

    fn flush(&self) {}
}

#[test]
fn key_is_not_sent_if_a_logger_would_record_it() {
    log::set_logger(&LOGGER).unwrap();
    log::set_max_level(LevelFilter::Trace);
    let server = FaultServer::in_turn([Reply::chat("hot").into()]);
    // Of one letter, so that any sixteen bytes of a dump show it.
    let mut settings = EndpointSettings::new(server.base_url(), "tiny");
    let without_key = ChatClient::new(settings.clone()).unwrap();
    settings.key = Some(Secret::new("k".repeat(64)).unwrap());
    let with_key = ChatClient::new(settings).unwrap();
    let request = ChatRequest {
        system: "Be brief.",
        user: "Hot?".to_owned(),
        schema: AnswerSchema { name: "heat", schema: serde_json::json!({}) },
        max_tokens: 8,
        prompt_tokens: 600,
        budget: 10_000,
        temperature: 0.0,
        seed: None,
    };
    let lines = || std::mem::take(&mut *LOGGER.lines.lock().unwrap());

    let error = with_key.complete(&request).unwrap_err();
    assert!(error.reason.contains("a logger takes the trace records"), "{error:?}");
    assert_eq!(error.tokens, 0);
    assert!(server.requests().is_empty());
    assert_eq!(lines(), "");

    // Without a key there is nothing to guard; what is sent is dumped there indeed.
    without_key.complete(&request).unwrap();
    let dumped = lines();
    assert!(dumped.contains("\nureq_proto::util "), "{dumped}");

    // Where it is not dumped there, it is dumped nowhere.
    LOGGER.takes_dumps.store(false, Ordering::SeqCst);
    with_key.complete(&request).unwrap();
    let logged = lines();
    assert!(logged.contains("ureq"), "{logged}");
    assert!(!logged.contains("kkkkkkkk") && !logged.contains("6b6b 6b6b"), "{logged}");
    assert_eq!(server.requests()[1].header("authorization"), Some(&*format!("Bearer {}", "k".repeat(64))));
}
