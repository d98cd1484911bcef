//! Random histories: both stores show the same at every step and match simple models; a snapshot can be
//! advanced without a store, and undoing is the inverse of applying.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod in_part;
mod mind;
mod snapshots;
mod steps;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;

use nightfold_memory::effect::advance;
use nightfold_memory::{
    AppliedNight, Change, MemoryId, MemoryReader, MemorySnapshot, MemoryStore, NpcId, NpcNight, Outcome,
    StoreError, Undone,
};
use nightfold_store::{InMemoryStore, SqliteStore};
use proptest::prelude::*;

use self::{
    in_part::in_part,
    mind::{Names, fitting},
    snapshots::Snapshots,
    steps::{Kind, Step, steps},
};
use support::{Story, all_of, exported, id, imported, npc, vector};

const NPCS: [&str; 3] = ["Ana", "Mara", "Tom"];

fn owners(store: &dyn MemoryStore, id: &MemoryId) -> Vec<NpcId> {
    let has = |npc: &NpcId| store.entry(npc, id).unwrap().is_some();
    store.npcs().unwrap().into_iter().filter(has).collect()
}

/// Computes, from the list of nights, the nights that undoing a run must undo and those that it must leave.
fn without_run(store: &dyn MemoryStore, run: u64) -> (Vec<Undone>, Vec<AppliedNight>) {
    let mut left = store.nights(None).unwrap();
    let mut undone = Vec::new();
    for of in NPCS {
        while let Some(last) = left.iter().rposition(|night| night.npc.as_str() == of)
            && left[last].run == run
        {
            let AppliedNight { npc, night, base_version, .. } = left.remove(last);
            undone.push(Undone { npc, night, version: base_version });
        }
    }
    (undone, left)
}

