//! Tests of retries: their conditions, number and waits.

use std::{net::TcpListener, time::Duration};

use nightfold_language::{ChatErrorKind::Unreachable, openai::EndpointSettings};
use proptest::prelude::*;
use serde_json::json;

use crate::{
    desk::{Desk, ONE, counted_by},
    server::{Behaviour, FaultServer, Reply},
};

const PASSING: [u16; 7] = [408, 425, 429, 500, 502, 503, 504];
const LASTING: [u16; 10] = [400, 401, 402, 403, 404, 405, 413, 422, 501, 505];
/// Duration beyond that of any test.
const FOREVER: Duration = Duration::from_hours(1);

fn seconds(seconds: &[u64]) -> Vec<Duration> {
    seconds.iter().copied().map(Duration::from_secs).collect()
}

#[test]
fn transient_failures_are_retried() {
    for status in PASSING {
        let server = FaultServer::in_turn([Reply::new(status, "").into(), Reply::chat("hot").into()]);
        let desk = Desk::at(&server);
        let reply = desk.ask().unwrap();
        assert_eq!((reply.text.as_str(), server.requests().len()), ("hot", 2), "{status}");
        assert_eq!(reply.tokens, counted_by(&server), "each of both tries was sent");
        assert_eq!(server.requests()[0].body, server.requests()[1].body);
        assert_eq!(desk.clock.sleeps().len(), 1);
    }
}

