//! Maintenance: collapse of status entries, cap of insights, summaries, forgetting, restoring and settling.

use crate::support::{
    Parrot, Refusal, ScriptedStore, Toy, all_of, config, embed, memory, nightly, npc, sleeping,
};
use nightfold::english::Packs;
use nightfold::{
    Maintenance, MaintenancePlan, MaintenanceTasks, RestoreError, RunError, Sleep, StatusScope, apply_plan,
    memory::{
        Answer, Change, Embedder, GameTime, LanguageTask, Memory, MemoryId, MemoryReader, MemoryRecord,
        MemoryStore, RecordKind, Rule, State, StoreError, TaskKind, ValidConfig, Vector,
    },
};
use nightfold_store::SqliteStore;

const ALL: MaintenanceTasks = MaintenanceTasks {
    collapse: Some(StatusScope::Operational),
    cap: true,
    summarize: false,
    forget: false,
    distil: false,
    now: None,
};

/// Settings that store every memory by itself, and keep only one insight per subject, so that maintenance has work.
fn keeping() -> ValidConfig {
    config(|c| {
        c.collapse.day = false;
        c.budget.storage = 1.0;
        c.triage.similar = 1.0;
        c.cap.max_insights = 1;
        c.maintain.similar = 0.3;
        c.maintain.summarize_below = 1.0;
        c.synthesis.near_copy = 1.0;
    })
}

/// Answers every reflection task with the text of the theme's first memory, so that nights yield insights on one
/// subject.
fn concludes(task: &LanguageTask) -> Option<Vec<Answer>> {
    let TaskKind::Reflections { .. } = task.kind else { return None };
    let cites = task.sources.iter().take(2).map(|s| s.id.clone()).collect();
    let text = format!("I wonder on many a quiet evening about this: {}", task.sources[0].text);
    Some(vec![Answer { text, kind: None, cites, confidence: None }])
}

fn sleep_on(store: &dyn MemoryStore, memories: Vec<Memory>) {
    let (config, toy, parrot) = (keeping(), Toy::new(), Parrot::new(concludes, |_| 1));
    let sleep = Sleep { language: Some(&parrot), ..sleeping(&config, &toy, store) };
    let slept = sleep.apply(store, nightly(memories, &config)).unwrap();
    assert!(slept.failures.is_empty(), "{:?}", slept.failures);
}

fn planned(store: &dyn MemoryStore, tasks: MaintenanceTasks) -> MaintenancePlan {
    let npcs = store.npcs().unwrap();
    Maintenance { config: &keeping(), packs: &Packs, store }.plan(&npcs, tasks).unwrap()
}

/// Plans all maintenance tasks at the end of a day.
fn maintained(store: &dyn MemoryStore, day: i64) -> MaintenancePlan {
    let (config, toy, npcs) = (keeping(), Toy::new(), store.npcs().unwrap());
    let now = GameTime::from_seconds((day + 1) * 86_400);
    let tasks = MaintenanceTasks { summarize: true, forget: true, now, ..ALL };
    let open = |_| Ok::<_, RunError>(&toy);
    Maintenance { config: &config, packs: &Packs, store }.plan_worded(&npcs, tasks, None, open).unwrap()
}

fn apply(store: &dyn MemoryStore, planned: &MaintenancePlan) {
    let applied = apply_plan(store, &planned.plan).unwrap();
    assert!(applied.failures.is_empty(), "{:?}", applied.failures);
}

/// Texts so different that a night stores each by itself.
const CORNERS: [&str; 7] = [
    "old oak door nobody shuts",
    "cracked window pane facing west",
    "anvil Pell brought home",
    "long bench where apprentices eat",
    "rack holding spare tongs",
    "trough full of rainwater",
    "hearth still warm from yesterday",
];

fn readings(of: &str, day: i64, most: i64) -> Vec<Memory> {
    (0..most)
        .map(|n| memory(of, day, n, &format!("forge stock: {} irons, {} coals", 3 * day + n, 40 - n), 3))
        .collect()
}

fn entry(store: &dyn MemoryStore, of: &str, id: &str) -> MemoryRecord {
    store.entry(&npc(of), &MemoryId::new(id).unwrap()).unwrap().unwrap()
}

