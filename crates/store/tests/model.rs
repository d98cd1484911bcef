//! Random lives: both stores show the same at every step, a past can be advanced without them, and undoing is
//! the inverse of applying.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use nightfold_memory::{MemoryStore, NpcNight};
use nightfold_store::{InMemoryStore, SqliteStore, advance};
use proptest::prelude::*;
use support::{Story, all_of, npc};

const NPCS: [&str; 3] = ["Ana", "Mara", "Tom"];

#[derive(Debug, Clone)]
enum Step {
    /// A night that fits, of so many kinds of changes, each with a lot to draw an older entry by.
    Sleep { npc: usize, changes: Vec<(Kind, usize)>, take_back: bool },
    /// A night planned at a version that is not in force.
    SleepStale { npc: usize },
    /// A night that was given before, whether it is still applied or not.
    SleepAgain { lot: usize },
    /// The latest night is taken back.
    Undo { npc: usize },
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
        6 => (npc.clone(), changes, any::<bool>())
            .prop_map(|(npc, changes, take_back)| Step::Sleep { npc, changes, take_back }),
        1 => npc.clone().prop_map(|npc| Step::SleepStale { npc }),
        2 => any::<usize>().prop_map(|lot| Step::SleepAgain { lot }),
        2 => npc.prop_map(|npc| Step::Undo { npc }),
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
        for (serial, step) in steps.into_iter().enumerate() {
            let before = all_of(&twin);
            let (night, take_back) = match step {
                Step::Sleep { npc, changes, take_back } => {
                    (fitting(&twin, NPCS[npc], serial, &changes), take_back)
                }
                Step::SleepStale { npc } => {
                    let mut night = fitting(&twin, NPCS[npc], serial, &[(Kind::Store, 0)]);
                    night.base_version += 1;
                    (night, false)
                }
                Step::SleepAgain { lot } if !given.is_empty() => (given[lot % given.len()].clone(), false),
                Step::SleepAgain { .. } => continue,
                Step::Undo { npc: of } => {
                    let [one, two] = both.map(|store| store.undo(&npc(NPCS[of])).unwrap());
                    prop_assert_eq!(one, two);
                    prop_assert_eq!(all_of(&file), all_of(&twin));
                    continue;
                }
            };
            let mut planned = twin.past(&night.npc).unwrap();
            let advanced = advance(&mut planned, &night);
            let run = twin.begin_run().unwrap();
            prop_assert_eq!(file.begin_run().unwrap(), run);
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
            given.push(night);
        }
    }
}
