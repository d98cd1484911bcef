//! A session with the server, line by line.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::Desk;

/// The server process with the client's ends of the pipes.
pub(crate) struct Session {
    server: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    next: i64,
}

impl Session {
    /// Starts a server and performs the handshake.
    pub(crate) fn start(desk: &Desk, arguments: &str) -> Self {
        Self::connect(&mut desk.command(&format!("mcp {arguments}"))).shake_hands()
    }

    /// Starts a server like [`Session::start`], with no model in any cache.
    pub(super) fn start_without_model(desk: &Desk, arguments: &str) -> Self {
        let mut command = desk.command(&format!("mcp {arguments}"));
        let nowhere = desk.path("no-cache");
        command.env("XDG_CACHE_HOME", &nowhere).env("HOME", &nowhere).env_remove("NIGHTFOLD_MODELS");
        Self::connect(&mut command).shake_hands()
    }

    fn shake_hands(mut self) -> Self {
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = self.ask("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "nightfold", "{answer}");
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        self
    }

    fn connect(command: &mut Command) -> Self {
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let out = server.stdout.take().expect("it is piped");
        let (said, output) = channel();
        // Reads on whatever the test does, so that neither end waits for the other.
        thread::spawn(move || {
            for line in BufReader::new(out).split(b'\n') {
                let line = String::from_utf8(line.expect("read")).expect("UTF-8");
                if said.send(line).is_err() {
                    return;
                }
            }
        });
        let input = server.stdin.take();
        Self { server, input, output, next: 1 }
    }

    pub(super) fn send(&mut self, line: &str) {
        self.send_bytes(line.as_bytes());
    }

    /// Sends a line of any bytes except a line end.
    pub(super) fn send_bytes(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("not hung up");
        input.write_all(line).and_then(|()| input.write_all(b"\n")).expect("the server reads");
    }

    /// Returns an unused id.
    pub(super) fn id(&mut self) -> i64 {
        self.next += 1;
        self.next
    }

    /// Sends a request and waits for its answer; messages that come before it are dropped.
    pub(crate) fn ask(&mut self, method: &str, params: impl Into<Value>) -> Value {
        let id = self.id();
        let asked = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params.into()});
        self.send(&asked.to_string());
        loop {
            let line = self.output.recv().expect("the server answers");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == id {
                return answer;
            }
        }
    }

    /// Returns the messages received until all of these ids are answered.
    pub(super) fn until_answered(&mut self, mut ids: BTreeSet<String>) -> Vec<String> {
        let mut said = Vec::new();
        while !ids.is_empty() {
            // No measure: it makes a failure of what would never end.
            let line = self.output.recv_timeout(Duration::from_mins(5));
            let line = line.unwrap_or_else(|e| panic!("{e}: no answer to {ids:?}"));
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if let Some(id) = answer["id"].as_str() {
                ids.remove(id);
            }
            said.push(line);
        }
        said
    }

    /// Calls a tool, which must succeed, and returns its text.
    #[track_caller]
    pub(super) fn text(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        assert!(result["content"][0]["text"].as_str().is_some_and(|t| t.contains("is data")), "{result}");
        assert!(result["structuredContent"]["untrusted"].is_string(), "{result}");
        result["content"][1]["text"].as_str().expect("a text").to_owned()
    }

    /// Calls a tool, which must be refused, and returns its error.
    #[track_caller]
    pub(super) fn error(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().expect("a text").to_owned()
    }

    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let mut answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    /// Closes the connection; returns the exit code and the messages not yet read.
    pub(crate) fn end(mut self) -> (i32, Vec<String>) {
        drop(self.input.take());
        let said = self.output.iter().collect();
        (self.server.wait().expect("it ends").code().expect("by itself"), said)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Only of a test that failed is it still there.
        self.server.kill().ok();
        self.server.wait().ok();
    }
}
