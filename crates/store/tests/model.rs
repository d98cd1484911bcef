//! Random lives: both stores show the same at every step, a past can be advanced without them, undoing is the
//! inverse of applying, and who names whom is as a simple model says.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    AppliedNight, Change, LongTermMemory, MemoryId, MemoryStore, NpcId, NpcNight, Outcome, Past, State,
    StoreError, Undone,
};
use nightfold_store::{InMemoryStore, SqliteStore, advance};
use proptest::prelude::*;
use support::{Story, all_of, exported, id, imported, npc, vector};

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
    /// What the nights before the last so many put away is deleted.
    Purge { npc: usize, keep: usize },
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
    Unite,
    Abstract,
    Restore,
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
        Kind::Unite,
        Kind::Unite,
        Kind::Unite,
        Kind::Abstract,
        Kind::Abstract,
        Kind::Restore,
        Kind::Restore,
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
        2 => (0..NPCS.len(), 0_usize..4).prop_map(|(npc, keep)| Step::Purge { npc, keep }),
    ];
    prop::collection::vec(step, 1..16)
}

/// Who names whom, among all that an NPC ever slept on.
#[derive(Debug, Clone, PartialEq, Default)]
struct Names {
    /// What derives from what.
    edges: BTreeSet<(String, String)>,
    successors: BTreeMap<String, String>,
}

impl Names {
    fn of(store: &dyn MemoryStore, of: &NpcId) -> Self {
        let mut names = Self::default();
        let rows = store.entries(of).unwrap();
        for row in &rows {
            let name = row.entry.id.to_string();
            let derived = store.derived(of, &row.entry.id).unwrap();
            names.edges.extend(derived.into_iter().map(|derived| (derived.to_string(), name.clone())));
            names.successors.extend(row.superseded_by.as_ref().map(|by| (name.clone(), by.to_string())));
        }
        names
    }

    fn derive(&mut self, derived: &str, sources: &[&str]) {
        self.edges.extend(sources.iter().map(|source| (derived.to_owned(), (*source).to_owned())));
    }

    fn referring(&self, name: &str) -> BTreeSet<String> {
        let deriving = self.edges.iter().filter(|(_, source)| source == name).map(|(derived, _)| derived);
        let succeeded = self.successors.iter().filter(|(_, by)| *by == name).map(|(succeeded, _)| succeeded);
        deriving.chain(succeeded).cloned().collect()
    }

    /// What has to be moved for these duplicates, which then name the canonical entry.
    fn unite(&mut self, canonical: &str, duplicates: &[&str]) -> Vec<String> {
        let mut moved: BTreeSet<_> = duplicates.iter().flat_map(|name| self.referring(name)).collect();
        moved.remove(canonical);
        let renamed =
            |name: &String| if duplicates.contains(&&**name) { canonical.to_owned() } else { name.clone() };
        let edges = self.edges.iter().map(|(derived, source)| {
            (derived.clone(), if derived == canonical { source.clone() } else { renamed(source) })
        });
        self.edges = edges.collect();
        self.successors.values_mut().for_each(|by| *by = renamed(by));
        self.successors.extend(duplicates.iter().map(|name| ((*name).to_owned(), canonical.to_owned())));
        self.derive(canonical, duplicates);
        moved.into_iter().collect()
    }
}

/// What an NPC holds while a night of it is made up.
struct Mind {
    active: Vec<String>,
    archived: Vec<String>,
    /// What stood in the store before the night.
    older: BTreeSet<String>,
    names: Names,
}

impl Mind {
    fn of(store: &dyn MemoryStore, of: &NpcId) -> Self {
        let rows = store.entries(of).unwrap();
        let name = |row: &LongTermMemory| row.entry.id.to_string();
        Self {
            active: rows.iter().filter(|row| row.state == State::Active).map(name).collect(),
            archived: rows.iter().filter(|row| row.state == State::Archived).map(name).collect(),
            older: rows.iter().map(name).collect(),
            names: Names::of(store, of),
        }
    }

