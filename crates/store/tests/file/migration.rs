//! Migration of files in older formats: nothing is lost, a copy stays, and what was written before can be undone.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use nightfold_memory::{MemoryReader, MemoryStore};
use nightfold_store::{DurableStore, OpenError, SqliteStore};
use rusqlite::{Connection, params_from_iter, types::Value as Cell};
use serde_json::Value;
use tempfile::TempDir;

use super::{
    names, store_path,
    support::{Story, all_of, applied, full_night, id, npc, second_night, vector},
    tables,
};

/// Removes the themes from a night, as in formats without them.
fn without_themes(mut night: Story) -> Story {
    night.0.themes.clear();
    night
}

/// Migration steps from format to format.
const STEPS: [&str; 8] = [
    include_str!("../../src/sqlite/schema/1.sql"),
    include_str!("../../src/sqlite/schema/2.sql"),
    include_str!("../../src/sqlite/schema/3.sql"),
    include_str!("../../src/sqlite/schema/4.sql"),
    include_str!("../../src/sqlite/schema/5.sql"),
    include_str!("../../src/sqlite/schema/6.sql"),
    include_str!("../../src/sqlite/schema/7.sql"),
    include_str!("../../src/sqlite/schema/8.sql"),
];

/// Newest format, one more than that of the last of these steps.
const NEWEST: i64 = 9;

/// Returns the rows of a store as its export writes them: numbers, names and times in the forms of formats up to 7.
fn lines(store: &SqliteStore) -> Vec<Value> {
    let mut bytes = Vec::new();
    store.export(None, &mut bytes).unwrap();
    let lines: Vec<Value> =
        bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    // Before the rows comes a line that counts them, and after them the checksum.
    lines[1..lines.len() - 1].to_vec()
}

/// Returns a value of a line as formats up to 7 held it in a column.
fn cell(column: &str, value: &Value) -> Cell {
    match (column, value) {
        (_, Value::Null) => Cell::Null,
        (_, Value::Bool(flag)) => Cell::Integer((*flag).into()),
        (column, Value::Number(seconds)) if column == "at" || column.ends_with("_at") => {
            Cell::Text(seconds.to_string())
        }
        (_, Value::Number(number)) => Cell::Integer(number.as_i64().unwrap()),
        ("numbers" | "centre" | "known", Value::String(hex)) => {
            let digit = |digit: &u8| char::from(*digit).to_digit(16).unwrap() as u8;
            Cell::Blob(hex.as_bytes().chunks(2).map(|pair| digit(&pair[0]) << 4 | digit(&pair[1])).collect())
        }
        ("valence" | "intensity" | "tightness", Value::String(number)) => Cell::Real(number.parse().unwrap()),
        ("importance", Value::String(mean)) => Cell::Real(mean.parse().unwrap()),
        (_, Value::String(text)) => Cell::Text(text.clone()),
        (column, other) => panic!("{column} is {other}"),
    }
}

/// Makes a file of an older format with those rows of another store that fit into it.
fn write_older_format(format: usize, of: &SqliteStore, path: &Path) {
    let file = Connection::open(path).unwrap();
    STEPS[..format].iter().for_each(|step| file.execute_batch(step).unwrap());
    file.execute("UPDATE store SET model = ?1", [of.model().unwrap().map(|model| model.to_string())])
        .unwrap();
    let columns: BTreeMap<String, Vec<String>> = tables(&file).into_iter().collect();
    for line in lines(of) {
        let (table, row) = line.as_object().unwrap().iter().next().unwrap();
        let Some(there) = columns.get(table) else { continue };
        let mut row = row.as_object().unwrap().clone();
        let npc = row.remove("npc").unwrap();
        let key = "(SELECT key FROM npc WHERE name = ?1)";
        let (first, npc_value) = if table == "npc" { ("name", "?1") } else { ("npc", key) };
        row.retain(|column, _| there.contains(column));
        let names: String = row.keys().map(|column| format!(", {column}")).collect();
        let marks: String = (2..row.len() + 2).map(|n| format!(", ?{n}")).collect();
        let values = row.iter().map(|(column, value)| cell(column, value));
        let values = [Cell::Text(npc.as_str().unwrap().to_owned())].into_iter().chain(values);
        let sql = format!("INSERT INTO {table} ({first}{names}) VALUES ({npc_value}{marks})");
        file.execute(&sql, params_from_iter(values)).unwrap();
    }
    file.execute("UPDATE store SET last_run = (SELECT max(run) FROM night)", []).unwrap();
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
    write_older_format(1, &store, &old);
    let bytes = fs::read(&old).unwrap();

    let refused = SqliteStore::open_read_only(&old).unwrap_err();
    assert!(matches!(refused, OpenError::OlderFormat { found: 1, known: NEWEST, .. }), "{refused}");
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
    write_older_format(format, &store, &old);
    Older { folder, old, store, all }
}