#[test]
fn archived_memory_is_restored_even_if_it_never_was_an_entry() {
    let (store, toy) = (SqliteStore::in_memory().unwrap(), Toy::new());
    let config = keeping();
    let maintenance = Maintenance { config: &config, packs: &Packs, store: &store };
    sleep_on(&store, [readings("Tom", 0, 3), vec![memory("Tom", 0, 9, "the forge is idle", 4)]].concat());
    sleep_on(&store, vec![memory("Tom", 1, 9, "the forge is idle", 4)]);
    apply(&store, &planned(&store, ALL));
    let tom = npc("Tom");
    let restored = |id: &str| -> Result<(), RestoreError> {
        let archived = maintenance.archived(&tom, &MemoryId::new(id).unwrap())?;
        let embedded = archived.text_to_embed().map(|text| (toy.model(), Vector::new(embed(text)).unwrap()));
        let plan = archived.restore(embedded)?;
        assert_eq!(plan.nights[0].changes[0].reason().rule, Rule::Restored);
        assert_eq!(apply_plan(&store, &plan).unwrap().written, 1);
        Ok(())
    };
    // An entry that was collapsed, whose vector is kept; and a memory that only corroborated one, which has none.
    for id in ["d0-m1", "d1-m9"] {
        assert_eq!(entry(&store, "Tom", id).state, State::Archived);
        restored(id).unwrap();
        let memory = entry(&store, "Tom", id);
        assert_eq!((memory.state, memory.archived_by, memory.superseded_by), (State::Active, None, None));
        assert!(
            store
                .snapshot(&tom)
                .unwrap()
                .entries
                .iter()
                .any(|e| e.entry.id.as_str() == id && e.entry.vector.is_some())
        );
    }
    assert!(matches!(restored("d0-m1"), Err(RestoreError::Active { .. })));
    assert!(matches!(restored("d7-m7"), Err(RestoreError::Missing { .. })));
}

#[test]
fn restored_entry_is_not_collapsed_again() {
    let store = SqliteStore::in_memory().unwrap();
    sleep_on(&store, readings("Tom", 0, 4));
    apply(&store, &planned(&store, ALL));
    let counted = entry(&store, "Tom", "d0-m0").corroborations;
    let config = keeping();
    let (tom, id) = (npc("Tom"), MemoryId::new("d0-m2").unwrap());
    let plan = Maintenance { config: &config, packs: &Packs, store: &store }
        .archived(&tom, &id)
        .unwrap()
        .restore(None)
        .unwrap();
    apply_plan(&store, &plan).unwrap();
    assert!(planned(&store, ALL).plan.nights.is_empty(), "restored entries stay");
    assert_eq!(entry(&store, "Tom", "d0-m0").corroborations, counted);
}

#[test]
fn restore_adds_the_first_vector_of_a_store() {
    let store = SqliteStore::in_memory().unwrap();
    let config = crate::support::config(|c| {
        c.budget.storage = 0.01;
        c.budget.min_kept = 0;
    });
    let toy = Toy::new();
    let lived =
        nightly(vec![memory("Tom", 0, 1, "the forge is idle", 1), memory("Tom", 0, 2, "", 1)], &config);
    sleeping(&config, &toy, &store).apply(&store, lived).unwrap();
    let tom = npc("Tom");
    assert_eq!(store.model().unwrap(), None, "everything is archived");
    let maintenance = Maintenance { config: &config, packs: &Packs, store: &store };
    let archived = maintenance.archived(&tom, &MemoryId::new("d0-m1").unwrap()).unwrap();
    let vector = Vector::new(embed(archived.text_to_embed().unwrap())).unwrap();
    apply_plan(&store, &archived.restore(Some((toy.model(), vector))).unwrap()).unwrap();
    assert_eq!(store.snapshot(&tom).unwrap().entries.len(), 1);
    let blank = maintenance.archived(&tom, &MemoryId::new("d0-m2").unwrap());
    assert!(matches!(blank, Err(RestoreError::Blank { .. })));
}

#[test]
fn restore_requires_a_vector_of_the_stores_model() {
    let store = SqliteStore::in_memory().unwrap();
    for day in 0..2 {
        sleep_on(&store, vec![memory("Tom", day, 9, "the forge is idle", 4)]);
    }
    let config = keeping();
    let (maintenance, tom, id) = (
        Maintenance { config: &config, packs: &Packs, store: &store },
        npc("Tom"),
        MemoryId::new("d1-m9").unwrap(),
    );
    let nothing = maintenance.archived(&tom, &id).unwrap().restore(None);
    assert!(matches!(nothing, Err(RestoreError::NoVector { .. })));
    let other = "other@1".parse().unwrap();
    let foreign =
        maintenance.archived(&tom, &id).unwrap().restore(Some((&other, Vector::new(embed("x")).unwrap())));
    assert!(matches!(foreign, Err(RestoreError::Store(StoreError::Model { .. }))));
}

/// Applies a week of nights with trivial memories and a few that must last.
fn week(store: &dyn MemoryStore) {
    for day in 0..7 {
        let corner = CORNERS[day as usize];
        let mut lived =
            vec![memory("Tom", day, 1, &format!("I swept the forge floor beside the {corner}"), 3)];
        if day == 3 {
            lived.push(memory("Tom", day, 2, "Joss drowned in the mill pond", 9));
        }
        sleep_on(store, lived);
    }
}

