//! A store through Parquet and back, and files that were changed or crafted.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs::{self, File},
    io::{BufRead as _, Read as _, Write as _},
    path::Path,
};

use nightfold_formats::parquet::{
    ColumnLayout, ColumnType, EntryColumns, StoreColumns, StoreLayout, StoreLines, TableLayout,
};
use nightfold_memory::{MemoryReader as _, MemoryStore as _, NpcNight};
use nightfold_store::{
    DurableStore as _, ImportOptions, Shape, SqliteStore, exported_formats, exported_tables,
};
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

const MOST: u64 = 1 << 30;

/// The layout of the store's export, as the command line has it.
fn layout() -> StoreLayout {
    let column = |column: &nightfold_store::Column| ColumnLayout {
        name: column.name,
        holds: match column.shape {
            Shape::Text => ColumnType::Text,
            Shape::Time => ColumnType::Time,
            Shape::Json => ColumnType::Json,
            Shape::Whole => ColumnType::Whole,
            Shape::Flag => ColumnType::Flag,
            Shape::Real => ColumnType::Real,
            Shape::Vector => ColumnType::Vector,
        },
        optional: column.optional,
        since: column.since,
    };
    let tables = exported_tables()
        .map(|(name, columns)| TableLayout { name, columns: columns.iter().map(column).collect() });
    StoreLayout { formats: exported_formats().collect(), tables: tables.collect() }
}

/// A night with a bit of everything that a column may hold.
fn night() -> NpcNight {
    night_at(["1204-05-03T06:10:00Z", "1204-05-03T07:00:00Z", "1204-05-04T03:00:00Z"].map(Json::from))
}

/// Such a night with other times: of its memories the first and the last, and its own.
fn night_at([first, last, sleep]: [Json; 3]) -> NpcNight {
    let entry = |id: &str, importance: u8| {
        serde_json::json!({
            "id": id, "form": "verbatim", "kind": "chat", "text": format!("{id} said \"no\",\n\u{1f319} \\"),
            "at": first, "last_at": last, "importance": importance,
            "occurrences": 1, "actors": ["Old Tom", ""], "tags": [], "place": (importance > 5).then_some("mill"),
            "emotion": (importance > 5).then_some(serde_json::json!({"valence": -0.1, "intensity": 0.3})),
            "sources": [], "vector": [0.6, -0.8, -0.0]
        })
    };
    let memory = |id: &str| {
        let mut memory = entry(id, 6);
        let fields = memory.as_object_mut().unwrap();
        ["form", "last_at", "occurrences", "vector"].iter().for_each(|field| drop(fields.remove(*field)));
        fields.insert("npc".to_owned(), "Mara".into());
        memory
    };
    let store = |id: &str, importance| {
        let mut change = entry(id, importance);
        change["do"] = "store".into();
        change["reason"] = serde_json::json!({"rule": "important", "values": {"importance": 7.5}});
        change
    };
    serde_json::from_value(serde_json::json!({
        "npc": "Mara", "night": "1204-05-03", "at": sleep, "base_version": 0, "model": "m",
        "memories": [memory("m-1"), memory("m-2"), memory("m-3")],
        "changes": [store("m-1", 9), store("m-2", 3), {"do": "prune", "id": "m-3", "sources": [],
            "reason": {"rule": "unimportant-incoherent", "values": {"cohesion": 0.12}}}],
        "report": {"memories": 3, "distinct": 3, "kept": 2, "stored": 2, "pruned": 1, "chunked": 0,
            "syntheses": 0, "corroborated": 0, "superseded": 0, "reflections": 0, "loose": 1, "clusters": [],
            "reduction": 0.33, "raw_reduction": 0.33, "important_kept": 0, "important": 0, "storage_budget": 2,
            "tokens": {"budget": 5000, "estimate": 0, "spent": 0},
            "input": {"blank": 0, "without_importance": 0, "repeated_rows": 0, "renamed_ids": 0,
                "mixed_importance": 0, "equal_times": 0, "already_slept_on": 0, "truncated_texts": 0}}
    }))
    .unwrap()
}

fn lived(folder: &Path) -> SqliteStore {
    slept(folder, &night())
}

