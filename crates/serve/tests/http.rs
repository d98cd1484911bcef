//! Towns over HTTP: the story of all bindings, access, bounds, streams, and a graceful stop.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../tests/program/schemas/validator.rs"]
mod validator;

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    thread::{self, JoinHandle},
};

use nightfold_embed::{ModelOptions, Models};
use nightfold_serve::{AccessToken, OPENAPI, ServeError, ServeOptions, TownServer};
use nightfold_town::testing::{Letters, tell_story};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use ureq::{Agent, Body, http::Response};

const WRITE: &str = "a token to write with";
const READ: &str = "a token to read with";

struct Server {
    address: String,
    agent: Agent,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Server {
    fn start(options: ServeOptions) -> Self {
        let [write, read] = [WRITE, READ].map(|token| AccessToken::new(token).unwrap());
        let server = TownServer::open(options, write, Some(read)).unwrap();
        let address = server.address();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(server.serve(async { _ = stopped.await }))
        });
        let agent = Agent::config_builder().http_status_as_error(false).build().into();
        Self { address, agent, stop: Some(stop), thread: Some(thread) }
    }

    fn get(&self, path: &str, token: &str) -> Response<Body> {
        let request = self.agent.get(format!("{}{path}", self.address));
        request.header("Authorization", format!("Bearer {token}")).call().unwrap()
    }

    fn post(&self, path: &str, token: &str, body: &str) -> Response<Body> {
        let request = self.agent.post(format!("{}{path}", self.address));
        request.header("Authorization", format!("Bearer {token}")).send(body).unwrap()
    }

    fn open(&self, options: &Value) -> String {
        let mut response = self.post("/v1/towns", WRITE, &options.to_string());
        let text = response.body_mut().read_to_string().unwrap();
        assert_eq!(response.status(), 201, "{text}");
        serde_json::from_str::<Value>(&text).unwrap()["town"].as_str().unwrap().to_owned()
    }

    /// Returns status and body of a command.
    fn command(&self, town: &str, command: &str) -> (u16, String) {
        let mut response = self.post(&format!("/v1/towns/{town}/commands"), WRITE, command);
        (response.status().as_u16(), response.body_mut().read_to_string().unwrap())
    }

    fn done(&self, town: &str, command: &Value) -> Value {
        let (status, text) = self.command(town, &command.to_string());
        assert_eq!(status, 200, "{command}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Stops the server and returns what came of it.
    fn stop(mut self) -> Result<(), ServeError> {
        self.stop.take().unwrap().send(()).unwrap();
        self.thread.take().unwrap().join().unwrap()
    }
}

/// Options of a town whose vectors the test computes: no model is needed.
fn asking() -> Value {
    json!({"embedder": {"host": {"model": "letters@1", "dimensions": 64}}})
}

fn text(mut response: Response<Body>) -> String {
    response.body_mut().read_to_string().unwrap()
}

fn code(response: Response<Body>) -> (u16, String) {
    let status = response.status().as_u16();
    let body = text(response);
    let refused: Value =
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{status} {body}: {error}"));
    let code = refused["error"]["code"].as_str().unwrap_or_else(|| panic!("{status} {body} is no refusal"));
    (status, code.to_owned())
}

/// Faults of a value by one schema of the document.
fn faults(name: &str, value: &Value) -> Vec<String> {
    let document: Value = serde_json::from_str(OPENAPI).unwrap();
    validator::Validator::faults(&document, &format!("/components/schemas/{name}"), value)
}

fn fits(name: &str, value: &Value) {
    let faults = faults(name, value);
    assert!(faults.is_empty(), "{value} is no {name}: {faults:?}");
}

fn story() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bindings/conformance/story.jsonl");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_story_of_all_bindings_is_the_same_over_http() {
    // A town fetches nothing.
    Models::new(ModelOptions::from_env()).provide(&|_| {}).unwrap();
    let options =
        json!({"timing": {"lockstep": {"plan_seconds": 10_800, "write_seconds": 3_600}}, "threads": 1});
    let expected = tell_story(&story(), serde_json::from_value(options.clone()).unwrap()).unwrap();
    let server = Server::start(ServeOptions::default());
    let town = server.open(&options);
    let (mut saved, mut plan, mut told) = (String::new(), String::new(), String::new());
    let mut after = 0;
    for line in story().lines() {
        let command = line.replace("\"@saved\"", &saved).replace("\"@plan\"", &plan);
        fits("Command", &serde_json::from_str(&command).unwrap());
        let (status, reply) = server.command(&town, &command);
        let value: Value = serde_json::from_str(&reply).unwrap();
        if status == 200 {
            fits("Reply", &value);
            let within = |key: &str| Some(reply.strip_prefix(key)?.strip_suffix('}')?.to_owned());
            saved = within("{\"saved\":").unwrap_or(saved);
            plan = within("{\"plan\":").unwrap_or(plan);
            told += &format!("{reply}\n");
        } else {
            fits("Refused", &value);
            told += &format!("refused {}\n", value["error"]["code"].as_str().unwrap());
        }
        let events = text(server.get(&format!("/v1/towns/{town}/events?after={after}"), WRITE));
        for event in serde_json::from_str::<Value>(&events).unwrap()["events"].as_array().unwrap() {
            after += 1;
            assert_eq!(event["number"], after);
            fits("Event", &event["event"]);
        }
        // To the byte: the event within `{"number":N,"event":…}`.
        for event in events.split("{\"number\":").skip(1) {
            let event = event.split_once("\"event\":").unwrap().1;
            let event = event.strip_suffix("]}").unwrap_or(event);
            told += &format!("{}\n", event.trim_end_matches(',').strip_suffix('}').unwrap());
        }
    }
    assert_eq!(told, expected);
    server.stop().unwrap();
}

