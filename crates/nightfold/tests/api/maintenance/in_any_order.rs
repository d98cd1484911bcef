//! Nights, maintenance and undo in any order leave no dangling references and lose nothing.

use super::*;
use nightfold::english::Packs;

// ---- any order

#[derive(Debug, Clone)]
enum Step {
    /// Night after the next day of an NPC, with one of a few sets of memories.
    Sleep {
        npc: usize,
        way: usize,
    },
    Collapse,
    Cap,
    /// All maintenance tasks, a number of days later.
    Maintain {
        later: i64,
    },
    /// Restoring of one archived entry.
    Restore {
        npc: usize,
        lot: usize,
    },
    Undo {
        npc: usize,
    },
    UndoRun,
}

const NPCS: [&str; 2] = ["Ann", "Tom"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let npc = || 0..NPCS.len();
    let step = prop_oneof![
        5 => (npc(), 0..3_usize).prop_map(|(npc, way)| Step::Sleep { npc, way }),
        3 => Just(Step::Collapse),
        3 => Just(Step::Cap),
        3 => (0..100_i64).prop_map(|later| Step::Maintain { later }),
        3 => (npc(), any::<usize>()).prop_map(|(npc, lot)| Step::Restore { npc, lot }),
        2 => npc().prop_map(|npc| Step::Undo { npc }),
        1 => Just(Step::UndoRun),
    ];
    prop::collection::vec(step, 1..24)
}

fn lived(of: &str, day: i64, way: usize) -> Vec<Memory> {
    let mut day_of = readings(of, day, 3);
    // What is done day after day, and no number tells apart.
    let corner = CORNERS[(day % 7) as usize];
    for (n, when) in [(6, "at dusk"), (7, "before dawn")] {
        day_of.push(memory(of, day, n, &format!("I swept the forge floor beside the {corner} {when}"), 2));
    }
    if way > 0 {
        // Insights on one subject, night after night.
        day_of.extend((0..4).map(|n| {
            let text = format!("I asked Joss about the silver for the axle, time {} of day {day}", n + 1);
            memory(of, day, 10 + n, &text, 6)
        }));
    }
    if way > 1 {
        // The game says that a thought rests on what was noted the day before.
        let mut thought = memory(of, day, 20, &format!("the irons run out by day {}", day + 9), 6);
        thought.sources = (0..3).map(|n| MemoryId::new(format!("d{}-m{n}", day - 1)).unwrap()).collect();
        day_of.push(thought);
        // It also gives a reflection of its own on the same subject every day.
        let mut mood = memory(of, day, 21, &format!("evenings beside the {corner} are long"), 6);
        mood.kind = Kind::Reflection;
        mood.id = MemoryId::new(format!("mood-evening-{day}")).unwrap();
        day_of.push(mood);
    }
    day_of
}

/// Takes a step; returns the memories of the night, if it is one.
fn take(store: &dyn MemoryStore, step: &Step, day: i64) -> Vec<Memory> {
    match *step {
        Step::Sleep { npc, way } => {
            let memories = lived(NPCS[npc], day, way);
            sleep_on(store, memories.clone());
            return memories;
        }
        Step::Collapse => apply(store, &planned(store, MaintenanceTasks { cap: false, ..ALL })),
        Step::Cap => {
            apply(store, &planned(store, MaintenanceTasks { cap: true, ..MaintenanceTasks::default() }));
        }
        Step::Maintain { later } => apply(store, &maintained(store, day + later)),
        Step::Restore { npc: n, lot } => {
            let (config, of) = (keeping(), npc(NPCS[n]));
            let mut archived = store.entries(&of).unwrap();
            archived.retain(|m| m.state == State::Archived);
            if archived.is_empty() {
                return Vec::new();
            }
            let id = &archived[lot % archived.len()].entry.id;
            let put_away = Maintenance { config: &config, packs: &Packs, store }.archived(&of, id).unwrap();
            let toy = Toy::new();
            let embedded = put_away.text_to_embed().map(|t| (toy.model(), Vector::new(embed(t)).unwrap()));
            assert_eq!(apply_plan(store, &put_away.restore(embedded).unwrap()).unwrap().written, 1);
        }
        Step::Undo { npc: n } => _ = store.undo(&npc(NPCS[n])).unwrap(),
        Step::UndoRun => {
            if let Some(last) = store.nights(None).unwrap().iter().map(|n| n.run).max() {
                store.undo_run(last).unwrap();
            }
        }
    }
    Vec::new()
}

