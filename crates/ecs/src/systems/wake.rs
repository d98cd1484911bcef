//! [`SleepSystems::Wake`](crate::SleepSystems): NPCs at the end of their sleep are woken, and NPCs woken by
//! the game are noticed.

use bevy_ecs::prelude::*;

use crate::{Asleep, Consolidating, GameClock, NightBudgets, Nights, NpcMind, WokeEarly, WokeUp};

pub(crate) fn wake(
    mut nights: ResMut<Nights>,
    budgets: Res<NightBudgets>,
    clock: Res<GameClock>,
    sleepers: Query<(Entity, &Asleep)>,
    mut woken: Query<(Entity, &NpcMind, &mut Consolidating), Without<Asleep>>,
    mut woke: MessageWriter<WokeUp>,
    mut early: MessageWriter<WokeEarly>,
    mut commands: Commands,
) {
    // This includes NPCs woken at the end of the last tick whose night is late.
    for (entity, mind, mut consolidating) in &mut woken {
        if consolidating.awake {
            continue;
        }
        consolidating.awake = true;
        let by_rules = nights.wake(mind.npc(), clock.now);
        let message = WokeEarly { entity, npc: mind.npc().clone(), begun: true, by_rules };
        early.write(message.clone());
        commands.trigger(message);
    }
    let rested = sleepers.iter().filter(|(_, asleep)| asleep.until <= clock.now);
    for (entity, _) in rested.take(budgets.wakes_per_tick.max(1)) {
        commands.entity(entity).try_remove::<Asleep>();
        woke.write(WokeUp { entity });
        commands.trigger(WokeUp { entity });
    }
}