#[test]
fn commands_in_a_list_are_done_or_refused_one_by_one() {
    let server = Server::start(ServeOptions::default());
    let town = server.open(&asking());
    let list = json!([
        {"do": "spawn", "npc": "Mara", "recalls": true},
        {"do": "spawn", "npc": "Mara"},
        {"do": "live", "npc": "Mara", "memory": {"at": 1, "kind": "event", "text": "I swept the common room"}},
        {"do": "dance"},
        {"do": "status"},
    ]);
    let replies = server.done(&town, &list);
    let kinds: Vec<&str> = replies
        .as_array()
        .unwrap()
        .iter()
        .map(|reply| reply["error"]["code"].as_str().unwrap_or("done"))
        .collect();
    assert_eq!(kinds, ["done", "npc_exists", "done", "json", "done"]);
    assert_eq!(replies[4]["reply"]["status"]["npcs"], 1);
    let metrics = text(server.get("/v1/metrics", READ));
    for line in
        ["nightfold_commands_total 3", "nightfold_refused_total 2", "nightfold_npcs{town=\"town-1\"} 1"]
    {
        assert!(metrics.contains(line), "{line} is in {metrics}");
    }
    let listed: Value = serde_json::from_str(&text(server.get("/v1/towns", READ))).unwrap();
    assert_eq!(listed[0]["town"], town);
    fits("Status", &listed[0]["status"]);
    server.stop().unwrap();
}

