//! A world that sleeps, with the toy embedder and the looking glass of the driver's tests.
#![allow(dead_code, reason = "every test program uses a part of it")]

#[path = "../../../night/tests/support/mod.rs"]
pub(crate) mod night;

use std::{num::NonZeroUsize, sync::Arc};

use bevy_ecs::prelude::*;
use nightfold_ecs::{
    Asleep, DailyMemories, GameClock, Lived, Mind, NightPool, Nights, SleepPhase, SleepPorts, install,
    memory::{Embedder, GameTime, Importance, Kind, MemoryStore, ValidConfig},
};

pub(crate) fn at(seconds: i64) -> GameTime {
    GameTime::from_seconds(seconds).unwrap()
}

pub(crate) fn pool(threads: usize) -> NightPool {
    NightPool::new(NonZeroUsize::new(threads).unwrap()).unwrap()
}

/// A world with the sleep phase in it.
pub(crate) fn world(store: Arc<dyn MemoryStore>, embedder: Arc<dyn Embedder>, threads: usize) -> World {
    let mut world = World::new();
    let config = Arc::new(ValidConfig::default());
    install(&mut world, SleepPorts { config, store, embedder, pool: pool(threads) });
    world
}

/// A tick of the game at a moment.
pub(crate) fn tick(world: &mut World, now: i64) {
    world.resource_mut::<GameClock>().now = at(now);
    world.run_schedule(SleepPhase);
}

/// Ticks at a moment until no night is going on.
pub(crate) fn settle(world: &mut World, now: i64) {
    for _ in 0..100_000 {
        tick(world, now);
        let nights = world.resource::<Nights>();
        if nights.waiting() == 0 && nights.under_way() == 0 {
            return;
        }
        std::thread::yield_now();
    }
    panic!("the nights do not end");
}

/// An NPC with a day behind it.
pub(crate) fn spawn(world: &mut World, name: &str, lived: &[&str]) -> Entity {
    let mind = Mind::new(night::npc(name)).recalling();
    let mut day = DailyMemories::default();
    for (n, text) in (0_i64..).zip(lived) {
        remember(&mut day, &mind, 60 * n, text);
    }
    world.spawn((mind, day)).id()
}

pub(crate) fn remember(day: &mut DailyMemories, mind: &Mind, seconds: i64, text: &str) {
    let lived = Lived::new(at(seconds), Kind::Event, text).with_importance(Importance::new(5).unwrap());
    day.remember(mind.npc(), lived, &ValidConfig::default().input).unwrap();
}

pub(crate) fn sleep(world: &mut World, entity: Entity, since: i64, until: i64) {
    world.entity_mut(entity).insert(Asleep::new(at(since), at(until)));
}

/// How many memories wait in the NPC's day.
pub(crate) fn by_day(world: &World, entity: Entity) -> usize {
    world.get::<DailyMemories>(entity).unwrap().memories().len()
}
