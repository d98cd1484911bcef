//! Rows that changed on the disk: a check names them, and an export does not carry them on.

use std::path::{Path, PathBuf};

use nightfold_memory::{MemoryReader as _, MemoryStore as _, StoreError};
use nightfold_store::{BackupOptions, DurableStore as _, ExportError, SqliteStore, StoreCheck};
use tempfile::TempDir;

use crate::{
    as_the_store_does, npc, store_path,
    support::{Story, applied, exported, full_night, second_night},
};

/// Returns a store with two nights of Mara, of every kind of change, and one of Ana.
fn store_with_nights() -> (TempDir, PathBuf) {
    let (folder, path) = store_path();
    let store = SqliteStore::open(&path).unwrap();
    let first = applied(&store, &full_night());
    applied(&store, &second_night(first));
    applied(&store, &Story::new("Ana", "one", 0).store("a").store("b"));
    (folder, path)
}

fn sql(path: &Path, sql: &str) {
    let file = as_the_store_does(path).unwrap();
    // Only a disk breaks these.
    file.pragma_update(None, "foreign_keys", false).unwrap();
    file.pragma_update(None, "ignore_check_constraints", true).unwrap();
    assert!(file.execute(sql, []).unwrap() > 0, "{sql} changes nothing");
}

fn checked(path: &Path) -> StoreCheck {
    SqliteStore::open_read_only(path).unwrap().check(None, 100).unwrap()
}

/// Returns the problems as `NPC id: problem`.
fn problems(check: &StoreCheck) -> Vec<String> {
    let told = |name: &Option<String>| name.clone().unwrap_or_else(|| "-".to_owned());
    check.problems.iter().map(|p| format!("{} {}: {}", told(&p.npc), told(&p.id), p.problem)).collect()
}

#[test]
fn sound_store_has_no_problems() {
    let (_folder, path) = store_with_nights();
    let check = checked(&path);
    assert_eq!((check.found, problems(&check)), (0, Vec::new()));
    assert_eq!((check.checked.npcs, check.checked.nights), (2, 3));
    let of_ana = SqliteStore::open_read_only(&path).unwrap().check(Some(&npc("Ana")), 9).unwrap();
    assert_eq!((of_ana.checked.npcs, of_ana.checked.nights, of_ana.checked.memories), (1, 1, 2));
}

#[test]
fn changed_text_is_named_and_not_exported() {
    let (_folder, path) = store_with_nights();
    sql(&path, "UPDATE memory SET text = replace(text, 'heard', 'hears') WHERE id = 'b'");
    let found = problems(&checked(&path));
    let expected = "Ana b: damaged text (table `memory`): text and time are not those of the memory";
    assert!(found.len() == 1 && found[0].starts_with(expected), "{found:?}");

    let store = SqliteStore::open_read_only(&path).unwrap();
    for of in [None, Some(&npc("Ana"))] {
        let error = store.export(of, &mut Vec::new()).unwrap_err();
        let ExportError::Store(error @ StoreError::Damaged { .. }) = error else { panic!("{error}") };
        assert_eq!(error.to_string(), "the store holds a damaged text under Ana: b");
    }
    let mut entries = 0;
    let error = store.each_entry(&[npc("Ana")], &mut |_| {
        entries += 1;
        Ok(())
    });
    assert!(matches!(error, Err(ExportError::Store(StoreError::Damaged { .. }))));
    assert_eq!(entries, 1, "the one before it");
    // What is not damaged can be carried on.
    assert!(!exported(&store, Some(&npc("Mara"))).is_empty());
}