    /// Draws an older entry and some that can become duplicates of it: nothing new names them.
    fn group(&self, lot: usize) -> Option<(String, Vec<String>)> {
        let mut pool: Vec<_> =
            self.active.iter().filter(|name| self.older.contains(*name)).cloned().collect();
        let turn = lot % pool.len().max(1);
        pool.rotate_left(turn);
        let (canonical, others) = pool.split_first()?;
        let unnamed = |name: &&String| self.names.referring(name).is_subset(&self.older);
        let duplicates: Vec<_> = others.iter().filter(unnamed).take(1 + lot / 7 % 3).cloned().collect();
        (!duplicates.is_empty()).then(|| (canonical.clone(), duplicates))
    }
}

/// A night of an NPC that fits what the store holds, and who names whom after it.
fn fitting(store: &dyn MemoryStore, of: &str, serial: usize, changes: &[(Kind, usize)]) -> (NpcNight, Names) {
    let mut mind = Mind::of(store, &npc(of));
    let mut night = Story::on(store, of, &format!("night-{serial}"));
    night.0.at = format!("{}", serial * 86_400).parse().unwrap();
    for (n, &(kind, lot)) in changes.iter().enumerate() {
        let new = |part: &str| format!("{part}-{serial}-{n}");
        let (a, b, chunk) = (&*new("a"), &*new("b"), &*new("chunk"));
        let old = (!mind.active.is_empty()).then(|| lot % mind.active.len());
        let old_name = old.map(|old| mind.active[old].clone());
        let group = mind.group(lot);
        let Mind { active, archived, names, .. } = &mut mind;
        night = match (kind, old_name.as_deref(), group) {
            (Kind::Collapse, ..) => {
                names.derive(a, &[b]);
                active.push(a.to_owned());
                night.collapse(a, &[b]).store(a)
            }
            (Kind::Prune, ..) => night.prune(a),
            (Kind::Chunk, ..) => {
                names.derive(chunk, &[a, b]);
                active.push(chunk.to_owned());
                night.chunk(chunk, &[a, b])
            }
            (Kind::Reflect, Some(old), _) => {
                names.derive(a, &[old]);
                active.push(a.to_owned());
                night.reflect(a, &[old])
            }
            (Kind::Corroborate, Some(old), _) => {
                names.derive(old, &[a, b]);
                night.corroborate(old, &[a, b], lot as u32 % 5)
            }
            (Kind::Supersede, Some(old), _) => {
                names.successors.insert(old.to_owned(), a.to_owned());
                active.retain(|name| name != old);
                active.push(a.to_owned());
                night.store(a).supersede(old, &[a])
            }
            (Kind::Archive | Kind::Forget, Some(old), _) => {
                active.retain(|name| name != old);
                if matches!(kind, Kind::Archive) { night.archive(old) } else { night.forget(old) }
            }
            (Kind::Unite, _, Some((canonical, duplicates))) => {
                active.retain(|name| !duplicates.contains(name));
                let duplicates: Vec<_> = duplicates.iter().map(String::as_str).collect();
                let moved = names.unite(&canonical, &duplicates);
                let moved: Vec<_> = moved.iter().map(String::as_str).collect();
                night.unite(&canonical, &duplicates, &moved)
            }
            (Kind::Abstract, _, Some((canonical, mut told))) => {
                told.push(canonical);
                active.retain(|name| !told.contains(name));
                active.push(a.to_owned());
                let told: Vec<_> = told.iter().map(String::as_str).collect();
                names.derive(a, &told);
                night.abstracted(a, &told)
            }
            (Kind::Restore, ..) if !archived.is_empty() => {
                let back = archived.swap_remove(lot % archived.len());
                names.successors.remove(&back);
                active.push(back.clone());
                let vectorless = store.entry(&npc(of), &id(&back)).unwrap().unwrap().entry.vector.is_none();
                night.restore(&back, (vectorless || lot % 2 == 0).then(|| vector(&back)))
            }
            _ => {
                active.push(a.to_owned());
                night.store(a)
            }
        };
        active.sort();
    }
    // Themes as the lots fall: some come again, some are new.
    let seen = store.past(&npc(of)).unwrap().themes;
    for (n, &(_, lot)) in changes.iter().enumerate().take(3) {
        night = match seen.get(lot % (seen.len() + 1)) {
            Some(theme) if night.0.themes.iter().all(|other| other.theme.id != theme.id) => {
                night.sees(theme.id.as_str(), theme.nights + 1)
            }
            _ => night.theme(&format!("theme-{serial}-{n}")),
        };
    }
    (night.0, mind.names)
}

