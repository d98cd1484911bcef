//! Tests of limits: answer size, redirects, requests in flight, time and tokens.

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use nightfold_language::{
    Chat,
    ChatErrorKind::{OverBudget, Unreachable, Unreadable},
    ChatRequest,
    openai::{ChatClient, Clock, EndpointSettings},
};

use crate::{
    desk::{Desk, ONE, question},
    server::{Behaviour, FaultServer, Reply},
};

const TEN_MB: usize = 10_000_000;

#[test]
fn endless_answer_is_cut_off() {
    for long in [Behaviour::Huge(TEN_MB), Reply::new(200, vec![b' '; TEN_MB]).into()] {
        let server = FaultServer::in_turn([long]);
        Desk::at(&server).fails(Unreadable, "more than 1048576 bytes");
        assert_eq!(server.requests().len(), 1, "it would be as long again");
    }
}

#[test]
fn size_limit_is_exact() {
    // White space after the answer is part of its length.
    let padded = |length: usize| {
        Reply::new(200, format!("{:length$}", r#"{"choices":[{"message":{"content":"hot"}}]}"#))
    };
    let desk = |length| {
        let server = FaultServer::in_turn([padded(length).into()]);
        (Desk::with(&server, |settings| settings.max_answer_bytes = 2048), server)
    };
    assert_eq!(desk(2048).0.ask().unwrap().text, "hot");
    desk(2049).0.fails(Unreadable, "more than 2048 bytes");
}

#[test]
fn long_error_body_keeps_its_status() {
    let server = FaultServer::in_turn([Reply::new(404, "no ".repeat(TEN_MB / 3)).into()]);
    let error = Desk::at(&server).fails(Unreachable, "status 404; are the base address");
    assert!(error.to_string().len() < 1000);
}

#[test]
fn redirects_are_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = FaultServer::in_turn([Reply::chat("hot").into()]);
        let to = format!("{}/chat/completions", elsewhere.base_url());
        let server = FaultServer::in_turn([Reply::new(status, "moved").header("Location", &to).into()]);
        Desk::at(&server).fails(Unreachable, &format!("status {status}: {to}; if that is where it is"));
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
            scope.spawn(|| desk.ask().unwrap());
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
        scope.spawn(|| desk.client.complete(&ChatRequest { max_tokens: 1, ..question() }).unwrap_err());
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
    fn desk(server: &FaultServer, hours: &Arc<AtomicU32>, per_look: u32) -> ChatClient {
        let clock = Self { began: Instant::now(), hours: Arc::clone(hours), per_look };
        ChatClient::with_clock(EndpointSettings::new(server.base_url(), "tiny"), Arc::new(clock)).unwrap()
    }
}

impl Clock for Hourly {
    fn now(&self) -> Instant {
        self.began + Duration::from_hours(1) * self.hours.fetch_add(self.per_look, Ordering::SeqCst)
    }

    fn sleep(&self, _: Duration) {
        self.hours.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn question_without_a_permit_in_time_is_not_sent() {
    let server = FaultServer::in_turn([Reply::chat("hot").into()]);
    let error = Hourly::desk(&server, &Arc::default(), 1).complete(&question()).unwrap_err();
    assert!(error.reason.contains("4 requests in flight"), "{error:?}");
    assert_eq!((error.tokens, server.requests().len()), (0, 0));
}

#[test]
fn deadline_between_tries_or_formats_returns_the_last_failure() {
    let server = FaultServer::in_turn([Reply::new(503, "down").into(), Reply::chat("hot").into()]);
    let error = Hourly::desk(&server, &Arc::default(), 0).complete(&question()).unwrap_err();
    assert!(error.reason.contains("status 503: down"), "{error:?}");
    assert_eq!((error.tokens, server.requests().len()), (ONE, 1));

    let hours = Arc::new(AtomicU32::new(0));
    let passing = Arc::clone(&hours);
    let server = FaultServer::start(move |_, _| {
        passing.fetch_add(1, Ordering::SeqCst);
        Reply::new(400, "response_format is not supported").into()
    });
    let error = Hourly::desk(&server, &hours, 0).complete(&question()).unwrap_err();
    assert!(error.reason.contains("status 400"), "{error:?}");
    assert_eq!((error.tokens, server.requests().len()), (ONE, 1));
}

#[test]
fn no_try_is_sent_that_could_exceed_the_tokens_of_its_question() {
    for (budget, sent) in [(ONE, 1), (2 * ONE - 1, 1), (2 * ONE, 2), (3 * ONE + 7, 3), (9 * ONE, 4)] {
        for broken in [
            Reply::new(503, "down").into(),
            Behaviour::CloseAfter(Reply::chat("hot"), 20),
            Behaviour::Hang(Duration::ZERO),
        ] {
            let server = FaultServer::in_turn([broken]);
            let desk = Desk::at(&server);
            let error = desk.client.complete(&ChatRequest { budget, ..question() }).unwrap_err();
            assert_eq!(error.kind, Unreachable, "the failure says more: {error:?}");
            assert_eq!((server.requests().len(), error.tokens), (sent, sent * ONE));
            assert_eq!(desk.clock.sleeps().len(), sent - 1, "nobody waits for a try that is not sent");
        }
    }
    let server = FaultServer::in_turn([Reply::chat("hot").into()]);
    let request = ChatRequest { budget: ONE - 1, ..question() };
    let error = Desk::at(&server).client.complete(&request).unwrap_err();
    assert_eq!(error.kind, OverBudget { needed: ONE, left: ONE - 1 });
    assert!(error.reason.contains("allow more tokens"), "{error:?}");
    assert_eq!((error.tokens, server.requests().len()), (0, 0));
}
