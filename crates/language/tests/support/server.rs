//! Server of a language model that misbehaves on command.
//!
//! ```ignore
//! let server = FaultServer::start(|_request, nth| match nth {
//!     0 => Behaviour::Hang(Duration::from_secs(60)),
//!     _ => Reply::chat("hello").into(),
//! });
//! ask(&server.base_url());
//! assert_eq!(server.requests().len(), 2);
//! ```
//!
//! It needs nothing but the standard library and `serde_json`, so that any test program can include it by its
//! path.
#![allow(dead_code, reason = "every test program uses a part of it")]

use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// Response of the server to a request.
#[derive(Debug, Clone)]
pub(crate) enum Behaviour {
    /// Replies.
    Reply(Reply),
    /// Sends nothing for a time, and closes.
    Hang(Duration),
    /// Sends the head of a reply and the first bytes of its body, and closes.
    CloseAfter(Reply, usize),
    /// Sends the body one byte at a time, with this pause between bytes.
    Drip(Reply, Duration),
    /// Sends these raw bytes, and closes.
    Raw(Vec<u8>),
    /// Sends status 200 and a body of this many bytes that ends with the connection, without stating its
    /// length.
    Huge(usize),
}

/// Reply of the server.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Reply {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into() }
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::new(status, body.to_string()).header("Content-Type", "application/json")
    }

    /// Complete chat completion with this content, which cost 10 + 5 tokens.
    pub(crate) fn chat(content: &str) -> Self {
        Self::json(
            200,
            &json!({
                "object": "chat.completion",
                "choices": [{
                    "index": 0,
                    "message": {"role": "assistant", "content": content},
                    "finish_reason": "stop"
                }],
                "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            }),
        )
    }

    /// Adds a header. A `Content-Length` replaces the true one.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn head(&self) -> String {
        let mut head = format!("HTTP/1.1 {} Scripted\r\nConnection: close\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length")) {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        head + "\r\n"
    }
}

impl From<Reply> for Behaviour {
    fn from(reply: Reply) -> Self {
        Self::Reply(reply)
    }
}

/// Request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    /// Headers by their names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// The body as JSON; null if it is no JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    fn read(stream: &TcpStream) -> io::Result<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = || -> io::Result<String> {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            Ok(line.trim_end().to_owned())
        };
        let first = line()?;
        let mut words = first.split(' ').map(str::to_owned);
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let mut headers = BTreeMap::new();
        while let Some((name, value)) = line()?.split_once(':') {
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        Ok(Self { method, path, headers, body })
    }
}

type Script = dyn Fn(&Request, usize) -> Behaviour + Send + Sync;

/// Server on a free port of this machine. It ends when this value is dropped, and wakes from any hang.
pub(crate) struct FaultServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    script: Box<Script>,
    seen: Mutex<Seen>,
    changed: Condvar,
}

#[derive(Default)]
struct Seen {
    requests: Vec<Request>,
    at_once: usize,
    most_at_once: usize,
    over: bool,
}

impl FaultServer {
    /// Answers every request by a script, which gets the request and the number of earlier ones. The script
    /// may take its time: each request has a thread of its own.
    pub(crate) fn start(script: impl Fn(&Request, usize) -> Behaviour + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("its address");
        let shared =
            Arc::new(Shared { script: Box::new(script), seen: Mutex::default(), changed: Condvar::new() });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if serving.seen().over {
                    break;
                }
                let serving = Arc::clone(&serving);
                // What goes wrong here is that the client went away.
                thread::spawn(move || serving.serve(&stream).ok());
            }
        });
        Self { address, shared }
    }

    /// Answers the requests in turn, and every further one like the last.
    pub(crate) fn in_turn(behaviours: impl IntoIterator<Item = Behaviour>) -> Self {
        let behaviours: Vec<_> = behaviours.into_iter().collect();
        Self::start(move |_, nth| behaviours[nth.min(behaviours.len() - 1)].clone())
    }

    /// Base URL for a client.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests so far, in the order in which they were read.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.seen().requests.clone()
    }

    /// Waits until this many requests were read: a client that gave up may be ahead of the server.
    pub(crate) fn wait_for(&self, requests: usize) {
        let wait =
            self.shared.changed.wait_timeout_while(self.shared.seen(), Duration::from_secs(30), |seen| {
                seen.requests.len() < requests
            });
        let (seen, timeout) = wait.expect("no thread panicked with it");
        assert!(!timeout.timed_out(), "{} of {requests} requests came", seen.requests.len());
    }

    /// Maximum number of requests that were in flight at the same time.
    pub(crate) fn most_at_once(&self) -> usize {
        self.shared.seen().most_at_once
    }
}

impl Drop for FaultServer {
    fn drop(&mut self) {
        self.shared.seen().over = true;
        self.shared.changed.notify_all();
        // Wakes the listener, which then sees that it is over.
        TcpStream::connect(self.address).ok();
    }
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().expect("no thread panicked with it")
    }

    fn serve(&self, mut stream: &TcpStream) -> io::Result<()> {
        let request = match Request::read(stream) {
            // As servers do.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return stream.write_all(b"HTTP/1.1 400 No request\r\nConnection: close\r\n\r\n");
            }
            request => request?,
        };
        let nth = {
            let mut seen = self.seen();
            seen.requests.push(request.clone());
            seen.at_once += 1;
            seen.most_at_once = seen.most_at_once.max(seen.at_once);
            seen.requests.len() - 1
        };
        self.changed.notify_all();
        let under_way = UnderWay(self);
        match (self.script)(&request, nth) {
            Behaviour::Reply(reply) => {
                // Once the client has the answer it may ask again; then this request must not count any more.
                drop(under_way);
                stream.write_all(reply.head().as_bytes())?;
                stream.write_all(&reply.body)
            }
            Behaviour::Hang(time) => {
                self.pass(time);
                Ok(())
            }
            Behaviour::CloseAfter(reply, bytes) => {
                drop(under_way);
                stream.write_all(reply.head().as_bytes())?;
                stream.write_all(&reply.body[..bytes.min(reply.body.len())])
            }
            Behaviour::Drip(reply, apart) => {
                stream.write_all(reply.head().as_bytes())?;
                for byte in &reply.body {
                    stream.write_all(&[*byte])?;
                    self.pass(apart);
                }
                Ok(())
            }
            Behaviour::Raw(bytes) => stream.write_all(&bytes),
            Behaviour::Huge(bytes) => {
                stream.write_all(b"HTTP/1.1 200 Scripted\r\nConnection: close\r\n\r\n\"")?;
                let block = [b'x'; 8 * 1024];
                let mut left = bytes.saturating_sub(1);
                while left > 0 {
                    let written = left.min(block.len());
                    stream.write_all(&block[..written])?;
                    left -= written;
                }
                Ok(())
            }
        }
    }

    /// Waits for this time, or until the server ends.
    fn pass(&self, time: Duration) {
        drop(self.changed.wait_timeout_while(self.seen(), time, |seen| !seen.over));
    }
}

/// Request that was read and not yet answered.
struct UnderWay<'a>(&'a Shared);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.seen().at_once -= 1;
    }
}
