//! Bounds on connections, against clients that open many and send nothing, or too slowly.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    routing::{get, post},
};
use nightfold_memory::config::HttpConfig;
use tokio::sync::{Semaphore, oneshot};

/// Limit of a test that would otherwise hang.
const LONG: Duration = Duration::from_mins(1);

struct TestServer {
    address: SocketAddr,
    /// Lets the answers of `/slow` go.
    release: Arc<Semaphore>,
    /// Has a permit for each request for `/slow`.
    asked: Arc<Semaphore>,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl TestServer {
    fn start(config: HttpConfig) -> Self {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let [release, asked] = [(); 2].map(|()| Arc::new(Semaphore::new(0)));
        let (released, asks) = (Arc::clone(&release), Arc::clone(&asked));
        let slow = move || async move {
            asks.add_permits(1);
            released.acquire().await.unwrap().forget();
            "slow"
        };
        let router = Router::new()
            .route("/", get(|| async { "here" }))
            .route("/slow", get(slow))
            .route("/echo", post(|body: Bytes| async { body }));
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let stop = async { _ = stopped.await };
                nightfold_http::serve(listener, router, &config, stop).await;
            });
        });
        Self { address, release, asked, stop, thread }
    }

    fn connect(&self, sent: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.write_all(sent.as_bytes()).unwrap();
        stream
    }

    fn get(&self, path: &str) -> TcpStream {
        self.connect(&format!("GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"))
    }

    /// Waits until a request for `/slow` is being answered.
    fn wait_for_slow(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let asked = runtime.block_on(async { tokio::time::timeout(LONG, self.asked.acquire()).await });
        asked.unwrap().unwrap().forget();
    }

    fn stop(self) {
        self.stop.send(()).unwrap();
        self.thread.join().unwrap();
    }
}

/// Returns everything that a server sends until it closes the connection.
fn all_of(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    match stream.read_to_string(&mut answer) {
        Ok(_) => answer,
        // So ends a connection that is closed with something unread.
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => answer,
        Err(error) => panic!("{error} after {answer:?}"),
    }
}

fn limits(connections: usize) -> HttpConfig {
    let mut config = HttpConfig::default();
    (config.connections, config.request_seconds) = (connections, 3600);
    config
}

/// Heads that are never finished.
const UNFINISHED: [&str; 3] = ["", "GET / HT", "GET / HTTP/1.1\r\nHost: test\r\nX-Slow: "];

#[test]
fn request_is_answered_once_half_open_connections_before_it_have_had_their_time() {
    let mut config = limits(4);
    config.request_seconds = 1;
    let server = TestServer::start(config);
    let half_open: Vec<TcpStream> = (0..10).map(|nth| server.connect(UNFINISHED[nth % 3])).collect();
    assert!(all_of(server.get("/")).ends_with("here"));
    drop(half_open);
    server.stop();
}

#[test]
fn connection_beyond_busy_ones_is_served_when_one_of_them_ends() {
    let server = TestServer::start(limits(4));
    let slow: Vec<TcpStream> = (0..4)
        .map(|_| {
            let stream = server.get("/slow");
            server.wait_for_slow();
            stream
        })
        .collect();
    let fifth = server.get("/");
    server.release.add_permits(1);
    assert!(all_of(fifth).ends_with("here"));
    server.release.add_permits(3);
    assert!(slow.into_iter().map(all_of).all(|answer| answer.ends_with("slow")));
    server.stop();
}

#[test]
fn head_that_does_not_arrive_in_time_ends_its_connection() {
    let mut config = limits(16);
    config.request_seconds = 1;
    let server = TestServer::start(config);
    for unfinished in UNFINISHED {
        let silent = server.connect(unfinished);
        let said = all_of(silent);
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 408"), "{said}");
    }
    // A byte now and then gains no time.
    let mut dripping = server.connect(UNFINISHED[2]);
    while dripping.write_all(b"x").is_ok() {
        thread::sleep(Duration::from_millis(20));
    }
    assert!(all_of(server.get("/")).ends_with("here"));
    server.stop();
}

#[test]
fn body_that_does_not_arrive_in_time_is_refused() {
    let mut config = limits(16);
    config.request_seconds = 1;
    let server = TestServer::start(config);
    let post = |sent: &str| {
        let head = "POST /echo HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: 4\r\n\r\n";
        all_of(server.connect(&format!("{head}{sent}")))
    };
    let late = post("he");
    assert!(late.starts_with("HTTP/1.1 4") && late.contains("http.request_seconds"), "{late}");
    assert!(post("here").ends_with("here"));
    server.stop();
}

#[test]
fn request_under_way_is_answered_after_the_stop() {
    let server = TestServer::start(limits(16));
    let slow = server.get("/slow");
    server.wait_for_slow();
    let (release, stop, thread) = (server.release, server.stop, server.thread);
    stop.send(()).unwrap();
    release.add_permits(1);
    assert!(all_of(slow).ends_with("slow"));
    thread.join().unwrap();
}
