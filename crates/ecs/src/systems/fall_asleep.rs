//! [`SleepSystems::FallAsleep`](crate::SleepSystems): memories of the tick are taken in; who sleeps is called to bed, a few
//! at a time.

use bevy_ecs::prelude::*;

use crate::{
    Asleep, Consolidating, DailyMemories, FellAsleep, MemoryError, MemoryFormed, MemoryRefused, Mind,
    NightBudgets, NightConfig, Nights, WokeEarly,
};

/// Whoever falls asleep joins the queue, at the moment the component is inserted.
pub(crate) fn on_asleep(asleep: On<Add<Asleep>>, mut nights: ResMut<Nights>) {
    nights.queue(asleep.event().entity);
}

/// An NPC that is loaded or streamed in while its night goes on is consolidating.
pub(crate) fn on_mind(
    inserted: On<Insert<Mind>>,
    minds: Query<&Mind>,
    mut nights: ResMut<Nights>,
    mut commands: Commands,
) {
    let entity = inserted.event().entity;
    let Ok(mind) = minds.get(entity) else { return };
    if let Some(since) = nights.meet(mind.npc(), entity) {
        commands.entity(entity).try_insert(Consolidating::new(since));
    }
}

/// Takes the memories of this tick into the days they belong to.
pub(crate) fn remember(
    mut formed: MessageReader<MemoryFormed>,
    mut npcs: Query<(&Mind, &mut DailyMemories)>,
    config: Res<NightConfig>,
    mut refused: MessageWriter<MemoryRefused>,
    mut commands: Commands,
) {
    for MemoryFormed { entity, lived } in formed.read() {
        let taken = match npcs.get_mut(*entity) {
            Ok((mind, mut day)) => day.remember(mind.npc(), lived.clone(), &config.0.input),
            Err(_) => Err(MemoryError::NoMind),
        };
        if let Err(error) = taken {
            let message = MemoryRefused { entity: *entity, lived: lived.clone(), error };
            refused.write(message.clone());
            if npcs.contains(*entity) {
                commands.trigger(message);
            }
        }
    }
}

/// Calls the first of the queue to bed.
pub(crate) fn fall_asleep(
    mut nights: ResMut<Nights>,
    budgets: Res<NightBudgets>,
    sleepers: Query<(&Mind, Option<&Asleep>)>,
    mut fell: MessageWriter<FellAsleep>,
    mut woke: MessageWriter<WokeEarly>,
    mut commands: Commands,
) {
    nights.next_tick();
    for _ in 0..nights.waiting().min(budgets.onset_per_tick.max(1)) {
        let Some(entity) = nights.pop() else { return };
        // Whoever is gone needs no sleep: what it lived through went with it.
        let Ok((mind, asleep)) = sleepers.get(entity) else { continue };
        match asleep {
            None => {
                let message = WokeEarly { entity, npc: mind.npc().clone(), begun: false, by_rules: false };
                woke.write(message.clone());
                commands.trigger(message);
            }
            // It woke and fell asleep again before its turn, or was saved in its sleep.
            Some(Asleep { begun: true, .. }) => {}
            // One night after the other: the last one goes on.
            Some(_) if nights.is_under_way(mind.npc()) => nights.queue(entity),
            Some(_) => {
                nights.call(entity);
                fell.write(FellAsleep { entity });
                commands.trigger(FellAsleep { entity });
            }
        }
    }
}
