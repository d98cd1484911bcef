//! Behaviours of servers that must not make a night spend more than it may.

use std::{io::Write, thread, time::Duration};

use crate::server::{Reaction, answer, answered, endlessly, hang, raw, reply};

const NO_PAUSE: Duration = Duration::ZERO;
const PAUSE: Duration = Duration::from_millis(2);

/// Name of each behaviour, and the behaviour; `None` closes connections before it reads them.
#[rustfmt::skip]
pub(crate) const BEHAVIOURS: &[(&str, Option<Reaction>)] = &[
    // Silence and broken connections.
    ("closes before it reads", None),
    ("hangs", Some(|s, _| hang(s))),
    ("closes without an answer", Some(|_, _| Ok(false))),
    ("closes in the status line", Some(|s, _| raw(s, b"HTTP/1.1 2"))),
    ("closes in the headers", Some(|s, _| raw(s, b"HTTP/1.1 200 OK\r\nContent-Le"))),
    ("closes after the headers", Some(|s, _| raw(s, b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"))),
    ("closes in the body", Some(|s, _| raw(s, b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"choices\":["))),
    ("hangs in the headers", Some(|s, _| { s.write_all(b"HTTP/1.1 200 OK\r\nContent-Le")?; hang(s) })),
    ("hangs after the headers", Some(|s, _| { s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")?; hang(s) })),
    ("hangs in the body", Some(|s, _| { s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"choi")?; hang(s) })),
    ("hangs in a body without a length", Some(|s, _| { s.write_all(b"HTTP/1.1 200 OK\r\n\r\n{\"choi")?; hang(s) })),
    ("ends a body without a length early", Some(|s, _| raw(s, b"HTTP/1.1 200 OK\r\n\r\n{\"choi"))),
    // Statuses.
    ("500 without a body", Some(|s, _| reply(s, 500, "", ""))),
    ("500 with a usage of nothing", Some(|s, _| reply(s, 500, "", r#"{"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}"#))),
    ("500 that names the format", Some(|s, _| reply(s, 500, "", "json_schema"))),
    ("502", Some(|s, _| reply(s, 502, "", "<html>"))),
    ("503 to be retried at once", Some(|s, _| reply(s, 503, "Retry-After: 0\r\n", ""))),
    ("504 that breaks off", Some(|s, _| raw(s, b"HTTP/1.1 504 X\r\nContent-Length: 99\r\n\r\nso"))),
    ("408", Some(|s, _| reply(s, 408, "", ""))),
    ("429 to be retried at once", Some(|s, _| reply(s, 429, "Retry-After: 0\r\n", "{}"))),
    ("429 to be retried in an hour", Some(|s, _| reply(s, 429, "Retry-After: 3600\r\n", "{}"))),
    ("429 with an unreadable wait", Some(|s, _| reply(s, 429, "Retry-After: -1\r\n", "{}"))),
    ("429 with a negative usage", Some(|s, _| reply(s, 429, "", r#"{"usage":{"prompt_tokens":-9,"completion_tokens":-9}}"#))),
    ("400 of the format", Some(|s, _| reply(s, 400, "", "response_format is not supported"))),
    ("422 of the format", Some(|s, _| reply(s, 422, "", "unsupported"))),
    ("401", Some(|s, _| reply(s, 401, "", "who?"))),
    ("404", Some(|s, _| reply(s, 404, "", ""))),
    ("204", Some(|s, _| raw(s, b"HTTP/1.1 204 X\r\n\r\n"))),
    ("301 to itself", Some(|s, _| { let to = s.local_addr()?; reply(s, 301, &format!("Location: http://{to}/v1/chat/completions\r\n"), "") })),
    ("307 to itself", Some(|s, _| { let to = s.local_addr()?; reply(s, 307, &format!("Location: http://{to}/v1/chat/completions\r\n"), "") })),
    ("101", Some(|s, _| raw(s, b"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"))),
    ("100 without end", Some(|s, _| endlessly(s, b"HTTP/1.1 100 Continue\r\n\r\n", PAUSE))),
    // Statements of cost.
    ("usage of nothing", Some(|s, _| answered(s, r#"{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}"#))),
    ("usage of one token", Some(|s, _| answered(s, r#"{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1}"#))),
    ("usage null", Some(|s, _| answered(s, "null"))),
    ("usage missing", Some(|s, _| reply(s, 200, "", r#"{"choices":[{"message":{"content":"{\"insights\":[]}"}}]}"#))),
    ("usage negative", Some(|s, _| answered(s, r#"{"prompt_tokens":-700,"completion_tokens":-40,"total_tokens":-740}"#))),
    ("usage in texts", Some(|s, _| answered(s, r#"{"prompt_tokens":"0","completion_tokens":"0"}"#))),
    ("usage in fractions", Some(|s, _| answered(s, r#"{"prompt_tokens":0.5,"completion_tokens":1e-9}"#))),
    ("usage a list", Some(|s, _| answered(s, "[0]"))),
    ("usage that overflows", Some(|s, _| answered(s, r#"{"prompt_tokens":18446744073709551615,"completion_tokens":18446744073709551615}"#))),
    ("usage beyond integers", Some(|s, _| answered(s, r#"{"prompt_tokens":1e300,"completion_tokens":1e300}"#))),
    ("usage whose total is less than its parts", Some(|s, _| answered(s, r#"{"prompt_tokens":300,"completion_tokens":9,"total_tokens":0}"#))),
    ("usage of a total alone", Some(|s, _| answered(s, r#"{"total_tokens":3}"#))),
    ("usage of half a question", Some(|s, a| answered(s, &format!(r#"{{"prompt_tokens":{},"completion_tokens":0}}"#, a.bytes / 8)))),
    ("usage just below the question", Some(|s, a| answered(s, &format!(r#"{{"prompt_tokens":{},"completion_tokens":0}}"#, a.bytes / 5)))),
    ("usage without the answer", Some(|s, a| answered(s, &format!(r#"{{"prompt_tokens":{},"completion_tokens":0}}"#, a.bytes / 4)))),
    ("usage beyond what was allowed", Some(|s, a| answered(s, &format!(r#"{{"prompt_tokens":{},"completion_tokens":{}}}"#, a.bytes / 4, 3 * a.allowed)))),
    ("usage of a million", Some(|s, _| answered(s, r#"{"prompt_tokens":1000000,"completion_tokens":9}"#))),
    // Answers out of bounds.
    ("an answer longer than allowed", Some(|s, _| { let said = "x".repeat(60_000); reply(s, 200, "", &answer("null").replace("insights", &said)) })),
    ("an endless body", Some(|s, _| { s.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?; endlessly(s, &[b'x'; 4096], NO_PAUSE) })),
    ("endless chunks", Some(|s, _| { s.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?; endlessly(s, b"4\r\nxxxx\r\n", NO_PAUSE) })),
    ("endless headers", Some(|s, _| { s.write_all(b"HTTP/1.1 200 OK\r\n")?; endlessly(s, b"X-More: and more\r\n", NO_PAUSE) })),
    ("one giant header", Some(|s, _| reply(s, 200, &format!("X-Giant: {}\r\n", "x".repeat(1 << 20)), &answer("null")))),
    ("a body in drips", Some(|s, _| { s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")?; endlessly(s, b" ", PAUSE) })),
    ("headers in drips", Some(|s, _| { s.write_all(b"HTTP/1.1 200 OK\r\nX-Slow: ")?; endlessly(s, b"x", PAUSE) })),
    ("a length that is too long", Some(|s, _| raw(s, format!("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n{}", answer("null")).as_bytes()))),
    ("a length that is too short", Some(|s, _| raw(s, format!("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", answer("null")).as_bytes()))),
    ("a negative length", Some(|s, _| raw(s, b"HTTP/1.1 200 OK\r\nContent-Length: -9\r\n\r\n{}"))),
    ("two lengths", Some(|s, _| raw(s, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}!"))),
    ("chunks that are none", Some(|s, _| raw(s, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}"))),
    ("a chunk that overflows", Some(|s, _| raw(s, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}"))),
    ("no HTTP", Some(|s, _| raw(s, b"SSH-2.0-OpenSSH_9.2\r\n"))),
    // Answers that are none.
    ("a body that is no UTF-8", Some(|s, _| raw(s, b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\xff\xfe\x80\x00"))),
    ("a body that is no JSON", Some(|s, _| reply(s, 200, "", "<html>hello</html>"))),
    ("an empty body", Some(|s, _| reply(s, 200, "", ""))),
    ("a compressed body", Some(|s, _| reply(s, 200, "Content-Encoding: gzip\r\n", "no"))),
    ("a body that nests without end", Some(|s, _| reply(s, 200, "", &"[".repeat(30_000)))),
    ("no choices", Some(|s, _| reply(s, 200, "", r#"{"usage":{"prompt_tokens":0,"completion_tokens":0}}"#))),
    ("empty choices", Some(|s, _| reply(s, 200, "", r#"{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}"#))),
    ("an answer of the wrong shape", Some(|s, _| reply(s, 200, "", r#"{"choices":[{"message":{"content":"hello"}}],"usage":{"prompt_tokens":0,"completion_tokens":0}}"#))),
    ("an answer that is cut short", Some(|s, _| reply(s, 200, "", r#"{"choices":[{"message":{"content":"{"},"finish_reason":"length"}],"usage":{"prompt_tokens":0,"completion_tokens":0}}"#))),
    ("a refusal", Some(|s, _| reply(s, 200, "", r#"{"choices":[{"message":{"refusal":"no"}}],"usage":{"prompt_tokens":0,"completion_tokens":0}}"#))),
    // Connections that are kept.
    ("keeps the connection and closes it on the next question", Some(|s, a| {
        if a.nth % 2 == 1 {
            return Ok(false);
        }
        let body = answer(r#"{"prompt_tokens":0,"completion_tokens":0}"#);
        s.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes())?;
        Ok(true)
    })),
    ("promises to keep the connection and closes it", Some(|s, _| {
        let body = answer("null");
        raw(s, format!("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
    })),
    ("sends two answers to one question", Some(|s, _| {
        let body = answer("null");
        let one = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        s.write_all(format!("{one}{one}").as_bytes())?;
        Ok(true)
    })),
    ("fails in another way each time", Some(|s, a| match a.nth % 5 {
        0 => reply(s, 503, "Retry-After: 0\r\n", ""),
        1 => Ok(false),
        2 => reply(s, 400, "", "response_format is not supported"),
        3 => hang(s),
        _ => answered(s, r#"{"prompt_tokens":1,"completion_tokens":1}"#),
    })),
    ("answers late", Some(|s, _| { thread::sleep(Duration::from_millis(300)); answered(s, "null") })),
];
