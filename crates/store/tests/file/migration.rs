//! Migration of files in older formats: nothing is lost, a copy stays, and what was written before can be undone.

use std::{
    fs,
    path::{Path, PathBuf},
};

use nightfold_memory::{MemoryReader, MemoryStore};
use nightfold_store::{OpenError, SqliteStore};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{
    names, rows, store_path,
    support::{Story, all_of, applied, full_night, id, npc, second_night, vector},
    tables,
};

/// Removes the themes from a night, as in formats without them.
fn without_themes(mut night: Story) -> Story {
    night.0.themes.clear();
    night
}

/// Migration steps from format to format.
const STEPS: [&str; 5] = [
    include_str!("../../src/sqlite/schema/1.sql"),
    include_str!("../../src/sqlite/schema/2.sql"),
    include_str!("../../src/sqlite/schema/3.sql"),
    include_str!("../../src/sqlite/schema/4.sql"),
    include_str!("../../src/sqlite/schema/5.sql"),
];

/// Makes a file of an older format with those rows of another store that fit into it.
fn write_older_format(format: usize, of: &Path, path: &Path) {
    let file = Connection::open(path).unwrap();
    STEPS[..format].iter().for_each(|step| file.execute_batch(step).unwrap());
    file.execute_batch("DELETE FROM store").unwrap();
    file.execute("ATTACH ?1 AS other", [of.to_str().unwrap()]).unwrap();
    // What others refer to comes first.
    let first = ["store", "npc", "night", "memory", "prior", "vector", "edge", "log"];
    let later = ["prior_edge", "theme", "gone"];
    let there: Vec<String> = tables(&file).into_iter().map(|(name, _)| name).collect();
    for table in first.into_iter().chain(later).filter(|table| there.iter().any(|name| name == table)) {
        let (_, columns) = tables(&file).into_iter().find(|(name, _)| name == table).unwrap();
        let columns = columns.join(", ");
        let copy = format!("INSERT INTO main.{table} ({columns}) SELECT {columns} FROM other.{table}");
        assert!(file.execute(&copy, []).unwrap() > 0 || later.contains(&table), "{table} is empty");
    }
    file.pragma_update(None, "application_id", 0x4e46_4c44).unwrap();
    file.pragma_update(None, "user_version", format).unwrap();
}

#[test]
fn first_format_is_migrated_to_the_newest() {
    let (folder, path) = store_path();
    let old = folder.path().join("old.db");
    let store = SqliteStore::open(&path).unwrap();
    let empty = all_of(&store);
    let version = applied(&store, &without_themes(full_night()));
    let first = all_of(&store);
    applied(&store, &without_themes(second_night(version)));
    applied(&store, &Story::new("Ana", "one", 0).store("a").prune("b"));
    let all = all_of(&store);
    write_older_format(1, &path, &old);
    let bytes = fs::read(&old).unwrap();

    let refused = SqliteStore::open_read_only(&old).unwrap_err();
    assert!(matches!(refused, OpenError::OlderFormat { found: 1, known: 7, .. }), "{refused}");
    assert_eq!(fs::read(&old).unwrap(), bytes);
    let store = SqliteStore::open_existing(&old).unwrap();
    assert_eq!(all_of(&store), all);
    let backup = Connection::open(folder.path().join("old.db.v1.bak")).unwrap();
    assert_eq!(backup.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).unwrap(), 1);
    assert_eq!(names(&backup, "SELECT label FROM night WHERE label = 'one'"), ["one"]);

    // What format 2 is for works on what format 1 held, and is taken back.
    applied(&store, &Story::on(&store, "Ana", "two").restore("b", Some(vector("b"))).unite("a", &["b"], &[]));
    let three = Story::on(&store, "Mara", "three").unite("new", &["kept"], &["insight"]);
    applied(&store, &three.theme("mill"));
    assert_eq!(store.snapshot(&npc("Mara")).unwrap().themes.len(), 1);
    assert_eq!(store.derived(&npc("Mara"), &id("kept")).unwrap(), [id("new")]);
    assert_eq!(store.referring(&npc("Mara"), &id("new")).unwrap(), [id("insight"), id("kept"), id("told")]);
    store.undo(&npc("Ana")).unwrap().unwrap();
    store.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(all_of(&store), all);
    // And so is what was written in format 1.
    store.undo(&npc("Ana")).unwrap().unwrap();
    store.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(all_of(&store), first);
    store.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(all_of(&store), empty);
}

/// A store with two nights, and a copy of it in an older format.
struct Older {
    folder: TempDir,
    path: PathBuf,
    old: PathBuf,
    store: SqliteStore,
    all: String,
}

fn two_nights_in_format(format: usize) -> Older {
    let (folder, path) = store_path();
    let old = folder.path().join("old.db");
    let store = SqliteStore::open(&path).unwrap();
    let version = applied(&store, &full_night());
    applied(&store, &second_night(version));
    let all = all_of(&store);
    write_older_format(format, &path, &old);
    Older { folder, path, old, store, all }
}

#[test]
fn format_4_is_migrated_to_support_contested_entries() {
    let Older { folder, path, old, store, all } = two_nights_in_format(4);

    let refused = SqliteStore::open_read_only(&old).unwrap_err();
    assert!(matches!(refused, OpenError::OlderFormat { found: 4, known: 7, .. }), "{refused}");
    let migrated = SqliteStore::open_existing(&old).unwrap();
    assert_eq!(all_of(&migrated), all);
    assert_eq!(rows(&old), rows(&path), "nothing is contested in it");
    let backup = Connection::open(folder.path().join("old.db.v4.bak")).unwrap();
    assert_eq!(backup.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).unwrap(), 4);

    let rumour = Story::on(&migrated, "Mara", "three").store("rumour").contest("kept", &["rumour"]);
    applied(&migrated, &rumour);
    let kept = migrated.entry(&npc("Mara"), &id("kept")).unwrap().unwrap();
    assert_eq!(kept.contested_with, [id("rumour")]);
    migrated.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(all_of(&migrated), all);
    // The number of a run is given once.
    let written =
        |path| -> Vec<String> { rows(path).into_iter().filter(|row| !row.starts_with("store: ")).collect() };
    assert_eq!(written(&old), written(&path));
    // What format 4 wrote is taken back too.
    for store in [&store, &migrated] {
        store.undo(&npc("Mara")).unwrap().unwrap();
    }
    assert_eq!(all_of(&migrated), all_of(&store));
}

#[test]
fn format_5_is_migrated_to_keep_tags() {
    let Older { path, old, all, folder: _folder, .. } = two_nights_in_format(5);

    let migrated = SqliteStore::open_existing(&old).unwrap();
    assert_eq!(all_of(&migrated), all);
    assert_eq!(rows(&old), rows(&path), "nobody has tags in it");
    let mut night = Story::on(&migrated, "Mara", "three").store("promoted");
    night.0.npc_tags = vec!["guard".to_owned()];
    applied(&migrated, &night);
    assert_eq!(migrated.snapshot(&npc("Mara")).unwrap().npc_tags, ["guard"]);
    migrated.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(all_of(&migrated), all);
}
