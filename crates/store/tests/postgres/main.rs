//! The store in PostgreSQL: many workers, lost connections, roles, formats, TLS.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod opening;
mod physical_erase;
mod record_cache;
mod shared_runs;
#[path = "../support/mod.rs"]
mod support;
mod workers;

use nightfold_memory::{MemoryReader as _, MemoryStore, NpcNight};
use nightfold_store::{DurableStore, ImportOptions, PostgresStore, SqliteStore};
use support::{Story, exported};

/// Returns the shared server, or ends the test where there is none.
macro_rules! server {
    () => {
        match nightfold_store::testing::PostgresServer::shared() {
            Some(server) => server,
            None => return,
        }
    };
}
pub(crate) use server;

/// A night that writes into most tables.
fn night(npc: &str, label: &str, base_version: u64) -> NpcNight {
    let id = |name: &str| format!("{label}-{name}");
    Story::new(npc, label, base_version)
        .store(&id("a"))
        .collapse(&id("a"), &[&id("b")])
        .chunk(&id("told"), &[&id("c"), &id("d")])
        .prune(&id("e"))
        .end(&id("a"), "heard", &[&id("told")])
        .0
}

/// Nights of some NPCs, each with several, the first of all NPCs first.
fn nights_of(npcs: usize, each: usize) -> Vec<NpcNight> {
    let mut versions = vec![0; npcs];
    let mut nights = Vec::new();
    for number in 0..each {
        for (npc, version) in versions.iter_mut().enumerate() {
            let night = night(&format!("npc {npc}"), &format!("day-{number}"), *version);
            *version = night.next_version().unwrap();
            nights.push(night);
        }
    }
    nights
}

/// Applies nights, none of which is refused.
fn apply_all(store: &dyn MemoryStore, run: u64, nights: &[NpcNight]) {
    for outcome in store.apply(run, nights).unwrap() {
        outcome.unwrap();
    }
}

/// Export without the numbers that say in which order nights were written: what they say does not depend on it.
fn content(lines: &[u8]) -> String {
    let text = String::from_utf8(lines.to_vec()).unwrap();
    let mut seqs = std::collections::BTreeMap::new();
    let mut content: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
        if value.get("sha256").is_some() || value.get("format").is_some() {
            continue;
        }
        let (table, row) = value.as_object_mut().unwrap().iter_mut().next().unwrap();
        if table == "night" {
            seqs.insert(row["seq"].as_i64().unwrap(), row["version"].to_string());
            row["seq"] = 0.into();
            row["run"] = 0.into();
        }
        if table == "theme" {
            row["seq"] = seqs[&row["seq"].as_i64().unwrap()].clone().into();
        }
        content.push(value.to_string());
    }
    content.sort();
    content.join("\n")
}

fn in_sqlite(nights: &[NpcNight]) -> Vec<u8> {
    let store = SqliteStore::in_memory().unwrap();
    apply_all(&store, store.begin_run().unwrap(), nights);
    exported(&store, None)
}

#[test]
fn export_moves_between_databases_to_the_byte() {
    let server = server!();
    let lines = in_sqlite(&nights_of(5, 3));
    let store = PostgresStore::open(&server.address()).unwrap();
    store.import(&mut &lines[..], &ImportOptions::default()).unwrap();
    assert!(exported(&store, None) == lines);
    let back = SqliteStore::in_memory().unwrap();
    back.import(&mut &exported(&store, None)[..], &ImportOptions::default()).unwrap();
    assert!(exported(&back, None) == lines);
    let refused = store.import(&mut &lines[..], &ImportOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("empty"), "{refused}");
}

/// Nights that come after an import stand after those that it brought, whatever their places were.
#[test]
fn imported_store_lives_on() {
    let server = server!();
    let lived = nights_of(3, 4);
    let (before, after) = lived.split_at(9);
    let one_npc = {
        let store = SqliteStore::in_memory().unwrap();
        apply_all(&store, 1, before);
        exported(&store, Some(&before[2].npc))
    };
    for lines in [in_sqlite(before), one_npc] {
        let (store, twin) =
            (PostgresStore::open(&server.address()).unwrap(), SqliteStore::in_memory().unwrap());
        for store in [&store as &dyn DurableStore, &twin] {
            store.import(&mut &lines[..], &ImportOptions::default()).unwrap();
        }
        let known = store.npcs().unwrap();
        for night in after.iter().filter(|night| known.contains(&night.npc)) {
            for store in [&store as &dyn DurableStore, &twin] {
                apply_all(store, 9, std::slice::from_ref(night));
                store.purge(&night.npc, 2).unwrap();
            }
            let labels = |store: &dyn DurableStore| -> Vec<String> {
                store.nights(Some(&night.npc)).unwrap().iter().map(|night| night.night.to_string()).collect()
            };
            assert_eq!(labels(&store), labels(&twin));
            for store in [&store as &dyn DurableStore, &twin] {
                assert_eq!(store.undo(&night.npc).unwrap().unwrap().night, night.night);
            }
        }
        assert_eq!(content(&exported(&store, None)), content(&exported(&twin, None)));
    }
}

#[test]
fn refused_import_leaves_nothing() {
    let server = server!();
    let store = PostgresStore::open(&server.address()).unwrap();
    let lines = String::from_utf8(in_sqlite(&nights_of(2, 1))).unwrap();
    let contested = lines.replace(r#""contested_with":[]"#, r#""contested_with":["nobody"]"#);
    assert_ne!(contested, lines);
    let refused = store.import(&mut contested.as_bytes(), &ImportOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("changed"), "{refused}");
    assert!(store.npcs().unwrap().is_empty());
}

/// PostgreSQL has no place for U+0000 in a text, and players may write it.
#[test]
fn every_text_comes_back() {
    let server = server!();
    let mut night = night("Mara", "day-0", 0);
    for memory in &mut night.memories {
        memory.text = format!("{}\0 and \u{10ffff}0 \u{1b}[2J ' \\ $1 ?1", memory.text);
        memory.place = Some("a\0b".to_owned());
        memory.tags = vec!["\0".to_owned()];
    }
    let store = PostgresStore::open(&server.address()).unwrap();
    let twin = SqliteStore::in_memory().unwrap();
    for store in [&store as &dyn MemoryStore, &twin] {
        store.apply(1, std::slice::from_ref(&night)).unwrap().remove(0).unwrap();
    }
    let entries = |store: &dyn MemoryStore| store.entries(&night.npc).unwrap();
    assert_eq!(entries(&store), entries(&twin));
    assert!(entries(&store).iter().any(|memory| memory.entry.text.contains('\0')));
}