#[test]
fn lasting_failures_are_not_retried() {
    for status in LASTING {
        // That it should be asked again later is not for such an answer to say.
        let reply = Reply::json(status, &json!({"error": {"message": "no"}})).header("Retry-After", "1");
        let server = FaultServer::in_turn([reply.into()]);
        Desk::at(&server).fails(Unreachable, &format!("answered with status {status}: no"));
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}

#[test]
fn retry_after_is_waited_for() {
    let date = Reply::new(503, "")
        .header("Date", "Wed, 01 Jan 2031 00:00:10 GMT")
        .header("Retry-After", "Wed, 01 Jan 2031 00:00:13 GMT");
    let past = Reply::new(503, "").header("Retry-After", "Sun, 06 Nov 1994 08:00:00 GMT");
    let two = Reply::new(429, "slow down").header("Retry-After", "2");
    let server = FaultServer::in_turn([two.into(), date.into(), past.into(), Reply::chat("hot").into()]);
    let desk = Desk::with(&server, |settings| settings.backoff = Duration::ZERO);
    desk.ask().unwrap();
    assert_eq!(desk.clock.sleeps(), seconds(&[2, 3, 0]));
}

#[test]
fn retry_after_beyond_the_deadline_is_not_waited_for() {
    for (status, later) in
        [(429, "6000"), (503, "999999999999999999999999"), (429, "Sat, 06 Nov 2094 08:49:37 GMT")]
    {
        let server = FaultServer::in_turn([Reply::new(status, "").header("Retry-After", later).into()]);
        let desk = Desk::at(&server);
        desk.fails(Unreachable, &format!("answered with status {status}, to be asked again in "));
        assert_eq!(server.requests().len(), 1, "{later}");
        assert!(desk.clock.sleeps().is_empty());
    }
}

#[test]
fn interrupted_answer_is_retried() {
    let whole = Reply::chat("hot");
    let unended = Reply::new(200, r#"{"choices": [{"message": {"content": "ho"#);
    for broken in [
        // In the body, before it, and before the head.
        Behaviour::CloseAfter(whole.clone(), 40),
        Behaviour::CloseAfter(whole.clone(), 0),
        Behaviour::Hang(Duration::ZERO),
        // Of a length that is shorter than its text.
        unended.into(),
        Reply::new(200, "").into(),
        whole.clone().header("Content-Length", "20").into(),
        // Of a length that never comes.
        whole.clone().header("Content-Length", "99999").into(),
    ] {
        let server = FaultServer::in_turn([broken.clone(), whole.clone().into()]);
        let reply = Desk::at(&server).ask().unwrap();
        assert_eq!((reply.text.as_str(), server.requests().len()), ("hot", 2), "{broken:?}");

        let server = FaultServer::in_turn([broken.clone()]);
        Desk::at(&server).fails(Unreachable, "broke off in its answer");
        assert_eq!(server.requests().len(), 4, "{broken:?}");
    }
}

#[test]
fn interrupted_error_body_keeps_its_status() {
    let broken = Behaviour::CloseAfter(Reply::new(401, "who are you, and what do you want here?"), 7);
    let server = FaultServer::in_turn([broken]);
    Desk::at(&server).fails(Unreachable, "status 401; is the key right?");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn silent_server_times_out_per_try_and_at_the_deadline() {
    for retries in [0, 1] {
        let server = FaultServer::in_turn([Behaviour::Hang(FOREVER)]);
        let desk = Desk::with(&server, |settings| {
            settings.try_timeout = Duration::from_millis(400);
            settings.retries = retries;
        });
        desk.fails(Unreachable, "did not answer within ");
        let most = retries as usize + 1;
        assert!((1..=most).contains(&server.requests().len()));
    }
}

#[test]
fn slow_body_times_out() {
    // Each byte comes in time; all of them do not.
    let server = FaultServer::in_turn([Behaviour::Drip(Reply::chat("hot"), Duration::from_millis(50))]);
    let desk = Desk::with(&server, |settings| {
        settings.try_timeout = Duration::from_millis(400);
        settings.retries = 0;
    });
    desk.fails(Unreachable, "did not answer within 0.4 s; allow more time");
    let server = FaultServer::in_turn([Behaviour::Drip(Reply::chat("hot"), Duration::from_micros(50))]);
    assert_eq!(Desk::at(&server).ask().unwrap().text, "hot", "within the limit");
}

#[test]
fn absent_server_is_retried_and_counts_nothing() {
    let closed = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    for base in [format!("http://{closed}/v1"), "http://nobody.invalid/v1".to_owned()] {
        let server = FaultServer::in_turn([Reply::chat("hot").into()]);
        let desk = Desk::with(&server, |settings| settings.base_url.clone_from(&base));
        let error =
            desk.fails(Unreachable, &format!("at {base}/chat/completions cannot be reached; is it running"));
        assert_eq!(desk.clock.sleeps().len(), 3);
        assert!(error.tokens == 0 || base.contains("invalid"), "nothing left this machine: {error:?}");
    }
}

#[test]
fn server_without_tls_or_http_is_not_retried() {
    let server = FaultServer::in_turn([Reply::chat("hot").into()]);
    let desk = Desk::with(&server, |settings| settings.base_url = server.base_url().replace("http", "https"));
    desk.fails(Unreachable, "is it http where it should be https");
    assert_eq!((desk.clock.sleeps().len(), server.requests().len()), (0, 0));

    for noise in [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "220 mail.example.com ESMTP\r\n",
        "HTTP/1.1 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
    ] {
        let server = FaultServer::in_turn([Behaviour::Raw(noise.into())]);
        Desk::at(&server).fails(Unreachable, "does not speak as expected");
        assert_eq!(server.requests().len(), 1, "{noise}");
    }
}

#[test]
fn chunked_body_is_read_and_retried_if_interrupted() {
    let chunks = |end: &str| {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
        let body = r#"{"choices":[{"message":{"content":"hot"}}]}"#;
        Behaviour::Raw(format!("{head}{:x}\r\n{body}\r\n{end}", body.len()).into())
    };
    let server = FaultServer::in_turn([chunks("5\r\n  "), chunks("0\r\n\r\n")]);
    assert_eq!((Desk::at(&server).ask().unwrap().text.as_str(), server.requests().len()), ("hot", 2));
}

#[test]
fn every_try_counts_what_was_sent_or_the_server_states_beyond_it() {
    for (usage, each) in [
        (json!({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}), ONE),
        (json!({"prompt_tokens": 5_000, "completion_tokens": 400}), 5_400),
    ] {
        let failed = Reply::json(500, &json!({"error": {"message": "crashed"}, "usage": usage}));
        let server =
            FaultServer::in_turn([failed.clone().into(), failed.clone().into(), Reply::chat("hot").into()]);
        assert_eq!(Desk::at(&server).ask().unwrap().tokens, 2 * each + ONE);
        assert_eq!(Desk::at(&FaultServer::in_turn([failed.into()])).ask().unwrap_err().tokens, 4 * each);
    }
}

fn passing_fault() -> impl Strategy<Value = Behaviour> {
    prop_oneof![
        prop::sample::select(PASSING.to_vec()).prop_map(|status| Reply::new(status, "").into()),
        (prop::sample::select(PASSING.to_vec()), 0_u64..90).prop_map(|(status, later)| Reply::new(
            status, ""
        )
        .header("Retry-After", &later.to_string())
        .into()),
        (0_usize..100).prop_map(|bytes| Behaviour::CloseAfter(Reply::chat("hot"), bytes)),
        Just(Behaviour::Hang(Duration::ZERO)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_sequence_of_faults_exceeds_the_limits(
        faults in prop::collection::vec(passing_fault(), 0..8), retries in 0_u32..6, within in 10_u64..40
    ) {
        let good = faults.len();
        let server = FaultServer::in_turn(faults.into_iter().chain([Reply::chat("hot").into()]));
        let desk = Desk::with(&server, |settings: &mut EndpointSettings| {
            settings.retries = retries;
            settings.try_timeout = Duration::from_secs(within);
        });
        let outcome = desk.ask();
        let requests = server.requests().len();
        prop_assert!(requests <= (good + 1).min(retries as usize + 1));
        prop_assert!(desk.clock.sleeps().iter().sum::<Duration>() < Duration::from_secs(within) * (retries + 1));
        match outcome {
            Ok(reply) => prop_assert_eq!((requests, reply.tokens), (good + 1, counted_by(&server))),
            Err(error) => prop_assert_eq!((error.kind, error.tokens), (Unreachable, counted_by(&server))),
        }
    }
}
