//! Saved plans, exports, and files of stores.

use std::sync::LazyLock;

use nightfold_memory::{
    Config, LogFilter, Memory, MemoryReader, MemorySnapshot, MemoryStore, NightPlan, NpcNight, Outcome,
    RunReport, StoreError,
};
use nightfold_store::{
    Access, DurableStore, ImportError, ImportOptions, SqliteStore, StoreOptions, TransferCounts,
};
use nightfold_town::{Town, TownModels, testing::Letters};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{days::check_accepted, scratch::with_files};

/// A saved plan, and one with a seal that fits what was changed: read, written to a store, and undone.
pub fn plan(bytes: &[u8]) {
    read_and_apply(bytes);
    if let Some(sealed) = sealed_plan(bytes) {
        read_and_apply(&sealed);
    }
}

/// Returns a plan with a seal that fits what it states.
pub(crate) fn sealed_plan(bytes: &[u8]) -> Option<Vec<u8>> {
    #[derive(serde::Deserialize)]
    struct Unsealed {
        format: u32,
        nights: Vec<NpcNight>,
        report: RunReport,
    }
    let Unsealed { format, nights, report } = serde_json::from_slice(bytes).ok()?;
    serde_json::to_vec(&NightPlan { format, nights, report }).ok()
}

fn read_and_apply(bytes: &[u8]) {
    let Ok(plan) = NightPlan::from_json(bytes) else { return };
    plan.check().expect("a plan that is accepted is whole");
    let written = serde_json::to_vec(&plan).unwrap();
    assert_eq!(NightPlan::from_json(&written).expect("an accepted plan can be written and read"), plan);
    let limits = Config::default().input;
    let memories = plan.nights.iter().flat_map(|night| &night.memories);
    let bounded = memories.filter(|memory| nightfold_formats::jsonl::check_bounds(memory, &limits).is_ok());
    bounded.for_each(|memory: &Memory| check_accepted(memory, &limits));

    let store = SqliteStore::in_memory().unwrap();
    plan.nights.iter().for_each(|night| apply(&store, night));
}

/// Applies a night; undoing one that was written restores the state before it, and writing it again repeats it.
fn apply(store: &dyn MemoryStore, night: &NpcNight) {
    let before = store.snapshot(&night.npc).unwrap();
    let run = store.begin_run().unwrap();
    let write =
        || -> Result<Outcome, StoreError> { store.apply(run, std::slice::from_ref(night))?.remove(0) };
    let Ok(written) = write() else { return };
    let after = store.snapshot(&night.npc).unwrap();
    if matches!(written, Outcome::Applied { .. }) {
        assert_eq!(write().unwrap(), Outcome::AlreadyApplied);
        store.undo(&night.npc).unwrap().expect("the night can be undone");
        assert_eq!(state(store.snapshot(&night.npc).unwrap()), state(before), "undoing restores the state");
        assert_eq!(write().unwrap(), written);
    }
    assert_eq!(store.snapshot(&night.npc).unwrap(), after, "writing again repeats it");
}

/// State that undoing restores: all but the model, which a store keeps once it has one.
fn state(snapshot: MemorySnapshot) -> MemorySnapshot {
    MemorySnapshot { model: None, ..snapshot }
}

/// An export in lines: as it is, and with counts and checksum that fit what was changed.
pub fn export(bytes: &[u8]) {
    import_and_export(bytes);
    if let Some(sealed) = sealed(bytes) {
        import_and_export(&sealed);
    }
}

/// Returns an export with the counts of its rows in its first line and its checksum in its last.
fn sealed(bytes: &[u8]) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let (_, whole) = lines.split_last()?;
    let (first, rows) = whole.split_first()?;
    let mut header: Value = serde_json::from_slice(first).ok()?;
    let counts = header.get_mut("rows")?.as_object_mut()?;
    counts.values_mut().for_each(|count| *count = json!(0));
    for row in rows {
        let name = str::from_utf8(row).ok()?.strip_prefix("{\"")?.split('"').next()?;
        let count = counts.get_mut(name)?;
        *count = json!(count.as_u64()? + 1);
    }
    let mut sealed = format!("{header}\n").into_bytes();
    rows.iter().for_each(|row| sealed.extend_from_slice(row));
    let sum = Sha256::digest(&sealed);
    sealed.extend_from_slice(format!("{{\"sha256\":\"{sum:x}\"}}\n").as_bytes());
    Some(sealed)
}

pub(crate) fn import(
    store: &SqliteStore,
    mut lines: impl std::io::BufRead,
) -> Result<TransferCounts, ImportError> {
    store.import(&mut lines, &ImportOptions::default())
}

