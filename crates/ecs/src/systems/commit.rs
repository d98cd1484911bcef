//! [`SleepSystems::Commit`](crate::SleepSystems): planned nights go to the store, and NPCs get to know what was written.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use nightfold::memory::{Day, Memory};

use crate::{
    CameToMind, Consolidating, ConsolidationFailed, DailyMemories, GameClock, Mind, NightBudgets,
    NightConsolidated, NightPool, Nights,
    nights::{Finished, Means, Rubbish},
    question::Questions,
};

pub(crate) fn commit(
    mut nights: ResMut<Nights>,
    mut questions: ResMut<Questions>,
    mut pool: ResMut<NightPool>,
    mut budgets: ResMut<NightBudgets>,
    clock: Res<GameClock>,
    mut npcs: Query<(&mut Mind, Option<&mut DailyMemories>)>,
    mut consolidated: MessageWriter<NightConsolidated>,
    mut failed: MessageWriter<ConsolidationFailed>,
    mut commands: Commands,
) {
    let now = clock.now.seconds();
    let mut tokens = budgets.tokens;
    let mut with =
        Means { pool: &mut pool, budgets: &budgets, tokens: &mut tokens, questions: &mut questions };
    nights.write_due(now, &mut with);
    for Finished { npc, entity, day, dawn } in nights.tell_due(now, &mut with) {
        let known = npcs.get_mut(entity).ok().filter(|(mind, _)| *mind.npc() == npc);
        let there = known.is_some();
        if there {
            commands.entity(entity).try_remove::<Consolidating>();
        }
        match dawn {
            Ok(morning) => {
                let before = known.and_then(|(mut mind, _)| mind.wakes_with(morning.version, morning.known));
                if let Some(index) = before {
                    nights.throw_away(Rubbish::Index { _index: index });
                }
                let message = NightConsolidated { entity, npc, summary: morning.summary };
                consolidated.write(message.clone());
                if there {
                    commands.trigger(message);
                }
            }
            Err(error) => {
                let (night, memories) = (day.night.clone(), memories_of(day));
                let count = memories.len();
                match known {
                    Some((_, Some(mut day))) => day.put_back(memories),
                    _ => nights.keep_unslept(npc.clone(), memories),
                }
                let error = Arc::new(error);
                let message = ConsolidationFailed { entity, npc, night, memories: count, error };
                failed.write(message.clone());
                if there {
                    commands.trigger(message);
                }
            }
        }
    }
    if budgets.tokens != tokens {
        budgets.tokens = tokens;
    }
    let rubbish = nights.take_rubbish();
    if !rubbish.is_empty() {
        pool.discard(rubbish);
    }
}

/// The memories of a day that no night took. A job that goes on for nothing may hold the day still.
fn memories_of(day: Arc<Day>) -> Vec<Memory> {
    Arc::try_unwrap(day).map_or_else(|shared| shared.memories.clone(), |day| day.memories)
}

/// Hands out the answers that are due.
pub(crate) fn answer(
    mut questions: ResMut<Questions>,
    mut nights: ResMut<Nights>,
    mut pool: ResMut<NightPool>,
    budgets: Res<NightBudgets>,
    clock: Res<GameClock>,
    minds: Query<&Mind>,
    mut answers: MessageWriter<CameToMind>,
    mut commands: Commands,
) {
    let now = clock.now.seconds();
    while questions.unanswered(now).is_some() {
        questions.launch(&pool, &budgets);
        let Some(report) = pool.wait() else { break };
        if let Some(report) = questions.take_in(report) {
            nights.take_in(report, now);
        }
    }
    for answer in questions.take_due(now) {
        if minds.contains(answer.entity) {
            commands.trigger(answer.clone());
        }
        answers.write(answer);
    }
}