#[test]
fn changed_bytes_are_named_with_their_column() {
    for (change, expected) in [
        (
            "UPDATE memory SET at = at + 2 WHERE id = 'b'",
            "Ana b: damaged text (table `memory`): text and time are not those",
        ),
        ("UPDATE memory SET at = 9223372036854775807 WHERE id = 'b'", "Ana b: damaged at (table `memory`)"),
        (
            "INSERT INTO edge SELECT npc, 'none', 'a', version FROM memory WHERE id = 'b'",
            "- -: rows of `edge` that refer to rows of `memory` that are not there: 1",
        ),
        ("UPDATE memory SET text = CAST(x'ff' || text AS text) WHERE id = 'b'", "Ana b: damaged text"),
        ("UPDATE memory SET tags = '[' WHERE id = 'b'", "Ana b: damaged tags (table `memory`)"),
        ("UPDATE memory SET kind = 'chut' WHERE id = 'b'", "Ana b: damaged kind (table `memory`)"),
        ("UPDATE memory SET importance = 77 WHERE id = 'b'", "Ana b: damaged importance"),
        (
            "UPDATE vector SET numbers = CAST(x'0000c07f' || substr(numbers, 5) AS blob) WHERE id = 'b'",
            "Ana b: damaged numbers",
        ),
        (
            "UPDATE vector SET numbers = CAST(x'00000041' || substr(numbers, 5) AS blob) WHERE id = 'b'",
            "Ana b: damaged numbers",
        ),
        (
            "UPDATE vector SET numbers = substr(numbers, 2) WHERE id = 'b'",
            "Ana b: damaged numbers (table `vector`)",
        ),
        (
            "UPDATE vector SET numbers = x'0000803f' WHERE id = 'b'",
            "Ana b: damaged numbers (table `vector`): a vector of 1 numbers; those of its model have 4",
        ),
        ("UPDATE log SET reason = '{' WHERE id = 'b'", "Ana b: damaged reason (table `log`)"),
    ] {
        let (_folder, path) = store_with_nights();
        sql(&path, change);
        let found = problems(&checked(&path));
        assert!(found.iter().any(|problem| problem.starts_with(expected)), "{change}: {found:?}");
    }
}

#[test]
fn rows_that_contradict_each_other_are_named() {
    // Only Ana has entries of these ids, and her night is the third.
    for (change, expected) in [
        (
            "UPDATE night SET base_version = 7 WHERE seq = 3",
            "Ana one: a night was not planned against the state that the night before it left",
        ),
        (
            "UPDATE npc SET version = 7 WHERE name = 'Ana'",
            "Ana -: the version in force is not that of the NPC's latest night",
        ),
        (
            "UPDATE memory SET night = 'two' WHERE id = 'b'",
            "Ana b: an entry names another night than the one that wrote it",
        ),
        (
            "UPDATE memory SET superseded_by = 'never', state = 'archived', archived_by = 'x' WHERE id = 'b'",
            "Ana b: an entry is superseded by one that the store never held",
        ),
        (
            r#"UPDATE memory SET ended = '[{"since":1,"text":"heard","by":"never"}]' WHERE id = 'b'"#,
            "Ana b: a position was ended by an entry that the store never held",
        ),
        (
            r#"UPDATE memory SET contested_with = '["b"]' WHERE id = 'a'"#,
            "Ana a: an entry is contested with one that is not active, or not contested with it",
        ),
        (
            "INSERT INTO edge SELECT npc, id, 'never', version FROM memory WHERE id = 'b'",
            "Ana b: an entry rests on a source that the store never held, and does not name it",
        ),
        (
            r#"UPDATE memory SET sources = '["a"]' WHERE id = 'b'"#,
            "Ana b: an entry names a source to which no edge leads",
        ),
        (
            "INSERT INTO gone SELECT npc, id, known FROM memory WHERE id = 'b'",
            "Ana b: an entry is there that was purged",
        ),
        ("DELETE FROM vector WHERE id = 'b'", "Ana b: an active entry has no vector"),
        ("UPDATE store SET model = NULL", "- -: there are vectors, and their model is not named"),
        // Where a foreign key is broken, the file as a whole is named before the row.
        (
            "INSERT INTO log SELECT npc, 99, 0, 'store', 'b', reason FROM log WHERE id = 'b'",
            "- -: rows of `log` that refer to rows of `night` that are not there: 1",
        ),
    ] {
        let (_folder, path) = store_with_nights();
        sql(&path, change);
        assert_eq!(problems(&checked(&path)), [expected], "{change}");
    }
}