#[test]
fn access_needs_a_token_and_its_scope() {
    let server = Server::start(ServeOptions::default());
    let town = server.open(&asking());
    let commands = format!("/v1/towns/{town}/commands");
    assert_eq!(text(server.get("/v1/health", "none")), r#"{"status":"ok"}"#);
    assert_eq!(code(server.get("/v1/towns", "none")), (401, "token".to_owned()));
    assert_eq!(code(server.get("/v1/towns", "")), (401, "token".to_owned()));
    assert_eq!(server.post(&commands, READ, r#"{"do":"status"}"#).status(), 200);
    for write in [r#"{"do":"spawn","npc":"Mara"}"#, r#"{"do":"tick","now":1}"#, r#"{"do":"save","slot":"a"}"#]
    {
        assert_eq!(code(server.post(&commands, READ, write)), (403, "read_only".to_owned()), "{write}");
    }
    assert_eq!(code(server.post("/v1/towns", READ, "{}")), (403, "read_only".to_owned()));
    let ask = |header: &str, value: &str| {
        let request = server.agent.get(format!("{}/v1/towns", server.address)).header(header, value);
        code(request.header("Authorization", format!("Bearer {WRITE}")).call().unwrap())
    };
    assert_eq!(ask("Origin", "http://evil.example"), (403, "origin".to_owned()));
    assert_eq!(ask("Host", "evil.example"), (403, "host".to_owned()));
    let mut twice = begun(&server, "GET /v1/towns");
    twice.write_all(b"Host: evil.example\r\n\r\n").unwrap();
    assert_ne!(status_of(&twice), 200, "two hosts");
    assert!(AccessToken::new("short").is_err());
    server.stop().unwrap();
}

#[test]
fn stores_stay_in_their_folder_and_belong_to_one_town() {
    let folder = tempfile::tempdir().unwrap();
    let options =
        ServeOptions { stores: Some(folder.path().to_owned()), towns: 2, ..ServeOptions::default() };
    let server = Server::start(options);
    let with = |file: &str| {
        let mut options = asking();
        options["store"] = json!({"file": file});
        options
    };
    for file in [
        "../town.db",
        "/town.db",
        "a/town.db",
        ".town.db",
        "town",
        "-town.db",
        "..",
        "",
        "town.db/",
        "./town.db",
    ] {
        let refused = server.post("/v1/towns", WRITE, &with(file).to_string());
        assert_eq!(code(refused), (422, "options".to_owned()), "{file}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "what is refused leaves nothing");
    // What the server fails at, its log explains, not the answer.
    std::fs::write(folder.path().join("letter.db"), "Dear Mara, ".repeat(1_000)).unwrap();
    let failed = text(server.post("/v1/towns", WRITE, &with("letter.db").to_string()));
    assert!(failed.contains("its log says why"), "{failed}");
    assert!(!failed.contains(folder.path().to_str().unwrap()), "{failed}");
    let town = server.open(&with("town.db"));
    assert!(folder.path().join("town.db").is_file());
    #[cfg(unix)]
    {
        let [soft, hard] = ["soft.db", "hard.db"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(folder.path().join("town.db"), soft).unwrap();
        std::fs::hard_link(folder.path().join("town.db"), &hard).unwrap();
        for file in ["soft.db", "hard.db"] {
            let refused = server.post("/v1/towns", WRITE, &with(file).to_string());
            assert_eq!(code(refused), (422, "options".to_owned()), "{file}");
        }
        std::fs::remove_file(hard).unwrap();
    }
    assert_eq!(
        code(server.post("/v1/towns", WRITE, &with("town.db").to_string())),
        (409, "store_open".to_owned())
    );
    server.open(&asking());
    assert_eq!(code(server.post("/v1/towns", WRITE, &asking().to_string())), (429, "towns".to_owned()));
    let closed = server.agent.delete(format!("{}/v1/towns/{town}", server.address));
    assert_eq!(closed.header("Authorization", format!("Bearer {WRITE}")).call().unwrap().status(), 204);
    assert_eq!(code(server.get(&format!("/v1/towns/{town}"), WRITE)), (404, "unknown_town".to_owned()));
    server.open(&with("town.db"));
    server.stop().unwrap();
}

#[test]
fn requests_are_bounded_and_bad_ones_named() {
    let server =
        Server::start(ServeOptions { request_bytes: 10_000, commands: 3, ..ServeOptions::default() });
    let mut options = asking();
    options["max_events"] = json!(1);
    let town = server.open(&options);
    let commands = format!("/v1/towns/{town}/commands");
    assert_eq!(code(server.post(&commands, WRITE, &"x".repeat(20_000))), (413, "request_bytes".to_owned()));
    let four = json!([{"do": "status"}, {"do": "status"}, {"do": "status"}, {"do": "status"}]);
    assert_eq!(code(server.post(&commands, WRITE, &four.to_string())), (413, "commands".to_owned()));
    assert_eq!(code(server.post(&commands, WRITE, "{")), (400, "json".to_owned()));
    assert_eq!(
        code(server.post(&commands, WRITE, r#"{"do":"wake","npc":"Nobody"}"#)),
        (404, "unknown_npc".to_owned())
    );
    assert_eq!(code(server.post("/v1/towns", WRITE, r#"{"treads":1}"#)), (400, "json".to_owned()));
    assert_eq!(code(server.post("/v1/towns", WRITE, r#"{"models":"/etc"}"#)), (422, "options".to_owned()));
    for threads in [r#"{"threads":60}"#, r#"{"threads":0}"#] {
        assert_eq!(code(server.post("/v1/towns", WRITE, threads)), (422, "options".to_owned()));
    }
    assert_eq!(code(server.get("/v2/towns", WRITE)), (404, "no_route".to_owned()));
    assert_eq!(code(server.get(&commands, WRITE)), (405, "method".to_owned()));
    assert_eq!(
        code(server.get(&format!("/v1/towns/{town}/events?after=x"), WRITE)),
        (400, "request".to_owned())
    );
    assert_eq!(
        code(server.get(&format!("/v1/towns/{town}/events?after=7"), WRITE)),
        (409, "unknown_event".to_owned())
    );
    // Unread events stop the ticks, not the memory of the server.
    server.done(&town, &json!([
        {"do": "spawn", "npc": "Mara"},
        {"do": "live", "npc": "Mara", "memory": {"at": 1, "kind": "event", "text": "I swept the common room"}},
        {"do": "sleep", "npc": "Mara", "since": 5, "until": 300}
    ]));
    server.done(&town, &json!({"do": "tick", "now": 5}));
    let (status, reply) = server.command(&town, r#"{"do":"tick","now":6}"#);
    assert!(status == 429 && reply.contains("events_unread"), "{reply}");
    // Who may only read drops nothing for the others.
    text(server.get(&format!("/v1/towns/{town}/events?after=1"), READ));
    assert_eq!(server.command(&town, r#"{"do":"tick","now":6}"#).0, 429);
    text(server.get(&format!("/v1/towns/{town}/events?after=1"), WRITE));
    server.done(&town, &json!({"do": "tick", "now": 7}));
    server.stop().unwrap();
}

#[test]
fn events_are_streamed_and_a_broken_stream_goes_on() {
    let server = Server::start(ServeOptions::default());
    let town = server.open(&asking());
    let lines = |last: u64| {
        let request = server.agent.get(format!("{}/v1/towns/{town}/events/stream", server.address));
        let response = request
            .header("Authorization", format!("Bearer {READ}"))
            .header("Last-Event-ID", last.to_string())
            .call()
            .unwrap();
        BufReader::new(response.into_body().into_reader()).lines().map(|line| line.unwrap())
    };
    server.done(&town, &json!({"do": "spawn", "npc": "Mara"}));
    server.done(&town, &json!({"do": "sleep", "npc": "Mara", "until": 50}));
    server.done(&town, &json!({"do": "tick", "now": 1}));
    let mut stream = lines(0);
    assert_eq!(stream.next().unwrap(), "id: 1");
    assert!(stream.next().unwrap().contains("fell_asleep"));
    server.done(&town, &json!({"do": "tick", "now": 60}));
    let woke = stream.find(|line| line.starts_with("data:")).unwrap();
    assert!(woke.contains("\"woke\""), "{woke}");
    drop(stream);
    let mut again = lines(1);
    assert_eq!(again.next().unwrap(), "id: 2");
    assert_eq!(again.next().unwrap(), woke, "the same event again");
    // A stop ends the stream; it does not wait for it.
    server.stop().unwrap();
    assert!(again.all(|line| !line.starts_with("data:")), "nothing comes after the stop");
}

#[test]
fn a_stop_writes_nights_that_are_being_written() {
    let folder = tempfile::tempdir().unwrap();
    let options = ServeOptions { stores: Some(folder.path().to_owned()), ..ServeOptions::default() };
    let server = Server::start(options);
    let mut of = asking();
    of["store"] = json!({"file": "town.db"});
    let town = server.open(&of);
    server.done(&town, &json!({"do": "spawn", "npc": "Mara"}));
    server.done(&town, &json!({"do": "live", "npc": "Mara", "memory": {"at": 1, "kind": "event", "text": "Joss owes Tom silver"}}));
    server.done(&town, &json!({"do": "sleep", "npc": "Mara", "since": 5, "until": 900_000}));
    let mut after = 0;
    let mut done = false;
    for now in 5..5_000 {
        server.done(&town, &json!({"do": "tick", "now": now}));
        let events: Value =
            serde_json::from_str(&text(server.get(&format!("/v1/towns/{town}/events?after={after}"), WRITE)))
                .unwrap();
        for event in events["events"].as_array().unwrap() {
            after = event["number"].as_u64().unwrap();
            let event = &event["event"];
            if event["event"] == "vectors_wanted" {
                let texts = event["texts"].as_array().unwrap();
                let vectors: Vec<Vec<f32>> =
                    texts.iter().map(|text| Letters::vector(text.as_str().unwrap())).collect();
                server.done(&town, &json!({"do": "vectors", "batch": event["batch"], "vectors": vectors}));
            }
            done |= event["event"] == "consolidated";
        }
        if done {
            break;
        }
        thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(done);
    let address: SocketAddr = server.address.trim_start_matches("http://").parse().unwrap();
    server.stop().unwrap();
    assert!(std::net::TcpStream::connect(address).is_err(), "nobody listens any more");
    let store = nightfold_store::SqliteStore::open_existing(folder.path().join("town.db")).unwrap();
    let npc = nightfold_ecs::memory::NpcId::new("Mara").unwrap();
    assert_eq!(nightfold_ecs::memory::MemoryReader::nights(&store, Some(&npc)).unwrap().len(), 1);
}

#[test]
fn connections_without_a_request_keep_their_places_for_a_while_only() {
    let mut options = ServeOptions::default();
    options.http.request_seconds = 1;
    let server = Server::start(options);
    let town = server.open(&asking());
    let host = server.address.strip_prefix("http://").unwrap();
    let half_open: Vec<TcpStream> = (0..200)
        .map(|nth| {
            let mut stream = TcpStream::connect(host).unwrap();
            if nth % 2 == 0 {
                stream.write_all(b"GET /v1/health HTTP/1.1\r\nHost: ").unwrap();
            }
            stream
        })
        .collect();
    assert_eq!(server.get("/v1/health", READ).status(), 200);
    assert_eq!(server.command(&town, r#"{"do": "spawn", "npc": "Mara"}"#).0, 200);
    drop(half_open);
    server.stop().unwrap();
}

/// Sends the beginning of a request of the reader on a connection of its own.
fn begun(server: &Server, head: &str) -> TcpStream {
    let host = server.address.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
    write!(stream, "{head} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {READ}\r\n").unwrap();
    stream
}

/// Status of the answer on a connection.
fn status_of(stream: &TcpStream) -> u16 {
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_reader_who_holds_streams_and_bodies_open_locks_nobody_out() {
    let mut options = ServeOptions::default();
    options.http.connections = 32;
    let server = Server::start(options);
    let town = server.open(&asking());
    let streams: Vec<TcpStream> = (0..32)
        .map(|_| {
            let mut stream = begun(&server, &format!("GET /v1/towns/{town}/events/stream"));
            stream.write_all(b"\r\n").unwrap();
            stream
        })
        .collect();
    let statuses: Vec<u16> = streams.iter().map(status_of).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 8, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 429].contains(status)), "{statuses:?}");
    drop(streams.into_iter().zip(statuses).filter(|(_, status)| *status == 429).collect::<Vec<_>>());
    let bodies: Vec<TcpStream> = (0..32)
        .map(|_| {
            let mut stream = begun(&server, &format!("POST /v1/towns/{town}/commands"));
            stream.write_all(b"Content-Length: 1000\r\n\r\n{\"do\": ").unwrap();
            stream
        })
        .collect();
    // The writer and the question after the server's health are answered meanwhile.
    let mut health = begun(&server, "GET /v1/health");
    health.write_all(b"\r\n").unwrap();
    assert_eq!(status_of(&health), 200);
    let command = server.agent.post(format!("{}/v1/towns/{town}/commands", server.address));
    let answered = command
        .config()
        .timeout_global(Some(std::time::Duration::from_secs(20)))
        .build()
        .header("Authorization", format!("Bearer {WRITE}"))
        .send(r#"{"do": "spawn", "npc": "Mara"}"#)
        .unwrap();
    assert_eq!(answered.status(), 200);
    // Whoever may only read is refused before a body is read.
    let mut opens = begun(&server, "POST /v1/towns");
    opens.write_all(b"Content-Length: 1000\r\n\r\n").unwrap();
    assert_eq!(status_of(&opens), 403);
    drop(bodies);
    server.stop().unwrap();
}

#[test]
fn large_bodies_share_the_size_of_one() {
    let server = Server::start(ServeOptions { request_bytes: 8 << 20, ..ServeOptions::default() });
    let town = server.open(&asking());
    let host = server.address.strip_prefix("http://").unwrap();
    let begin = |bytes: usize| {
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
        let head = format!(
            "POST /v1/towns/{town}/commands HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {WRITE}\r\n"
        );
        write!(stream, "{head}Content-Length: {bytes}\r\nExpect: 100-continue\r\n\r\n").unwrap();
        stream
    };
    // The first is asked for its body, and the second would be too much beside it.
    let first = begin(5 << 20);
    assert_eq!(status_of(&first), 100);
    assert_eq!(status_of(&begin(5 << 20)), 429);
    assert_eq!(status_of(&begin(2 << 20)), 100, "there is room for a smaller one");
    assert_eq!(server.command(&town, r#"{"do": "spawn", "npc": "Mara"}"#).0, 200);
    drop(first);
    server.stop().unwrap();
}
