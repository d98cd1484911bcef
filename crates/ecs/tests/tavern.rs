//! Frictions of a game written from outside: a tavern town asked by day, saved and loaded, alarmed at night.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use bevy_ecs::prelude::*;
use nightfold_ecs::{
    Asleep, CheckpointError, DailyMemories, GameClock, LongTermStore, MaintenancePolicy, MemoryFormed,
    MindChange, MindMaintained, MindRefused, NewMemory, NightBudgets, NightConsolidated, NightProgress,
    NpcDirectory, NpcMind, RecallAnswered, RecallQuestion, RecalledEntry, SleepQueue, SleepTiming,
    WakeReason, WokeUp,
    memory::{Embedded, Embedder, EmbedderError, Kind, MemoryReader, MemoryStore, ModelId, SavePointName},
    restore, save, state_hash,
};
use nightfold_store::SqliteStore;
use support::{
    at,
    night::{Toy, npc},
    remember, saved_npcs, settle, sleep, spawn, spawn_saved, tick, told, until, world, world_without_threads,
};

fn town() -> World {
    world(Arc::new(SqliteStore::in_memory().unwrap()), Arc::new(Toy::new()), 1)
}

fn live(world: &mut World, entity: Entity, seconds: i64, text: &str) {
    let memory = NewMemory::new(at(seconds), Kind::Event, text);
    world.write_message(MemoryFormed { entity, memory });
    tick(world, seconds);
}

/// Asks and ticks until the answer is there.
fn ask(world: &mut World, question: RecallQuestion, now: i64) -> Vec<RecalledEntry> {
    world.write_message(question);
    let answer = until("no answer", || {
        tick(world, now);
        told::<RecallAnswered>(world).pop()
    });
    answer.memories.unwrap()
}

fn texts(found: &[RecalledEntry]) -> Vec<&str> {
    found.iter().map(|entry| entry.text.as_str()).collect()
}

#[test]
fn what_an_npc_lived_through_today_is_recalled_and_goes_before_what_it_knew() {
    let mut world = town();
    let ann = world.spawn(NpcMind::new(npc("Ann")).recalling()).id();
    let (fallen, mended) = ("the bridge of the town has fallen", "the bridge of the town was mended");
    live(&mut world, ann, 10, fallen);
    let question = || RecallQuestion::new(ann, "what of the bridge of the town?");
    let found = ask(&mut world, question(), 20);
    assert_eq!((texts(&found), found[0].today), (vec![fallen], true), "before the first night");
    sleep(&mut world, ann, 30, 100);
    tick(&mut world, 30);
    assert_eq!(texts(&ask(&mut world, question(), 31)), [fallen], "while it sleeps on it");
    settle(&mut world, 50);
    tick(&mut world, 100);
    live(&mut world, ann, 120, mended);
    let found = ask(&mut world, question(), 130);
    assert_eq!(texts(&found), [mended, fallen], "newer over older");
    assert_eq!((found[0].today, found[1].today), (true, false));
    sleep(&mut world, ann, 200, 300);
    settle(&mut world, 210);
    let found = ask(&mut world, question(), 310);
    assert!(found.iter().all(|entry| !entry.today), "{found:?}");
    assert_eq!(found.iter().filter(|entry| entry.text == mended).count(), 1, "known once");
}

#[test]
fn copy_of_a_mind_knows_nothing_that_came_after_it() {
    let mut world = town();
    let ann = world.spawn(NpcMind::new(npc("Ann")).recalling()).id();
    live(&mut world, ann, 10, "the bridge of the town stands");
    let question = |entity| RecallQuestion::new(entity, "what of the bridge of the town?");
    assert_eq!(ask(&mut world, question(ann), 11).len(), 1);
    let saved =
        (world.get::<NpcMind>(ann).unwrap().clone(), world.get::<DailyMemories>(ann).unwrap().clone());
    live(&mut world, ann, 20, "the bridge of the town has fallen");
    assert_eq!(ask(&mut world, question(ann), 21).len(), 2);
    world.despawn(ann);
    let loaded = world.spawn(saved).id();
    assert_eq!(texts(&ask(&mut world, question(loaded), 12)), ["the bridge of the town stands"]);
    live(&mut world, loaded, 20, "the bridge of the town was painted");
    let found = ask(&mut world, question(loaded), 21);
    assert!(found.iter().all(|entry| !entry.text.contains("fallen")) && found.len() == 2, "{found:?}");
}

