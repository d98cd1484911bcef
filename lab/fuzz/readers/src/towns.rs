//! Commands of games: as text, and over HTTP.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::{Arc, LazyLock, Mutex, PoisonError},
    thread,
    time::Duration,
};

use nightfold_serve::{AccessToken, ServeOptions, TownServer};
use nightfold_town::{Town, TownModels, testing::Letters};
use serde_json::{Value, json};

/// Most lines of one input that are commands.
const MOST_COMMANDS: usize = 40;

/// Commands, one a line: each is done or refused, and what is refused changes nothing.
pub fn town(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let timing = json!({"lockstep": {"plan_seconds": 600, "write_seconds": 60}});
    let options = serde_json::from_value(json!({"threads": 0, "timing": timing})).unwrap();
    let mut town = Town::with_models(options, &TownModels::of_embedder(Arc::new(Letters::new()))).unwrap();
    let (mut saved, mut plan) = ("null".to_owned(), "null".to_owned());
    for line in text.lines().take(MOST_COMMANDS) {
        let line = line.replace("\"@saved\"", &saved).replace("\"@plan\"", &plan);
        let status = |town: &mut Town| town.do_json(r#"{"do":"status"}"#).unwrap();
        let before = status(&mut town);
        match town.do_json(&line) {
            Ok(reply) => {
                serde_json::from_str::<Value>(&reply).expect("a reply is JSON");
                let within = |key: &str| Some(reply.strip_prefix(key)?.strip_suffix('}')?.to_owned());
                saved = within("{\"saved\":").unwrap_or(saved);
                plan = within("{\"plan\":").unwrap_or(plan);
            }
            Err(error) => {
                let message = error.message();
                assert!(!message.is_empty() && !message.contains('\u{1b}'), "{message:?}");
                assert_eq!(status(&mut town), before, "{line} was refused: {message}");
            }
        }
        town.step(Duration::from_millis(1));
        while town.next_event().is_some() {}
    }
    town.do_json(r#"{"do":"export"}"#).expect("the town can still be read");
}

/// Token with which everything may be done.
const TOKEN: &str = "a token to write with";

/// Address of a server of towns that runs as long as the program.
static SERVER: LazyLock<SocketAddr> = LazyLock::new(|| {
    // A folder without models: a town that wants one is refused at once.
    let models = Some(std::env::temp_dir());
    let options =
        ServeOptions { models, threads: 1, request_bytes: 65_536, commands: 100, ..ServeOptions::default() };
    let server = TownServer::open(options, AccessToken::new(TOKEN).unwrap(), None).unwrap();
    let address = server.address().trim_start_matches("http://").parse().unwrap();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(server.serve(std::future::pending())).unwrap();
    });
    address
});

/// Returns the response to a request, or its beginning: a stream has no end.
fn ask(line: &str, body: &[u8], is_whole: bool) -> String {
    let mut stream = TcpStream::connect(*SERVER).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(8))).unwrap();
    let head = format!(
        "{line} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        *SERVER,
        body.len()
    );
    // A request that is refused by its first line may be closed before its body is sent.
    _ = stream.write_all(&[head.as_bytes(), body].concat());
    let mut response = Vec::new();
    let most = if is_whole { u64::MAX } else { 16 };
    stream.take(most).read_to_end(&mut response).expect("the server answers in time");
    String::from_utf8_lossy(&response).into_owned()
}

/// Opens a town without a model, and returns its id.
fn open_town() -> String {
    let options = json!({"embedder": {"host": {"model": "letters@1", "dimensions": 64}}, "threads": 1});
    let reply = ask("POST /v1/towns", options.to_string().as_bytes(), true);
    let opened = reply.split_once("\r\n\r\n").and_then(|(_, body)| serde_json::from_str::<Value>(body).ok());
    let town = opened.as_ref().and_then(|opened| opened["town"].as_str());
    town.unwrap_or_else(|| panic!("no town was opened: {reply}")).to_owned()
}

/// A request to a server of towns. The first line is `METHOD PATH`, in which `TOWN` is the id of a town; the rest is the body.
pub fn serve(bytes: &[u8]) {
    static TURN: Mutex<()> = Mutex::new(());
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (line, body) = bytes.split_at(end);
    let Ok(line) = str::from_utf8(line) else { return };
    // What follows a control character would be a header.
    if line.chars().any(char::is_control) {
        return;
    }
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let town = open_town();
    let response = ask(&line.replace("TOWN", &town), body.get(1..).unwrap_or_default(), false);
    let status = response.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse::<u16>().ok());
    assert!(status.is_some_and(|status| (200..500).contains(&status)), "{line}: {response}");
    close_all();
    drop(turn);
}

/// Closes all towns, those too that the request opened.
fn close_all() {
    let reply = ask("GET /v1/towns", b"", true);
    let Some((_, body)) = reply.split_once("\r\n\r\n") else { return };
    let towns: Value = serde_json::from_str(body).unwrap_or_default();
    for id in towns.as_array().into_iter().flatten().filter_map(|town| town["town"].as_str()) {
        ask(&format!("DELETE /v1/towns/{id}"), b"", true);
    }
}
