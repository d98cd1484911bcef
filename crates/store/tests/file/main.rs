//! Behaviour of store files: missing, foreign, shared or damaged ones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod backup;
mod damage;
mod physical_erase;
#[cfg(unix)]
mod place;
#[path = "../support/mod.rs"]
mod support;

use std::{
    error::Error as _,
    fs,
    path::{Path, PathBuf},
    sync::Barrier,
    thread,
    time::Duration,
};

use nightfold_memory::{MemoryReader, MemoryStore, Outcome, StoreError};
use nightfold_store::{Access, DurableStore as _, OpenError, SqliteStore, StoreOptions};
use rusqlite::{Connection, OpenFlags};
use support::{Story, all_of, applied, apply, full_night, id, npc, vector};
use tempfile::TempDir;

fn store_path() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("minds.db");
    (folder, path)
}

fn store_with_a_night() -> (TempDir, PathBuf) {
    let (folder, path) = store_path();
    applied(&SqliteStore::open(&path).unwrap(), &Story::new("Mara", "one", 0).store("a").prune("b"));
    (folder, path)
}

/// Opens the file of a store beneath the store, so that what is written is no damage of a page.
fn as_the_store_does(path: &Path) -> rusqlite::Result<Connection> {
    Connection::open_with_flags_and_vfs(path, OpenFlags::default(), c"nightfold-sums")
}

fn options_without_wait(access: Access) -> StoreOptions {
    StoreOptions { access, busy_timeout: Duration::from_millis(50) }
}

fn files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

#[test]
fn night_log_distinguishes_nights_with_one_label() {
    let (_folder, path) = store_with_a_night();
    let store = SqliteStore::open_existing(&path).unwrap();
    let mara = npc("Mara");
    let first = store.nights(Some(&mara)).unwrap()[0].version;
    let second = applied(&store, &Story::on(&store, "Mara", "one").store("c"));
    let told = |npc: &str, version| {
        let log = store.night_log(&self::npc(npc), version).unwrap();
        log.into_iter().map(|line| format!("{} {}", line.verb, line.id)).collect::<Vec<_>>()
    };
    assert_eq!(told("Mara", first), ["store a", "prune b"]);
    assert_eq!(told("Mara", second), ["store c"]);
    assert!(told("Mara", first ^ second).is_empty() && told("Tom", first).is_empty());
}

#[test]
fn missing_store_is_created_only_on_request() {
    let (folder, path) = store_path();
    for opened in [SqliteStore::open_existing(&path), SqliteStore::open_read_only(&path)] {
        let error = opened.unwrap_err();
        assert!(matches!(error, OpenError::Missing(_)), "{error}");
        assert_eq!(error.to_string(), format!("there is no store at {}", path.display()));
    }
    assert_eq!(files(folder.path()), [""; 0]);
    // What a crash in the first moment leaves behind is not a store yet, and can become one.
    fs::write(&path, "").unwrap();
    assert!(matches!(SqliteStore::open_existing(&path), Err(OpenError::Missing(_))));
    assert!(matches!(SqliteStore::open_read_only(&path), Err(OpenError::Missing(_))));
    SqliteStore::open(&path).unwrap();
    SqliteStore::open_existing(&path).unwrap();
}

#[test]
fn folder_in_place_of_a_store_is_reported() {
    let (folder, path) = store_path();
    let error = SqliteStore::open(folder.path()).unwrap_err();
    assert!(matches!(error, OpenError::Folder(_)), "{error}");
    let error = SqliteStore::open(path.join("deeper.db")).unwrap_err();
    assert_eq!(error.to_string(), format!("the folder {} for the store does not exist", path.display()));
    fs::write(&path, "a file").unwrap();
    assert!(SqliteStore::open(path.join("deeper.db")).is_err());
    assert!(matches!(SqliteStore::open(""), Err(OpenError::Io { .. })));
}