fn owners(store: &dyn MemoryStore, id: &MemoryId) -> Vec<NpcId> {
    let has = |npc: &NpcId| store.entry(npc, id).unwrap().is_some();
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

/// Whether a past holds too little to tell what the night does.
fn needs_a_store(night: &NpcNight) -> bool {
    night
        .changes
        .iter()
        .any(|change| matches!(change, Change::Collapse { standing: Some(_), .. } | Change::Restore { .. }))
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
            let mut expected = None;
            let (night, take_back, run) = match step {
                Step::Sleep { npc, changes, take_back, run } => {
                    let (night, names) = fitting(&twin, NPCS[npc], serial, &changes);
                    expected = Some(names);
                    (night, take_back, run)
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
                    prop_assert_eq!(all_of(&file), all_of(&twin));
                    continue;
                }
                Step::UndoRun { lot } if !runs.is_empty() => {
                    let run = runs[lot % runs.len()];
                    let (undone, left) = without_run(&twin, run);
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
                    let past = twin.past(&of).unwrap();
                    for store in both {
                        let purge = store.purgeable(&of, keep).unwrap();
                        prop_assert_eq!(&store.purge(&of, keep).unwrap(), &purge);
                        prop_assert!(store.purge(&of, keep).unwrap().is_empty());
                        prop_assert_eq!(&store.past(&of).unwrap(), &past, "what is known and active stays");
                    }
                    prop_assert_eq!(all_of(&file), all_of(&twin));
                    continue;
                }
                Step::SleepAgain { .. } | Step::UndoRun { .. } => continue,
            };
            let past = twin.past(&night.npc).unwrap();
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
            if one.contains("Applied {") && needs_a_store(&night) {
                prop_assert!(matches!(advanced, Err(StoreError::Conflict { .. })), "{:?}", advanced);
                prop_assert_eq!(&planned, &past);
            } else if one.contains("Applied {") {
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
        // What was lived through goes elsewhere without loss, and can be taken back there too.
        let lines = exported(&file, None);
        let elsewhere = imported(&folder.path().join("elsewhere.db"), &lines).unwrap();
        prop_assert!(exported(&elsewhere, None) == lines, "{}", String::from_utf8_lossy(&lines));
        prop_assert_eq!(all_of(&elsewhere), all_of(&file));
        for of in NPCS.map(npc) {
            let alone = exported(&file, Some(&of));
            let alone = imported(&folder.path().join(format!("{of}.db")), &alone).unwrap();
            prop_assert_eq!(alone.entries(&of).unwrap(), file.entries(&of).unwrap());
            prop_assert_eq!(Past { model: None, ..alone.past(&of).unwrap() }, Past { model: None, ..file.past(&of).unwrap() });
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
fn a_past_knows_too_little_for_upkeep() {
    let store = InMemoryStore::new();
    let run = store.begin_run().unwrap();
    let apply = |story: Story| {
        assert!(matches!(store.apply(run, &[story.0]).unwrap()[0], Ok(Outcome::Applied { .. })));
    };
    apply(Story::new("Mara", "one", 0).store("a").store("b").archive("b").store("c").store("d"));
    let night = || Story::on(&store, "Mara", "two");
    let mara = npc("Mara");
    let given = || Some(vector("given"));
    for (story, expected) in [
        (night().unite("a", &["c"], &[]), "cannot collapse c, which may be named by more than a past holds"),
        (night().restore("b", given()), "cannot restore b, which is not in the store"),
        (night().restore("a", given()), "cannot restore a, which is active already"),
    ] {
        let mut past = store.past(&mara).unwrap();
        let message = advance(&mut past, &story.0).unwrap_err().to_string();
        assert_eq!(message, format!("night two of Mara: {expected}"));
        assert_eq!(past, store.past(&mara).unwrap());
    }
    // What the night itself put away is at hand.
    let story = night().archive("a").restore("a", None).prune("new").restore("new", given()).forget("d");
    let mut past = store.past(&mara).unwrap();
    advance(&mut past, &story.0).unwrap();
    apply(story);
    assert_eq!(past, store.past(&mara).unwrap());
}
