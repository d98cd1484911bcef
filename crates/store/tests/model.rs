//! Random lives: both stores show the same at every step, a past can be advanced without them, and undoing is
//! the inverse of applying.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use nightfold_memory::{AppliedNight, Change, MemoryId, MemoryStore, NpcId, NpcNight, Undone};
use nightfold_store::{InMemoryStore, SqliteStore, advance};
use proptest::prelude::*;
use support::{Story, all_of, id, npc};

const NPCS: [&str; 3] = ["Ana", "Mara", "Tom"];

#[derive(Debug, Clone)]
enum Step {
    /// A night that fits, of so many kinds of changes, each with a lot to draw an older entry by; in a new run
    /// or, as the lot falls, in an earlier one.
    Sleep { npc: usize, changes: Vec<(Kind, usize)>, take_back: bool, run: usize },
    /// A night planned at a version that is not in force.
    SleepStale { npc: usize },
    /// A night that was given before, whether it is still applied or not.
    SleepAgain { lot: usize },
    /// The latest night is taken back.
    Undo { npc: usize },
    /// A run is taken back.
    UndoRun { lot: usize },
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Store,
    Collapse,
    Prune,
    Chunk,
    Reflect,
    Corroborate,
    Supersede,
    Archive,
    Forget,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let kind = prop::sample::select(vec![
        Kind::Store,
        Kind::Store,
        Kind::Collapse,
        Kind::Prune,
        Kind::Chunk,
        Kind::Reflect,
        Kind::Corroborate,
        Kind::Corroborate,
        Kind::Supersede,
        Kind::Archive,
        Kind::Forget,
    ]);
    let changes = prop::collection::vec((kind, any::<usize>()), 0..8);
    let npc = 0..NPCS.len();
    let step = prop_oneof![
        6 => (npc.clone(), changes, any::<bool>(), any::<usize>())
            .prop_map(|(npc, changes, take_back, run)| Step::Sleep { npc, changes, take_back, run }),
        1 => npc.clone().prop_map(|npc| Step::SleepStale { npc }),
        2 => any::<usize>().prop_map(|lot| Step::SleepAgain { lot }),
        2 => npc.prop_map(|npc| Step::Undo { npc }),
        2 => any::<usize>().prop_map(|lot| Step::UndoRun { lot }),
    ];
    prop::collection::vec(step, 1..16)
}

/// A night of an NPC that fits what the store holds.
fn fitting(store: &dyn MemoryStore, of: &str, serial: usize, changes: &[(Kind, usize)]) -> NpcNight {
    let past = store.past(&npc(of)).unwrap();
    let mut active: Vec<String> = past.entries.iter().map(|e| e.entry.id.to_string()).collect();
    let mut night = Story::new(of, &format!("night-{serial}"), past.version);
    night.0.at = format!("{}", serial * 86_400).parse().unwrap();
    for (n, &(kind, lot)) in changes.iter().enumerate() {
        let new = |part: &str| format!("{part}-{serial}-{n}");
        let (a, b) = (&*new("a"), &*new("b"));
        let old = (!active.is_empty()).then(|| lot % active.len());
        night = match (kind, old) {
            (Kind::Collapse, _) => night.collapse(a, &[b]).store(a),
            (Kind::Prune, _) => night.prune(a),
            (Kind::Chunk, _) => night.chunk(&new("chunk"), &[a, b]),
            (Kind::Reflect, Some(old)) => night.reflect(a, &[&active[old]]),
            (Kind::Corroborate, Some(old)) => night.corroborate(&active[old], &[a, b], lot as u32 % 5),
            (Kind::Supersede, Some(old)) => night.store(a).supersede(&active.swap_remove(old), &[a]),
            (Kind::Archive, Some(old)) => night.archive(&active.swap_remove(old)),
            (Kind::Forget, Some(old)) => night.forget(&active.swap_remove(old)),
            _ => night.store(a),
        };
        active
            .extend(night.0.changes.iter().rev().take(2).filter_map(|c| c.entry()).map(|e| e.id.to_string()));
        active.sort();
        active.dedup();
        // What the last two changes put away is not active any more.
        active.retain(|id| !night.0.changes.iter().any(|c| c.id().as_str() == id && gone(c.verb())));
    }
    night.0
}

fn owners(store: &dyn MemoryStore, id: &MemoryId) -> Vec<NpcId> {
    let has = |npc: &NpcId| store.past(npc).unwrap().known.contains_key(id);
    store.npcs().unwrap().into_iter().filter(has).collect()
}

/// What taking back a run has to do, and the nights it has to leave, as told by the nights there are.
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

fn gone(verb: &str) -> bool {
    matches!(verb, "supersede" | "archive" | "forget")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn both_stores_show_the_same(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteStore::open(folder.path().join("minds.db")).unwrap();
        let twin = InMemoryStore::new();
        let both: [&dyn MemoryStore; 2] = [&file, &twin];
        let mut given: Vec<NpcNight> = Vec::new();
        let mut runs: Vec<u64> = Vec::new();
        for (serial, step) in steps.into_iter().enumerate() {
            let before = all_of(&twin);
            let (night, take_back, run) = match step {
                Step::Sleep { npc, changes, take_back, run } => {
                    (fitting(&twin, NPCS[npc], serial, &changes), take_back, run)
                }
                Step::SleepStale { npc } => {
                    let mut night = fitting(&twin, NPCS[npc], serial, &[(Kind::Store, 0)]);
                    night.base_version += 1;
                    (night, false, 0)
                }
                Step::SleepAgain { lot } if !given.is_empty() => (given[lot % given.len()].clone(), false, lot),
                Step::Undo { npc: of } => {
                    let [one, two] = both.map(|store| store.undo(&npc(NPCS[of])).unwrap());
                    prop_assert_eq!(one, two);
                    prop_assert_eq!(all_of(&file), all_of(&twin));
                    continue;
                }
                Step::UndoRun { lot } if !runs.is_empty() => {
                    let run = runs[lot % runs.len()];
                    let (undone, left) = without_run(&twin, run);
                    for store in both {
                        prop_assert_eq!(&store.undo_run(run).unwrap(), &undone);
                        prop_assert_eq!(&store.nights(None).unwrap(), &left);
                    }
                    prop_assert_eq!(all_of(&file), all_of(&twin));
                    continue;
                }
                Step::SleepAgain { .. } | Step::UndoRun { .. } => continue,
            };
            let mut planned = twin.past(&night.npc).unwrap();
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
            if one.contains("Applied {") {
                prop_assert!(advanced.is_ok(), "{:?}", advanced);
                prop_assert_eq!(&planned, &twin.past(&night.npc).unwrap());
            }
            if !one.contains("Applied {") {
                prop_assert_eq!(&all_of(&twin), &before, "{}", one);
            } else if take_back {
                for store in both {
                    store.undo(&night.npc).unwrap().unwrap();
                    prop_assert_eq!(&all_of(store), &before);
                }
            }
            let named = night.changes.iter().map(Change::id).chain(night.memories.iter().map(|m| &m.id));
            for id in named.chain([&id("nobody's")]) {
                prop_assert_eq!(file.owners(id).unwrap(), owners(&twin, id));
                prop_assert_eq!(twin.owners(id).unwrap(), owners(&twin, id));
            }
            given.push(night);
        }
    }
}