#[test]
fn foreign_and_newer_files_are_refused_unchanged() {
    let letter = |path: &Path| fs::write(path, "Dear Mara, ".repeat(1_000)).unwrap();
    let database = |application: i64, format: i64, sql: &'static str| {
        move |path: &Path| {
            let theirs = Connection::open(path).unwrap();
            theirs.pragma_update(None, "application_id", application).unwrap();
            theirs.pragma_update(None, "user_version", format).unwrap();
            theirs.execute_batch(sql).unwrap();
        }
    };
    let foreign =
        |id: u8| Some(format!("the file is a database of another program (application id {id:#x})"));
    for (make, cause) in [
        (&letter as &dyn Fn(&Path), None),
        (&database(0, 0, "CREATE TABLE theirs (x)"), foreign(0)),
        (&database(77, 0, ""), foreign(77)),
        (&database(77, 1, "CREATE TABLE theirs (x)"), foreign(77)),
        (
            &database(0x4e46_4c44, 99, ""),
            Some("the store is of format 99; this version reads up to format 1".to_owned()),
        ),
        (
            &database(0x4e46_4c44, 0, "CREATE TABLE npc (key)"),
            Some("the file has the id of a store, but is of the format 0; formats begin at 1".to_owned()),
        ),
    ] {
        let (folder, path) = store_path();
        make(&path);
        let bytes = fs::read(&path).unwrap();
        for access in [Access::Create, Access::Existing, Access::ReadOnly] {
            let error = SqliteStore::open_with(&path, &options_without_wait(access)).unwrap_err();
            assert_eq!(cause.is_none(), matches!(error, OpenError::NotADatabase(_)), "{error}");
            assert_eq!(error.source().map(ToString::to_string), cause);
        }
        assert_eq!((fs::read(&path).unwrap(), files(folder.path())), (bytes, vec!["minds.db".to_owned()]));
    }
}

