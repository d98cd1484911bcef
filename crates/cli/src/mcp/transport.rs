//! Messages on standard input and output, one per line.
//!
//! Only requests reach the server. It sends no requests to its clients, so there are no responses to read,
//! and a call at work cannot be cancelled; responses and notifications are therefore ignored at any time of a
//! session.

use std::{future::poll_fn, io, pin::pin, sync::Arc, task::Poll};

use rmcp::{
    RoleServer,
    model::{
        ClientJsonRpcMessage, ClientRequest, CustomRequest, ErrorCode, ErrorData, JsonRpcMessage,
        ServerJsonRpcMessage,
    },
    transport::Transport,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{Mutex, Semaphore, watch},
};

use super::id_finder::IdFinder;
use crate::escape::harmless_json;

/// Error for a message that is not a valid request; attached to the request that is answered in place of the
/// message.
#[derive(Debug, Clone)]
pub(super) struct RefusedMessage(pub(super) ErrorData);

/// Method of the request in place of an invalid message. A client that uses it itself gets the answer that
/// there is no such method.
const REFUSED: &str = "nightfold/refused";

pub(super) struct LineTransport<R, W> {
    input: BufReader<R>,
    /// Current line so far, or, if it is too long already, the search for its id.
    line: InputLine,
    /// Longest line, in bytes.
    most: usize,
    output: Arc<Mutex<W>>,
    calls: CallPlaces,
    /// True once the client reads no more.
    hung_up: watch::Sender<bool>,
}

/// Places for running and for waiting calls: each call holds one place.
#[derive(Debug, Clone)]
pub(super) struct CallPlaces {
    pub(super) places: Arc<Semaphore>,
    /// Number of places.
    pub(super) all: u32,
}

impl CallPlaces {
    async fn done(&self) {
        // Those that were just read take their place first.
        tokio::task::yield_now().await;
        // Nobody closes it, so that this fails only where there is nothing to wait for.
        drop(self.places.acquire_many(self.all).await);
    }
}

enum InputLine {
    Short(Vec<u8>),
    Long(IdFinder),
}

impl<R: AsyncRead + Unpin, W> LineTransport<R, W> {
    pub(super) fn new(input: R, output: W, most: usize, calls: CallPlaces) -> Self {
        let output = Arc::new(Mutex::new(output));
        let hung_up = watch::Sender::new(false);
        Self {
            input: BufReader::new(input),
            line: InputLine::Short(Vec::new()),
            most,
            output,
            calls,
            hung_up,
        }
    }

    /// Returns the flag that the client reads no more; it is read after the session.
    pub(super) fn hung_up(&self) -> watch::Receiver<bool> {
        self.hung_up.subscribe()
    }

    /// Returns the next line; none at the end, and none as soon as the client has hung up.
    async fn next_unless_hung_up(&mut self) -> io::Result<Option<InputLine>> {
        let mut hung_up = self.hung_up.subscribe();
        let mut hung_up = pin!(hung_up.wait_for(|hung_up| *hung_up));
        let mut next = pin!(self.next());
        poll_fn(|context| match hung_up.as_mut().poll(context) {
            Poll::Ready(_) => Poll::Ready(Ok(None)),
            Poll::Pending => next.as_mut().poll(context),
        })
        .await
    }

    /// Returns the next line. Cancel-safe: the bytes read are kept in `self`.
    async fn next(&mut self) -> io::Result<Option<InputLine>> {
        loop {
            let read = self.input.fill_buf().await?;
            if read.is_empty() {
                return Ok(None);
            }
            let end = read.iter().position(|&byte| byte == b'\n');
            let piece = &read[..end.unwrap_or(read.len())];
            match &mut self.line {
                InputLine::Long(finder) => finder.read(piece),
                InputLine::Short(line) if line.len() + piece.len() > self.most => {
                    let mut finder = IdFinder::default();
                    finder.read(line);
                    finder.read(piece);
                    self.line = InputLine::Long(finder);
                }
                InputLine::Short(line) => line.extend_from_slice(piece),
            }
            let used = end.map_or(read.len(), |end| end + 1);
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some(std::mem::replace(&mut self.line, InputLine::Short(Vec::new()))));
            }
        }
    }

    fn request(&self, line: InputLine) -> Option<ClientJsonRpcMessage> {
        match line {
            InputLine::Long(finder) => {
                let why = format!("the message is longer than {} bytes (mcp.max_message_bytes)", self.most);
                refused(finder, ErrorCode::INVALID_REQUEST, why)
            }
            InputLine::Short(line) if line.trim_ascii().is_empty() => None,
            InputLine::Short(line) => match serde_json::from_slice::<ClientJsonRpcMessage>(&line) {
                Ok(request @ JsonRpcMessage::Request(_)) => Some(request),
                Ok(_) => None,
                Err(error) => {
                    let mut finder = IdFinder::default();
                    finder.read(&line);
                    let (code, what) = match error.classify() {
                        serde_json::error::Category::Data => (ErrorCode::INVALID_REQUEST, "no JSON-RPC"),
                        _ => (ErrorCode::PARSE_ERROR, "no JSON"),
                    };
                    refused(finder, code, format!("the message is {what}: {error}"))
                }
            },
        }
    }
}