#[test]
fn answer_brings_the_ticket_and_the_circumstances_of_its_memories() {
    let mut world = town();
    let ann = world.spawn(NpcMind::new(npc("Ann")).recalling()).id();
    let chat = NewMemory::new(at(1), Kind::Chat, "Joss owes Tom silver for the axle")
        .with(|m| m.actors = vec!["Joss".to_owned()]);
    let chat = NewMemory { tags: vec!["debt".to_owned()], place: Some("mill".to_owned()), ..chat };
    world.write_message(MemoryFormed { entity: ann, memory: chat });
    live(&mut world, ann, 2, "Tom owes silver for an axle");
    let question = RecallQuestion::new(ann, "who owes silver for the axle?").with_ticket(7);
    let of = |narrow: RecallQuestion| narrow;
    world.write_message(question.clone());
    let answer = loop {
        tick(&mut world, 5);
        if let Some(answer) = told::<RecallAnswered>(&mut world).pop() {
            break answer;
        }
    };
    assert_eq!((answer.ticket, answer.memories.unwrap().len()), (7, 2));
    for narrow in [
        of(question.clone().with_filter(|filter| filter.about("Joss"))),
        of(question.clone().with_filter(|filter| filter.tagged("debt"))),
        of(question.clone().with_filter(|filter| filter.kinds([Kind::Chat]))),
    ] {
        let found = ask(&mut world, narrow, 6);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (found[0].actors.as_slice(), found[0].place.as_deref()),
            (&["Joss".to_owned()][..], Some("mill"))
        );
    }
    let later = ask(&mut world, question.with_filter(|filter| filter.since(at(2))), 7);
    assert_eq!(texts(&later), ["Tom owes silver for an axle"]);
}

#[test]
fn night_tells_what_was_learnt_and_what_is_believed_no_longer() {
    let mut world = town();
    let ann = world.spawn(NpcMind::new(npc("Ann")).recalling()).id();
    let (open, shut) = ("The east gate of the town is open", "The east gate of the town is not open");
    let night = |world: &mut World, text: &str, from: i64| {
        let told_by = NewMemory::new(at(from), Kind::Chat, text)
            .with(|m| m.actors = ["Wren", "Ann"].map(str::to_owned).to_vec());
        world.write_message(MemoryFormed { entity: ann, memory: told_by });
        tick(world, from);
        sleep(world, ann, from + 10, from + 1_000);
        settle(world, from + 20);
        tick(world, from + 1_000);
        told::<NightConsolidated>(world).pop().unwrap().summary
    };
    let summary = night(&mut world, open, 10);
    let learnt = |change: &MindChange| match change {
        MindChange::Learnt { statement, actors, .. } => Some((statement.text.clone(), actors.len())),
        _ => None,
    };
    assert_eq!(summary.changes.iter().filter_map(learnt).collect::<Vec<_>>(), [(Some(open.to_owned()), 2)]);
    let summary = night(&mut world, shut, 90_000);
    let changed = summary.changes.iter().find_map(|change| match change {
        MindChange::BeliefChanged { old, new, told_by, .. } => {
            Some((old.clone(), new.clone(), told_by.clone()))
        }
        _ => None,
    });
    let (old, new, told_by) = changed.unwrap_or_else(|| panic!("{:?}", summary.changes));
    assert_eq!((old.text.as_deref(), new.text.as_deref()), (Some(open), Some(shut)));
    assert_eq!(told_by, ["Wren"]);
}

#[test]
fn npc_of_a_loaded_game_answers_at_once() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let mut before = world(store.clone(), Arc::new(Toy::new()), 1);
    let ann = spawn(&mut before, "Ann", &["the bridge of the town has fallen"]);
    sleep(&mut before, ann, 1_000, 2_000);
    settle(&mut before, 1_000);
    let saved = serde_json::to_string(before.get::<NpcMind>(ann).unwrap()).unwrap();
    let mut world = world(store, Arc::new(Toy::new()), 1);
    let ann = world.spawn(serde_json::from_str::<NpcMind>(&saved).unwrap()).id();
    let found = ask(&mut world, RecallQuestion::new(ann, "what of the bridge?"), 3_000);
    assert_eq!(texts(&found), ["the bridge of the town has fallen"]);
    for _ in 0..1_000 {
        tick(&mut world, 3_001);
    }
    assert_eq!(world.get::<NpcMind>(ann).unwrap().entries(), 1);
}

