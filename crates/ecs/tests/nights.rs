//! Guarantees for games: sleep stores memories, waking early loses none, one day is one night.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use bevy_ecs::prelude::*;
use nightfold_ecs::{
    Asleep, Checkpoint, Consolidating, ConsolidationFailed, DailyMemories, MemoryFormed, MemoryRefused,
    NewMemory, NightBudgets, NightConfig, NightConsolidated, NightLanguage, NightPool, NightProgress,
    NpcDirectory, NpcMind, NpcTags, RecallAnswered, RecallQuestion, SleepQueue, SleepTiming, TokensLeft,
    WakeReason, WokeUp,
    memory::{
        Kind, MemoryReader, State,
        config::{Profile, ProfileName},
    },
    restore,
};
use nightfold_store::SqliteStore;
use support::{
    at, by_day,
    night::{Parrot, Toy, config, npc},
    remember, settle, sleep, spawn, tick, told, world, world_without_threads,
};

const DAY: [&str; 4] = [
    "Joss owes Ann 14 silver for the new axle",
    "Joss asked Ann about the silver for the axle",
    "I swept the common room before opening",
    "Wren sang about the storm",
];

fn town() -> (World, Arc<SqliteStore>) {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    (world(store.clone(), Arc::new(Toy::new()), 2), store)
}

#[test]
fn night_is_stored_and_npc_wakes_at_the_end_of_its_sleep() {
    let (mut world, store) = town();
    let ann = spawn(&mut world, "Ann", &DAY);
    world.add_observer(|woke: On<WokeUp>, mut commands: Commands| {
        commands.entity(woke.event().entity).insert(Name("awake"));
    });
    sleep(&mut world, ann, 1_000, 30_000);
    tick(&mut world, 1_000);
    assert!(world.get::<Consolidating>(ann).is_some());
    assert_eq!(by_day(&world, ann), 0);
    settle(&mut world, 2_000);
    assert!(world.get::<Asleep>(ann).is_some(), "it sleeps on");
    assert!(world.get::<Name>(ann).is_none());
    let told: Vec<NightConsolidated> = told(&mut world);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].summary.report.counts.memories, 4);
    assert_eq!(told[0].summary.night.as_str(), "day-0");
    assert_eq!(
        store.entries(&npc("Ann")).unwrap().iter().filter(|e| e.entry.id.as_str().starts_with('t')).count(),
        4
    );
    let mind = world.get::<NpcMind>(ann).unwrap();
    assert_eq!(mind.version(), store.snapshot(&npc("Ann")).unwrap().version);
    let (active, faint) = (store.snapshot(&npc("Ann")).unwrap().entries, store.faint(&npc("Ann")).unwrap());
    assert_eq!(mind.entries(), active.len() + faint.len());
    tick(&mut world, 30_000);
    assert!(world.get::<Asleep>(ann).is_none());
    assert_eq!(world.get::<Name>(ann), Some(&Name("awake")));
}

