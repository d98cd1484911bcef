//! Rewriting the tables after an erasure.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use nightfold_memory::{MemoryReader as _, MemoryStore as _, PersonNames, RecordCache as _, SavePointName};
use nightfold_store::{DurableStore as _, PostgresOptions, PostgresStore, testing::PostgresServer};

use crate::{
    server,
    support::{Story, applied, npc},
};

#[test]
fn tables_are_rewritten_and_the_cache_is_emptied() {
    let server = server!();
    let address = server.address();
    let store = PostgresStore::open(&address).unwrap();
    let conan = PersonNames::new(["Conan"]).unwrap();
    applied(&store, &Story::new("Mara", "one", 0).store("a").store("conan-came"));
    store.save_point(&SavePointName::new("before Conan").unwrap()).unwrap();
    store.keep_records(&[([7; 32], vec![1, 2, 3])], 10).unwrap();
    store.erase(store.begin_run().unwrap(), &npc("Mara"), &conan).unwrap().unwrap();
    let scoured = store.scour(&conan).unwrap();
    assert_eq!((scoured.save_points.len(), scoured.cached, scoured.not_rewritten), (1, 1, None));
    assert_eq!(store.save_points().unwrap(), []);
    assert_eq!(store.everyone().unwrap(), [npc("Mara")]);
    let schema = address.rsplit_once("schema=").unwrap().1;
    // What the server has in memory yet is written, and then the bytes of the table are looked through.
    server.sql("CHECKPOINT").unwrap();
    let bytes = format!("pg_read_binary_file(pg_relation_filepath('\"{schema}\".memory'))");
    let place = |text: &str| server.sql(&format!("SELECT position('{text}'::bytea IN {bytes})")).unwrap();
    assert_ne!(place("Mara heard"), "0");
    assert_eq!(place("conan-came"), "0");
}

#[test]
fn rows_that_an_older_transaction_holds_are_reported_as_left() {
    // A server of its own: any transaction holds the rows, and other tests make many.
    let Some(server) = PostgresServer::start().unwrap() else { return };
    let options = PostgresOptions { retry_for: Duration::from_millis(100), ..PostgresOptions::default() };
    let store = PostgresStore::open_with(&server.address(), &options).unwrap();
    let conan = PersonNames::new(["Conan"]).unwrap();
    applied(&store, &Story::new("Mara", "one", 0).store("a").store("conan-came"));
    let others = "FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'";
    thread::scope(|scope| {
        let older = scope.spawn(|| server.sql("SELECT pg_sleep(600)"));
        while server.sql(&format!("SELECT count(backend_xmin) {others}")).unwrap() == "0" {
            thread::sleep(Duration::from_millis(10));
        }
        store.erase(store.begin_run().unwrap(), &npc("Mara"), &conan).unwrap().unwrap();
        let left = store.scour(&conan).unwrap().not_rewritten;
        server.sql(&format!("SELECT pg_terminate_backend(pid) {others}")).unwrap();
        older.join().unwrap().unwrap_err();
        let left = left.unwrap();
        let (kept, process) = left.split_once(" for a transaction of process ").unwrap();
        assert!(kept.starts_with("the server keeps old rows in `"), "{left}");
        assert!(process.contains(" (psql), which was there before the erasure; erase again"), "{left}");
    });
    assert_eq!(store.scour(&conan).unwrap().not_rewritten, None);
}

#[test]
fn rows_that_others_delete_meanwhile_are_not_reported() {
    let Some(server) = PostgresServer::start().unwrap() else { return };
    let address = server.address();
    let schema = address.rsplit_once("schema=").unwrap().1;
    let store = PostgresStore::open(&address).unwrap();
    let conan = PersonNames::new(["Conan"]).unwrap();
    applied(&store, &Story::new("Mara", "one", 0).store("a").store("conan-came"));
    store.erase(store.begin_run().unwrap(), &npc("Mara"), &conan).unwrap().unwrap();
    let done = AtomicBool::new(false);
    // Nights of other workers: each leaves an old row, which the readers beside it may still look at.
    let others = |sql: String| {
        while !done.load(Ordering::Relaxed) {
            server.sql(&sql).unwrap();
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| others(format!("UPDATE \"{schema}\".npc SET version = version")));
        scope.spawn(|| others("SELECT pg_sleep(0.1)".to_owned()));
        scope.spawn(|| others("SELECT pg_sleep(0.13)".to_owned()));
        let scoured: Vec<_> =
            (0..5).map(|_| store.scour(&conan).map(|scoured| scoured.not_rewritten)).collect();
        done.store(true, Ordering::Relaxed);
        assert!(scoured.iter().all(|left| matches!(left, Ok(None))), "{scoured:?}");
    });
}