#[test]
fn every_sleep_ends_with_one_message() {
    let mut world = town();
    let ann = spawn(&mut world, "Ann", &["Joss owes silver"]);
    let woke = |world: &mut World, now: i64| {
        tick(world, now);
        tick(world, now);
        let told = told::<WokeUp>(world);
        told.iter().map(|woke| (woke.why, woke.night)).collect::<Vec<_>>()
    };
    // Woken by the game when its night is told already.
    sleep(&mut world, ann, 1_000, 10_000);
    settle(&mut world, 1_000);
    world.entity_mut(ann).remove::<Asleep>();
    assert_eq!(woke(&mut world, 1_001), [(WakeReason::Woken, NightProgress::Over)]);
    // Nothing happened that day.
    sleep(&mut world, ann, 2_000, 2_010);
    assert_eq!(woke(&mut world, 2_010), [(WakeReason::Rested, NightProgress::Over)]);
    // It wakes in time, and its night is late.
    live(&mut world, ann, 3_000, "Wren sang");
    sleep(&mut world, ann, 3_000, 3_001);
    assert_eq!(woke(&mut world, 3_001), [(WakeReason::Rested, NightProgress::UnderWay { by_rules: false })]);
    settle(&mut world, 3_002);
    assert_eq!(told::<NightConsolidated>(&mut world).len(), 2);
    // Its turn never came.
    world.resource_mut::<NightBudgets>().onset_per_tick = 1;
    let ben = spawn(&mut world, "Ben", &["Odo sang"]);
    sleep(&mut world, ann, 4_000, 4_000);
    sleep(&mut world, ben, 4_000, 4_000);
    let ends = woke(&mut world, 4_000);
    assert_eq!(ends.len(), 2, "{ends:?}");
    assert!(ends.contains(&(WakeReason::Rested, NightProgress::NotBegun)), "{ends:?}");
}

#[test]
fn loaded_save_recalls_nothing_of_the_future_and_a_lost_one_changes_nothing() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let mut world = world(store.clone(), Arc::new(Toy::new()), 1);
    let ann = world.spawn(NpcMind::new(npc("Ann")).recalling()).id();
    let night = |world: &mut World, text: &str, from: i64| {
        live(world, ann, from, text);
        sleep(world, ann, from + 10, from + 1_000);
        settle(world, from + 20);
        tick(world, from + 1_000);
    };
    night(&mut world, "The bridge of the town stands", 10);
    let saved = save(&world, &SavePointName::new("slot 1").unwrap()).unwrap();
    night(&mut world, "The bridge of the town has fallen", 90_000);
    let question = || RecallQuestion::new(ann, "what of the bridge of the town?");
    assert_eq!(ask(&mut world, question(), 95_000).len(), 2);
    restore(&mut world, saved.clone()).unwrap();
    assert_eq!(texts(&ask(&mut world, question(), 2_000)), ["The bridge of the town stands"]);

    store.undo(&npc("Ann")).unwrap().unwrap();
    live(&mut world, ann, 3_000, "Wren sang");
    sleep(&mut world, ann, 3_000, 9_000);
    tick(&mut world, 3_000);
    let error = restore(&mut world, saved).unwrap_err();
    assert!(matches!(error, CheckpointError::Store(_)), "{error}");
    assert_eq!(world.resource::<SleepQueue>().under_way(), 1, "its night goes on");
}

#[test]
fn despawned_sleeper_is_not_woken() {
    let mut world = town();
    let ann = spawn(&mut world, "Ann", &["Joss owes silver"]);
    sleep(&mut world, ann, 1_000, 9_000);
    tick(&mut world, 1_000);
    let asleep = world.get::<Asleep>(ann).unwrap().clone();
    world.despawn(ann);
    let again = spawn(&mut world, "Ann", &[]);
    world.entity_mut(again).insert(asleep);
    settle(&mut world, 1_001);
    assert!(told::<WokeUp>(&mut world).is_empty(), "it sleeps on");
    assert_eq!(told::<NightConsolidated>(&mut world).pop().map(|night| night.entity), Some(again));
    tick(&mut world, 9_000);
    assert_eq!(told::<WokeUp>(&mut world).len(), 1);
}

#[test]
fn two_npcs_of_one_name_are_refused() {
    let mut world = town();
    let guard = spawn(&mut world, "Guard", &["I took a bribe"]);
    let other = spawn(&mut world, "Guard", &["I polished my spear"]);
    world.flush();
    tick(&mut world, 5);
    assert!(world.get::<NpcMind>(other).is_none() && world.get::<DailyMemories>(other).is_some());
    let refused: Vec<_> = world.resource_mut::<bevy_ecs::message::Messages<MindRefused>>().drain().collect();
    assert_eq!(refused.iter().map(|r| (r.entity, r.holder)).collect::<Vec<_>>(), [(other, guard)]);
    assert_eq!(world.resource::<NpcDirectory>().get(&npc("Guard")), Some(guard));
    world.despawn(guard);
    let again = spawn(&mut world, "Guard", &[]);
    assert_eq!(world.resource::<NpcDirectory>().get(&npc("Guard")), Some(again), "a name is free again");
}

