//! Lost connections, and a server that restarts or crashes.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use nightfold_memory::{MemoryStore as _, Outcome};
use nightfold_store::{PostgresStore, testing::PostgresServer};

use crate::{content, in_sqlite, nights_of, support::exported};

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
