//! [`SleepSystems::Collect`](crate::SleepSystems): the day of whoever was called to bed is closed.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use nightfold::memory::Day;

use super::PortsOf;
use crate::{
    Asleep, Consolidating, DailyMemories, Mind, NightBudgets, Nights,
    nights::{Begun, Due},
};

pub(crate) fn collect(
    mut nights: ResMut<Nights>,
    mut budgets: ResMut<NightBudgets>,
    mut sleepers: Query<(&Mind, &mut DailyMemories, &mut Asleep)>,
    ports: PortsOf,
    mut commands: Commands,
) {
    let called = nights.called();
    if called.is_empty() {
        return;
    }
    let now = ports.now();
    for entity in called {
        let Ok((mind, mut memories, mut asleep)) = sleepers.get_mut(entity) else { continue };
        // Two entities of one name: the second one's turn comes after the first one's night.
        if nights.is_under_way(mind.npc()) {
            nights.queue(entity);
            continue;
        }
        let until = asleep.since();
        let mut day = nights.take_unslept(mind.npc());
        day.append(&mut memories.take_until(until));
        asleep.begun = true;
        if day.is_empty() {
            continue;
        }
        let day = Day {
            npc: mind.npc().clone(),
            night: until.night(ports.config.0.day.turns_at),
            until,
            memories: day,
            // A quality that is none, out of a saved game: the configuration says how NPCs sleep.
            sleep: asleep.budget().ok(),
        };
        let begun = Begun {
            entity,
            day: Arc::new(day),
            recalls: mind.recalls(),
            by_rules: false,
            due: Due::of(*ports.pace, ports.clock.now),
        };
        nights.begin(begun, &now, &mut budgets.tokens);
        commands.entity(entity).try_insert(Consolidating::new(until));
    }
}
