//! [`SleepSystems::Commit`](crate::SleepSystems): planned nights are written to the store and written ones
//! are delivered to their NPCs.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use nightfold::memory::{Day, Memory};

use super::WorldPorts;
use crate::{
    Consolidating, ConsolidationFailed, DailyMemories, GameClock, NightBudgets, NightConsolidated, NightPool,
    Nights, NpcMind, RecallAnswered,
    nights::{Context, DeferredDrop, Finished},
    recall::Questions,
};

pub(crate) fn commit(
    mut nights: ResMut<Nights>,
    mut questions: ResMut<Questions>,
    mut pool: ResMut<NightPool>,
    mut budgets: ResMut<NightBudgets>,
    ports: WorldPorts,
    mut npcs: Query<(&mut NpcMind, Option<&mut DailyMemories>)>,
    mut consolidated: MessageWriter<NightConsolidated>,
    mut failed: MessageWriter<ConsolidationFailed>,
    mut commands: Commands,
) {
    let now = ports.clock.now.seconds();
    let mut tokens = budgets.tokens;
    let mut context =
        Context { pool: &mut pool, budgets: &budgets, tokens: &mut tokens, questions: &mut questions };
    nights.write_due(now, &mut context, || ports.current());
    for Finished { npc, entity, day, result } in nights.deliver_due(now, &mut context) {
        let present = npcs.get_mut(entity).ok().filter(|(mind, _)| *mind.npc() == npc);
        let is_present = present.is_some();
        if is_present {
            commands.entity(entity).try_remove::<Consolidating>();
        }
        match result {
            Ok(completed) => {
                if let Some((mut mind, _)) = present {
                    let replaced = mind.update(completed.version, completed.npc_tags, completed.index);
                    nights.discard(DeferredDrop::Recall { _replaced: replaced });
                }
                let message = NightConsolidated { entity, npc, summary: completed.summary };
                consolidated.write(message.clone());
                if is_present {
                    commands.trigger(message);
                }
            }
            Err(error) => {
                let (night, memories) = (day.night.clone(), memories_of(day));
                let count = memories.len();
                match present {
                    Some((_, Some(mut day))) => day.put_back(memories),
                    _ => nights.keep_unconsolidated(npc.clone(), memories),
                }
                let error = Arc::new(error);
                let message = ConsolidationFailed { entity, npc, night, memories: count, error };
                failed.write(message.clone());
                if is_present {
                    commands.trigger(message);
                }
            }
        }
    }
    if budgets.tokens != tokens {
        budgets.tokens = tokens;
    }
    let deferred_drops = nights.take_deferred_drops();
    if !deferred_drops.is_empty() {
        pool.discard(deferred_drops);
    }
}

/// Returns the memories of a failed night's day. An abandoned job may still share the day.
fn memories_of(day: Arc<Day>) -> Vec<Memory> {
    Arc::try_unwrap(day).map_or_else(|shared| shared.memories.clone(), |day| day.memories)
}

/// Sends the answers that are due.
pub(crate) fn answer(
    mut questions: ResMut<Questions>,
    mut nights: ResMut<Nights>,
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
        if minds.contains(answer.entity) {
            commands.trigger(answer.clone());
        }
        answers.write(answer);
    }
}
