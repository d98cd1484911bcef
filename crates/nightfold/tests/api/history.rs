//! Entries of an NPC at an earlier moment are those that a snapshot had then.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{Toy, config, nightly, npc, sleeping, town};
use nightfold::english::Packs;
use nightfold::{
    Maintenance, MaintenanceTasks, RunError, StatusScope, apply_plan, entries_at,
    memory::{GameTime, MemoryId, MemoryReader, MemoryRecord, MemoryStore, NightReport, NpcId, NpcNight},
};
use nightfold_store::SqliteStore;
use serde_json::json;

const DAYS: i64 = 40;

fn ids(entries: &[MemoryRecord]) -> BTreeSet<MemoryId> {
    entries.iter().map(|memory| memory.entry.id.clone()).collect()
}

/// Lives through [`DAYS`] nights with maintenance every seventh; returns the active ids after each moment.
fn live(store: &dyn nightfold::memory::MemoryStore, of: &NpcId) -> BTreeMap<GameTime, BTreeSet<MemoryId>> {
    let (config, toy) = (config(|c| c.maintain.base_days = 4.0), Toy::new());
    let mut known = BTreeMap::new();
    let days = nightly(town(1, DAYS), &config);
    let nights = days.into_iter().flat_map(|(npc, nights)| nights.into_iter().map(move |n| (npc.clone(), n)));
    for (number, (npc, day)) in (1_u32..).zip(nights) {
        let until = day.until;
        let slept = sleeping(&config, &toy, store).apply(store, [(npc, vec![day])].into()).unwrap();
        assert!(slept.failures.is_empty(), "{:?}", slept.failures);
        if number.is_multiple_of(7) {
            let tasks = MaintenanceTasks { collapse: Some(StatusScope::All), ..MaintenanceTasks::ALL };
            let open = |_| Ok::<_, RunError>(&toy);
            let maintenance = Maintenance { config: &config, packs: &Packs, store };
            let planned = maintenance.plan_worded(std::slice::from_ref(of), tasks, None, open).unwrap();
            apply_plan(store, &planned.plan).unwrap();
        }
        known.insert(until, ids(&store.snapshot(of).unwrap().entries));
    }
    known
}

#[test]
fn position_has_not_ended_before_its_end_is_known() {
    let (store, of) = (SqliteStore::in_memory().unwrap(), npc("Ann"));
    let entry = |id: &str, at: i64| {
        let text = format!("the mayor is alive, says {id}");
        json!({"do": "store", "id": id, "form": "verbatim", "kind": "event", "text": text, "at": at, "last_at": at,
            "importance": 8, "occurrences": 1, "sources": [], "vector": [0.6, 0.8], "reason": {"rule": "important", "values": {}}})
    };
    let end = json!({"do": "end", "id": "seen", "position": "the mayor is alive", "since": 150, "sources": ["news"],
        "reason": {"rule": "ended", "values": {}}});
    for (at, id, changes) in
        [(100, "seen", vec![entry("seen", 90)]), (200, "news", vec![entry("news", 190), end])]
    {
        let memory = json!({"id": id, "npc": "Ann", "at": at - 10, "kind": "event", "importance": 8,
            "text": format!("the mayor is alive, says {id}")});
        let night: NpcNight = serde_json::from_value(json!({
            "npc": "Ann", "night": format!("day-{at}"), "at": at, "model": "m", "memories": [memory], "changes": changes,
            "base_version": store.snapshot(&of).unwrap().version, "report": NightReport::default(),
        }))
        .unwrap();
        store.apply(1, &[night]).unwrap().pop().unwrap().unwrap();
    }
    let ended = |at: i64| {
        let found = entries_at(&store, &of, GameTime::from_seconds(at).unwrap()).unwrap();
        found.iter().map(|memory| memory.ended.len()).sum::<usize>()
    };
    assert_eq!([ended(120), ended(160), ended(200)], [0, 0, 1]);
}

#[test]
fn entries_at_a_moment_are_those_of_the_snapshot_then() {
    let (store, of) = (SqliteStore::in_memory().unwrap(), npc("Ann-00"));
    let known = live(&store, &of);
    let gone: BTreeSet<_> =
        known.values().flatten().filter(|id| !known.values().last().unwrap().contains(*id)).collect();
    assert!(gone.len() > 40 && known.len() == DAYS as usize, "{} left", gone.len());
    for (at, expected) in &known {
        let found = entries_at(&store, &of, *at).unwrap();
        assert_eq!(ids(&found), *expected, "{at}");
        assert!(found.iter().all(|memory| memory.entry.vector.is_some()));
    }
    assert_eq!(entries_at(&store, &of, GameTime::ZERO).unwrap(), []);
}