#[test]
fn damaged_pages_are_found() {
    let (_folder, path) = store_with_nights();
    let roots =
        "SELECT rootpage FROM sqlite_schema WHERE name IN ('memory', 'vector', 'log', 'edge', 'theme')";
    let roots: Vec<i64> = {
        let file = as_the_store_does(&path).unwrap();
        let mut statement = file.prepare(roots).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let mut bytes = std::fs::read(&path).unwrap();
    for root in roots {
        // The header of the page says nothing sensible then.
        bytes[usize::try_from((root - 1) * 4096).unwrap()..][..12].fill(0xff);
    }
    std::fs::write(&path, bytes).unwrap();
    match SqliteStore::open_read_only(&path).map(|store| store.check(None, 5)) {
        Ok(Ok(check)) => assert!(check.found > 0 && check.problems.len() <= 5, "{check:?}"),
        Ok(Err(error)) => assert!(matches!(error, StoreError::Backend(_)), "{error}"),
        Err(error) => panic!("{error}"),
    }
}

/// A bit anywhere in the file: in a row, in an index, in what is free, in the header.
#[test]
fn flipped_bits_are_found_and_carried_nowhere() {
    let (folder, path) = store_with_nights();
    {
        // Pages that are free, and some that were never written.
        let store = SqliteStore::open(&path).unwrap();
        let mara = npc("Mara");
        let nights = store.nights(Some(&mara)).unwrap().len();
        store.purge(&mara, nights - 1).unwrap();
    }
    assert_eq!(checked(&path).found, 0);
    let sound = std::fs::read(&path).unwrap();
    let rotten = folder.path().join("rotten.db");
    let (mut opened, bits) = (0, sound.len() * 8);
    for n in 0..300 {
        // Evenly over the file, at another place in each page.
        let at = n * (bits / 300) + (n * 7_919) % (bits / 300);
        let mut bytes = sound.clone();
        bytes[at / 8] ^= 1 << (at % 8);
        std::fs::write(&rotten, bytes).unwrap();
        let Ok(store) = SqliteStore::open_read_only(&rotten) else { continue };
        opened += 1;
        assert!(store.check(None, 1).is_ok_and(|check| check.found > 0), "bit {at} of {bits} is not found");
        let backup = folder.path().join("backup.db");
        let backed_up = store.back_up(&backup, BackupOptions { overwrite: true, anyway: false });
        assert!(backed_up.is_err(), "bit {at} of {bits} is in the backup");
        let mut lines = Vec::new();
        if store.export(None, &mut lines).is_ok() {
            assert_eq!(
                lines,
                exported(&SqliteStore::open_read_only(&path).unwrap(), None),
                "bit {at} of {bits}"
            );
        }
    }
    assert!(opened > 200, "{opened} of the damaged files were opened");
}

#[test]
fn others_may_fold_the_log_into_the_file_but_change_nothing() {
    let (_folder, path) = store_with_nights();
    let store = SqliteStore::open(&path).unwrap();
    applied(&store, &Story::new("Bran", "one", 0).store("a"));
    let before = exported(&store, None);
    let theirs = rusqlite::Connection::open(&path).unwrap();
    theirs.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(theirs);
    assert_eq!(checked(&path).found, 0);
    assert_eq!(exported(&SqliteStore::open_read_only(&path).unwrap(), None), before);

    let (_folder, path) = store_with_nights();
    let theirs = rusqlite::Connection::open(&path).unwrap();
    theirs.execute("UPDATE memory SET importance = importance - 1 WHERE id = 'b'", []).unwrap();
    drop(theirs);
    assert!(checked(&path).found > 0);
}

#[test]
fn problems_are_bounded_and_counted() {
    let (_folder, path) = store_with_nights();
    sql(&path, "UPDATE memory SET text = text || '!'");
    let check = SqliteStore::open_read_only(&path).unwrap().check(None, 2).unwrap();
    assert_eq!(check.problems.len(), 2);
    assert_eq!(check.found, check.checked.memories);
    let of_ana = SqliteStore::open_read_only(&path).unwrap().check(Some(&npc("Ana")), 9).unwrap();
    assert_eq!(of_ana.found, 2);
}

#[test]
fn damaged_night_that_was_shelved_is_named() {
    let (_folder, path) = store_with_nights();
    let store = SqliteStore::open(&path).unwrap();
    let before = nightfold_memory::RewindTarget::At("1100-01-01T00:00:00Z".parse().unwrap());
    store.rewind(Some(&npc("Ana")), &before).unwrap();
    drop(store);
    assert_eq!(checked(&path).found, 0);
    sql(&path, "UPDATE shelved SET night = substr(night, 2)");
    let found = problems(&checked(&path));
    let expected = "Ana -: damaged night that was shelved (table `shelved`)";
    assert!(found.len() == 1 && found[0].starts_with(expected), "{found:?}");
}