/// Asserts that every reference leads to an existing entry, and that only the canonical entry refers to collapsed ones.
fn nothing_dangles(store: &dyn MemoryStore, of: &NpcId, given: &BTreeSet<MemoryId>) {
    let entries: BTreeMap<MemoryId, MemoryRecord> =
        store.entries(of).unwrap().into_iter().map(|m| (m.entry.id.clone(), m)).collect();
    for (id, memory) in &entries {
        for source in &memory.entry.sources {
            assert!(entries.contains_key(source) || given.contains(source), "{id} rests on {source}");
            let edge = store.derived(of, source).unwrap().contains(id);
            assert!(edge || source == id, "no edge from {id} to {source}");
        }
        for derived in store.derived(of, id).unwrap() {
            let sources = &entries[&derived].entry.sources;
            // A memory that is repeated word for word has its repeats only as edges.
            assert!(sources.contains(id) || entries[id].archived_by.as_deref() == Some("exact-repeat"));
        }
        if let Some(successor) = &memory.superseded_by {
            assert!(entries.contains_key(successor), "{id} is succeeded by {successor}");
            for referring in store.referring(of, id).unwrap() {
                let other = &entries[&referring];
                assert!(
                    memory.archived_by.as_deref() != Some("status-repeat")
                        || other.state == State::Archived
                        || referring == *successor,
                    "{referring} still rests on {id}, for which {successor} stands"
                );
            }
        }
        let active = memory.state == State::Active;
        assert_eq!(active, memory.archived_by.is_none(), "{id}");
        assert!(
            !active || store.entry(of, id).unwrap().unwrap().entry.vector.is_some(),
            "{id} has no vector"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn random_steps_leave_no_dangling_reference_and_lose_no_memory(steps in steps()) {
        let store = SqliteStore::in_memory().unwrap();
        // Memories by the version of their night, and the state of an NPC's memory at each version.
        let mut slept: BTreeMap<(NpcId, u64), Vec<Memory>> = BTreeMap::new();
        let mut was: BTreeMap<(NpcId, u64), String> = BTreeMap::new();
        let mut given = BTreeSet::new();
        for (day, step) in (1..).zip(&steps) {
            let memories = take(&store, step, day);
            given.extend(memories.iter().flat_map(|m| m.sources.clone()));
            if let Some(first) = memories.first() {
                let version = store.snapshot(&first.npc).unwrap().version;
                slept.insert((first.npc.clone(), version), memories);
            }
            for of in store.npcs().unwrap() {
                nothing_dangles(&store, &of, &given);
                let entries = store.entries(&of).unwrap();
                for night in store.nights(Some(&of)).unwrap() {
                    for memory in slept.get(&(of.clone(), night.version)).into_iter().flatten() {
                        prop_assert!(
                            entries.iter().any(|e| e.entry.id == memory.id && e.entry.text == memory.text),
                            "{} is lost", memory.id
                        );
                    }
                }
                let past = store.snapshot(&of).unwrap();
                let shown = format!("{past:?} {entries:?}");
                let before = was.entry((of, past.version)).or_insert_with(|| shown.clone());
                prop_assert_eq!(&*before, &shown, "undo brings back the very state");
            }
        }
    }
}

/// Guard for the property above, which proves little if the steps change little.
#[test]
fn steps_exercise_collapse_chunk_forget_and_cap() {
    let store = SqliteStore::in_memory().unwrap();
    for day in 1..5 {
        take(&store, &Step::Sleep { npc: 1, way: 2 }, day);
    }
    let changes = |tasks| -> Vec<Change> {
        planned(&store, tasks).plan.nights.into_iter().flat_map(|n| n.changes).collect()
    };
    let collapse = changes(MaintenanceTasks { cap: false, ..ALL });
    let Change::Collapse { standing: Some(standing), sources, .. } = &collapse[0] else {
        panic!("{collapse:?}")
    };
    assert!(!standing.moved.is_empty() && sources.len() > 5, "{collapse:?}");
    let later = maintained(&store, 260).plan;
    let did = |verb| later.nights[0].changes.iter().filter(|c| c.verb() == verb).count();
    assert!(did("collapse") > 0 && did("chunk") > 0 && did("forget") > 0, "{:?}", later.nights[0].changes);
    let entries = store.entries(&npc("Tom")).unwrap();
    let archived_as = |rule: &str| entries.iter().find(|m| m.archived_by.as_deref() == Some(rule));
    assert!(archived_as("capped").is_some(), "a night caps by itself: {entries:?}");
    let insight = archived_as("replaced").expect("a night replaces by itself");
    let config = keeping();
    let put_away = Maintenance { config: &config, packs: &Packs, store: &store }
        .archived(&insight.npc, &insight.entry.id)
        .unwrap();
    apply_plan(&store, &put_away.restore(None).unwrap()).unwrap();
    let cap = changes(MaintenanceTasks { cap: true, ..MaintenanceTasks::default() });
    assert!(matches!(cap[0], Change::Archive { .. }), "what was restored crowds out another: {cap:?}");
}
