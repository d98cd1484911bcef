//! Lost connections, a server that restarts or crashes, workers that are killed.

use std::{
    env,
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use nightfold_memory::{MemoryStore as _, Outcome};
use nightfold_store::{PostgresStore, testing::PostgresServer};

use crate::{apply_all, content, in_sqlite, nights_of, support::exported};

/// Applies the nights call by call beside something that disturbs, and returns how many were told as written.
fn disturbed(
    address: &str,
    nights: &[nightfold_memory::NpcNight],
    disturb: impl FnOnce(&AtomicBool) + Send,
) -> usize {
    /// Ends the disturbance, even if the test fails.
    struct Done<'a>(&'a AtomicBool);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let ended = Done(&done);
        let disturber = scope.spawn(|| disturb(&done));
        let store = PostgresStore::open(address).unwrap();
        let mut written = 0;
        for call in nights.chunks(8) {
            for outcome in store.apply(1, call).unwrap() {
                written += usize::from(matches!(outcome.unwrap(), Outcome::Applied { .. }));
            }
        }
        drop(ended);
        disturber.join().unwrap();
        written
    })
}

#[test]
fn cut_connections_lose_and_double_nothing() {
    let Some(server) = PostgresServer::start(false).unwrap() else { return };
    let (address, nights) = (server.address(), nights_of(100, 4));
    PostgresStore::open(&address).unwrap();
    let mut cuts = 0;
    // Ever longer pauses: a machine that is slow, or busy, gets its calls through in the end.
    let mut pause = Duration::from_millis(30);
    let written = disturbed(&address, &nights, |done| {
        while !done.load(Ordering::Relaxed) {
            let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'nightfold'";
            cuts += server.sql(cut).unwrap().parse::<usize>().unwrap();
            thread::sleep(pause);
            pause = pause.mul_f64(1.1);
        }
    });
    assert!(cuts > 0);
    assert_eq!(written, nights.len(), "each is told as written once, {cuts} cuts");
    let store = PostgresStore::open(&address).unwrap();
    assert_eq!(content(&exported(&store, None)), content(&in_sqlite(&nights)));
}

#[test]
fn server_that_restarts_or_crashes_loses_and_doubles_nothing() {
    let Some(mut server) = PostgresServer::start(false).unwrap() else { return };
    let (address, nights) = (server.address(), nights_of(100, 4));
    PostgresStore::open(&address).unwrap();
    let written = disturbed(&address, &nights, |_| {
        thread::sleep(Duration::from_millis(40));
        server.restart().unwrap();
        thread::sleep(Duration::from_millis(60));
        server.crash().unwrap();
    });
    assert_eq!(written, nights.len());
    let store = PostgresStore::open(&address).unwrap();
    assert_eq!(content(&exported(&store, None)), content(&in_sqlite(&nights)));
}

/// Variable that tells the child the address of the store; set by the parent alone.
const STORE: &str = "NIGHTFOLD_CRASH_TEST_POSTGRES";

#[test]
#[ignore = "the process that is killed: started by the test below"]
fn child() {
    let Ok(address) = env::var(STORE) else { return };
    let store = PostgresStore::open(&address).unwrap();
    for (number, call) in nights_of(200, 3).chunks(8).enumerate() {
        apply_all(&store, 1, call);
        // A line of its own, past the harness: only whole lines count as told.
        writeln!(std::io::stderr().lock(), "\ntold {number}").unwrap();
    }
}

#[test]
fn killed_workers_leave_complete_nights() {
    let Some(server) = PostgresServer::shared() else { return };
    let (address, nights) = (server.address(), nights_of(200, 3));
    let store = PostgresStore::open(&address).unwrap();
    let mut seen = 0;
    for round in 0..8 {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "faults::child", "--ignored", "--nocapture"])
            .env(STORE, &address)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut reports = BufReader::new(child.stderr.take().unwrap())
            .lines()
            .filter(|line| line.as_ref().is_ok_and(|told| told.starts_with("told ")));
        // The first rounds kill at any moment, the others a little after a call has returned.
        let before = reports.by_ref().take(round as usize / 2).count();
        thread::sleep(Duration::from_millis(7 + 11 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let told = before + reports.count();
        let written = nightfold_memory::MemoryReader::nights(&store, None).unwrap();
        assert!(written.len() >= (told * 8).min(nights.len()), "what was told is there");
        assert!(written.len() >= seen, "what was written stays");
        seen = written.len();
    }
    assert!(seen > 0, "no round was long enough to write anything");
    apply_all(&store, 1, &nights);
    assert_eq!(content(&exported(&store, None)), content(&in_sqlite(&nights)));
}
