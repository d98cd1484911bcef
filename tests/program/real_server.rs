//! A night of all of Riverbend with a real language-model server. It tests that all parts work together, not
//! the quality of a small model's answers.

use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::{Arc, Mutex},
};

use serde_json::Value;

use crate::{
    language::server::{FaultServer, Reply, Request},
    llama,
    support::Desk,
};

const KEY: &str = "sk-riverbend-SECRET";
const NIGHT: u64 = 5_000;
const RUN: u64 = 16_000;

/// Forwards a request to the real server; returns its status and body.
fn forward(host: &str, request: &Request) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(host).expect("the server listens");
    let (key, length) = (request.header("authorization").unwrap_or_default(), request.body.len());
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {key}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n",
        request.path
    );
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(&request.body).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("answered");
    let end = answer.windows(4).position(|at| at == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, answer[end + 4..].to_vec())
}

/// True if an answer that the model ended by itself fits its request's schema.
fn is_of_the_schema(request: &Value, content: &str) -> bool {
    let Ok(Value::Object(said)) = serde_json::from_str(content) else { return false };
    let schema = &request["response_format"]["json_schema"]["schema"];
    let wanted = schema["required"].as_array().expect("a strict schema");
    said.len() == wanted.len()
        && wanted.iter().all(|field| field.as_str().is_some_and(|field| said.contains_key(field)))
}

#[test]
fn riverbend_night_with_a_real_server() {
    let Some(llama) = llama::Llama::start(KEY) else { return };
    let host = llama.base_url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    // What the server says of each answer, heard on the way.
    let heard: Arc<Mutex<Vec<Value>>> = Arc::default();
    let hears = Arc::clone(&heard);
    let between = FaultServer::start(move |request, _| {
        let (status, body) = forward(&host, request);
        let said: Value = serde_json::from_slice(&body).expect("JSON");
        let choice = &said["choices"][0];
        if choice["finish_reason"] == "stop" {
            let content = choice["message"]["content"].as_str().expect("a text");
            assert!(is_of_the_schema(&request.json(), content), "{content}");
        }
        hears.lock().expect("no test panicked").push(said);
        Reply::new(status, body).header("Content-Type", "application/json").into()
    });

    let desk = Desk::new();
    // One question at a time, as the server has one place; a run's ledger that does not last for everybody.
    let day = format!(
        "sleep {{scenarios/riverbend/days/1.jsonl}} --set language.model=smollm2 --set language.in~flight=1 \
         --set language.tokens~per~run={RUN} --set language.temperature=0.7 --set language.seconds=300"
    );
    let asked = format!("{day} --language openai:{} --record said.jsonl --json", between.base_url());
    let plan = desk.run_with(&asked, &[("NIGHTFOLD_LANGUAGE_KEY", KEY)]).json();

    let language = &plan["report"]["language"];
    let count = |name: &str| language[name].as_u64().expect("a count");
    assert_eq!(plan["nights"].as_array().map(Vec::len), Some(6), "everybody slept");
    assert!(count("calls") > 0 && count("unaffordable") > 0 && count("unasked") == 0, "{language}");
    assert!(language["failures"].get("unreachable").is_none(), "{language}");

    let heard = heard.lock().expect("no test panicked");
    let used = |said: &Value| said["usage"]["total_tokens"].as_u64().expect("the server says what it cost");
    let paid: u64 = heard.iter().map(used).sum();
    assert_eq!(heard.len() as u64, count("calls"));
    // An answer counts what it was allowed, whatever the server says that it took.
    let spent = plan["report"]["tokens"]["spent"].as_u64().expect("a count");
    assert!(paid <= spent && spent <= RUN, "the server: {paid}, the ledger: {spent}; {language}");
    for night in plan["nights"].as_array().expect("nights") {
        let spent = night["report"]["tokens"]["spent"].as_u64().expect("a count");
        assert!(spent <= NIGHT, "{}: {spent}", night["npc"]);
    }
    eprintln!("{paid} tokens, {spent} in the ledger: {language}");

    // The server is gone; what it said gives the same night.
    drop((between, llama));
    let replayed = desk.run(&format!("{day} --language recorded:said.jsonl --json")).json();
    assert_eq!(replayed["nights"], plan["nights"]);
    assert!(!String::from_utf8_lossy(&desk.read("said.jsonl")).contains(KEY));
}