#[derive(Component, Debug, PartialEq)]
struct Name(&'static str);

#[test]
fn memories_formed_during_sleep_belong_to_the_next_night() {
    let (mut world, store) = town();
    let ann = spawn(&mut world, "Ann", &DAY);
    sleep(&mut world, ann, 1_000, 30_000);
    // Formed before its turn came, but after it fell asleep.
    let mind = world.get::<NpcMind>(ann).unwrap().clone();
    remember(&mut world.get_mut::<DailyMemories>(ann).unwrap(), &mind, 1_001, "A dog barked in the night");
    world.write_message(MemoryFormed {
        entity: ann,
        memory: NewMemory::new(at(1_002), Kind::Event, "Rain fell"),
    });
    tick(&mut world, 1_002);
    assert_eq!(by_day(&world, ann), 2);
    settle(&mut world, 1_003);
    assert!(store.entries(&npc("Ann")).unwrap().iter().all(|e| !e.entry.text.contains("dog")));
    tick(&mut world, 30_000);
    sleep(&mut world, ann, 90_000, 100_000);
    settle(&mut world, 90_000);
    assert!(store.entries(&npc("Ann")).unwrap().iter().any(|e| e.entry.text.contains("dog barked")));
    assert_eq!(store.nights(Some(&npc("Ann"))).unwrap().len(), 2);
}

#[test]
fn onset_budget_spreads_falling_asleep_over_ticks() {
    let (mut world, _) = town();
    let all: Vec<Entity> = (0..40).map(|n| spawn(&mut world, &format!("N{n}"), &DAY)).collect();
    all.iter().for_each(|e| sleep(&mut world, *e, 1_000, 30_000));
    tick(&mut world, 1_000);
    assert_eq!(world.resource::<SleepQueue>().waiting(), 24);
    assert_eq!(world.query::<&Consolidating>().iter(&world).count(), 16);
    settle(&mut world, 1_000);
    assert!(all.iter().all(|e| world.get::<NpcMind>(*e).unwrap().version() != 0));
}

#[test]
fn npc_woken_before_its_turn_keeps_its_day() {
    let (mut world, store) = town();
    world.resource_mut::<NightBudgets>().onset_per_tick = 1;
    let (ann, ben) = (spawn(&mut world, "Ann", &DAY), spawn(&mut world, "Ben", &DAY));
    sleep(&mut world, ann, 1_000, 30_000);
    sleep(&mut world, ben, 1_000, 30_000);
    tick(&mut world, 1_000);
    world.entity_mut(ben).remove::<Asleep>();
    tick(&mut world, 1_001);
    let woke: Vec<WokeUp> = told(&mut world);
    let woke: Vec<_> = woke.iter().map(|w| (w.entity, w.why, w.night)).collect();
    assert_eq!(woke, [(ben, WakeReason::Woken, NightProgress::NotBegun)]);
    settle(&mut world, 1_002);
    assert_eq!(by_day(&world, ben), 4);
    assert!(store.nights(Some(&npc("Ben"))).unwrap().is_empty());
}

#[test]
fn rules_finish_the_night_of_an_npc_woken_during_model_calls() {
    /// Language model that blocks on every question until the flag is set.
    static WOKEN: AtomicBool = AtomicBool::new(false);
    let (mut world, store) = town();
    let thinks = |_: &_| {
        while !WOKEN.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        None
    };
    world.insert_resource(NightLanguage(Some(Arc::new(Parrot::new(thinks, |tokens| tokens)))));
    let ann = spawn(&mut world, "Ann", &DAY);
    sleep(&mut world, ann, 1_000, 30_000);
    world.resource_mut::<NightBudgets>().batch_ticks = 0;
    tick(&mut world, 1_000);
    world.entity_mut(ann).remove::<Asleep>();
    tick(&mut world, 1_001);
    let woke: Vec<WokeUp> = told(&mut world);
    assert_eq!((woke.len(), woke[0].night), (1, NightProgress::UnderWay { by_rules: true }));
    WOKEN.store(true, Ordering::Relaxed);
    settle(&mut world, 1_002);
    assert_eq!(store.nights(Some(&npc("Ann"))).unwrap().len(), 1, "one night, by the rules");
    let told: Vec<NightConsolidated> = told(&mut world);
    assert!(told[0].summary.report.language.is_none());
}

#[test]
fn embedding_failure_fails_one_night_and_returns_its_memories() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let mut world = world(store.clone(), Arc::new(Toy::failing_at("cursed")), 1);
    let ann = spawn(&mut world, "Ann", &["A cursed word was spoken", "Wren sang"]);
    let ben = spawn(&mut world, "Ben", &DAY);
    sleep(&mut world, ann, 1_000, 30_000);
    sleep(&mut world, ben, 1_000, 30_000);
    settle(&mut world, 1_000);
    let failed: Vec<ConsolidationFailed> = told(&mut world);
    assert_eq!(failed.iter().map(|f| (f.entity, f.memories)).collect::<Vec<_>>(), [(ann, 2)]);
    assert_eq!((by_day(&world, ann), by_day(&world, ben)), (2, 0));
    assert_eq!(store.nights(None).unwrap().len(), 1);
}

