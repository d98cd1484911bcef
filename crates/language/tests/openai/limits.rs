//! Tests of limits: answer size, redirects, and requests in flight.

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use nightfold_language::openai::{ChatClient, ChatError, ChatRequest, Clock, Endpoint};

use crate::{
    desk::{Desk, question},
    server::{Behaviour, FaultServer, Reply},
};

const TEN_MB: usize = 10_000_000;

#[test]
fn endless_answer_is_cut_off() {
    for long in [Behaviour::Huge(TEN_MB), Reply::new(200, vec![b' '; TEN_MB]).into()] {
        let server = FaultServer::in_turn([long]);
        let error = Desk::at(&server).ask().unwrap_err();
        assert!(matches!(error, ChatError::TooLong { limit: 1_048_576, .. }), "{error:?}");
        assert_eq!(server.requests().len(), 1, "it would be as long again");
    }
}

#[test]
fn size_limit_is_exact() {
    // White space after the answer is part of its length.
    let padded = |length: usize| {
        Reply::new(200, format!("{:length$}", r#"{"choices":[{"message":{"content":"hot"}}]}"#))
    };
    let ask = |length| {
        let server = FaultServer::in_turn([padded(length).into()]);
        Desk::with(&server, |settings| settings.max_answer_bytes = 2048).ask()
    };
    assert_eq!(ask(2048).unwrap().content, "hot");
    assert!(matches!(ask(2049).unwrap_err(), ChatError::TooLong { limit: 2048, .. }));
}

#[test]
fn long_error_body_keeps_its_status() {
    let server = FaultServer::in_turn([Reply::new(404, "no ".repeat(TEN_MB / 3)).into()]);
    let error = Desk::at(&server).ask().unwrap_err();
    assert!(matches!(error, ChatError::Status { status: 404, .. }), "{error:?}");
    assert!(error.to_string().len() < 1000);
}

#[test]
fn redirects_are_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = FaultServer::in_turn([Reply::chat("hot").into()]);
        let to = format!("{}/chat/completions", elsewhere.base_url());
        let server = FaultServer::in_turn([Reply::new(status, "moved").header("Location", &to).into()]);
        let error = Desk::at(&server).ask().unwrap_err();
        let ChatError::Redirect { status: told, to: told_to, .. } = &error else { panic!("{error:?}") };
        assert_eq!((*told, told_to), (status, &to));
        assert!(error.to_string().contains(&to));
        assert_eq!((server.requests().len(), elsewhere.requests().len()), (1, 0));
    }
}

#[test]
fn requests_in_flight_are_limited() {
    // Each answer waits for another request beside it: the places are really used.
    let pair = Barrier::new(2);
    let server = FaultServer::start(move |_, _| {
        pair.wait();
        thread::sleep(Duration::from_millis(10));
        Reply::chat("hot").into()
    });
    let desk = Desk::with(&server, |settings| settings.in_flight = 2);
    thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| desk.client.chat(&question()).unwrap());
        }
    });
    assert_eq!((server.requests().len(), server.most_at_once()), (12, 2));
}

#[test]
fn waiting_between_tries_holds_no_permit() {
    let server = FaultServer::start(|request, _| {
        if request.json()["max_tokens"] == 1 {
            return Reply::new(503, "").header("Retry-After", "60").into();
        }
        Reply::chat("hot").into()
    });
    let desk = Desk::with(&server, |settings| settings.in_flight = 1);
    thread::scope(|scope| {
        scope.spawn(|| {
            let request = ChatRequest::new(Vec::new(), 1);
            desk.client.chat(&request).unwrap_err()
        });
        scope.spawn(|| desk.ask().unwrap());
    });
}

/// Clock that advances by an hour at every sleep, and whenever else it is told to.
#[derive(Debug)]
struct Hourly {
    began: Instant,
    hours: Arc<AtomicU32>,
    per_look: u32,
}

impl Hourly {
    fn client(server: &FaultServer, hours: &Arc<AtomicU32>, per_look: u32) -> ChatClient {
        let clock = Self { began: Instant::now(), hours: Arc::clone(hours), per_look };
        ChatClient::with_clock(Endpoint::new(server.base_url(), "tiny").unwrap(), Arc::new(clock))
    }
}

impl Clock for Hourly {
    fn now(&self) -> Instant {
        self.began + Duration::from_hours(1) * self.hours.fetch_add(self.per_look, Ordering::SeqCst)
    }

    fn date(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }

    fn sleep(&self, _: Duration) {
        self.hours.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn call_without_a_permit_in_time_sends_nothing() {
    let server = FaultServer::in_turn([Reply::chat("hot").into()]);
    let error = Hourly::client(&server, &Arc::default(), 1).chat(&question()).unwrap_err();
    assert!(matches!(error, ChatError::Busy { in_flight: 4, .. }), "{error:?}");
    assert_eq!((error.spent().tries, server.requests().len()), (0, 0));
}

#[test]
fn deadline_between_tries_returns_the_last_failure() {
    let server = FaultServer::in_turn([Reply::new(503, "down").into(), Reply::chat("hot").into()]);
    let error = Hourly::client(&server, &Arc::default(), 0).chat(&question()).unwrap_err();
    assert!(matches!(error, ChatError::Status { status: 503, .. }), "{error:?}");
    assert_eq!((error.spent().tries, server.requests().len()), (1, 1));
}

#[test]
fn deadline_between_formats_returns_the_refusal() {
    let hours = Arc::new(AtomicU32::new(0));
    let passing = Arc::clone(&hours);
    let server = FaultServer::start(move |_, _| {
        passing.fetch_add(1, Ordering::SeqCst);
        Reply::new(400, "response_format is not supported").into()
    });
    let error = Hourly::client(&server, &hours, 0).chat(&question()).unwrap_err();
    assert!(matches!(error, ChatError::Status { status: 400, .. }), "{error:?}");
    assert_eq!((error.spent().tries, server.requests().len()), (1, 1));
}

#[test]
fn client_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<ChatClient>();
    shared::<ChatError>();
}
