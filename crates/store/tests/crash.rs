//! A process that is killed while it applies nights leaves only complete nights, among them all that it had reported.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    env,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use nightfold_memory::Outcome;
use nightfold_store::{DurableStore, PostgresStore, SqliteStore, testing::PostgresServer};
use support::Story;

/// Variable that tells the child the path or the address of the store; set by the parent alone.
const STORE: &str = "NIGHTFOLD_CRASH_TEST_STORE";
const CALLS: usize = 400;
const NIGHTS_PER_CALL: usize = 8;
const ROWS: usize = 5;

fn open(place: &str) -> Box<dyn DurableStore> {
    if place.starts_with("postgres:") {
        Box::new(PostgresStore::open(place).unwrap())
    } else {
        Box::new(SqliteStore::open(place).unwrap())
    }
}

/// Applies the nights of a call, which may have been applied before.
fn apply(store: &dyn DurableStore, number: usize) {
    let night = |n: usize| {
        let npc = format!("npc {number}-{n}");
        Story::new(&npc, "one", 0).store("a").collapse("a", &["b"]).chunk("told", &["c", "d"]).0
    };
    let nights: Vec<_> = (0..NIGHTS_PER_CALL).map(night).collect();
    let outcomes = store.apply(store.begin_run().unwrap(), &nights).unwrap();
    assert!(outcomes.iter().all(|o| matches!(o, Ok(Outcome::Applied { .. } | Outcome::AlreadyApplied))));
}

#[test]
#[ignore = "the process that is killed: started by the tests below"]
fn child() {
    let Ok(place) = env::var(STORE) else { return };
    let store = open(&place);
    for number in 0..CALLS {
        apply(store.as_ref(), number);
        // A line of its own, past the harness: only whole lines count as told.
        let mut out = std::io::stderr().lock();
        writeln!(out, "\ntold {number}").unwrap();
        out.flush().unwrap();
    }
}

/// Kills the child some time after its first `calls` calls, and returns the calls that it had reported.
fn killed_after(place: &str, calls: usize, time: Duration) -> Vec<usize> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env(STORE, place)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let told = |line: std::io::Result<String>| line.ok()?.strip_prefix("told ")?.parse().ok();
    let mut reports = BufReader::new(child.stderr.take().unwrap()).lines().filter_map(told);
    let mut seen: Vec<usize> = reports.by_ref().take(calls).collect();
    thread::sleep(time);
    child.kill().unwrap();
    child.wait().unwrap();
    seen.extend(reports);
    seen
}

/// Kills processes that write to a store: the first at any moment, the others a little after a call has returned.
fn killed_processes_leave_complete_nights(place: &str) {
    let mut seen = 0;
    for round in 0..8 {
        let told = killed_after(place, round / 2, Duration::from_millis(7 + 15 * round as u64));
        // Killed before the first commit there may be no store yet; opening makes one.
        let store = open(place);
        let nights = store.nights(None).unwrap();
        for number in &told {
            let whole = |n| nights.iter().any(|night| night.npc.as_str() == format!("npc {number}-{n}"));
            assert!((0..NIGHTS_PER_CALL).all(whole), "call {number} was told of and is not there");
        }
        assert_eq!(nights.len() % NIGHTS_PER_CALL, 0, "a call is written whole");
        for night in &nights {
            assert_eq!(store.entries(&night.npc).unwrap().len(), ROWS, "{}", night.npc);
        }
        assert!(nights.len() >= seen, "what was written stays");
        seen = nights.len();
    }
    assert!(seen > 0, "no round was long enough to write anything");
    let store = open(place);
    assert_eq!(store.check(None, 9).unwrap().found, 0);
    for number in 0..=seen / NIGHTS_PER_CALL {
        apply(store.as_ref(), number);
    }
    assert_eq!(store.nights(None).unwrap().len(), seen + NIGHTS_PER_CALL, "each night is there once");
}

#[test]
fn killed_process_leaves_complete_nights() {
    let folder = tempfile::tempdir().unwrap();
    killed_processes_leave_complete_nights(folder.path().join("minds.db").to_str().unwrap());
}

#[test]
fn killed_workers_leave_complete_nights() {
    let Some(server) = PostgresServer::shared() else { return };
    killed_processes_leave_complete_nights(&server.address());
}
