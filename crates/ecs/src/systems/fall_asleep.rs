//! [`SleepSystems::FallAsleep`](crate::SleepSystems): memories of the tick are added to the days, NPCs woken by the
//! game are noticed, and a few sleeping NPCs are admitted to their night.

use bevy_ecs::prelude::*;

use crate::{
    Asleep, DailyMemories, FellAsleep, GameClock, MemoryError, MemoryFormed, MemoryRefused, NightBudgets,
    NightConfig, NpcDirectory, NpcMind, SleepQueue, WakeReason, WokeUp, recall::Questions,
};

/// Adds the memories of this tick to the days of their NPCs.
pub(crate) fn remember(
    mut formed: MessageReader<MemoryFormed>,
    mut npcs: Query<(&NpcMind, &mut DailyMemories)>,
    config: Res<NightConfig>,
    mut questions: ResMut<Questions>,
    mut refused: MessageWriter<MemoryRefused>,
    mut commands: Commands,
) {
    for MemoryFormed { entity, memory } in formed.read() {
        let taken = match npcs.get_mut(*entity) {
            Ok((mind, mut day)) => {
                if mind.recalls() {
                    questions.extend_day(mind.npc());
                }
                day.remember(mind.npc(), memory.clone(), &config.0.input)
            }
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

/// Reports the NPCs that the game woke since the last tick, by name.
pub(crate) fn notice_woken(
    mut nights: ResMut<SleepQueue>,
    clock: Res<GameClock>,
    directory: Res<NpcDirectory>,
    mut woke: MessageWriter<WokeUp>,
    mut commands: Commands,
) {
    for (npc, begun) in std::mem::take(&mut nights.woken) {
        let night = nights.wake(&npc, begun, clock.now);
        // A despawned NPC needs no waking: its night goes on.
        let Some(entity) = directory.get(&npc) else { continue };
        let message = WokeUp { entity, npc, why: WakeReason::Woken, night };
        woke.write(message.clone());
        commands.trigger(message);
    }
}

/// Admits the first NPCs of the queue to their night.
pub(crate) fn fall_asleep(
    mut nights: ResMut<SleepQueue>,
    budgets: Res<NightBudgets>,
    directory: Res<NpcDirectory>,
    sleepers: Query<&Asleep, With<NpcMind>>,
    mut fell: MessageWriter<FellAsleep>,
    mut commands: Commands,
) {
    nights.tick += 1;
    for npc in nights.take_queued(budgets.onset_per_tick.max(1)) {
        let waits = |entity: &Entity| sleepers.get(*entity).is_ok_and(|asleep| !asleep.begun);
        let Some(entity) = directory.get(&npc).filter(waits) else { continue };
        nights.admitted.push(entity);
        fell.write(FellAsleep { entity });
        commands.trigger(FellAsleep { entity });
    }
}