#[test]
fn week_is_summarised_and_undo_restores_it() {
    let store = SqliteStore::in_memory().unwrap();
    week(&store);
    let before = all_of(&store);
    assert!(maintained(&store, 10).plan.nights.is_empty(), "the week is not old enough");
    let planned = maintained(&store, 14);
    assert_eq!(all_of(&store), before, "planning writes nothing");
    assert_eq!((planned.plan.report.counts.chunked, planned.plan.report.counts.syntheses), (7, 1));
    apply(&store, &planned);
    let active: Vec<MemoryRecord> = store.snapshot(&npc("Tom")).unwrap().entries;
    let texts: Vec<&str> = active
        .iter()
        .filter(|m| m.entry.form != RecordKind::Reflection)
        .map(|m| m.entry.text.as_str())
        .collect();
    assert!(texts.contains(&"Joss drowned in the mill pond") && texts.len() == 2, "{texts:?}");
    let of_week = |t: &&str| {
        t.starts_with("From day 0 to day 6, on 7 days, 7 times; of these: ")
            && t.contains("I swept the forge floor")
    };
    assert!(texts.iter().any(of_week), "{texts:?}");
    assert!(maintained(&store, 14).plan.nights.is_empty(), "a second time there is nothing to do");
    // Restored entries are not summarised again, however old they are.
    let (config, tom, id) = (keeping(), npc("Tom"), MemoryId::new("d2-m1").unwrap());
    let archived = Maintenance { config: &config, packs: &Packs, store: &store }.archived(&tom, &id).unwrap();
    apply_plan(&store, &archived.restore(None).unwrap()).unwrap();
    for plan in [maintained(&store, 1_000).plan, maintained(&store, 40).plan] {
        assert!(
            plan.nights.iter().flat_map(|n| &n.changes).all(|c| *c.id() != id && !c.sources().contains(&id))
        );
    }
    for _ in 0..2 {
        store.undo(&tom).unwrap();
    }
    assert_eq!(all_of(&store), before);
}

#[test]
fn recalled_memory_of_a_summarised_week_comes_back_and_fades_again() {
    let store = SqliteStore::in_memory().unwrap();
    week(&store);
    apply(&store, &maintained(&store, 14));
    let (tom, id) = (npc("Tom"), MemoryId::new("d2-m1").unwrap());
    store.touch(&tom, std::slice::from_ref(&id), GameTime::from_seconds(16 * 86_400).unwrap()).unwrap();
    sleep_on(&store, vec![memory("Tom", 17, 1, "A pedlar sold needles", 5)]);
    assert_eq!(store.entry(&tom, &id).unwrap().unwrap().state, State::Active);
    let maintained_at = |day| {
        let nights = maintained(&store, day).plan.nights;
        let changes = nights.into_iter().flat_map(|night| night.changes);
        changes.filter(|change| *change.id() == id || change.sources().contains(&id)).collect::<Vec<_>>()
    };
    assert_eq!(maintained_at(30), []);
    let verbs: Vec<_> = maintained_at(1_000).iter().map(Change::verb).collect();
    assert_eq!(verbs, ["forget"]);
}

#[test]
fn entries_and_log_of_an_npc_are_read_once() {
    let store = ScriptedStore::new(Refusal::Nothing);
    week(&store);
    store.take_reads();
    let planned = maintained(&store, 14);
    assert_eq!(planned.plan.report.counts.syntheses, 1);
    assert_eq!(store.take_reads(), ["latest_night", "snapshot", "nights", "log"]);
    // Without summaries no vectors are read: the entries are read page by page, and these are one.
    let without = MaintenanceTasks { forget: true, ..ALL };
    let npcs = store.npcs().unwrap();
    Maintenance { config: &keeping(), packs: &Packs, store: &store }.plan(&npcs, without).unwrap();
    assert_eq!(store.take_reads(), ["latest_night", "active_page", "nights", "log"]);
}

#[test]
fn forgetting_enforces_max_active_except_for_important_entries() {
    let store = SqliteStore::in_memory().unwrap();
    week(&store);
    let bounded = config(|c| {
        c.maintain.max_active = 10;
        c.triage.important = 9;
    });
    for day in 7..12 {
        let sorts = ["a wolf howled", "bread burned", "the well froze", "Ann sang", "rain fell"];
        sleep_on(
            &store,
            vec![
                memory("Tom", day, 1, sorts[day as usize - 7], 4),
                memory(
                    "Tom",
                    day,
                    2,
                    &format!("{} died today", ["Pell", "Ida", "Wren", "Hanne", "Rana"][day as usize - 7]),
                    9,
                ),
            ],
        );
    }
    let npcs = store.npcs().unwrap();
    let tasks = MaintenanceTasks { forget: true, ..MaintenanceTasks::default() };
    let maintenance = Maintenance { config: &bounded, packs: &Packs, store: &store };
    let active = store.snapshot(&npcs[0]).unwrap().entries;
    let plan = maintenance.plan(&npcs, tasks).unwrap().plan;
    let forgotten: Vec<&Change> = plan.nights.iter().flat_map(|n| &n.changes).collect();
    assert_eq!(forgotten.len(), active.len() - 10);
    assert!(forgotten.iter().all(|c| c.reason().rule == Rule::OverMost), "{forgotten:?}");
    apply_plan(&store, &plan).unwrap();
    assert_eq!(
        store.snapshot(&npcs[0]).unwrap().entries.iter().filter(|m| m.entry.importance.get() == 9).count(),
        6
    );
}