/// Returns a request that will be refused, in place of a message that cannot be read; none if the message has
/// no id.
fn refused(finder: IdFinder, code: ErrorCode, why: String) -> Option<ClientJsonRpcMessage> {
    let Some(id) = finder.id() else {
        tracing::warn!("skipped a message without an id: {why}");
        return None;
    };
    let mut request = CustomRequest::new(REFUSED, None);
    request.extensions.insert(RefusedMessage(ErrorData::new(code, why, None)));
    Some(JsonRpcMessage::request(ClientRequest::CustomRequest(request), id))
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        let hung_up = self.hung_up.clone();
        async move {
            let mut bytes = harmless_json(&message)?;
            bytes.push(b'\n');
            let mut output = output.lock().await;
            let sent = match output.write_all(&bytes).await {
                Ok(()) => output.flush().await,
                failed => failed,
            };
            unless_hung_up(sent, &hung_up)
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // Pending answers go first: no more requests are read from a client that reads no answers.
            drop(self.output.lock().await);
            match self.next_unless_hung_up().await {
                // Answers to the calls at work are for nobody.
                Ok(None) if *self.hung_up.borrow() => return None,
                Ok(Some(line)) => {
                    if let Some(request) = self.request(line) {
                        return Some(request);
                    }
                }
                Ok(None) => {
                    // Whoever asks and hangs up is still answered, however long a night takes.
                    self.calls.done().await;
                    return None;
                }
                Err(error) => {
                    tracing::warn!("standard input cannot be read: {error}");
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        unless_hung_up(self.output.lock().await.flush().await, &self.hung_up)
    }
}

/// Notes that the client has hung up, if it has; the session then ends by itself, without an error.
fn unless_hung_up(sent: io::Result<()>, hung_up: &watch::Sender<bool>) -> io::Result<()> {
    match sent {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            hung_up.send_replace(true);
            Ok(())
        }
        sent => sent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
    }

    fn lines(input: &str) -> LineTransport<&[u8], Vec<u8>> {
        let calls = CallPlaces { places: Arc::new(Semaphore::new(2)), all: 2 };
        LineTransport::new(input.as_bytes(), Vec::new(), 128, calls)
    }

    /// Reads an input, and returns the id of each request with the reason of its refusal.
    fn taken(input: &str) -> Vec<(String, Option<String>)> {
        let mut lines = lines(input);
        let mut taken = Vec::new();
        while let Some(message) = run(lines.receive()) {
            let JsonRpcMessage::Request(request) = message else { panic!("only requests come through") };
            let refused = match &request.request {
                ClientRequest::CustomRequest(custom) => custom.extensions.get::<RefusedMessage>(),
                _ => None,
            };
            taken.push((request.id.to_string(), refused.map(|r| r.0.message.to_string())));
        }
        taken
    }

    #[test]
    fn only_requests_are_received() {
        let input = "\n  \r\ngarbage\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\
                     {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\
                     {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\
                     {\"jsonrpc\":\"2.0\",\"id\":\"three\",\"method\":\"tools/list\"}\n\
                     {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}";
        // The last one has no end: it was cut off.
        assert_eq!(taken(input), [("1".to_owned(), None), ("three".to_owned(), None)]);
    }

    #[test]
    fn invalid_message_is_refused_under_its_own_id() {
        let long =
            format!(r#"{{"method":"ping","params":{{"x":"{}"}},"jsonrpc":"2.0","id":5}}"#, "y".repeat(500));
        let input = format!(
            "{long}\n{{\"id\":6,\"method\":\"ping\"}}\n{{\"jsonrpc\":\"2.0\",\"id\":7,}}\n\
             {{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"}}\n"
        );
        let taken = taken(&input);
        let said = |n: usize| taken[n].1.as_deref().unwrap();
        assert_eq!(taken.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["5", "6", "7", "8"]);
        assert_eq!(said(0), "the message is longer than 128 bytes (mcp.max_message_bytes)");
        assert!(said(1).starts_with("the message is no JSON-RPC: "), "{}", said(1));
        assert!(said(2).starts_with("the message is no JSON: "), "{}", said(2));
        assert_eq!(taken[3].1, None);
    }

    #[test]
    fn line_of_the_greatest_length_is_received() {
        let line =
            |n: usize| format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}{}\n", " ".repeat(n));
        let bare = line(0).len() - 1;
        assert_eq!(taken(&line(128 - bare)), [("1".to_owned(), None)]);
        assert!(taken(&line(129 - bare))[0].1.is_some());
    }

    #[test]
    fn end_of_input_waits_for_running_calls() {
        run(async {
            let mut lines = lines("");
            let at_work = Arc::clone(&lines.calls.places).acquire_owned().await.unwrap();
            let ended = tokio::spawn(async move { lines.receive().await.is_none() });
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            assert!(!ended.is_finished());
            drop(at_work);
            assert!(ended.await.unwrap());
        });
    }

    #[test]
    fn no_request_is_received_after_the_client_hung_up() {
        run(async {
            // Its requests could go on coming: that end stays open.
            let (_requests, input) = tokio::io::duplex(64);
            let (output, answers) = tokio::io::duplex(64);
            let calls = CallPlaces { places: Arc::new(Semaphore::new(2)), all: 2 };
            let _at_work = Arc::clone(&calls.places).acquire_owned().await.unwrap();
            let mut lines = LineTransport::new(input, output, 128, calls);
            let hung_up = lines.hung_up();
            drop(answers);
            let sent = lines.send(JsonRpcMessage::error(ErrorData::internal_error("", None), None));
            let received = tokio::spawn(async move { lines.receive().await.is_none() });
            tokio::task::yield_now().await;
            assert!(!received.is_finished() && !*hung_up.borrow());
            sent.await.unwrap();
            assert!(*hung_up.borrow());
            assert!(received.await.unwrap());
        });
    }

    #[test]
    fn sent_messages_hold_no_terminal_control() {
        let mut lines = lines("");
        let error = ErrorData::internal_error("a\u{9b}\u{202e}b", None);
        run(lines.send(JsonRpcMessage::error(error, None))).unwrap();
        let sent = String::from_utf8(run(lines.output.lock()).clone()).unwrap();
        assert!(sent.ends_with("}\n") && sent.contains(r"a\u009b\u202eb"), "{sent}");
    }
}