/// True if a snapshot holds too little to compute the effect of the night.
fn needs_a_store(past: &MemorySnapshot, night: &NpcNight) -> bool {
    let at_hand = |id: &MemoryId| {
        let held = past.entries.iter().chain(&past.archived).any(|entry| entry.entry.id == *id);
        held || !past.known.contains_key(id)
    };
    night.changes.iter().any(|change| match change {
        Change::Collapse { standing, .. } => standing.is_some(),
        Change::Restore { id, .. } | Change::Supersede { id, .. } => !at_hand(id),
        _ => false,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn in_memory_and_sqlite_stores_agree(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteStore::open(folder.path().join("minds.db")).unwrap();
        let twin = InMemoryStore::new();
        let both: [&dyn MemoryStore; 2] = [&file, &twin];
        let mut given: Vec<NpcNight> = Vec::new();
        let mut runs: Vec<u64> = Vec::new();
        let mut model = Snapshots::default();
        for (serial, step) in steps.into_iter().enumerate() {
            let checked = model.check(&twin);
            prop_assert!(checked.is_ok(), "before step {}: {}", serial, checked.unwrap_err());
            let before = all_of(&twin);
            let mut expected = None;
            let (night, take_back, run) = match step {
                Step::Sleep { npc, changes, take_back, run } => {
                    let (night, names) = fitting(&twin, NPCS[npc], serial, &changes);
                    expected = Some(names);
                    (night, take_back, run)
                }
                Step::SleepInPart { npc, changes, declined, run } => {
                    let (night, _) = fitting(&twin, NPCS[npc], serial, &changes);
                    (in_part(night, declined), false, run)
                }
                Step::SleepStale { npc } => {
                    let (mut night, _) = fitting(&twin, NPCS[npc], serial, &[(Kind::Store, 0)]);
                    night.base_version += 1;
                    (night, false, 0)
                }
                Step::SleepAgain { lot } if !given.is_empty() => (given[lot % given.len()].clone(), false, lot),
                Step::Undo { npc: of } => {
                    let [one, two] = both.map(|store| format!("{:?}", store.undo(&npc(NPCS[of]))));
                    prop_assert_eq!(&one, &two);
                    prop_assert!(one.starts_with("Ok") || one.contains("Purged") && all_of(&twin) == before);
                    prop_assert_eq!(one.starts_with("Ok(Some("), model.undo(NPCS[of]), "{}", one);
                    prop_assert_eq!(all_of(&file), all_of(&twin));
                    continue;
                }
                Step::UndoSince { npc: of, lot } => {
                    let later = lot % (model.nights(NPCS[of]) + 1);
                    for _ in 0..later {
                        let [one, two] = both.map(|store| format!("{:?}", store.undo(&npc(NPCS[of]))));
                        prop_assert_eq!(&one, &two);
                        let undone = model.undo(NPCS[of]);
                        prop_assert_eq!(one.starts_with("Ok(Some("), undone, "{}", one);
                        if !undone {
                            break;
                        }
                        let checked = model.check(&file);
                        prop_assert!(checked.is_ok(), "{}", checked.unwrap_err());
                    }
                    prop_assert_eq!(all_of(&file), all_of(&twin));
                    continue;
                }
                Step::UndoRun { lot } if !runs.is_empty() => {
                    let run = runs[lot % runs.len()];
                    let (undone, left) = without_run(&twin, run);
                    model.undo_run(run);
                    for store in both {
                        match store.undo_run(run) {
                            Ok(taken) => {
                                prop_assert_eq!(&taken, &undone);
                                prop_assert_eq!(&store.nights(None).unwrap(), &left);
                            }
                            Err(StoreError::Purged { .. }) => prop_assert_eq!(&all_of(store), &before),
                            Err(other) => prop_assert!(false, "{}", other),
                        }
                    }
                    prop_assert_eq!(all_of(&file), all_of(&twin));
                    continue;
                }
                Step::Purge { npc: of, keep } => {
                    let of = npc(NPCS[of]);
                    let lasting = |store: &dyn MemoryStore| MemorySnapshot { archived: Vec::new(), ..store.snapshot(&of).unwrap() };
                    let past = lasting(&twin);
                    model.purge(of.as_str(), keep);
                    for store in both {
                        let purge = store.purgeable(&of, keep).unwrap();
                        prop_assert_eq!(&store.purge(&of, keep).unwrap(), &purge);
                        prop_assert!(store.purge(&of, keep).unwrap().is_empty());
                        prop_assert_eq!(&lasting(store), &past, "what is known and active stays");
                    }
                    prop_assert_eq!(all_of(&file), all_of(&twin));
                    continue;
                }
                Step::SleepAgain { .. } | Step::UndoRun { .. } => continue,
            };
            let past = twin.snapshot(&night.npc).unwrap();
            let mut planned = past.clone();
            let advanced = advance(&mut planned, &night);
            let run = if let Some(&earlier) = runs.get(run % (2 * runs.len() + 1)) {
                earlier
            } else {
                let [new, same] = both.map(|store| store.begin_run().unwrap());
                prop_assert_eq!(new, same);
                prop_assert!(!runs.contains(&new));
                runs.push(new);
                new
            };
            let [one, two] =
                both.map(|store| format!("{:?}", store.apply(run, std::slice::from_ref(&night)).unwrap()));
            prop_assert_eq!(&one, &two);
            prop_assert_eq!(all_of(&file), all_of(&twin));
            if let Some(names) = expected {
                prop_assert!(night.is_empty() || one.contains("Applied {"), "it fits: {}", one);
                prop_assert_eq!(Names::of(&file, &night.npc), names.clone());
                for store in both {
                    for row in store.entries(&night.npc).unwrap() {
                        let referring = store.referring(&night.npc, &row.entry.id).unwrap();
                        let referring: BTreeSet<_> = referring.iter().map(MemoryId::to_string).collect();
                        prop_assert_eq!(referring, names.referring(row.entry.id.as_str()));
                    }
                }
            }
            if one.contains("Applied {") && needs_a_store(&past, &night) {
                prop_assert!(matches!(advanced, Err(StoreError::Conflict { .. })), "{:?}", advanced);
                prop_assert_eq!(&planned, &past);
            } else if one.contains("Applied {") {
                prop_assert!(advanced.is_ok(), "{:?}", advanced);
                prop_assert_eq!(&planned, &twin.snapshot(&night.npc).unwrap());
            }
            if !one.contains("Applied {") {
                prop_assert_eq!(&all_of(&twin), &before, "{}", one);
            } else if take_back {
                for store in both {
                    store.undo(&night.npc).unwrap().unwrap();
                    prop_assert_eq!(&all_of(store), &before);
                }
            } else {
                model.sleep(run, &night);
            }
            let named = night.changes.iter().map(Change::id).chain(night.memories.iter().map(|m| &m.id));
            for id in named.chain([&id("nobody's")]) {
                prop_assert_eq!(file.owners(id).unwrap(), owners(&twin, id));
                prop_assert_eq!(twin.owners(id).unwrap(), owners(&twin, id));
            }
            given.push(night);
        }
        for store in both {
            let checked = model.check(store);
            prop_assert!(checked.is_ok(), "{}", checked.unwrap_err());
        }
        // What was lived through goes elsewhere without loss, and can be taken back there too.
        let lines = exported(&file, None);
        let elsewhere = imported(&folder.path().join("elsewhere.db"), &lines).unwrap();
        prop_assert!(exported(&elsewhere, None) == lines, "{}", String::from_utf8_lossy(&lines));
        prop_assert_eq!(all_of(&elsewhere), all_of(&file));
        for of in NPCS.map(npc) {
            let alone = exported(&file, Some(&of));
            let alone = imported(&folder.path().join(format!("{of}.db")), &alone).unwrap();
            prop_assert_eq!(alone.entries(&of).unwrap(), file.entries(&of).unwrap());
            prop_assert_eq!(MemorySnapshot { model: None, ..alone.snapshot(&of).unwrap() }, MemorySnapshot { model: None, ..file.snapshot(&of).unwrap() });
            loop {
                let [one, two, three] = [&elsewhere, &file, &alone].map(|store| format!("{:?}", store.undo(&of)));
                prop_assert_eq!(&one, &two);
                prop_assert_eq!(&three, &two);
                prop_assert_eq!(all_of(&elsewhere), all_of(&file));
                if !one.starts_with("Ok(Some(") {
                    break;
                }
            }
        }
    }
}

#[test]
fn advance_without_a_store_refuses_maintenance() {
    let store = InMemoryStore::new();
    let run = store.begin_run().unwrap();
    let apply = |story: Story| {
        assert!(matches!(store.apply(run, &[story.0]).unwrap()[0], Ok(Outcome::Applied { .. })));
    };
    apply(Story::new("Mara", "one", 0).store("a").chunk("told", &["b"]).store("c").store("d").prune("e"));
    let night = || Story::on(&store, "Mara", "two");
    let mara = npc("Mara");
    let given = || Some(vector("given"));
    for (story, expected) in [
        (night().unite("a", &["c"], &[]), "cannot collapse c, which may be named by more than a past holds"),
        (night().restore("b", given()), "cannot restore b, which is not in the store"),
        (night().restore("a", given()), "cannot restore a, which is active already"),
    ] {
        let mut past = store.snapshot(&mara).unwrap();
        let message = advance(&mut past, &story.0).unwrap_err().to_string();
        assert_eq!(message, format!("night two of Mara: {expected}"));
        assert_eq!(past, store.snapshot(&mara).unwrap());
    }
    // Entries that the night itself archived can be read.
    let story = night().archive("a").restore("a", None).prune("new").restore("new", given()).forget("d");
    // So can pruned ones.
    let story = story.restore("e", given()).corroborate("e", &["again"], 1).prune("f");
    let mut past = store.snapshot(&mara).unwrap();
    advance(&mut past, &story.0).unwrap();
    apply(story);
    assert_eq!(past, store.snapshot(&mara).unwrap());
}
