//! Saving and loading a game in the middle of a night.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use nightfold::memory::{NpcId, RewindTarget, SavePointName, StoreError};

use crate::{
    CHECKPOINT_FORMAT, Checkpoint, CheckpointError, Consolidating, GameClock, LongTermStore, NightBudgets,
    NightConfig, NightJudge, NightLanguage, NightPool, NpcDirectory, NpcMind, SleepQueue, SleepTiming,
    TextEmbedder, TokensLeft, nights::Context, ports::Ports, recall::Questions,
};

/// Saves the nights under way together with the state of the store, as a save point of this name: [`restore`] then brings
/// the store back to it, so that nobody remembers what came after the save, and a later save can still be loaded.
/// Nothing is copied. Writes to the store and blocks for a moment: meant for the moment of saving, not for a system.
///
/// A checkpoint whose save point was made again at another state is refused by [`restore`]. A game that must survive its
/// end between this call and its own file takes a name that it has not used, and forgets the old save point afterwards.
///
/// # Errors
/// [`CheckpointError`] if the sleep phase is not installed or the store cannot be written.
pub fn save(world: &World, slot: &SavePointName) -> Result<Checkpoint, CheckpointError> {
    let nights = world.get_resource::<SleepQueue>().ok_or(CheckpointError::NotInstalled)?;
    let store = &world.get_resource::<LongTermStore>().ok_or(CheckpointError::NotInstalled)?.0;
    // What is being written while the state is noted is either in it or under way: it is planned again then.
    let point = store.save_point(slot).map_err(|error| CheckpointError::Store(Arc::new(error)))?;
    Ok(Checkpoint { save_point: Some(point), ..nights.checkpoint() })
}

/// Resumes the nights of a saved game. Nights under way in this world are dropped, after those that are being
/// written have reached the store. Entities may be spawned before or after: an NPC whose [`NpcMind`](crate::NpcMind) has a
/// night under way becomes [`Consolidating`]. Components ([`DailyMemories`](crate::DailyMemories),
/// [`Asleep`](crate::Asleep), [`NpcMind`](crate::NpcMind)) and the resources ([`TokensLeft`], [`GameClock`]) are saved with
/// the rest of the game.
///
/// A checkpoint of [`save`] rewinds the store to its save point first, which takes a moment: a loading screen's work.
///
/// Nights are planned again with the configuration, embedder, language model and store that the world has
/// now.
///
/// # Errors
/// [`CheckpointError`] if the checkpoint has a newer format, the sleep phase is not installed, or the store cannot be
/// rewound to its save point; nothing is changed then. [`Checkpoint::without_save_point`] is loaded without rewinding.
pub fn restore(world: &mut World, checkpoint: Checkpoint) -> Result<(), CheckpointError> {
    if checkpoint.format != CHECKPOINT_FORMAT {
        return Err(CheckpointError::Format { found: checkpoint.format, known: CHECKPOINT_FORMAT });
    }
    let ports = ports(world).ok_or(CheckpointError::NotInstalled)?;
    let of_store = |error: StoreError| CheckpointError::Store(Arc::new(error));
    let target = checkpoint.save_point.map(RewindTarget::Saved);
    if let Some(target) = &target {
        ports.store.rewindable(None, target).map_err(of_store)?;
    }
    let minds = world.get_resource::<NpcDirectory>().ok_or(CheckpointError::NotInstalled)?.clone();
    let unindexed: Vec<NpcId> = world
        .query::<&NpcMind>()
        .iter(world)
        .filter(|mind| mind.recalls())
        .map(|mind| mind.npc().clone())
        .collect();
    let consolidating: Vec<Entity> =
        world.query_filtered::<Entity, With<Consolidating>>().iter(world).collect();
    let now = world.get_resource::<GameClock>().ok_or(CheckpointError::NotInstalled)?.now.seconds();
    let mut restarted = Vec::new();
    let held = world.try_resource_scope(|world, mut nights: Mut<SleepQueue>| {
        world.try_resource_scope(|world, mut pool: Mut<NightPool>| {
            world.try_resource_scope(|world, mut questions: Mut<Questions>| {
                let mut tokens = world.get_resource::<TokensLeft>()?.0;
                let budgets = world.get_resource::<NightBudgets>()?;
                let mut context =
                    Context { pool: &mut pool, budgets, tokens: &mut tokens, questions: &mut questions };
                nights.finish_writing(now, &mut context);
                if let Some(Err(error)) = target.as_ref().map(|target| ports.store.rewind(None, target)) {
                    return Some(Err(error));
                }
                nights.replace(checkpoint.kept);
                *questions = Questions::default();
                unindexed.iter().for_each(|npc| questions.index_missing(npc));
                pool.reset();
                for saved in checkpoint.nights {
                    let entity = minds.get(&saved.day.npc).unwrap_or(Entity::PLACEHOLDER);
                    if saved.work.is_consolidation() {
                        restarted.push((entity, saved.day.until));
                    }
                    nights.resume(entity, saved, &ports);
                }
                world.get_resource_mut::<TokensLeft>()?.0 = tokens;
                Some(Ok(()))
            })?
        })?
    });
    held.flatten().ok_or(CheckpointError::NotInstalled)?.map_err(of_store)?;
    for entity in consolidating {
        world.entity_mut(entity).remove::<Consolidating>();
    }
    // A mind that stays has read the store at another moment than the minds that are spawned.
    world.query::<&mut NpcMind>().iter_mut(world).for_each(|mut mind| mind.forget_index());
    for (entity, since) in restarted {
        if let Ok(mut npc) = world.get_entity_mut(entity) {
            npc.insert(Consolidating::new(since));
        }
    }
    Ok(())
}

fn ports(world: &World) -> Option<Ports> {
    world.get_resource::<GameClock>()?;
    world.get_resource::<SleepTiming>()?;
    Some(Ports {
        config: Arc::clone(&world.get_resource::<NightConfig>()?.0),
        embedder: Arc::clone(&world.get_resource::<TextEmbedder>()?.0),
        store: Arc::clone(&world.get_resource::<LongTermStore>()?.0),
        language: world.get_resource::<NightLanguage>()?.0.clone(),
        judge: world.get_resource::<NightJudge>()?.0.clone(),
    })
}
