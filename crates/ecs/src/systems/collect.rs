//! [`SleepSystems::Collect`](crate::SleepSystems): the days of admitted NPCs are closed.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use nightfold::memory::Day;

use super::WorldPorts;
use crate::{
    Asleep, Consolidating, DailyMemories, NightBudgets, Nights, NpcMind, NpcTags,
    nights::{Due, NightStart},
};

pub(crate) fn collect(
    mut nights: ResMut<Nights>,
    mut budgets: ResMut<NightBudgets>,
    mut sleepers: Query<(&NpcMind, Option<&NpcTags>, &mut DailyMemories, &mut Asleep)>,
    ports: WorldPorts,
    mut commands: Commands,
) {
    let admitted = nights.take_admitted();
    if admitted.is_empty() {
        return;
    }
    let ports_now = ports.current();
    for entity in admitted {
        let Ok((mind, tags, mut memories, mut asleep)) = sleepers.get_mut(entity) else { continue };
        let until = asleep.since();
        let mut day = nights.take_unconsolidated(mind.npc());
        day.append(&mut memories.take_until(until));
        asleep.begun = true;
        if day.is_empty() {
            continue;
        }
        let night = until.night(ports.config.0.day.turns_at);
        // An invalid quality from a saved game is ignored: the configuration's sleep is used.
        let tags = tags.map(|NpcTags(tags)| tags.clone());
        let day = Day::new(mind.npc().clone(), night, until, day)
            .with_sleep(asleep.budget().ok())
            .with_npc_tags(tags);
        let start = NightStart {
            entity,
            day: Arc::new(day),
            recalls: mind.recalls(),
            due: Due::of(*ports.pace, ports.clock.now),
        };
        nights.begin(start, &ports_now, &mut budgets.tokens);
        commands.entity(entity).try_insert(Consolidating::new(until));
    }
}
