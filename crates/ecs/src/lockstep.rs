//! One number for the state of all that sleeps: what two machines in lockstep compare.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use nightfold::memory::NpcId;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{Asleep, Checkpoint, Consolidating, DailyMemories, GameClock, Mind, NightBudgets, Nights};

/// One NPC, as far as sleep goes. Entities are left out: they are numbered as a world likes.
#[derive(Serialize)]
struct Npc<'a> {
    version: u64,
    entries: usize,
    day: Option<&'a DailyMemories>,
    asleep: Option<&'a Asleep>,
    consolidating: bool,
}

#[derive(Serialize)]
struct State<'a> {
    clock: Option<&'a GameClock>,
    budgets: Option<&'a NightBudgets>,
    npcs: BTreeMap<&'a NpcId, Vec<Npc<'a>>>,
    nights: Option<Checkpoint>,
}

/// A fingerprint of all that this crate keeps in a world: SHA-256, in hex. In [`Pace::Lockstep`](crate::Pace::Lockstep) it
/// is the same after the same ticks with the same inputs, on any number of threads. A mind's version is a fingerprint of the
/// NPC's long-term memory, so stores are covered too. Takes time with the memories of the day: some 10 µs an NPC.
///
/// # Errors
/// When a memory cannot be written as JSON, as with a number that is none.
pub fn state_hash(world: &mut World) -> Result<String, serde_json::Error> {
    let mut all = world.query::<(&Mind, Option<&DailyMemories>, Option<&Asleep>, Has<Consolidating>)>();
    let world = &*world;
    let mut npcs: BTreeMap<&NpcId, Vec<Npc<'_>>> = BTreeMap::new();
    for (mind, day, asleep, consolidating) in all.iter(world) {
        let npc = Npc { version: mind.version(), entries: mind.entries(), day, asleep, consolidating };
        npcs.entry(mind.npc()).or_default().push(npc);
    }
    let state = State {
        clock: world.get_resource(),
        budgets: world.get_resource(),
        npcs,
        nights: world.get_resource::<Nights>().map(Nights::checkpoint),
    };
    let bytes = serde_json::to_vec(&state)?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}
