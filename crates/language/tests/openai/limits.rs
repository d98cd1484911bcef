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
use serde_json::json;

use crate::{
    desk::{Desk, counted, counted_by, question},
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
fn no_try_is_sent_that_could_exceed_the_tokens_of_its_call() {
    let probe = FaultServer::in_turn([Reply::chat("hot").into()]);
    Desk::at(&probe).ask().unwrap();
    let one = counted(&probe.requests()[0]);
    for (budget, sent) in [(one, 1), (2 * one - 1, 1), (2 * one, 2), (3 * one + 7, 3), (9 * one, 4)] {
        for broken in [
            Reply::new(503, "down").into(),
            Behaviour::CloseAfter(Reply::chat("hot"), 20),
            Behaviour::Hang(Duration::ZERO),
        ] {
            let server = FaultServer::in_turn([broken]);
            let desk = Desk::at(&server);
            let request = ChatRequest { budget: Some(budget), ..question() };
            let error = desk.client.chat(&request).unwrap_err();
            assert!(!matches!(error, ChatError::OverBudget { .. }), "the failure says more: {error:?}");
            assert_eq!((server.requests().len(), error.paid()), (sent, sent * one));
            assert_eq!(desk.clock.sleeps().len(), sent - 1, "nobody waits for a try that is not sent");
        }
    }
    let server = FaultServer::in_turn([Reply::chat("hot").into()]);
    let request = ChatRequest { budget: Some(one - 1), ..question() };
    let error = Desk::at(&server).client.chat(&request).unwrap_err();
    let ChatError::OverBudget { needed, left, .. } = error else { panic!("{error:?}") };
    assert_eq!((needed, left, server.requests().len()), (one, one - 1, 0));
}

#[test]
fn refused_format_counts_and_is_not_tried_again_with_the_next_question() {
    let server = FaultServer::start(|request, _| match request.json().get("response_format") {
        Some(_) => Reply::new(400, "response_format is not supported").into(),
        None => Reply::chat("hot").into(),
    });
    let desk = Desk::at(&server);
    let request = ChatRequest { prompt_tokens: Some(300), budget: Some(332), ..question() };
    for _ in 0..2 {
        let error = desk.client.chat(&request).unwrap_err();
        assert!(matches!(error, ChatError::Status { status: 400, .. }), "{error:?}");
        assert_eq!((error.spent().tries, error.paid()), (1, 332));
    }
    assert_eq!(desk.client.chat(&request).unwrap().content, "hot");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn stated_tokens_lower_a_count_no_further_than_four_bytes_each() {
    let ask = |prompt: usize, answer: usize| {
        let usage = json!({"prompt_tokens": prompt, "completion_tokens": answer});
        let body = json!({"choices": [{"message": {"content": "hot"}}], "usage": usage});
        let server = FaultServer::in_turn([Reply::json(200, &body).into()]);
        let paid = Desk::at(&server).ask().unwrap().paid;
        (paid, server.requests()[0].body.len(), counted_by(&server))
    };
    let (_, bytes, bound) = ask(0, 0);
    for (prompt, answer, paid) in [
        (bytes / 2, 5, bytes / 2 + 32),
        (bytes / 4 - 9, 5, bytes.div_ceil(4) + 32),
        (bytes / 8 - 1, 5, bound),
        (bytes / 2, 50, bytes / 2 + 50),
        (20_000_000, 5, bound),
    ] {
        assert_eq!(ask(prompt, answer).0, paid, "{prompt} + {answer} of {bytes} bytes");
    }
}

#[test]
fn client_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<ChatClient>();
    shared::<ChatError>();
}
