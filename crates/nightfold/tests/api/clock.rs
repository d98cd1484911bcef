//! Times of another clock: they make no night, move no moment of sleep, and no age is counted from them.

use crate::support::{Toy, all_of, npc, sleeping};
use nightfold::english::Packs;
use nightfold::{
    Maintenance, MaintenanceTasks, NightError, days, days_by_night,
    memory::{GameTime, Kind, Memory, MemoryId, MemoryReader, NpcNight, ValidConfig},
};
use nightfold_store::SqliteStore;

const EVE: &str = "1204-05-03T21:00:00Z";

fn at(time: &str) -> GameTime {
    time.parse().unwrap()
}

fn memory(of: &str, time: &str, text: &str) -> Memory {
    let id = text.replace(' ', "-").parse().unwrap();
    Memory::new(npc(of), id, at(time), Kind::Event, text)
}

/// A day of 1204 with a memory in seconds and one of 2024.
fn with_strays() -> Vec<Memory> {
    vec![
        memory("Ann", "1204-05-02T08:00:00Z", "the forge is idle"),
        memory("Ann", EVE, "Joss paid for the axle"),
        memory("Ann", "22200", "Wren sang about the storm"),
        memory("Ann", "2024-05-03T09:00:00Z", "the gate is open"),
    ]
}

fn slept(store: &SqliteStore, memories: Vec<Memory>, by_day: bool) -> Vec<NpcNight> {
    let (config, toy) = (ValidConfig::default(), Toy::new());
    let split = if by_day { days_by_night } else { days };
    let run = sleeping(&config, &toy, store).apply(store, split(memories, None, &config)).unwrap();
    assert!(run.failures.is_empty(), "{:?}", run.failures);
    run.plan.nights
}

#[test]
fn memories_of_another_clock_are_set_apart_counted_and_named() {
    for by_day in [false, true] {
        let store = SqliteStore::in_memory().unwrap();
        let nights = slept(&store, with_strays(), by_day);
        assert_eq!(nights.len(), 1 + usize::from(by_day));
        let last = nights.last().unwrap();
        assert_eq!((last.at, last.night.as_str()), (at(EVE), "1204-05-03"));
        assert_eq!(last.report.input.stray_times, 2);
        let note = &last.report.notes[0];
        assert!(note.contains("2 memories were set apart") && note.contains("day.stray_days"), "{note}");
        assert!(note.contains("the-gate-is-open at 2024-05-03T09:00:00Z"), "{note}");
        let known = store.snapshot(&npc("Ann")).unwrap().known;
        assert_eq!(
            known.keys().map(MemoryId::as_str).collect::<Vec<_>>(),
            ["Joss-paid-for-the-axle", "the-forge-is-idle"]
        );
    }
}

#[test]
fn memory_whose_time_is_corrected_is_slept_on() {
    let store = SqliteStore::in_memory().unwrap();
    slept(&store, with_strays(), false);
    let corrected = vec![memory("Ann", "1204-05-03T22:00:00Z", "the gate is open")];
    let nights = slept(&store, corrected, false);
    assert_eq!((nights[0].memories.len(), nights[0].report.input.stray_times), (1, 0));
}

#[test]
fn lone_memory_far_from_the_last_night_makes_no_night() {
    for time in ["2024-05-03T09:00:00Z", "22200"] {
        let store = SqliteStore::in_memory().unwrap();
        slept(&store, with_strays(), false);
        let before = all_of(&store);
        let nights = slept(&store, vec![memory("Ann", time, "the well is dry")], true);
        assert_eq!((nights[0].memories.len(), nights[0].report.input.stray_times), (0, 1), "{time}");
        assert_eq!((all_of(&store), nights[0].at), (before, at(EVE)), "{time}");
    }
}

#[test]
fn given_moment_of_sleep_is_the_clock() {
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), SqliteStore::in_memory().unwrap());
    slept(&store, with_strays(), false);
    let later = "2024-05-03T21:00:00Z";
    let lone = vec![memory("Ann", "2024-05-03T09:00:00Z", "the well is dry")];
    let day = days(lone, Some(at(later)), &config);
    let nights = sleeping(&config, &toy, &store).apply(&store, day).unwrap().plan.nights;
    assert_eq!((nights[0].memories.len(), nights[0].at), (1, at(later)), "whoever says so is believed");
}

#[test]
fn maintenance_before_the_latest_night_is_refused_for_that_npc_alone() {
    let store = SqliteStore::in_memory().unwrap();
    slept(&store, with_strays(), false);
    slept(&store, vec![memory("Tom", "1204-05-01T20:00:00Z", "the mill is loud")], false);
    let (config, npcs) = (ValidConfig::default(), [npc("Ann"), npc("Tom")]);
    let maintenance = Maintenance { config: &config, packs: &Packs, store: &store };
    let plan = |now: &str| {
        let tasks = MaintenanceTasks { now: Some(at(now)), ..MaintenanceTasks::ALL };
        maintenance.plan(&npcs, tasks).unwrap()
    };
    let refused = plan("1204-05-02T06:00:00Z").failures;
    let [failure] = refused.as_slice() else { panic!("{refused:?}") };
    let NightError::BeforeLatestNight { npc: of, now, latest } = &failure.error else {
        panic!("{failure:?}")
    };
    assert_eq!((of, *now, *latest), (&npc("Ann"), at("1204-05-02T06:00:00Z"), at(EVE)));
    let text = failure.error.to_string();
    assert!(["Ann", "1204-05-02T06:00:00Z", EVE].iter().all(|part| text.contains(part)), "{text}");
    assert_eq!(plan("99999").failures.len(), 2, "seconds are of another clock");
    assert!(plan(EVE).failures.is_empty());
}
