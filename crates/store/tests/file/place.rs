//! A store file that is taken away while it is open.

use std::{fs, path::Path};

use nightfold_memory::{GameTime, MemoryReader, MemoryStore, RewindTarget, SavePointName, StoreError};
use nightfold_store::SqliteStore;

use crate::{
    id, npc, store_path, store_with_a_night,
    support::{Story, all_of, applied, time},
};

/// Asserts that a night is refused because the store is not in its place, in these words.
#[track_caller]
fn assert_displaced(store: &SqliteStore, path: &Path, expected: &str) {
    let night = Story::new("Tom", "one", 0).store("t").0;
    let error = store.apply(1, &[night]).unwrap_err();
    assert!(matches!(error, StoreError::Displaced { .. }), "{error}");
    let place = path.display();
    let text = format!("the store {place} was taken away while it was in use: {expected}");
    assert_eq!(error.to_string(), text);
}

#[test]
fn deleted_store_refuses_every_write() {
    let (_folder, path) = store_with_a_night();
    let store = SqliteStore::open_existing(&path).unwrap();
    fs::remove_file(&path).unwrap();
    assert_displaced(&store, &path, "no file is there any more");
    let at: GameTime = time("1204-05-04T03:00:00Z");
    let point = SavePointName::new("slot").unwrap();
    for refused in [
        store.begin_run().map(drop),
        store.touch(&npc("Mara"), &[id("a")], at).map(drop),
        store.undo(&npc("Mara")).map(drop),
        store.undo_run(1).map(drop),
        store.purge(&npc("Mara"), 0).map(drop),
        store.save_point(&point).map(drop),
        store.rewind(None, &RewindTarget::At(at)).map(drop),
    ] {
        assert!(matches!(refused, Err(StoreError::Displaced { .. })), "{refused:?}");
    }
    assert!(!path.exists(), "nothing is made anew");
}

#[test]
fn store_behind_another_file_or_store_refuses_writes() {
    let (folder, path) = store_with_a_night();
    let (link, letter) = (folder.path().join("link.db"), folder.path().join("letter"));
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let linked = SqliteStore::open_existing(&link).unwrap();
    applied(&linked, &Story::on(&linked, "Mara", "two").store("c"));
    let other = folder.path().join("other.db");
    applied(&SqliteStore::open(&other).unwrap(), &Story::new("Ana", "one", 0).store("x"));
    let replace = folder.path().join("replace");
    std::os::unix::fs::symlink(&other, &replace).unwrap();
    fs::rename(&replace, &link).unwrap();
    assert_displaced(&linked, &link, "another file is there now");
    drop(linked);

    let store = SqliteStore::open_existing(&path).unwrap();
    fs::rename(&other, &path).unwrap();
    assert_displaced(&store, &path, "another file is there now");
    drop(store);
    let store = SqliteStore::open_existing(&path).unwrap();
    assert_eq!(store.npcs().unwrap(), [npc("Ana")]);
    fs::write(&letter, "a letter").unwrap();
    fs::rename(&letter, &path).unwrap();
    assert_displaced(&store, &path, "another file is there now");
    assert_eq!(fs::read_to_string(&path).unwrap(), "a letter");
}

#[test]
fn store_in_a_renamed_folder_refuses_writes_and_takes_them_when_it_is_back() {
    let (folder, _) = store_path();
    let (town, moved) = (folder.path().join("town"), folder.path().join("moved"));
    fs::create_dir(&town).unwrap();
    let path = town.join("minds.db");
    let store = SqliteStore::open(&path).unwrap();
    let mara = Story::new("Mara", "one", 0).store("a");
    applied(&store, &mara);
    let before = all_of(&store);
    fs::rename(&town, &moved).unwrap();
    assert_displaced(&store, &path, "no file is there any more");
    assert_eq!(all_of(&store), before, "reading goes on, and nothing was written");
    fs::rename(&moved, &town).unwrap();
    applied(&store, &Story::on(&store, "Mara", "two").store("b"));
}

#[test]
fn store_without_its_write_ahead_log_refuses_writes() {
    for replaced in [false, true] {
        let (folder, path) = store_path();
        let store = SqliteStore::open(&path).unwrap();
        applied(&store, &Story::new("Mara", "one", 0).store("a"));
        let log = folder.path().join("minds.db-wal");
        fs::remove_file(&log).unwrap();
        if replaced {
            fs::write(&log, "").unwrap();
            assert_displaced(&store, &path, "its write-ahead log (-wal) was replaced");
        } else {
            assert_displaced(&store, &path, "its write-ahead log (-wal) is gone");
        }
    }
}

#[test]
fn deleted_store_can_be_read_to_the_end() {
    let (_folder, path) = store_with_a_night();
    let store = SqliteStore::open_read_only(&path).unwrap();
    let before = all_of(&store);
    fs::remove_file(&path).unwrap();
    assert_eq!(all_of(&store), before);
}
