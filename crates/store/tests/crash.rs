//! A process that is killed while it applies nights leaves only complete nights, among them all that it had
//! reported.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use nightfold_memory::{MemoryReader, MemoryStore, Outcome};
use nightfold_store::SqliteStore;
use rusqlite::Connection;
use support::Story;

/// Variable that tells the child the path of the store; set by the parent alone.
const STORE: &str = "NIGHTFOLD_CRASH_TEST_STORE";
const CALLS: usize = 400;
const NIGHTS_PER_CALL: usize = 8;
const ROWS: usize = 5;

fn nights_of_call(number: usize) -> Vec<nightfold_memory::NpcNight> {
    let night = |n: usize| {
        let npc = format!("npc {number}-{n}");
        Story::new(&npc, "one", 0).store("a").collapse("a", &["b"]).chunk("told", &["c", "d"]).0
    };
    (0..NIGHTS_PER_CALL).map(night).collect()
}

#[test]
#[ignore = "the process that is killed: started by the test below"]
fn child() {
    let Ok(path) = env::var(STORE) else { return };
    let store = SqliteStore::open(path).unwrap();
    for number in 0..CALLS {
        let outcomes = store.apply(store.begin_run().unwrap(), &nights_of_call(number)).unwrap();
        assert!(outcomes.iter().all(|o| matches!(o, Ok(Outcome::Applied { .. } | Outcome::AlreadyApplied))));
        // A line of its own, past the harness: only whole lines count as told.
        let mut out = std::io::stderr().lock();
        writeln!(out, "\ntold {number}").unwrap();
        out.flush().unwrap();
    }
}

/// Runs the child for a while, kills it, and returns the calls that it had reported.
fn killed_after(path: &Path, milliseconds: u64) -> Vec<usize> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env(STORE, path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let reports = BufReader::new(child.stderr.take().unwrap());
    let reader = thread::spawn(move || {
        let told = |line: std::io::Result<String>| line.ok()?.strip_prefix("told ")?.parse().ok();
        reports.lines().filter_map(told).collect()
    });
    thread::sleep(Duration::from_millis(milliseconds));
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

#[test]
fn killed_process_leaves_complete_nights() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("minds.db");
    let mut seen = 0;
    for round in 0..8 {
        let told = killed_after(&path, 40 + 35 * round);
        if !path.exists() {
            continue;
        }
        // Killed before the first commit there may be no store yet; opening makes one.
        let store = SqliteStore::open(&path).unwrap();
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
    let check: String =
        Connection::open(&path).unwrap().query_row("PRAGMA integrity_check", [], |r| r.get(0)).unwrap();
    assert_eq!(check, "ok");
}
