//! [`SleepSystems::Wake`](crate::SleepSystems): NPCs at the end of their sleep are woken.

use bevy_ecs::prelude::*;

use crate::{Asleep, GameClock, NightBudgets, NpcMind, SleepQueue, WakeReason, WokeUp};

pub(crate) fn wake(
    mut nights: ResMut<SleepQueue>,
    budgets: Res<NightBudgets>,
    clock: Res<GameClock>,
    sleepers: Query<(Entity, &NpcMind, &Asleep)>,
    mut woke: MessageWriter<WokeUp>,
    mut commands: Commands,
) {
    let mut rested: Vec<_> = sleepers.iter().filter(|(_, _, asleep)| asleep.until <= clock.now).collect();
    // Not in the order of the world's storage, which differs after a load.
    rested.sort_by_key(|(_, mind, asleep)| (asleep.until, mind.npc()));
    for (entity, mind, asleep) in rested.into_iter().take(budgets.wakes_per_tick.max(1)) {
        let npc = mind.npc().clone();
        let night = nights.wake(&npc, asleep.begun, clock.now);
        let message = WokeUp { entity, npc: npc.clone(), why: WakeReason::Rested, night };
        woke.write(message.clone());
        commands.queue(move |world: &mut World| {
            // The end of its sleep wakes the NPC, and nobody else.
            world.resource_mut::<SleepQueue>().resting = Some(npc);
            if let Ok(mut npc) = world.get_entity_mut(entity) {
                npc.remove::<Asleep>();
            }
        });
        commands.trigger(message);
    }
}
