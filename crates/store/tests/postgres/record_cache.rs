//! Records that workers share.

use std::{collections::BTreeMap, thread};

use nightfold_memory::{RecordCache as _, RecordKey};
use nightfold_store::PostgresStore;

use crate::server;

fn record(n: u8) -> (RecordKey, Vec<u8>) {
    ([n; 32], vec![n; usize::from(n) + 1])
}

fn found(store: &PostgresStore, most_bytes: usize) -> BTreeMap<RecordKey, Vec<u8>> {
    let keys: Vec<RecordKey> = (0..=u8::MAX).map(|n| [n; 32]).collect();
    store.find_records(&keys, most_bytes).unwrap().into_iter().collect()
}

#[test]
fn records_of_all_workers_are_found_and_damaged_ones_replaced() {
    let server = server!();
    let address = server.address();
    PostgresStore::open(&address).unwrap();
    let all: Vec<_> = (0..100).map(record).collect();
    thread::scope(|scope| {
        for worker in 0..4 {
            let (address, all) = (&address, &all);
            scope.spawn(move || {
                let store = PostgresStore::open(address).unwrap();
                let mut mine = all.clone();
                // Each in an order of its own.
                mine.rotate_left(worker * 25);
                for records in mine.chunks(40) {
                    store.keep_records(records, 1000).unwrap();
                }
            });
        }
    });
    let store = PostgresStore::open(&address).unwrap();
    assert_eq!(found(&store, usize::MAX >> 1), all.iter().cloned().collect());
    assert_eq!(found(&store, 10).len(), 10);
    store.keep_records(&[([3; 32], vec![9])], 1000).unwrap();
    assert_eq!(found(&store, 1000)[&[3; 32]], [9]);
    assert!(store.find_records(&[], 10).unwrap().is_empty());
    store.keep_records(&[], 1000).unwrap();
}

#[test]
fn oldest_records_are_dropped() {
    let server = server!();
    let store = PostgresStore::open(&server.address()).unwrap();
    for n in 0..50 {
        store.keep_records(&[record(n)], 20).unwrap();
    }
    assert_eq!(
        found(&store, 1000).into_keys().map(|key| key[0]).collect::<Vec<_>>(),
        (30..50).collect::<Vec<_>>()
    );
}