fn slept(folder: &Path, night: &NpcNight) -> SqliteStore {
    let store = SqliteStore::open(folder.join("minds.db")).unwrap();
    let outcomes = store.apply(store.begin_run().unwrap(), std::slice::from_ref(night)).unwrap();
    assert!(outcomes[0].is_ok(), "{outcomes:?}");
    store
}

fn lines_of(store: &SqliteStore) -> Vec<u8> {
    let mut lines = Vec::new();
    store.export(None, &mut lines).unwrap();
    lines
}

fn columns_of(store: &SqliteStore) -> Vec<u8> {
    let mut bytes = Vec::new();
    store.export(None, &mut StoreColumns::new(&mut bytes, &layout()).unwrap()).unwrap();
    bytes
}

/// The lines as they were before entries could be contested.
fn in_format_4(lines: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(lines).unwrap();
    let text = text.replace(",\"contested_with\":\"[]\"", "").replace(",\"npc_tags\":\"[]\"", "");
    let text = text.replace(",\"ended\":\"[]\"", "").replace("\"store_format\":9", "\"store_format\":4");
    let (body, _) = text.trim_end().rsplit_once('\n').unwrap();
    let body = format!("{body}\n");
    let sum: String = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{body}{{\"sha256\":\"{sum}\"}}\n").into_bytes()
}

/// Reads these bytes as an import would.
fn read(folder: &Path, bytes: &[u8], most: u64) -> Result<Vec<u8>, String> {
    let path = folder.join("read.parquet");
    fs::write(&path, bytes).unwrap();
    let mut lines =
        StoreLines::open(File::open(path).unwrap(), &layout(), most).map_err(|e| e.to_string())?;
    let mut read = Vec::new();
    lines.read_to_end(&mut read).map_err(|e| e.to_string())?;
    assert!(lines.fill_buf().unwrap().is_empty(), "the end stays the end");
    Ok(read)
}

fn imported(folder: &Path, bytes: &[u8]) -> Result<SqliteStore, String> {
    let lines = read(folder, bytes, MOST)?;
    let store = SqliteStore::open(tempfile::tempdir_in(folder).unwrap().keep().join("new.db")).unwrap();
    let options = ImportOptions { max_line_bytes: 1 << 20, max_lines: 10_000, model: None, dimensions: None };
    match store.import(&mut &*lines, &options) {
        Ok(_) => Ok(store),
        Err(error) => {
            assert!(store.npcs().unwrap().is_empty(), "{error}");
            Err(error.to_string())
        }
    }
}

#[test]
fn store_round_trips_between_columns_and_lines() {
    let folder = tempfile::tempdir().unwrap();
    let store = lived(folder.path());
    let bytes = columns_of(&store);
    assert_eq!(
        String::from_utf8(read(folder.path(), &bytes, MOST).unwrap()).unwrap(),
        String::from_utf8(lines_of(&store)).unwrap()
    );
    let again = imported(folder.path(), &bytes).unwrap();
    assert!(columns_of(&again) == bytes);
    assert!(lines_of(&again) == lines_of(&store));
    let empty = SqliteStore::open(folder.path().join("empty.db")).unwrap();
    assert!(read(folder.path(), &columns_of(&empty), MOST).unwrap() == lines_of(&empty));
}

/// One second, three days, the time before the game began, and as far as times reach.
#[test]
fn times_in_whole_seconds_round_trip_through_columns() {
    for times in [[0_i64, 0, 1], [22_200, 25_200, 259_200], [-3_600, -1, 0], [0, 86_399, 253_402_207_200]] {
        let folder = tempfile::tempdir().unwrap();
        let store = slept(folder.path(), &night_at(times.map(Json::from)));
        let bytes = columns_of(&store);
        let read = String::from_utf8(read(folder.path(), &bytes, MOST).unwrap()).unwrap();
        assert_eq!(read, String::from_utf8(lines_of(&store)).unwrap());
        assert!(read.contains(&format!("\"at\":{},", times[2])), "a time is written as a number: {read}");
        let again = imported(folder.path(), &bytes).unwrap();
        assert!(columns_of(&again) == bytes);
        assert!(lines_of(&again) == lines_of(&store));
    }
}

#[test]
fn columns_of_an_older_format_are_still_imported() {
    let folder = tempfile::tempdir().unwrap();
    let store = lived(folder.path());
    let older = in_format_4(&lines_of(&store));
    let mut bytes = Vec::new();
    let format_4 = StoreLayout { formats: vec![4], ..layout() };
    StoreColumns::new(&mut bytes, &format_4).unwrap().write_all(&older).unwrap();
    assert!(read(folder.path(), &bytes, MOST).unwrap() == older);
    let again = imported(folder.path(), &bytes).unwrap();
    assert!(lines_of(&again) == lines_of(&store), "nothing was contested, and nothing is");
}

#[test]
fn truncated_or_changed_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = lived(folder.path());
    let bytes = columns_of(&store);
    let lines = lines_of(&store);
    for cut in (0..bytes.len()).step_by(101) {
        assert!(read(folder.path(), &bytes[..cut], MOST).is_err(), "{cut}");
    }
    let (mut same, mut changes) = (0, 0);
    // Of every byte it would take minutes.
    for at in (0..bytes.len()).step_by(29) {
        for flip in [0x01, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            changes += 1;
            // What nothing is read from may change; whatever is read is the store as it was.
            if let Ok(read) = read(folder.path(), &changed, MOST)
                && read == lines
            {
                same += 1;
            } else {
                assert!(imported(folder.path(), &changed).is_err(), "byte {at} ^ {flip:x}");
            }
        }
    }
    assert!(2 * same < changes, "{same} of {changes} changes are of what nothing is read from");
}

