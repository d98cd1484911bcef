//! Server that counts what it is sent, whatever it does with it.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use serde_json::Value;

/// Request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Number of earlier requests.
    pub(crate) nth: usize,
    /// Size of the body, in bytes.
    pub(crate) bytes: usize,
    /// Tokens that its answer is allowed.
    pub(crate) allowed: usize,
}

impl Asked {
    /// Returns the tokens that the request stands for: one for each four bytes of its body, and the allowed answer.
    pub(crate) fn tokens(&self) -> usize {
        self.bytes.div_ceil(4) + self.allowed
    }
}

/// Reaction to a request; true keeps the connection for another one.
pub(crate) type Reaction = fn(&mut TcpStream, &Asked) -> io::Result<bool>;

/// Server on a free port of this machine.
pub(crate) struct CountingServer {
    address: SocketAddr,
    over: Arc<AtomicBool>,
    accepting: JoinHandle<Vec<JoinHandle<io::Result<()>>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl CountingServer {
    /// Serves by this reaction. Without one, each connection is closed before anything is read.
    pub(crate) fn start(reaction: Option<Reaction>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (over, asked) = (Arc::new(AtomicBool::new(false)), Arc::<Mutex<Vec<Asked>>>::default());
        let (ends, counts) = (Arc::clone(&over), Arc::clone(&asked));
        let accepting = thread::spawn(move || {
            let mut connections = Vec::new();
            for stream in listener.incoming().flatten() {
                if ends.load(Ordering::SeqCst) {
                    break;
                }
                let (Some(reaction), counts) = (reaction, Arc::clone(&counts)) else { continue };
                connections.push(thread::spawn(move || serve(stream, reaction, &counts)));
            }
            connections
        });
        Self { address, over, accepting, asked }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Ends the server, once every connection was read to its end; returns all requests.
    pub(crate) fn finish(self) -> Vec<Asked> {
        self.over.store(true, Ordering::SeqCst);
        // Wakes the listener, which then sees that it is over.
        drop(TcpStream::connect(self.address));
        for connection in self.accepting.join().unwrap() {
            // What goes wrong here is that the client went away.
            drop(connection.join().unwrap());
        }
        self.asked.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, reaction: Reaction, asked: &Mutex<Vec<Asked>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(stated) = line.strip_prefix("content-length:") {
                length = stated.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let allowed = serde_json::from_slice::<Value>(&body).unwrap()["max_tokens"].as_u64().unwrap();
        let request = {
            let mut asked = asked.lock().unwrap();
            let request =
                Asked { nth: asked.len(), bytes: length, allowed: usize::try_from(allowed).unwrap() };
            asked.push(request.clone());
            request
        };
        if !reaction(&mut stream, &request)? {
            return Ok(());
        }
    }
}

/// Waits until the client goes away.
pub(crate) fn hang(stream: &mut TcpStream) -> io::Result<bool> {
    io::copy(stream, &mut io::sink())?;
    Ok(false)
}

/// Writes the same again and again, until the client goes away.
pub(crate) fn endlessly(stream: &mut TcpStream, bytes: &[u8], apart: Duration) -> io::Result<bool> {
    loop {
        stream.write_all(bytes)?;
        thread::sleep(apart);
    }
}

/// Writes these bytes, and closes.
pub(crate) fn raw(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<bool> {
    stream.write_all(bytes)?;
    Ok(false)
}

/// Replies with a status, headers and a body, and closes.
pub(crate) fn reply(stream: &mut TcpStream, status: u16, headers: &str, body: &str) -> io::Result<bool> {
    let head = format!(
        "HTTP/1.1 {status} X\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    raw(stream, format!("{head}{body}").as_bytes())
}

/// Body of a complete answer without any insight, with this statement of its cost.
pub(crate) fn answer(usage: &str) -> String {
    format!(
        r#"{{"choices":[{{"message":{{"content":"{{\"insights\":[]}}"}},"finish_reason":"stop"}}],"usage":{usage}}}"#
    )
}

/// Replies with a complete answer, with this statement of its cost, and closes.
pub(crate) fn answered(stream: &mut TcpStream, usage: &str) -> io::Result<bool> {
    reply(stream, 200, "", &answer(usage))
}