pub(crate) fn exported(store: &SqliteStore) -> Vec<u8> {
    let mut lines = Vec::new();
    store.export(None, &mut lines).unwrap();
    lines
}

/// Imports lines: a refusal leaves the store empty; what is accepted can be read, moved to another store, and undone.
pub(crate) fn import_and_export(lines: &[u8]) {
    let store = SqliteStore::in_memory().unwrap();
    let empty = exported(&store);
    match import(&store, lines) {
        Err(error) => {
            assert!(error.line >= 1 && error.column >= 1 && !error.to_string().is_empty());
            assert_eq!(exported(&store), empty, "what is refused changes nothing");
        }
        Ok(counts) => {
            assert!(counts.npcs >= store.npcs().unwrap().len() as u64, "NPCs with entries are among all");
            let lines = exported(&store);
            let other = SqliteStore::in_memory().unwrap();
            assert_eq!(import(&other, &lines[..]).expect("an export can be imported"), counts);
            assert_eq!(exported(&other), lines, "exporting again gives the same bytes");
            read_everything(&store).expect("an accepted store can be read");
            for npc in store.npcs().unwrap() {
                while store.undo(&npc).is_ok_and(|undone| undone.is_some()) {}
            }
        }
    }
}

/// Reads all that there is of every NPC.
fn read_everything(store: &SqliteStore) -> Result<(), StoreError> {
    store.save_points()?;
    for npc in store.npcs()? {
        store.snapshot(&npc)?;
        store.themes(&npc)?;
        store.nights(Some(&npc))?;
        store.purgeable(&npc, 0)?;
        for memory in store.entries(&npc)? {
            store.log(&npc, LogFilter::Entry(&memory.entry.id))?;
            store.sources(&npc, &memory.entry.id)?;
            store.derived(&npc, &memory.entry.id)?;
        }
    }
    Ok(())
}

/// Plan of a day of two NPCs, by an embedder that needs no model.
pub(crate) fn plan_of_a_day() -> Value {
    let options = serde_json::from_value(json!({"threads": 0})).unwrap();
    let mut town =
        Town::with_models(options, &TownModels::of_embedder(std::sync::Arc::new(Letters::new()))).unwrap();
    let line = |(n, (npc, text)): (usize, (&str, &str))| {
        json!({"id": format!("m-{n}"), "npc": npc, "at": 28_800 + 600 * n, "kind": "event", "text": text,
            "importance": 3 + n % 7, "tags": ["work"]})
    };
    let day = [
        ("Mara", "I swept the common room before opening"),
        ("Mara", "I swept the common room before opening"),
        ("Mara", "Joss told me that Tom fell off the mill's roof"),
        ("Tom", "Joss owes me 14 silver for the axle"),
    ];
    let memories: Vec<Value> = day.into_iter().enumerate().map(line).collect();
    let reply = town.do_json(&json!({"do": "plan", "memories": memories}).to_string()).unwrap();
    serde_json::from_str::<Value>(&reply).unwrap()["plan"].take()
}

/// A small store, as a file.
static STORE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("town.db");
    let store = SqliteStore::open(&path).unwrap();
    let plan = NightPlan::from_json(&serde_json::to_vec(&plan_of_a_day()).unwrap()).unwrap();
    let run = store.begin_run().unwrap();
    for written in store.apply(run, &plan.nights).unwrap() {
        written.unwrap();
    }
    drop(store);
    std::fs::read(path).unwrap()
});

/// The file of a store in which bytes were changed: four bytes say which, and a fifth what it becomes. A changed file is refused,
/// or its reading fails, or tells something; it never ends the program.
pub fn store(bytes: &[u8]) {
    let mut file = STORE.clone();
    for change in bytes.as_chunks::<5>().0 {
        let [a, b, c, d, byte] = *change;
        let place = u32::from_le_bytes([a, b, c, d]) as usize % file.len();
        file[place] = byte;
    }
    // Files beside it, as SQLite leaves them where a process dies, would be read as its newest part.
    with_files(&[("town.db", &file), ("town.db-wal", b""), ("town.db-journal", b"")], |folder| {
        let path = folder.join("town.db");
        let options = StoreOptions { access: Access::Existing, ..StoreOptions::default() };
        for opened in [SqliteStore::open_read_only(&path), SqliteStore::open_with(&path, &options)] {
            let Ok(store) = opened else { continue };
            if read_everything(&store).is_ok() {
                let mut lines = Vec::new();
                _ = store.export(None, &mut lines);
            }
            for npc in store.npcs().unwrap_or_default() {
                _ = store.undo(&npc);
            }
        }
    });
}
