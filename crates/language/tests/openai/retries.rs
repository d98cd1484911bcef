//! Tests of retries: their conditions, number and waits.

use std::{net::TcpListener, time::Duration};

use nightfold_language::openai::ChatError;
use proptest::prelude::*;
use serde_json::json;

use crate::{
    desk::{Desk, counted_by},
    server::{Behaviour, FaultServer, Reply},
};

const PASSING: [u16; 7] = [408, 425, 429, 500, 502, 503, 504];
const LASTING: [u16; 10] = [400, 401, 402, 403, 404, 405, 413, 422, 501, 505];
/// Duration beyond that of any test.
const FOREVER: Duration = Duration::from_hours(1);

fn seconds(seconds: &[u64]) -> Vec<Duration> {
    seconds.iter().copied().map(Duration::from_secs).collect()
}

fn no_backoff(settings: &mut nightfold_language::openai::EndpointSettings) {
    settings.backoff = Duration::ZERO;
}

#[test]
fn transient_failures_are_retried() {
    for status in PASSING {
        let server = FaultServer::in_turn([Reply::new(status, "").into(), Reply::chat("hot").into()]);
        let desk = Desk::at(&server);
        let reply = desk.ask().unwrap();
        assert_eq!((reply.content.as_str(), reply.tries), ("hot", 2), "{status}");
        assert_eq!(reply.paid, counted_by(&server), "each of both tries was sent");
        assert_eq!(server.requests().len(), 2);
        assert_eq!(server.requests()[0].body, server.requests()[1].body);
        assert_eq!(desk.clock.sleeps().len(), 1);
    }
}

