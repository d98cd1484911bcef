//! Rewriting a file after an erasure, so that no byte of it is left.

use std::fs;

use nightfold_memory::{MemoryReader as _, MemoryStore as _, PersonNames, SavePointName, StoreError};
use nightfold_store::{Access, DurableStore as _, SqliteStore};
use rusqlite::Connection;

use crate::{
    options_without_wait, store_path,
    support::{Story, applied, npc},
};

#[test]
fn no_byte_of_what_was_erased_is_left_in_the_file_and_its_log() {
    let (folder, path) = store_path();
    let store = SqliteStore::open(&path).unwrap();
    let conan = PersonNames::new(["Conan"]).unwrap();
    let mut story = Story::new("Mara", "one", 0);
    for n in 0..200 {
        story = story.store(&format!("conan-{n}")).prune(&format!("of-conan-{n}"));
    }
    applied(&store, &story);
    let point = SavePointName::new("before Conan").unwrap();
    store.save_point(&point).unwrap();
    let named = |folder: &std::path::Path| {
        let files = fs::read_dir(folder).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
        files.filter(|bytes| bytes.windows(5).any(|five| five.eq_ignore_ascii_case(b"conan"))).count()
    };
    assert!(named(folder.path()) > 0);
    assert_eq!(store.everyone().unwrap(), [npc("Mara")]);
    store.erase(store.begin_run().unwrap(), &npc("Mara"), &conan).unwrap().unwrap();

    // A reader keeps the write-ahead log from being emptied.
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM memory").unwrap();
    let impatient = SqliteStore::open_with(&path, &options_without_wait(Access::Existing)).unwrap();
    assert!(matches!(impatient.physical_erase(&conan), Err(StoreError::Locked(_))));
    drop((reader, impatient));

    store.physical_erase(&conan).unwrap();
    assert_eq!(named(folder.path()), 0);
    assert_eq!(store.save_points().unwrap(), []);
    assert!(store.physical_erase(&conan).unwrap().save_points.is_empty(), "twice does no harm");
}
