//! Saving and loading in the middle of a night.

use std::{collections::BTreeMap, sync::Arc};

use bevy_ecs::prelude::*;
use nightfold::memory::{Day, Memory, NpcId};
use serde::{Deserialize, Serialize};

use crate::{
    Consolidating, GameClock, LongTermStore, Mind, NightBudgets, NightConfig, NightJudge, NightLanguage,
    NightPool, Nights, Pace, RestoreError, TextEmbedder,
    job::Ports,
    nights::{Begun, Due, Means},
    question::Questions,
};

/// The version of the checkpoint format this build reads and writes.
pub const CHECKPOINT_FORMAT: u32 = 1;

/// The nights that are going on, to be saved with the game: [`Nights::checkpoint`] makes it, [`restore`] takes it up. It
/// holds days, not what was worked out of them: a loaded game begins these nights again. What of them had reached the store
/// already is recognised there and not written twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    format: u32,
    nights: Vec<SavedNight>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    unslept: BTreeMap<NpcId, Vec<Memory>>,
}

/// One night of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedNight {
    pub(crate) day: Arc<Day>,
    pub(crate) recalls: bool,
    pub(crate) by_rules: bool,
    pub(crate) granted: u64,
    /// The seconds at which it is written and told, where they are fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) due: Option<(i64, i64)>,
}

impl Checkpoint {
    pub(crate) fn new(nights: Vec<SavedNight>, unslept: BTreeMap<NpcId, Vec<Memory>>) -> Self {
        Self { format: CHECKPOINT_FORMAT, nights, unslept }
    }

    /// The days that were taken and whose nights are not told yet.
    pub fn days(&self) -> impl Iterator<Item = &Day> {
        self.nights.iter().map(|night| &*night.day)
    }

    /// The memories of nights that failed when their NPC was gone.
    pub fn unslept(&self) -> impl Iterator<Item = (&NpcId, &[Memory])> {
        self.unslept.iter().map(|(npc, memories)| (npc, memories.as_slice()))
    }
}

/// Takes up the nights of a saved game. Whatever this world's nights were doing is forgotten; what is due to
/// be written is waited for. Entities may be spawned before or after: an NPC with the [`Mind`] of a night that goes on is
/// [`Consolidating`] again. Components ([`DailyMemories`](crate::DailyMemories), [`Asleep`](crate::Asleep), [`Mind`]) and
/// the resources ([`NightBudgets`], [`GameClock`]) are saved with the rest of the game.
///
/// Nights begin again with the configuration, the embedder, the language model and the store that the world has now.
///
/// # Errors
/// [`RestoreError`] when the checkpoint is of a newer format, or the sleep phase is not installed; nothing is changed then.
pub fn restore(world: &mut World, checkpoint: Checkpoint) -> Result<(), RestoreError> {
    if checkpoint.format != CHECKPOINT_FORMAT {
        return Err(RestoreError::Format { found: checkpoint.format, known: CHECKPOINT_FORMAT });
    }
    let ports = ports(world).ok_or(RestoreError::NotInstalled)?;
    let minds: BTreeMap<NpcId, Entity> = world
        .query::<(Entity, &Mind)>()
        .iter(world)
        .map(|(entity, mind)| (mind.npc().clone(), entity))
        .collect();
    let consolidating: Vec<Entity> =
        world.query_filtered::<Entity, With<Consolidating>>().iter(world).collect();
    for entity in consolidating {
        world.entity_mut(entity).remove::<Consolidating>();
    }
    let now = world.get_resource::<GameClock>().ok_or(RestoreError::NotInstalled)?.now.seconds();
    let mut again = Vec::new();
    let held = world.try_resource_scope(|world, mut nights: Mut<Nights>| {
        world.try_resource_scope(|world, mut pool: Mut<NightPool>| {
            world.try_resource_scope(|world, mut questions: Mut<Questions>| {
                let mut budgets = world.get_resource_mut::<NightBudgets>()?;
                let mut tokens = budgets.tokens;
                let mut with = Means {
                    pool: &mut pool,
                    budgets: &budgets,
                    tokens: &mut tokens,
                    questions: &mut questions,
                };
                nights.settle(now, &mut with);
                nights.replace(checkpoint.unslept);
                *questions = Questions::default();
                pool.renew();
                for saved in checkpoint.nights {
                    // What it was granted went from the saved budget and is granted again.
                    tokens = tokens.saturating_add(saved.granted);
                    let entity = minds.get(&saved.day.npc).copied().unwrap_or(Entity::PLACEHOLDER);
                    again.push((entity, saved.day.until));
                    let due = saved.due.map(|(write, tell)| Due { write, tell });
                    let SavedNight { day, recalls, by_rules, .. } = saved;
                    nights.begin(Begun { entity, day, recalls, by_rules, due }, &ports, &mut tokens);
                }
                budgets.tokens = tokens;
                Some(())
            })?
        })?
    });
    held.flatten().ok_or(RestoreError::NotInstalled)?;
    for (entity, since) in again {
        if let Ok(mut npc) = world.get_entity_mut(entity) {
            npc.insert(Consolidating::new(since));
        }
    }
    Ok(())
}

fn ports(world: &World) -> Option<Ports> {
    world.get_resource::<GameClock>()?;
    world.get_resource::<Pace>()?;
    Some(Ports {
        config: Arc::clone(&world.get_resource::<NightConfig>()?.0),
        embedder: Arc::clone(&world.get_resource::<TextEmbedder>()?.0),
        store: Arc::clone(&world.get_resource::<LongTermStore>()?.0),
        language: world.get_resource::<NightLanguage>()?.0.clone(),
        judge: world.get_resource::<NightJudge>()?.0.clone(),
    })
}