/// Returns a column of text.
fn names(file: &Connection, sql: &str) -> Vec<String> {
    let mut statement = file.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// Returns the tables of a file with their columns.
fn tables(file: &Connection) -> Vec<(String, Vec<String>)> {
    let tables = names(file, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    let columns = |table: &str| names(file, &format!("SELECT name FROM pragma_table_info('{table}')"));
    tables.into_iter().map(|table| (table.clone(), columns(&table))).collect()
}

/// Returns every row of every table.
fn rows(path: &Path) -> Vec<String> {
    let file = as_the_store_does(path).unwrap();
    let of = |(table, columns): (String, Vec<String>)| {
        let cells: Vec<_> = columns.iter().map(|column| format!("quote({column})")).collect();
        let cells = cells.join(" || ',' || ");
        names(&file, &format!("SELECT '{table}: ' || {cells} FROM {table} ORDER BY 1"))
    };
    tables(&file).into_iter().flat_map(of).collect()
}

#[test]
fn undoing_maintenance_restores_every_row() {
    let (_folder, path) = store_path();
    let store = SqliteStore::open(&path).unwrap();
    let run = store.begin_run().unwrap();
    let apply = |story: Story| {
        assert!(matches!(store.apply(run, &[story.0]).unwrap()[0], Ok(Outcome::Applied { .. })));
    };
    apply(full_night());
    apply(Story::on(&store, "Mara", "two").reflect("again", &["kept"]).supersede("told", &["kept"]));
    let before = rows(&path);
    let maintenance =
        Story::on(&store, "Mara", "maintenance").store("x").restore("dull", Some(vector("dull")));
    apply(
        maintenance
            .unite("dull", &["kept"], &["told", "again", "insight"])
            .restore("told", None)
            .archive("insight"),
    );
    let after = rows(&path);
    let begins = |rows: &[String], table: &str| rows.iter().filter(|row| row.starts_with(table)).count();
    assert_eq!((begins(&before, "prior_edge: "), begins(&after, "prior_edge: ")), (0, 2));
    assert_eq!(begins(&after, "vector: "), begins(&before, "vector: ") + 2);
    store.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(rows(&path), before);
}

#[test]
fn read_only_store_refuses_writes() {
    let (_folder, path) = store_with_a_night();
    let reader = SqliteStore::open_read_only(&path).unwrap();
    let before = all_of(&reader);
    let night = Story::on(&reader, "Mara", "two").store("c").0;
    assert!(matches!(reader.apply(1, &[night]), Err(StoreError::Backend(_))));
    assert!(matches!(reader.undo(&npc("Mara")), Err(StoreError::Backend(_))));
    assert!(matches!(reader.undo_run(1), Err(StoreError::Backend(_))));
    let refused = reader.begin_run().unwrap_err();
    assert_eq!(refused.source().unwrap().to_string(), "the store is open for reading only");
    assert_eq!(all_of(&reader), before);
}

#[test]
fn reader_sees_concurrent_writes() {
    let (_folder, path) = store_with_a_night();
    let writer = SqliteStore::open(&path).unwrap();
    applied(&writer, &Story::on(&writer, "Mara", "two").store("c"));
    // The log of the writer is not folded into the file yet.
    let reader = SqliteStore::open_read_only(&path).unwrap();
    assert_eq!(all_of(&reader), all_of(&writer));
    applied(&writer, &Story::on(&writer, "Mara", "three").store("d"));
    assert_eq!(all_of(&reader), all_of(&writer));
    writer.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(all_of(&reader), all_of(&writer));
}

#[test]
fn second_writer_gets_a_locked_error() {
    let (_folder, path) = store_with_a_night();
    let store = SqliteStore::open_with(&path, &options_without_wait(Access::Existing)).unwrap();
    let other = as_the_store_does(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE npc SET version = 9").unwrap();
    let night = Story::on(&store, "Mara", "two").store("c");
    let refused = store.apply(1, std::slice::from_ref(&night.0)).unwrap_err();
    assert!(matches!(refused, StoreError::Locked(_)), "{refused}");
    assert!(matches!(store.undo(&npc("Mara")), Err(StoreError::Locked(_))));
    assert!(matches!(store.begin_run(), Err(StoreError::Locked(_))));
    assert_eq!(store.snapshot(&npc("Mara")).unwrap().version, night.0.base_version, "reading goes on");
    // What the other never committed was never there.
    drop(other);
    applied(&store, &night);
}

#[test]
fn failing_write_rolls_back_the_whole_call() {
    let (_folder, path) = store_with_a_night();
    let store = SqliteStore::open(&path).unwrap();
    let before = all_of(&store);
    // As a full disk would, in the middle of the second night.
    as_the_store_does(&path)
        .unwrap()
        .execute_batch(
            "CREATE TRIGGER full BEFORE INSERT ON edge WHEN new.derived = 'told'
             BEGIN SELECT raise(ABORT, 'disk full'); END",
        )
        .unwrap();
    let nights = [
        Story::new("Ana", "one", 0).store("a").0,
        Story::new("Tom", "one", 0).store("x").chunk("told", &["y", "z"]).0,
    ];
    assert!(matches!(store.apply(1, &nights), Err(StoreError::Backend(_))));
    assert_eq!(all_of(&store), before);
    let outcomes = store.apply(1, &nights[..1]).unwrap();
    assert!(matches!(outcomes[0], Ok(Outcome::Applied { .. })));
}

#[test]
fn run_that_cannot_be_undone_completely_is_not_undone() {
    let (_folder, path) = store_path();
    let store = SqliteStore::open(&path).unwrap();
    let nights = ["Ana", "Mara", "Tom"].map(|of| Story::new(of, "one", 0).store("a").0);
    let run = store.begin_run().unwrap();
    store.apply(run, &nights).unwrap();
    let before = all_of(&store);
    let other = as_the_store_does(&path).unwrap();
    other
        .execute_batch(
            "CREATE TRIGGER full BEFORE DELETE ON npc WHEN old.name = 'Mara'
             BEGIN SELECT raise(ABORT, 'disk full'); END",
        )
        .unwrap();
    assert!(matches!(store.undo_run(run), Err(StoreError::Backend(_))));
    assert_eq!(all_of(&store), before);
    other.execute_batch("DROP TRIGGER full").unwrap();
    assert_eq!(store.undo_run(run).unwrap().len(), 3);
    assert_eq!(store.nights(None).unwrap(), []);
}

#[test]
fn run_numbers_are_unique_across_processes() {
    let (_folder, path) = store_path();
    let (one, two) = (SqliteStore::open(&path).unwrap(), SqliteStore::open(&path).unwrap());
    assert_eq!([one.begin_run().unwrap(), two.begin_run().unwrap(), one.begin_run().unwrap()], [1, 2, 3]);
    drop((one, two));
    let mut given: Vec<u64> = thread::scope(|scope| {
        let begin = || {
            let store = SqliteStore::open_existing(&path).unwrap();
            (0..10).map(|_| store.begin_run().unwrap()).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(begin)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    given.sort_unstable();
    assert_eq!(given, (4..44).collect::<Vec<_>>());
}

#[test]
fn damaged_row_is_reported_and_affects_only_its_npc() {
    let (_folder, path) = store_with_a_night();
    let store = SqliteStore::open(&path).unwrap();
    applied(&store, &Story::new("Ana", "one", 0).store("a"));
    let other = as_the_store_does(&path).unwrap();
    let mara = |sql: &str| {
        other.execute(&format!("{sql} AND npc = (SELECT key FROM npc WHERE name = 'Mara')"), []).unwrap()
    };
    other.pragma_update(None, "ignore_check_constraints", true).unwrap();
    assert_eq!(mara("UPDATE memory SET known = x'00' WHERE id = 'b'"), 1);
    let error = store.snapshot(&npc("Mara")).unwrap_err();
    assert_eq!(error.to_string(), "the store holds a damaged fingerprint under b");
    assert_eq!(mara("UPDATE vector SET numbers = x'00' WHERE id = 'a'"), 1);
    let error = store.snapshot(&npc("Mara")).unwrap_err();
    assert_eq!(error.to_string(), "the store holds a damaged vector under a");
    assert_eq!(mara("UPDATE memory SET tags = '[' WHERE id = 'a'"), 1);
    let error = store.entries(&npc("Mara")).unwrap_err();
    assert_eq!(error.to_string(), "the store holds a damaged list of tags under a");
    let version = store.nights(Some(&npc("Mara"))).unwrap()[0].version;
    let error = apply(&store, &Story::new("Mara", "two", version).archive("a")).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(store.snapshot(&npc("Ana")).is_ok());
}

#[test]
fn concurrent_opens_create_one_store() {
    for _ in 0..8 {
        let (_folder, path) = store_path();
        let barrier = Barrier::new(8);
        thread::scope(|scope| {
            for n in 0..8 {
                let (path, barrier) = (&path, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    let store = SqliteStore::open(path).unwrap();
                    applied(&store, &Story::new(&format!("npc {n}"), "one", 0).store("a"));
                });
            }
        });
        assert_eq!(SqliteStore::open_read_only(&path).unwrap().npcs().unwrap().len(), 8);
    }
}

#[test]
fn threads_share_a_store() {
    let (_folder, path) = store_path();
    let store = SqliteStore::open(&path).unwrap();
    thread::scope(|scope| {
        for n in 0..4 {
            let store = &store;
            scope.spawn(move || {
                let of = format!("npc {n}");
                for night in 0..5 {
                    applied(store, &Story::on(store, &of, &format!("{night}")).store(&format!("m{night}")));
                    assert_eq!(store.snapshot(&npc(&of)).unwrap().entries.len(), night + 1);
                }
            });
        }
    });
    assert_eq!(store.nights(None).unwrap().len(), 20);
}

#[test]
fn special_sqlite_names_are_plain_paths() {
    let folder = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:minds.db?mode=memory", "100% sure?.db"] {
        let path = folder.path().join(name);
        applied(&SqliteStore::open(&path).unwrap(), &Story::new("Mara", "one", 0).store("a"));
        assert!(path.is_file(), "{name}");
        assert_eq!(SqliteStore::open_read_only(&path).unwrap().npcs().unwrap(), [npc("Mara")]);
    }
}