/// Embedder that takes half a second for each call with many texts.
struct Slow {
    toy: Toy,
    busy: AtomicBool,
}

impl Embedder for Slow {
    fn model(&self) -> &ModelId {
        self.toy.model()
    }

    fn dimensions(&self) -> usize {
        self.toy.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        if texts.len() > 100 {
            self.busy.store(true, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(500));
        }
        self.toy.embed(texts)
    }
}

#[test]
fn questions_do_not_wait_for_nights_and_quitting_gives_nights_up() {
    let embedder = Arc::new(Slow { toy: Toy::new(), busy: AtomicBool::new(false) });
    let mut world = world(Arc::new(SqliteStore::in_memory().unwrap()), embedder.clone(), 1);
    let ann = world.spawn(NpcMind::new(npc("Ann")).recalling()).id();
    live(&mut world, ann, 10, "the bridge has fallen");
    // Twelve windows of texts, six seconds of work.
    for n in 0..32 {
        let day: Vec<String> = (0..96).map(|m| format!("villager {n} counted {m} sacks")).collect();
        let entity = spawn(&mut world, &format!("S{n}"), &day.iter().map(String::as_str).collect::<Vec<_>>());
        sleep(&mut world, entity, 10_000, 100_000);
    }
    while !embedder.busy.load(Ordering::Relaxed) {
        tick(&mut world, 10_000);
    }
    let begun = Instant::now();
    assert_eq!(
        texts(&ask(&mut world, RecallQuestion::new(ann, "the bridge?"), 10_001)),
        ["the bridge has fallen"]
    );
    assert!(world.resource::<SleepQueue>().under_way() > 0, "answered while they sleep");
    drop(world);
    // A bound on a machine of any speed: all of the work would take twelve times as long.
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
}

/// Saves a world as a game does, in the order of its storage or of the names, and loads it into another one.
fn reload(world: &mut World, by_name: bool) -> World {
    let mut npcs = saved_npcs(world);
    if by_name {
        npcs.sort();
    } else {
        npcs.reverse();
    }
    let nights = serde_json::to_string(&world.resource::<SleepQueue>().checkpoint()).unwrap();
    let mut loaded = support::world(world.resource::<LongTermStore>().0.clone(), Arc::new(Toy::new()), 2);
    loaded.insert_resource(*world.resource::<SleepTiming>());
    loaded.insert_resource(*world.resource::<GameClock>());
    loaded.insert_resource(world.resource::<NightBudgets>().clone());
    spawn_saved(&mut loaded, &npcs);
    restore(&mut loaded, serde_json::from_str(&nights).unwrap()).unwrap();
    loaded
}

#[test]
fn loaded_game_stays_in_lockstep() {
    for by_name in [true, false] {
        let mut world = town();
        world.insert_resource(SleepTiming::Lockstep { plan_seconds: 100, write_seconds: 10 });
        let budgets = NightBudgets {
            onset_per_tick: 3,
            wakes_per_tick: 2,
            results_per_tick: 4,
            ..NightBudgets::default()
        };
        world.insert_resource(budgets);
        let people: Vec<Entity> =
            (0..20).map(|n| spawn(&mut world, &format!("N{n:02}"), &["I counted sheep"])).collect();
        tick(&mut world, 60);
        // They go to bed in another order than they were spawned, and some of them twice.
        for (n, until) in (0..20).zip((240..).flat_map(|until| [until; 4])) {
            sleep(&mut world, people[n * 7 % 20], 60, until);
        }
        for n in [3, 8] {
            world.entity_mut(people[n]).remove::<Asleep>();
            sleep(&mut world, people[n], 61, 240);
        }
        for now in [61, 62, 66, 120, 165, 175, 200, 240, 243] {
            while world.resource::<GameClock>().now.seconds() < now {
                let next = world.resource::<GameClock>().now.seconds() + 1;
                tick(&mut world, next);
            }
            let mut loaded = reload(&mut world, by_name);
            assert_eq!(state_hash(&mut world).unwrap(), state_hash(&mut loaded).unwrap(), "loaded at {now}");
            // The two worlds have one store: the loaded one is compared as far as neither writes.
            for later in now + 1..now + 6 {
                if (159..=171).contains(&later) {
                    break;
                }
                tick(&mut world, later);
                tick(&mut loaded, later);
                assert_eq!(
                    state_hash(&mut world).unwrap(),
                    state_hash(&mut loaded).unwrap(),
                    "{now}: {later}"
                );
            }
        }
    }
}

