//! Rewriting the tables after an erasure.

use nightfold_memory::{MemoryReader as _, MemoryStore as _, PersonNames, RecordCache as _, SavePointName};
use nightfold_store::{DurableStore as _, PostgresStore, testing::PostgresServer};

use crate::support::{Story, applied, npc};

#[test]
fn tables_are_rewritten_and_the_cache_is_emptied() {
    // Of its own: a transaction of another test could still read the deleted rows.
    let Some(server) = PostgresServer::start(false).unwrap() else { return };
    let address = server.address();
    let store = PostgresStore::open(&address).unwrap();
    let conan = PersonNames::new(["Conan"]).unwrap();
    applied(&store, &Story::new("Mara", "one", 0).store("a").store("conan-came"));
    store.save_point(&SavePointName::new("before Conan").unwrap()).unwrap();
    store.keep_records(&[([7; 32], vec![1, 2, 3])], 10).unwrap();
    store.erase(store.begin_run().unwrap(), &npc("Mara"), &conan).unwrap().unwrap();
    let done = store.physical_erase(&conan).unwrap();
    assert_eq!((done.save_points.len(), done.cached, done.not_rewritten), (1, 1, None));
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
