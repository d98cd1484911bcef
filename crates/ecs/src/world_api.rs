//! Calls on NPCs by their names, for games that hold the world and are in no system.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use nightfold::memory::{NpcId, StoreError};

use crate::{
    DailyMemories, LongTermStore, MemoryError, NewMemory, NightConfig, NpcDirectory, NpcMind,
    recall::Questions,
};

/// Adds a memory to an NPC's day at once; a [`MemoryFormed`](crate::MemoryFormed) waits for the next tick, and can be written by any
/// system.
///
/// # Errors
/// [`MemoryError`] if it exceeds a bound of `[input]`, there is no NPC of this name, or the sleep phase is not installed;
/// nothing is added then.
pub fn remember(world: &mut World, npc: &NpcId, memory: NewMemory) -> Result<(), MemoryError> {
    let limits = world.get_resource::<NightConfig>().ok_or(MemoryError::NotInstalled)?.0.input.clone();
    let entity = entity_of(world, npc).ok_or(MemoryError::NoMind)?;
    let mut day = world.get_mut::<DailyMemories>(entity).ok_or(MemoryError::NoMind)?;
    day.remember(npc, memory, &limits)?;
    if world.get::<NpcMind>(entity).is_some_and(NpcMind::recalls)
        && let Some(mut questions) = world.get_resource_mut::<Questions>()
    {
        questions.extend_day(npc);
    }
    Ok(())
}

/// Makes a mind read its long-term memory anew, after it was changed by other means than the NPC's nights: undone, rewound or
/// imported while no night of the NPC was under way. Reads the NPC's nights from the store and blocks for a moment; nothing happens
/// without an NPC of this name.
///
/// # Errors
/// [`StoreError`] if the store cannot be read. The next question reads the entries anew all the same.
pub fn reload(world: &mut World, npc: &NpcId) -> Result<(), StoreError> {
    let store = world.get_resource::<LongTermStore>().map(|store| Arc::clone(&store.0));
    let mind = entity_of(world, npc).and_then(|entity| world.get_mut::<NpcMind>(entity));
    let (Some(mut mind), Some(store)) = (mind, store) else { return Ok(()) };
    mind.forget_index();
    let latest = store.latest_night(npc);
    if let Ok(latest) = &latest {
        mind.set_version(latest.as_ref().map_or(0, |night| night.version));
    }
    let recalls = mind.recalls();
    if let Some(mut questions) = world.get_resource_mut::<Questions>() {
        questions.invalidate(npc);
        if recalls {
            questions.index_missing(npc);
        }
    }
    latest.map(drop)
}

fn entity_of(world: &World, npc: &NpcId) -> Option<Entity> {
    world.get_resource::<NpcDirectory>()?.get(npc)
}
