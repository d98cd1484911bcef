//! Observers: what happens to the components of an NPC is noted at once.

use bevy_ecs::prelude::*;

use crate::{Asleep, Consolidating, MindRefused, NpcDirectory, NpcMind, SleepQueue, recall::Questions};

/// Remembers whether the night of a sleep that is replaced or removed had begun.
pub(crate) fn on_asleep_discard(
    discarded: On<Discard<Asleep>>,
    sleepers: Query<&Asleep>,
    mut nights: ResMut<SleepQueue>,
) {
    let entity = discarded.event().entity;
    nights.discarded = sleepers.get(entity).ok().map(|asleep| (entity, asleep.begun));
}

/// Queues an NPC that falls asleep. If it slept already, its sleep has another length or another beginning.
pub(crate) fn on_asleep(
    inserted: On<Insert<Asleep>>,
    mut sleepers: Query<(&NpcMind, &mut Asleep)>,
    directory: Res<NpcDirectory>,
    mut nights: ResMut<SleepQueue>,
) {
    let entity = inserted.event().entity;
    let had_begun = nights.take_discarded(entity);
    // Without a mind it is queued when it gets one.
    let Ok((mind, mut asleep)) = sleepers.get_mut(entity) else { return };
    if had_begun == Some(true) {
        asleep.bypass_change_detection().begun = true;
    }
    // A mind that is not registered yet is queued when it is; one that is refused never is.
    if !asleep.begun && directory.get(mind.npc()) == Some(entity) {
        nights.turns.insert(mind.npc(), asleep.since());
    }
}

/// Remembers the entity that is despawned now: its sleep does not end, and its night goes on.
pub(crate) fn on_asleep_despawn(despawned: On<Despawn<Asleep>>, mut nights: ResMut<SleepQueue>) {
    nights.despawned = Some(despawned.event().entity);
}

/// Notes an NPC whose sleep has ended.
pub(crate) fn on_asleep_remove(
    removed: On<Remove<Asleep>>,
    minds: Query<(&NpcMind, &Asleep)>,
    directory: Res<NpcDirectory>,
    mut nights: ResMut<SleepQueue>,
) {
    let entity = removed.event().entity;
    nights.take_discarded(entity);
    let is_despawned = nights.take_despawned(entity);
    let Ok((mind, asleep)) = minds.get(entity) else { return };
    if directory.get(mind.npc()) == Some(entity) {
        nights.turns.remove(mind.npc());
        if !is_despawned {
            nights.note_woken(mind.npc(), asleep.begun);
        }
    }
}

/// Registers an NPC by its name. One that is loaded or streamed in during its night is marked as consolidating,
/// one that sleeps is queued, and one that answers questions gets an index.
pub(crate) fn on_mind(
    inserted: On<Insert<NpcMind>>,
    minds: Query<(&NpcMind, Option<&Asleep>)>,
    mut nights: ResMut<SleepQueue>,
    mut directory: ResMut<NpcDirectory>,
    mut questions: ResMut<Questions>,
    mut refused: MessageWriter<MindRefused>,
    mut commands: Commands,
) {
    let entity = inserted.event().entity;
    let Ok((mind, asleep)) = minds.get(entity) else { return };
    let npc = mind.npc();
    if let Err(holder) = directory.register(npc, entity) {
        let message = MindRefused { entity, npc: npc.clone(), holder };
        refused.write(message.clone());
        commands.trigger(message);
        commands.entity(entity).try_remove::<NpcMind>();
        return;
    }
    if let Some(since) = nights.attach(npc, entity) {
        commands.entity(entity).try_insert(Consolidating::new(since));
    }
    if let Some(asleep) = asleep.filter(|asleep| !asleep.begun) {
        nights.turns.insert(npc, asleep.since());
    }
    if mind.recalls() && mind.index().is_none() {
        questions.index_missing(npc);
    }
}

/// Frees the name of an NPC that is gone or gets another mind.
pub(crate) fn on_mind_discard(
    discarded: On<Discard<NpcMind>>,
    minds: Query<&NpcMind>,
    mut nights: ResMut<SleepQueue>,
    mut directory: ResMut<NpcDirectory>,
) {
    let entity = discarded.event().entity;
    let Ok(mind) = minds.get(entity) else { return };
    if directory.get(mind.npc()) == Some(entity) {
        directory.unregister(mind.npc(), entity);
        nights.turns.remove(mind.npc());
    }
}
