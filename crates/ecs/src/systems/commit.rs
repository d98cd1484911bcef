//! [`SleepSystems::Commit`](crate::SleepSystems): planned nights are written to the store and written ones
//! are delivered to their NPCs.

use std::sync::Arc;

use bevy_ecs::{prelude::*, system::SystemParam};
use nightfold::memory::{Day, Memory};

use super::WorldPorts;
use crate::{
    Asleep, Consolidating, ConsolidationFailed, DailyMemories, GameClock, MaintenancePolicy, MindMaintained,
    NightBudgets, NightConsolidated, NightPool, NpcMind, RecallAnswered, SleepQueue, TokensLeft,
    job::{Completed, Written},
    nights::{Context, DeferredDrop, Due, Finished, NightStart, NightWork},
    recall::Questions,
};

/// Messages about nights and maintenance that have ended.
#[derive(SystemParam)]
pub(crate) struct Outcomes<'w> {
    consolidated: MessageWriter<'w, NightConsolidated>,
    failed: MessageWriter<'w, ConsolidationFailed>,
    maintained: MessageWriter<'w, MindMaintained>,
}

pub(crate) fn commit(
    mut nights: ResMut<SleepQueue>,
    mut questions: ResMut<Questions>,
    mut pool: ResMut<NightPool>,
    budgets: Res<NightBudgets>,
    mut tokens_left: ResMut<TokensLeft>,
    policy: Res<MaintenancePolicy>,
    ports: WorldPorts,
    mut npcs: Query<(&mut NpcMind, &mut DailyMemories, Has<Asleep>)>,
    mut outcomes: Outcomes,
    mut commands: Commands,
) {
    let now = ports.clock.now.seconds();
    let mut tokens = tokens_left.0;
    let mut context =
        Context { pool: &mut pool, budgets: &budgets, tokens: &mut tokens, questions: &mut questions };
    nights.write_due(now, &mut context, || ports.current());
    for Finished { npc, entity, day, work, result } in nights.deliver_due(now, &mut context) {
        let mut present = npcs.get_mut(entity).ok().filter(|(mind, ..)| *mind.npc() == npc);
        let is_present = present.is_some();
        let written = result.map(|Completed { version, written }| {
            if let Some((mind, ..)) = &mut present {
                mind.set_version(version);
            }
            let Written { npc_tags, summary, index, .. } = written?;
            questions.outdate(&npc);
            if let Some((mind, ..)) = &mut present {
                nights.discard(DeferredDrop::Recall { _replaced: mind.update(npc_tags, index) });
            }
            Some(summary)
        });
        if let NightWork::Maintenance { least } = work {
            if let Some((mind, ..)) = &mut present
                && least == 0
            {
                mind.set_maintained(ports.clock.now);
            }
            let result = match written {
                Ok(None) => continue,
                Ok(Some(summary)) => Ok(summary),
                Err(error) => Err(Arc::new(error)),
            };
            let message = MindMaintained { entity, npc, result };
            outcomes.maintained.write(message.clone());
            trigger_if(is_present, message, &mut commands);
            continue;
        }
        if is_present {
            commands.entity(entity).try_remove::<Consolidating>();
        }
        match written {
            Ok(summary) => {
                if let Some((mind, ..)) = &mut present
                    && mind.maintained().is_none()
                {
                    mind.set_maintained(ports.clock.now);
                }
                if let Some((mind, _, true)) = &present
                    && let Some(least) = policy.least(mind.maintained(), ports.clock.now)
                {
                    nights.maintain(maintenance_of(entity, mind, &ports), least, &ports.current());
                }
                let Some(summary) = summary else { continue };
                let message = NightConsolidated { entity, npc, summary };
                outcomes.consolidated.write(message.clone());
                trigger_if(is_present, message, &mut commands);
            }
            Err(error) => {
                let (night, memories) = (day.night.clone(), memories_of(day));
                let count = memories.len();
                match present {
                    Some((_, mut day, _)) => day.put_back(memories),
                    None => nights.keep_unconsolidated(npc.clone(), memories),
                }
                let error = Arc::new(error);
                let message = ConsolidationFailed { entity, npc, night, memories: count, error };
                outcomes.failed.write(message.clone());
                trigger_if(is_present, message, &mut commands);
            }
        }
    }
    tokens_left.set_if_neq(TokensLeft(tokens));
    let deferred_drops = nights.take_deferred_drops();
    if !deferred_drops.is_empty() {
        pool.discard(deferred_drops);
    }
}

/// Returns the maintenance of an NPC at this moment.
fn maintenance_of(entity: Entity, mind: &NpcMind, ports: &WorldPorts<'_>) -> NightStart {
    let now = ports.clock.now;
    let day = Day::new(mind.npc().clone(), now.night(ports.config.0.day.turns_at), now, Vec::new());
    let due = Due::of(*ports.timing, now);
    NightStart { entity, day: Arc::new(day), recalls: mind.recalls(), due }
}

/// Triggers an event on an NPC that is still there.
fn trigger_if<'t, E: Event<Trigger<'t>: Default>>(
    is_present: bool,
    event: E,
    commands: &mut Commands<'_, '_>,
) {
    if is_present {
        commands.trigger(event);
    }
}

/// Returns the memories of a failed night's day. An abandoned job may still share the day.
fn memories_of(day: Arc<Day>) -> Vec<Memory> {
    Arc::try_unwrap(day).map_or_else(|shared| shared.memories.clone(), |day| day.memories)
}

/// Sends the answers that are due.
pub(crate) fn answer(
    mut questions: ResMut<Questions>,
    mut nights: ResMut<SleepQueue>,
    mut pool: ResMut<NightPool>,
    budgets: Res<NightBudgets>,
    clock: Res<GameClock>,
    minds: Query<&NpcMind>,
    mut answers: MessageWriter<RecallAnswered>,
    mut commands: Commands,
) {
    let now = clock.now.seconds();
    while questions.unanswered(now).is_some() {
        questions.launch(&pool, &budgets);
        let Some(report) = pool.receive() else { break };
        if let Some(report) = questions.receive(report) {
            nights.receive(report, now);
        }
    }
    for answer in questions.take_due(now) {
        if let (Ok(mind), Ok(found)) = (minds.get(answer.entity), &answer.memories) {
            let old = found.iter().filter(|entry| !entry.today).map(|entry| entry.id.clone());
            nights.touch(mind.npc(), old, clock.now);
        }
        if minds.contains(answer.entity) {
            commands.trigger(answer.clone());
        }
        answers.write(answer);
    }
}