#[test]
fn overlarge_group_and_file_without_a_store_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = lived(folder.path());
    let error = read(folder.path(), &columns_of(&store), 100).unwrap_err();
    assert!(error.contains("at most 100 are allowed (transfer.max_group_bytes)"), "{error}");
    let mut bytes = Vec::new();
    let mut entries = EntryColumns::new(&mut bytes).unwrap();
    for memory in store.entries(&night().npc).unwrap() {
        entries.push(&memory).unwrap();
    }
    entries.finish().unwrap();
    let error = read(folder.path(), &bytes, MOST).unwrap_err();
    assert_eq!(error, "this Parquet file holds no exported store");
}

/// A file of no rows whose footer ends so, after its version and its schema.
fn crafted(rest: &[u8]) -> Vec<u8> {
    // Field 1 is a number, field 2 a list of one element with a name and no children.
    let start = [&[0x15, 0x02, 0x19, 0x1c, 0x48, 0x05][..], b"store", &[0x15, 0x00, 0x00]].concat();
    let footer = [&start[..], rest].concat();
    let length = u32::try_from(footer.len()).unwrap().to_le_bytes();
    [b"PAR1", &footer[..], &length, b"PAR1"].concat()
}

/// The library would make room for all of them, some 300 GB.
#[test]
fn footer_with_too_many_groups_is_refused_before_allocation() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |rest: &[u8]| read(folder.path(), &crafted(rest), MOST).unwrap_err();
    let many = [0xfc, 0xff, 0xff, 0xff, 0xff, 0x07];
    let rows = [0x16, 0x00];
    let told = "a list of 2147483647 in the footer; at most 32767 are allowed";
    assert_eq!(refused(&[&rows[..], &[0x19], &many, &[0x00]].concat()), told);
    // After a list that is short.
    assert_eq!(refused(&[&rows[..], &[0x19, 0x0c, 0x09, 0x08], &many, &[0x00]].concat()), told);
    // In what says that it is text, and is read as a number.
    let hidden = [&[0x18, 0x08, 0x19][..], &many, &[0x00, 0x00]].concat();
    assert_eq!(refused(&hidden), "this Parquet file holds no exported store");
    assert_eq!(refused(&rows), "this is no whole Parquet file: EOF: the footer ends too soon");
    // A file without rows is no store, and is read to its end.
    assert_eq!(
        refused(&[&rows[..], &[0x19, 0x0c, 0x00]].concat()),
        "this Parquet file holds no exported store"
    );
}