#[test]
fn permanent_failures_are_not_retried() {
    for status in LASTING {
        // That it should be asked again later is not for such an answer to say.
        let reply = Reply::json(status, &json!({"error": {"message": "no"}})).header("Retry-After", "1");
        let server = FaultServer::in_turn([reply.into()]);
        let error = Desk::at(&server).ask().unwrap_err();
        let ChatError::Status { status: told, said, .. } = &error else { panic!("{error:?}") };
        assert_eq!((*told, said.as_str(), error.is_transient()), (status, "no", false));
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}

#[test]
fn number_of_tries_is_limited() {
    for retries in [0, 1, 3, 10] {
        let server = FaultServer::in_turn([Reply::new(503, "down").into()]);
        let desk = Desk::with(&server, |settings| settings.retries = retries);
        let error = desk.ask().unwrap_err();
        assert!(matches!(error, ChatError::Status { status: 503, .. }), "{error:?}");
        assert_eq!(error.spent().tries, retries + 1);
        assert_eq!(server.requests().len(), retries as usize + 1);
        assert_eq!(desk.clock.sleeps().len(), retries as usize);
    }
}

#[test]
fn waits_depend_on_the_question_alone() {
    let sleeps = || {
        let server = FaultServer::in_turn([Reply::new(503, "").into()]);
        let desk = Desk::at(&server);
        desk.ask().unwrap_err();
        desk.clock.sleeps()
    };
    let first = sleeps();
    assert_eq!(first, sleeps());
    let most = [500, 1000, 2000].map(Duration::from_millis);
    assert!(first.iter().zip(most).all(|(wait, most)| *wait <= most), "{first:?}");
}

#[test]
fn retry_after_in_seconds_is_waited_for() {
    let later = Reply::new(429, "slow down").header("Retry-After", "2");
    let server = FaultServer::in_turn([later.clone().into(), later.into(), Reply::chat("hot").into()]);
    let desk = Desk::at(&server);
    assert_eq!(desk.ask().unwrap().tries, 3);
    assert_eq!(desk.clock.sleeps(), seconds(&[2, 2]));
}

#[test]
fn retry_after_date_is_read_by_the_servers_clock() {
    let later = Reply::new(429, "")
        .header("Date", "Wed, 01 Jan 2031 00:00:10 GMT")
        .header("Retry-After", "Wed, 01 Jan 2031 00:00:13 GMT");
    let server = FaultServer::in_turn([later.into(), Reply::chat("hot").into()]);
    let desk = Desk::at(&server);
    assert_eq!(desk.ask().unwrap().tries, 2);
    assert_eq!(desk.clock.sleeps(), seconds(&[3]));
}

#[test]
fn retry_after_date_without_date_header_is_read_by_the_local_clock() {
    let later = Reply::new(503, "").header("Retry-After", "Sun, 06 Nov 1994 08:49:41 GMT");
    let past = Reply::new(503, "").header("Retry-After", "Sun, 06 Nov 1994 08:00:00 GMT");
    let server = FaultServer::in_turn([later.into(), past.into(), Reply::chat("hot").into()]);
    let desk = Desk::with(&server, no_backoff);
    assert_eq!(desk.ask().unwrap().tries, 3);
    assert_eq!(desk.clock.sleeps(), seconds(&[4, 0]));
}

#[test]
fn retry_after_beyond_the_deadline_is_not_waited_for() {
    for (status, later) in [
        (429, "600"),
        (503, "999999999999999999999999"),
        (429, "Sun, 06 Nov 1994 10:00:00 GMT"),
        (429, "Sat, 06 Nov 2094 08:49:37 GMT"),
    ] {
        let server = FaultServer::in_turn([Reply::new(status, "").header("Retry-After", later).into()]);
        let desk = Desk::at(&server);
        let error = desk.ask().unwrap_err();
        let ChatError::RateLimited { status: told, retry_after: Some(retry_after), .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!(told, status);
        assert!(retry_after >= Duration::from_mins(10), "{retry_after:?}");
        assert_eq!(server.requests().len(), 1, "{later}");
        assert!(desk.clock.sleeps().is_empty());
    }
}

#[test]
fn lasting_rate_limit_is_returned() {
    let server = FaultServer::in_turn([Reply::new(429, "quota\nspent").header("Retry-After", "1").into()]);
    let error = Desk::at(&server).ask().unwrap_err();
    let ChatError::RateLimited { status: 429, retry_after, said, spent, .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!((retry_after, said.as_str(), spent.tries), (Some(Duration::from_secs(1)), "quota spent", 4));
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
        assert_eq!((reply.content.as_str(), reply.tries), ("hot", 2), "{broken:?}");

        let server = FaultServer::in_turn([broken.clone()]);
        let error = Desk::at(&server).ask().unwrap_err();
        assert!(matches!(error, ChatError::Interrupted { .. }), "{broken:?}: {error:?}");
        assert_eq!(server.requests().len(), 4);
    }
}

#[test]
fn interrupted_error_body_keeps_its_status() {
    let broken = Behaviour::CloseAfter(Reply::new(401, "who are you, and what do you want here?"), 7);
    let server = FaultServer::in_turn([broken]);
    let error = Desk::at(&server).ask().unwrap_err();
    let ChatError::Status { status: 401, said, .. } = error else { panic!("{error:?}") };
    assert_eq!(said, "");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn silent_server_times_out_per_try() {
    let server = FaultServer::in_turn([Behaviour::Hang(FOREVER)]);
    let desk = Desk::with(&server, |settings| {
        settings.try_timeout = Duration::from_millis(400);
        settings.retries = 1;
    });
    let error = desk.ask().unwrap_err();
    let ChatError::TimedOut { after, spent, .. } = error else { panic!("{error:?}") };
    assert_eq!((after, spent.tries), (Duration::from_millis(400), 2));
    server.wait_for(2);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn silent_server_times_out_at_the_deadline() {
    let server = FaultServer::in_turn([Behaviour::Hang(FOREVER)]);
    let desk = Desk::with(&server, |settings| settings.call_timeout = Duration::from_millis(300));
    let error = desk.ask().unwrap_err();
    let ChatError::TimedOut { after, spent, .. } = error else { panic!("{error:?}") };
    assert!(after <= Duration::from_millis(300));
    assert_eq!(spent.tries, 1);
    server.wait_for(1);
    assert_eq!(server.requests().len(), 1);
    assert!(desk.clock.sleeps().is_empty());
}

#[test]
fn slow_body_times_out() {
    // Each byte comes in time; all of them do not.
    let server = FaultServer::in_turn([Behaviour::Drip(Reply::chat("hot"), Duration::from_millis(50))]);
    let desk = Desk::with(&server, |settings| {
        settings.try_timeout = Duration::from_millis(400);
        settings.retries = 0;
    });
    let error = desk.ask().unwrap_err();
    assert!(matches!(error, ChatError::TimedOut { .. }), "{error:?}");
}

#[test]
fn slow_answer_within_the_time_limit_is_accepted() {
    let server = FaultServer::in_turn([Behaviour::Drip(Reply::chat("hot"), Duration::from_micros(50))]);
    assert_eq!(Desk::at(&server).ask().unwrap().content, "hot");
}

#[test]
fn missing_server_is_retried() {
    let closed = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let server = FaultServer::in_turn([Reply::chat("hot").into()]);
    let desk = Desk::with(&server, |settings| settings.base_url = format!("http://{closed}/v1"));
    let error = desk.ask().unwrap_err();
    let ChatError::Unreachable { url, spent, .. } = &error else { panic!("{error:?}") };
    assert_eq!(*url, format!("http://{closed}/v1/chat/completions"));
    assert_eq!((spent.tries, desk.clock.sleeps().len()), (4, 3));
    assert_eq!(spent.paid, 0, "nothing left this machine");
}

#[test]
fn unknown_host_is_unreachable() {
    let server = FaultServer::in_turn([Reply::chat("hot").into()]);
    let desk = Desk::with(&server, |settings| settings.base_url = "http://nobody.invalid/v1".into());
    let error = desk.ask().unwrap_err();
    assert!(matches!(error, ChatError::Unreachable { .. }), "{error:?}");
}

#[test]
fn server_without_tls_or_http_is_not_retried() {
    let server = FaultServer::in_turn([Reply::chat("hot").into()]);
    let desk = Desk::with(&server, |settings| settings.base_url = server.base_url().replace("http", "https"));
    let error = desk.ask().unwrap_err();
    assert!(matches!(error, ChatError::Connection { .. }), "{error:?}");
    assert_eq!((error.spent().tries, server.requests().len()), (1, 0));

    for noise in [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "220 mail.example.com ESMTP\r\n",
        "HTTP/1.1 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
    ] {
        let server = FaultServer::in_turn([Behaviour::Raw(noise.into())]);
        let error = Desk::at(&server).ask().unwrap_err();
        assert!(matches!(error, ChatError::Connection { .. }), "{noise:?}: {error:?}");
        assert_eq!(server.requests().len(), 1);
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
    let reply = Desk::at(&server).ask().unwrap();
    assert_eq!((reply.content.as_str(), reply.tries), ("hot", 2));
}

#[test]
fn every_try_counts_what_was_sent_or_the_server_states_beyond_it() {
    let usage = json!({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7});
    let failed = Reply::json(500, &json!({"error": {"message": "crashed"}, "usage": usage}));
    let server =
        FaultServer::in_turn([failed.clone().into(), failed.clone().into(), Reply::chat("hot").into()]);
    let reply = Desk::at(&server).ask().unwrap();
    assert_eq!((reply.tries, reply.paid), (3, counted_by(&server)));

    let server = FaultServer::in_turn([failed.into()]);
    assert_eq!(Desk::at(&server).ask().unwrap_err().paid(), counted_by(&server));

    let usage = json!({"prompt_tokens": 5_000, "completion_tokens": 400});
    let server = FaultServer::in_turn([Reply::json(500, &json!({"usage": usage})).into()]);
    assert_eq!(Desk::at(&server).ask().unwrap_err().paid(), 4 * 5_400);
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
        faults in prop::collection::vec(passing_fault(), 0..8), retries in 0_u32..6, deadline in 1_u64..200
    ) {
        let good = faults.len();
        let server = FaultServer::in_turn(faults.into_iter().chain([Reply::chat("hot").into()]));
        let deadline = Duration::from_secs(deadline);
        let desk = Desk::with(&server, |settings| {
            settings.retries = retries;
            settings.call_timeout = deadline;
        });
        let outcome = desk.ask();
        let requests = server.requests().len();
        prop_assert!(requests <= (good + 1).min(retries as usize + 1));
        prop_assert!(desk.clock.sleeps().iter().sum::<Duration>() < deadline);
        match outcome {
            Ok(reply) => prop_assert_eq!((reply.tries as usize, requests), (good + 1, good + 1)),
            Err(error) => {
                prop_assert_eq!(error.spent().tries as usize, requests);
                prop_assert!(error.is_transient());
            }
        }
    }
}
