//! [`SleepSystems::Collect`](crate::SleepSystems): the days of admitted NPCs are closed.

use bevy_ecs::prelude::*;
use nightfold::memory::Day;

use super::WorldPorts;
use crate::{
    Asleep, Consolidating, DailyMemories, NpcMind, NpcTags, SleepQueue, TokensLeft,
    saved::{Due, NightWork, SavedNight},
};

pub(crate) fn collect(
    mut nights: ResMut<SleepQueue>,
    mut tokens: ResMut<TokensLeft>,
    mut sleepers: Query<(&NpcMind, Option<&NpcTags>, &mut DailyMemories, &mut Asleep)>,
    ports: WorldPorts,
    mut commands: Commands,
) {
    let admitted = std::mem::take(&mut nights.admitted);
    if admitted.is_empty() {
        return;
    }
    let ports_now = ports.current();
    for entity in admitted {
        let Ok((mind, tags, mut memories, mut asleep)) = sleepers.get_mut(entity) else { continue };
        let until = asleep.since();
        let mut day = nights.unconsolidated.remove(mind.npc()).unwrap_or_default();
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
            .with_npc_tags(tags)
            .with_recalled(nights.recalled(mind.npc()));
        let due = Due::of(*ports.timing, ports.clock.now);
        let night = SavedNight::new(day, mind.recalls(), NightWork::Consolidation, due);
        nights.begin(entity, night, &ports_now, &mut tokens.0);
        commands.entity(entity).try_insert(Consolidating::new(until));
    }
}