#[test]
fn memory_is_maintained_in_sleep_after_the_night() {
    const DAY: i64 = 86_400;
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let mut world = world(store.clone(), Arc::new(Toy::new()), 1);
    world.insert_resource(MaintenancePolicy { every_days: 3, ..MaintenancePolicy::default() });
    let ann = world.spawn(NpcMind::new(npc("Ann")).recalling()).id();
    let mut maintained = Vec::new();
    for day in 0..8 {
        for hour in 0..3 {
            let at = DAY * day + 3_600 * (8 + hour);
            let sacks = NewMemory::new(
                support::at(at),
                Kind::Status,
                format!("mill stock: {} sacks", 40 + day + hour),
            );
            world.write_message(MemoryFormed { entity: ann, memory: sacks });
            tick(&mut world, at);
        }
        let evening = DAY * day + 75_600;
        sleep(&mut world, ann, evening, evening + 28_800);
        settle(&mut world, evening + 60);
        maintained
            .extend(told::<MindMaintained>(&mut world).into_iter().map(|told| (day, told.result.is_ok())));
        assert!(world.get::<Asleep>(ann).is_some(), "it sleeps on");
        tick(&mut world, evening + 28_800);
    }
    assert_eq!(maintained, [(3, true), (6, true)]);
    let nights = store.nights(Some(&npc("Ann"))).unwrap();
    let labels: Vec<&str> = nights.iter().map(|night| night.night.as_str()).collect();
    assert_eq!(labels.iter().filter(|label| label.ends_with("upkeep")).count(), 2, "{labels:?}");
    // The lines of all days are one entry with the days since the last maintenance beside it.
    let active = world.get::<NpcMind>(ann).unwrap().entries();
    assert!(active <= 2, "{active} entries of status lines");
    assert_eq!(world.get::<NpcMind>(ann).unwrap().version(), store.snapshot(&npc("Ann")).unwrap().version);
}

#[test]
fn entries_that_came_to_mind_are_touched_with_the_next_night() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let mut world = world(store.clone(), Arc::new(Toy::new()), 1);
    let ann = spawn(&mut world, "Ann", &["the bridge of the town has fallen"]);
    sleep(&mut world, ann, 1_000, 2_000);
    settle(&mut world, 1_000);
    tick(&mut world, 2_000);
    for n in 0..3 {
        ask(&mut world, RecallQuestion::new(ann, "what of the bridge?"), 3_000 + n);
    }
    live(&mut world, ann, 4_000, "Wren sang");
    sleep(&mut world, ann, 5_000, 6_000);
    settle(&mut world, 5_000);
    let entries = store.entries(&npc("Ann")).unwrap();
    let bridge = entries.iter().find(|record| record.entry.text.contains("bridge")).unwrap();
    assert_eq!((bridge.recalls, bridge.recalled_at), (3, Some(at(3_002))));
}

#[test]
fn an_npc_that_comes_back_during_its_night_remembers_what_the_night_wrote() {
    let mut world = world_without_threads(Arc::new(SqliteStore::in_memory().unwrap()), Arc::new(Toy::new()));
    world.insert_resource(SleepTiming::Lockstep { plan_seconds: 100, write_seconds: 10 });
    // Nobody could ask it when its night began.
    let mind = NpcMind::new(npc("Ann"));
    let mut day = DailyMemories::default();
    remember(&mut day, &mind, 10, "the bridge of the town has fallen");
    let gone = world.spawn((mind, day)).id();
    sleep(&mut world, gone, 1_000, 30_000);
    tick(&mut world, 1_000);
    world.despawn(gone);
    let ann = world.spawn((NpcMind::new(npc("Ann")).recalling(), DailyMemories::default())).id();
    // What it knows is read before the night is written, and one tick writes and delivers it.
    tick(&mut world, 2_000);
    world.write_message(RecallQuestion::new(ann, "what of the bridge?"));
    tick(&mut world, 2_001);
    tick(&mut world, 2_011);
    let answer = told::<RecallAnswered>(&mut world).pop().unwrap();
    assert_eq!(texts(&answer.memories.unwrap()), ["the bridge of the town has fallen"]);
}
