//! Fingerprint of the sleep phase's state, to be compared between machines in lockstep.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use nightfold::memory::{GameTime, NpcId};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{
    Asleep, Checkpoint, Consolidating, DailyMemories, GameClock, NightBudgets, NpcMind, SleepQueue,
    TokensLeft,
};

/// Sleep-related state of one NPC. Entities are left out: each world numbers them its own way.
#[derive(Serialize)]
struct HashedNpc<'a> {
    version: u64,
    maintained: Option<GameTime>,
    day: Option<&'a DailyMemories>,
    asleep: Option<&'a Asleep>,
    consolidating: bool,
}

#[derive(Serialize)]
struct HashedState<'a> {
    clock: Option<&'a GameClock>,
    budgets: Option<&'a NightBudgets>,
    tokens: Option<&'a TokensLeft>,
    npcs: BTreeMap<&'a NpcId, Vec<HashedNpc<'a>>>,
    nights: Option<Checkpoint>,
}

/// Returns a fingerprint of the state that this crate keeps in a world: SHA-256, in hex. In
/// [`SleepTiming::Lockstep`](crate::SleepTiming::Lockstep) it is the same after the same ticks with the same inputs, on any
/// number of threads. It covers stores too, because a mind's version is a fingerprint of the NPC's long-term
/// memory. Takes some 10 µs per NPC, depending on the memories of the day.
///
/// # Errors
/// An error if a memory cannot be written as JSON, for instance one with a number that is NaN.
pub fn state_hash(world: &mut World) -> Result<String, serde_json::Error> {
    let mut all = world.query::<(&NpcMind, Option<&DailyMemories>, Option<&Asleep>, Has<Consolidating>)>();
    let world = &*world;
    let mut npcs: BTreeMap<&NpcId, Vec<HashedNpc<'_>>> = BTreeMap::new();
    for (mind, day, asleep, consolidating) in all.iter(world) {
        let npc =
            HashedNpc { version: mind.version(), maintained: mind.maintained(), day, asleep, consolidating };
        npcs.entry(mind.npc()).or_default().push(npc);
    }
    let state = HashedState {
        clock: world.get_resource(),
        budgets: world.get_resource(),
        tokens: world.get_resource(),
        npcs,
        nights: world.get_resource::<SleepQueue>().map(SleepQueue::checkpoint),
    };
    let bytes = serde_json::to_vec(&state)?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}
