//! [`SleepSystems::FallAsleep`](crate::SleepSystems): memories of the tick are added to the days, and a few
//! sleeping NPCs are admitted to their night.

use bevy_ecs::prelude::*;

use crate::{
    Asleep, Consolidating, DailyMemories, FellAsleep, MemoryError, MemoryFormed, MemoryRefused, NightBudgets,
    NightConfig, Nights, NpcMind, WokeEarly,
};

/// Queues an NPC as soon as [`Asleep`] is inserted.
pub(crate) fn on_asleep(asleep: On<Add<Asleep>>, mut nights: ResMut<Nights>) {
    nights.queue(asleep.event().entity);
}

/// Marks an NPC that is loaded or streamed in during its night as consolidating.
pub(crate) fn on_mind(
    inserted: On<Insert<NpcMind>>,
    minds: Query<&NpcMind>,
    mut nights: ResMut<Nights>,
    mut commands: Commands,
) {
    let entity = inserted.event().entity;
    let Ok(mind) = minds.get(entity) else { return };
    if let Some(since) = nights.attach(mind.npc(), entity) {
        commands.entity(entity).try_insert(Consolidating::new(since));
    }
}

/// Adds the memories of this tick to the days of their NPCs.
pub(crate) fn remember(
    mut formed: MessageReader<MemoryFormed>,
    mut npcs: Query<(&NpcMind, &mut DailyMemories)>,
    config: Res<NightConfig>,
    mut refused: MessageWriter<MemoryRefused>,
    mut commands: Commands,
) {
    for MemoryFormed { entity, memory } in formed.read() {
        let taken = match npcs.get_mut(*entity) {
            Ok((mind, mut day)) => day.remember(mind.npc(), memory.clone(), &config.0.input),
            Err(_) => Err(MemoryError::NoMind),
        };
        if let Err(error) = taken {
            let message = MemoryRefused { entity: *entity, memory: memory.clone(), error };
            refused.write(message.clone());
            if npcs.contains(*entity) {
                commands.trigger(message);
            }
        }
    }
}

/// Admits the first NPCs of the queue to their night.
pub(crate) fn fall_asleep(
    mut nights: ResMut<Nights>,
    budgets: Res<NightBudgets>,
    sleepers: Query<(&NpcMind, Option<&Asleep>)>,
    mut fell: MessageWriter<FellAsleep>,
    mut woke: MessageWriter<WokeEarly>,
    mut commands: Commands,
) {
    nights.next_tick();
    for _ in 0..nights.waiting().min(budgets.onset_per_tick.max(1)) {
        let Some(entity) = nights.next_queued() else { return };
        // A despawned NPC needs no sleep: its memories were dropped with it.
        let Ok((mind, asleep)) = sleepers.get(entity) else { continue };
        match asleep {
            None => {
                let message = WokeEarly { entity, npc: mind.npc().clone(), begun: false, by_rules: false };
                woke.write(message.clone());
                commands.trigger(message);
            }
            // The NPC woke and fell asleep again before its turn, or was saved during its sleep.
            Some(Asleep { begun: true, .. }) => {}
            // The NPC's last night is still under way: one night after the other.
            Some(_) if nights.is_under_way(mind.npc()) => nights.queue(entity),
            Some(_) => {
                nights.admit(entity);
                fell.write(FellAsleep { entity });
                commands.trigger(FellAsleep { entity });
            }
        }
    }
}
