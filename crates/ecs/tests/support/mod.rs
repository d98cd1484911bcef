//! World with the sleep phase, the toy embedder and the store dump of the driver's tests.
#![allow(dead_code, reason = "every test program uses a part of it")]

#[path = "../../../nightfold/tests/support/mod.rs"]
pub(crate) mod night;

use std::{
    num::NonZeroUsize,
    sync::Arc,
    time::{Duration, Instant},
};

use bevy_ecs::{message::Messages, prelude::*};
use nightfold_ecs::{
    Asleep, ConsolidationFailed, DailyMemories, GameClock, MemoryRefused, MindMaintained, NewMemory,
    NightConsolidated, NightPool, NpcMind, RecallAnswered, SleepPhase, SleepPorts, SleepQueue, WokeUp,
    install,
    memory::{Embedder, GameTime, Importance, Kind, MemoryStore, ValidConfig},
};

pub(crate) fn at(seconds: i64) -> GameTime {
    GameTime::from_seconds(seconds).unwrap()
}

pub(crate) fn pool(threads: usize) -> NightPool {
    NightPool::new(NonZeroUsize::new(threads).unwrap()).unwrap()
}

/// Returns a world with the sleep phase installed.
pub(crate) fn world(store: Arc<dyn MemoryStore>, embedder: Arc<dyn Embedder>, threads: usize) -> World {
    let mut world = World::new();
    let config = Arc::new(ValidConfig::default());
    install(&mut world, SleepPorts { config, store, embedder, pool: pool(threads) });
    world
}

/// Returns a world whose nights are computed in steps of the game.
pub(crate) fn world_without_threads(store: Arc<dyn MemoryStore>, embedder: Arc<dyn Embedder>) -> World {
    let mut world = world(store, embedder, 1);
    world.insert_resource(NightPool::without_threads());
    world
}

/// Runs a tick of the game at a moment.
pub(crate) fn tick(world: &mut World, now: i64) {
    world.resource_mut::<GameClock>().now = at(now);
    world.run_schedule(SleepPhase);
    keep::<NightConsolidated>(world);
    keep::<ConsolidationFailed>(world);
    keep::<WokeUp>(world);
    keep::<MemoryRefused>(world);
    keep::<RecallAnswered>(world);
    keep::<MindMaintained>(world);
}

/// Messages collected so far. Buffers keep messages for two ticks only, and the number of ticks of a night
/// depends on threads.
#[derive(Resource)]
struct Collected<M: Message>(Vec<M>);

fn keep<M: Message>(world: &mut World) {
    let new: Vec<M> = world.resource_mut::<Messages<M>>().drain().collect();
    world.get_resource_or_insert_with(|| Collected(Vec::new())).0.extend(new);
}

/// Returns the messages collected since the last call.
pub(crate) fn told<M: Message>(world: &mut World) -> Vec<M> {
    keep::<M>(world);
    std::mem::take(&mut world.resource_mut::<Collected<M>>().0)
}

/// Runs ticks at one moment until no night is under way.
pub(crate) fn settle(world: &mut World, now: i64) {
    until("the nights do not end", || {
        tick(world, now);
        let nights = world.resource::<SleepQueue>();
        (nights.waiting() == 0 && nights.under_way() == 0).then_some(())
    });
}

/// Repeats a step until it returns something. Ticks alone are no measure of what goes on in other threads: a
/// thread that prints a backtrace outlasts 100,000 of them.
pub(crate) fn until<T>(missing: &str, mut step: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    for rounds in 0_u64.. {
        if let Some(done) = step() {
            return done;
        }
        assert!(begun.elapsed() < Duration::from_mins(5), "{missing}");
        match rounds {
            ..1_000 => std::thread::yield_now(),
            _ => std::thread::sleep(Duration::from_micros(100)),
        }
    }
    unreachable!("rounds do not run out");
}

/// Spawns an NPC with memories of a day.
pub(crate) fn spawn(world: &mut World, name: &str, texts: &[&str]) -> Entity {
    let mind = NpcMind::new(night::npc(name)).recalling();
    let mut day = DailyMemories::default();
    for (n, text) in (0_i64..).zip(texts) {
        remember(&mut day, &mind, 60 * n, text);
    }
    world.spawn((mind, day)).id()
}

pub(crate) fn remember(day: &mut DailyMemories, mind: &NpcMind, seconds: i64, text: &str) {
    let memory =
        NewMemory::new(at(seconds), Kind::Event, text).with(|m| m.importance = Importance::new(5).ok());
    day.remember(mind.npc(), memory, &ValidConfig::default().input).unwrap();
}

pub(crate) fn sleep(world: &mut World, entity: Entity, since: i64, until: i64) {
    world.entity_mut(entity).insert(Asleep::new(at(since), at(until)));
}

/// Returns the number of memories in the NPC's day.
pub(crate) fn by_day(world: &World, entity: Entity) -> usize {
    world.get::<DailyMemories>(entity).unwrap().memories().len()
}

/// Returns the components of all NPCs as a game saves them, in the order of the world's storage.
pub(crate) fn saved_npcs(world: &mut World) -> Vec<String> {
    let mut all = world.query::<(&NpcMind, &DailyMemories, Option<&Asleep>)>();
    all.iter(world).map(|npc| serde_json::to_string(&npc).unwrap()).collect()
}

/// Spawns saved NPCs.
pub(crate) fn spawn_saved(world: &mut World, npcs: &[String]) {
    for npc in npcs {
        let (mind, day, asleep): (NpcMind, DailyMemories, Option<Asleep>) =
            serde_json::from_str(npc).unwrap();
        let mut npc = world.spawn((mind, day));
        asleep.into_iter().for_each(|asleep| _ = npc.insert(asleep));
    }
}