#[test]
fn format_4_is_migrated_to_support_contested_entries() {
    let Older { folder, old, store, all } = two_nights_in_format(4);

    let refused = SqliteStore::open_read_only(&old).unwrap_err();
    assert!(matches!(refused, OpenError::OlderFormat { found: 4, known: NEWEST, .. }), "{refused}");
    let migrated = SqliteStore::open_existing(&old).unwrap();
    assert_eq!(all_of(&migrated), all);
    assert_eq!(lines(&migrated), lines(&store), "nothing is contested in it");
    let backup = Connection::open(folder.path().join("old.db.v4.bak")).unwrap();
    assert_eq!(backup.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).unwrap(), 4);

    let rumour = Story::on(&migrated, "Mara", "three").store("rumour").contest("kept", &["rumour"]);
    applied(&migrated, &rumour);
    let kept = migrated.entry(&npc("Mara"), &id("kept")).unwrap().unwrap();
    assert_eq!(kept.contested_with, [id("rumour")]);
    migrated.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(all_of(&migrated), all);
    assert_eq!(lines(&migrated), lines(&store));
    // What format 4 wrote is taken back too.
    for store in [&store, &migrated] {
        store.undo(&npc("Mara")).unwrap().unwrap();
    }
    assert_eq!(all_of(&migrated), all_of(&store));
}

#[test]
fn format_5_is_migrated_to_keep_tags() {
    let Older { store, old, all, folder: _folder } = two_nights_in_format(5);

    let migrated = SqliteStore::open_existing(&old).unwrap();
    assert_eq!(all_of(&migrated), all);
    assert_eq!(lines(&migrated), lines(&store), "nobody has tags in it");
    let mut night = Story::on(&migrated, "Mara", "three").store("promoted");
    night.0.npc_tags = vec!["guard".to_owned()];
    applied(&migrated, &night);
    assert_eq!(migrated.snapshot(&npc("Mara")).unwrap().npc_tags, ["guard"]);
    migrated.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(all_of(&migrated), all);
}

#[test]
fn format_7_is_migrated_and_new_rows_take_less_room() {
    let Older { store, old, all, folder } = two_nights_in_format(7);
    let path = folder.path().join("minds.db");
    let size = |file: &Connection, sql: &str| file.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let file = Connection::open(&old).unwrap();
    let reasons = "SELECT sum(length(CAST(reason AS BLOB))) FROM log";
    let as_json = size(&file, reasons);

    let migrated = SqliteStore::open_existing(&old).unwrap();
    assert_eq!(all_of(&migrated), all);
    assert_eq!(lines(&migrated), lines(&store));
    assert_eq!(size(&file, reasons), as_json, "what is there stays as it is");
    let packed = Connection::open(&path).unwrap();
    assert!(2 * size(&packed, reasons) < as_json);
    for store in [&store, &migrated] {
        applied(store, &Story::on(store, "Mara", "three").store("later").prune("blank"));
    }
    assert_eq!(lines(&migrated), lines(&store));
    for store in [&store, &migrated] {
        while store.undo(&npc("Mara")).unwrap().is_some() {}
    }
    assert_eq!(all_of(&migrated), all_of(&store));
}

#[test]
fn format_8_is_migrated_to_keep_ended_positions() {
    let Older { store, old, all, folder: _folder } = two_nights_in_format(8);

    let migrated = SqliteStore::open_existing(&old).unwrap();
    assert_eq!(all_of(&migrated), all);
    assert_eq!(lines(&migrated), lines(&store), "nothing has ended in it");
    let news = Story::on(&migrated, "Mara", "three").store("news").end("kept", "heard", &["news"]);
    applied(&migrated, &news);
    let kept = migrated.entry(&npc("Mara"), &id("kept")).unwrap().unwrap();
    assert_eq!(kept.ended[0].by, id("news"));
    migrated.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!((all_of(&migrated), lines(&migrated)), (all, lines(&store)));
}