#[test]
fn night_of_a_despawned_npc_is_stored_and_memories_of_its_failure_are_kept() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let mut world = world(store.clone(), Arc::new(Toy::failing_at("cursed")), 1);
    let ann = spawn(&mut world, "Ann", &DAY);
    let ben = spawn(&mut world, "Ben", &["A cursed word was spoken", "Wren sang"]);
    sleep(&mut world, ann, 1_000, 30_000);
    sleep(&mut world, ben, 1_000, 30_000);
    tick(&mut world, 1_000);
    world.despawn(ann);
    world.despawn(ben);
    settle(&mut world, 1_001);
    assert_eq!(store.nights(Some(&npc("Ann"))).unwrap().len(), 1);
    let unconsolidated: Vec<_> =
        world.resource::<SleepQueue>().unconsolidated().map(|(npc, m)| (npc.clone(), m.len())).collect();
    assert_eq!(unconsolidated, [(npc("Ben"), 2)]);
    // Another entity of that name takes them, with an embedder that works.
    world.insert_resource(nightfold_ecs::TextEmbedder(Arc::new(Toy::new())));
    let ben = spawn(&mut world, "Ben", &[]);
    sleep(&mut world, ben, 90_000, 100_000);
    settle(&mut world, 90_000);
    assert_eq!(store.snapshot(&npc("Ben")).unwrap().known.len(), 2);
    assert_eq!(world.resource::<SleepQueue>().unconsolidated().count(), 0);
}

#[test]
fn checkpoint_keeps_its_serialized_form() {
    let saved = r#"{"format":1,"nights":[],"unslept":{"Ann":[]}}"#;
    let checkpoint: Checkpoint = serde_json::from_str(saved).unwrap();
    assert_eq!(checkpoint.unconsolidated().count(), 1);
    assert_eq!(serde_json::to_string(&checkpoint).unwrap(), saved);
}

