//! Many workers on one store.

use std::{
    io::{BufRead, Read},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use nightfold_memory::{MemoryReader as _, MemoryStore as _, Outcome, StoreError};
use nightfold_store::{DurableStore as _, ImportOptions, ImportProblem, PostgresOptions, PostgresStore};

use crate::{apply_all, content, in_sqlite, night, nights_of, server, support::exported};

/// Several workers, each with the nights in an order of its own and in calls of its own size.
#[test]
fn nights_that_are_delivered_twice_at_once_are_written_once() {
    let server = server!();
    let (address, nights) = (server.address(), nights_of(40, 3));
    PostgresStore::open(&address).unwrap();
    let (applied, already) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for worker in 0..4 {
            let (address, nights, applied, already) = (&address, &nights, &applied, &already);
            scope.spawn(move || {
                let store = PostgresStore::open(address).unwrap();
                for of_day in nights.chunks(40) {
                    let mut of_day = of_day.to_vec();
                    of_day.rotate_left(worker * 7);
                    if worker % 2 == 1 {
                        of_day.reverse();
                    }
                    for call in of_day.chunks(5 + worker) {
                        for outcome in store.apply(7, call).unwrap() {
                            match outcome.unwrap() {
                                Outcome::Applied { .. } => applied.fetch_add(1, Ordering::Relaxed),
                                Outcome::AlreadyApplied => already.fetch_add(1, Ordering::Relaxed),
                                Outcome::Empty => panic!("no night is empty"),
                            };
                        }
                    }
                }
            });
        }
    });
    assert_eq!((applied.into_inner(), already.into_inner()), (120, 360));
    let store = PostgresStore::open(&address).unwrap();
    assert_eq!(content(&exported(&store, None)), content(&in_sqlite(&nights)));
}

/// Workers with different models: the first vectors decide.
#[test]
fn store_has_vectors_of_one_model() {
    let server = server!();
    let address = server.address();
    PostgresStore::open(&address).unwrap();
    let outcomes: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..6)
            .map(|worker| {
                let address = &address;
                scope.spawn(move || {
                    let mut night = night(&format!("npc {worker}"), "day-0", 0);
                    night.model = format!("model-{}", worker % 2).parse().unwrap();
                    let store = PostgresStore::open(address).unwrap();
                    let outcome = store.apply(1, std::slice::from_ref(&night));
                    (night.model, outcome.and_then(|mut outcomes| outcomes.remove(0)))
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let store = PostgresStore::open(&address).unwrap();
    let stored = store.model().unwrap().unwrap();
    for (model, outcome) in outcomes {
        match outcome {
            Ok(_) => assert_eq!(model, stored),
            Err(error) => {
                assert!(matches!(error, StoreError::Model { .. }) && model != stored, "{error}");
            }
        }
    }
    assert_eq!(store.npcs().unwrap().len(), 3);
}

/// Undoing, purging and rewinding beside workers that write.
#[test]
fn every_change_waits_for_its_npc() {
    let server = server!();
    let address = server.address();
    let store = PostgresStore::open(&address).unwrap();
    thread::scope(|scope| {
        for worker in 0..4 {
            let address = &address;
            scope.spawn(move || {
                let store = PostgresStore::open(address).unwrap();
                for round in 0..12 {
                    let mut version = 0;
                    let npc = format!("npc {}", (worker + round) % 5);
                    if let Some(last) = store.nights(Some(&npc.parse().unwrap())).unwrap().last() {
                        version = last.version;
                    }
                    let night = night(&npc, &format!("{worker}-{round}"), version);
                    match store.apply(1, std::slice::from_ref(&night)).unwrap().remove(0) {
                        Ok(_) | Err(StoreError::Stale { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                    if round % 3 == 0 {
                        match store.undo(&night.npc) {
                            Ok(_) | Err(StoreError::Purged { .. }) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                    if round % 4 == 1 {
                        store.purge(&night.npc, 1).unwrap();
                    }
                    if round % 5 == 2 {
                        let slot = "slot".parse().unwrap();
                        store.save_point(&slot).unwrap();
                        store.touch(&night.npc, &[night.changes[0].id().clone()], night.at).unwrap();
                    }
                }
            });
        }
    });
    for npc in store.npcs().unwrap() {
        let nights = store.nights(Some(&npc)).unwrap();
        let chained = nights.windows(2).all(|pair| pair[1].base_version == pair[0].version);
        assert!(chained && nights[0].base_version == 0, "{nights:?}");
    }
}

/// A worker that stands still in the middle of a transaction does not stop the others.
#[test]
fn worker_that_stands_still_loses_its_locks() {
    /// Lines that stop coming after the first.
    struct Stalling<'a>(&'a [u8], Duration);
    impl Read for Stalling<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            unreachable!("{} bytes are read by line", into.len())
        }
    }
    impl BufRead for Stalling<'_> {
        fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
            if !self.0.starts_with(b"{\"format\"") {
                thread::sleep(std::mem::take(&mut self.1));
            }
            let line = self.0.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            Ok(&self.0[..line])
        }

        fn consume(&mut self, bytes: usize) {
            self.0 = &self.0[bytes..];
        }
    }
    let server = server!();
    let address = server.address();
    let options = PostgresOptions { lock_timeout: Duration::from_secs(3), ..PostgresOptions::default() };
    let open = || PostgresStore::open_with(&address, &options).unwrap();
    let (still, other) = (open(), open());
    let lines = in_sqlite(&nights_of(2, 1));
    thread::scope(|scope| {
        let stalled = scope.spawn(|| {
            let mut lines = Stalling(&lines, Duration::from_secs(5));
            still.import(&mut lines, &ImportOptions::default())
        });
        // The import holds the whole store by then: who does not wait long enough is told, and may come again.
        thread::sleep(Duration::from_millis(500));
        let hasty =
            PostgresOptions { lock_timeout: Duration::from_millis(100), ..PostgresOptions::default() };
        let hasty = PostgresStore::open_with(&address, &hasty).unwrap();
        for _ in 0..2 {
            let locked = hasty.apply(1, &nights_of(1, 1)).unwrap_err();
            assert!(matches!(locked, StoreError::Locked(_)), "{locked}");
        }
        apply_all(&other, 1, &nights_of(2, 1));
        let lost = stalled.join().unwrap().unwrap_err();
        assert!(matches!(lost.problem, ImportProblem::Store(_)), "{lost}");
    });
    assert_eq!(content(&exported(&other, None)), content(&lines));
}

/// A game or a server may call it where futures run.
#[test]
fn it_may_be_called_where_futures_run() {
    let server = server!();
    for runtime in [
        tokio::runtime::Builder::new_current_thread().build().unwrap(),
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap(),
    ] {
        runtime.block_on(async {
            let store = PostgresStore::open(&server.address()).unwrap();
            apply_all(&store, 1, &nights_of(2, 1));
            assert_eq!(store.npcs().unwrap().len(), 2);
        });
    }
}