#[test]
fn newer_checkpoint_format_is_refused() {
    let (mut world, _) = town();
    let newer: Checkpoint = serde_json::from_str(r#"{"format":99,"nights":[]}"#).unwrap();
    let error = restore(&mut world, newer.clone()).unwrap_err();
    assert_eq!(error.to_string(), "the checkpoint is of format 99; this version reads format 1");
    let error = restore(&mut World::new(), serde_json::from_str(r#"{"format":1,"nights":[]}"#).unwrap());
    assert!(matches!(error, Err(nightfold_ecs::CheckpointError::NotInstalled)));
}

#[test]
fn memories_over_a_bound_are_refused_with_their_error() {
    let (mut world, _) = town();
    let ann = spawn(&mut world, "Ann", &[]);
    let gone = world.spawn_empty().id();
    world.despawn(gone);
    let long = NewMemory::new(at(5), Kind::Chat, "x".repeat(70_000));
    world.write_message(MemoryFormed { entity: ann, memory: long.clone() });
    world.write_message(MemoryFormed { entity: gone, memory: NewMemory::new(at(5), Kind::Chat, "hello") });
    tick(&mut world, 10);
    let refused: Vec<MemoryRefused> = told(&mut world);
    assert_eq!(refused.len(), 2);
    assert_eq!(refused[0].memory, long);
    assert!(refused[0].error.to_string().contains("input.max_text_bytes"), "{}", refused[0].error);
    assert_eq!(by_day(&world, ann), 0);
}

#[test]
fn question_finds_an_entry_of_the_last_night() {
    let (mut world, _) = town();
    let ann = spawn(&mut world, "Ann", &DAY);
    let stranger = world.spawn_empty().id();
    sleep(&mut world, ann, 1_000, 2_000);
    settle(&mut world, 1_000);
    world.write_message(RecallQuestion::new(ann, "who owes silver for the new axle?"));
    world.write_message(RecallQuestion::new(stranger, "anything?"));
    let mut answers: Vec<RecallAnswered> = Vec::new();
    while answers.len() < 2 {
        tick(&mut world, 3_000);
        answers.extend(told::<RecallAnswered>(&mut world));
    }
    answers.sort_by_key(|a| a.memories.is_err());
    let found = answers[0].memories.as_ref().unwrap();
    assert!(found[0].text.contains("14 silver for the new axle"), "{found:?}");
    let error = answers[1].memories.as_ref().unwrap_err().to_string();
    assert!(error.contains("its mind is not recalling"), "{error}");
}

#[test]
fn entry_that_came_faintly_to_mind_is_active_after_the_next_night() {
    let (mut world, store) = town();
    let ann = spawn(&mut world, "Ann", &DAY);
    sleep(&mut world, ann, 1_000, 2_000);
    settle(&mut world, 1_000);
    let faint = store.faint(&npc("Ann")).unwrap().remove(0);
    let is_active = || store.entry(&npc("Ann"), &faint.entry.id).unwrap().unwrap().state == State::Active;
    assert!(!is_active());
    world.write_message(RecallQuestion::new(ann, faint.entry.text.clone()));
    let mut answers: Vec<RecallAnswered> = Vec::new();
    while answers.is_empty() {
        tick(&mut world, 3_000);
        answers.extend(told::<RecallAnswered>(&mut world));
    }
    let found = answers[0].memories.as_ref().unwrap();
    assert!(found.iter().any(|entry| entry.faint && entry.id == faint.entry.id), "{found:?}");
    world.write_message(MemoryFormed {
        entity: ann,
        memory: NewMemory::new(at(4_000), Kind::Event, "Rain fell on the mill"),
    });
    tick(&mut world, 4_000);
    sleep(&mut world, ann, 90_000, 100_000);
    settle(&mut world, 90_000);
    assert!(is_active());
}

#[test]
fn npcs_sleep_and_answer_by_the_profiles_of_their_names_and_tags() {
    let (mut world, _) = town();
    let ann_alone = config(|c| {
        (c.recall.min_relevance, c.budget.storage, c.triage.unimportant) = (0.0, 1.0, 1);
        c.profiles.insert(
            "curt".to_owned(),
            Profile::default().with(|profile| {
                profile.npcs = vec!["Ann".to_owned()];
                profile.recall.limit = Some(1);
            }),
        );
        c.profiles.insert(
            "dull".to_owned(),
            Profile::default().with(|profile| profile.tags = vec!["guard".to_owned()]),
        );
    });
    world.insert_resource(NightConfig(Arc::new(ann_alone)));
    let npcs = [spawn(&mut world, "Ann", &DAY), spawn(&mut world, "Ben", &DAY)];
    world.entity_mut(npcs[1]).insert(NpcTags(vec!["guard".to_owned()]));
    npcs.iter().for_each(|entity| sleep(&mut world, *entity, 1_000, 2_000));
    settle(&mut world, 1_000);
    let nights: Vec<NightConsolidated> = told(&mut world);
    assert_eq!(nights.len(), 2);
    for NightConsolidated { npc: of, summary, .. } in nights {
        let profile = summary.report.profile.as_ref().map(ProfileName::as_str);
        assert_eq!(profile, Some(if of == npc("Ann") { "curt" } else { "dull" }));
    }
    for entity in npcs {
        world.write_message(RecallQuestion::new(entity, "who swept the common room?"));
    }
    let mut answers: Vec<RecallAnswered> = Vec::new();
    while answers.len() < 2 {
        tick(&mut world, 3_000);
        answers.extend(told::<RecallAnswered>(&mut world));
    }
    let found = |entity: Entity| {
        let answer = answers.iter().find(|answer| answer.entity == entity).unwrap();
        answer.memories.as_ref().unwrap().len()
    };
    assert_eq!(found(npcs[0]), 1);
    assert!(found(npcs[1]) > 1, "{answers:?}");
}

#[test]
fn changed_configuration_applies_to_later_nights_only() {
    let (mut world, store) = town();
    let (ann, ben) = (spawn(&mut world, "Ann", &DAY), spawn(&mut world, "Ben", &DAY));
    sleep(&mut world, ann, 1_000, 30_000);
    tick(&mut world, 1_000);
    let turned = support::night::config(|c| c.day.turns_at = 4 * 3600);
    world.insert_resource(nightfold_ecs::NightConfig(Arc::new(turned)));
    sleep(&mut world, ben, 1_000, 30_000);
    settle(&mut world, 1_001);
    let label = |name: &str| store.nights(Some(&npc(name))).unwrap()[0].night.as_str().to_owned();
    assert_eq!((label("Ann").as_str(), label("Ben").as_str()), ("day-0", "day--1"));
}

#[test]
fn two_sleeps_on_one_date_are_two_nights() {
    let (mut world, store) = town();
    let ann = spawn(&mut world, "Ann", &DAY);
    for (since, text) in [(1_000, "Odo has the fever"), (20_000, "Odo is well again"), (40_000, "Odo sang")] {
        let mind = world.get::<NpcMind>(ann).unwrap().clone();
        remember(&mut world.get_mut::<DailyMemories>(ann).unwrap(), &mind, since - 1, text);
        sleep(&mut world, ann, since, since + 10);
        settle(&mut world, since);
        tick(&mut world, since + 10);
    }
    assert_eq!(
        store.snapshot(&npc("Ann")).unwrap().known.keys().filter(|id| id.as_str().starts_with('t')).count(),
        7
    );
    assert_eq!(store.nights(Some(&npc("Ann"))).unwrap().len(), 3);
}

#[test]
fn lockstep_delivers_nights_and_answers_at_their_due_moment() {
    let (mut world, store) = town();
    world.insert_resource(SleepTiming::Lockstep { plan_seconds: 100, write_seconds: 10 });
    let ann = spawn(&mut world, "Ann", &DAY);
    sleep(&mut world, ann, 1_000, 30_000);
    for now in 1_000..1_110 {
        tick(&mut world, now);
        assert_eq!(told::<NightConsolidated>(&mut world).len(), 0, "at {now}");
        assert!(now >= 1_100 || store.nights(None).unwrap().is_empty(), "written at {now}");
    }
    tick(&mut world, 1_110);
    assert_eq!(told::<NightConsolidated>(&mut world).len(), 1);
    world.write_message(RecallQuestion::new(ann, "who swept the common room?"));
    for now in 2_000..2_010 {
        tick(&mut world, now);
        assert_eq!(told::<RecallAnswered>(&mut world).len(), 0, "at {now}");
    }
    tick(&mut world, 2_010);
    assert_eq!(told::<RecallAnswered>(&mut world).len(), 1);
}

#[test]
fn unused_token_grants_return_to_the_shared_budget() {
    let (mut world, _) = town();
    world.insert_resource(NightLanguage(Some(Arc::new(Parrot::new(|_| None, |tokens| tokens)))));
    world.insert_resource(TokensLeft(12_000));
    for name in ["Ann", "Ben", "Cid"] {
        let npc = spawn(&mut world, name, &DAY);
        sleep(&mut world, npc, 1_000, 30_000);
    }
    tick(&mut world, 1_000);
    assert_eq!(world.resource::<TokensLeft>().0, 0, "two of 5,000, and what is left for the third");
    settle(&mut world, 1_000);
    // The model refused everything and charged nothing.
    assert_eq!(world.resource::<TokensLeft>().0, 12_000);
}

#[test]
fn what_a_night_took_beyond_its_grant_or_before_a_panic_is_spent() {
    let panics = Parrot::new(|_| panic!("on purpose"), |tokens| tokens);
    let overspends = Parrot::new(|_| Some(Vec::new()), |_| 9_000);
    // What was asked before a panic is not known: the grant of 5,000 counts, and the rules finish the night.
    for (model, left) in [(overspends, 3_000), (panics, 7_000)] {
        let (mut world, store) = town();
        world.insert_resource(NightLanguage(Some(Arc::new(model))));
        world.insert_resource(TokensLeft(12_000));
        let npc = spawn(&mut world, "Ann", &DAY);
        sleep(&mut world, npc, 1_000, 30_000);
        settle(&mut world, 1_000);
        assert_eq!((store.nights(None).unwrap().len(), world.resource::<TokensLeft>().0), (1, left));
    }
}

#[test]
fn a_game_without_further_threads_computes_nights_and_answers_in_its_steps() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let mut world = world_without_threads(store.clone(), Arc::new(Toy::new()));
    world.resource_mut::<NightBudgets>().batch = 1;
    for name in ["Ann", "Ben", "Cid"] {
        let npc = spawn(&mut world, name, &DAY);
        sleep(&mut world, npc, 1_000, 300_000);
    }
    for now in 1_000..1_100 {
        tick(&mut world, now);
    }
    assert_eq!(world.resource::<SleepQueue>().under_way(), 3, "ticks compute nothing");
    let ann = world.resource::<NpcDirectory>().get(&npc("Ann")).unwrap();
    world.write_message(RecallQuestion::new(ann, "Who owes silver?"));
    tick(&mut world, 1_100);
    let mut once = true;
    assert!(world.resource::<NightPool>().step(|| std::mem::take(&mut once)), "one job, and others wait");
    tick(&mut world, 1_101);
    assert_eq!(told::<RecallAnswered>(&mut world).len(), 1, "answers go before nights");
    for now in 1_102.. {
        world.resource::<NightPool>().step(|| true);
        tick(&mut world, now);
        if world.resource::<SleepQueue>().under_way() == 0 {
            break;
        }
    }
    assert_eq!(told::<NightConsolidated>(&mut world).len(), 3);
    assert_eq!(store.nights(None).unwrap().len(), 3);
}
