//! [`SleepSystems::Consolidate`](crate::SleepSystems): work is handed to the pool and its results are taken
//! in.

use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::WorldPorts;
use crate::{
    DailyMemories, NightBudgets, NightPool, NpcDirectory, NpcMind, NpcTags, QuestionError, RecallAnswered,
    RecallQuestion, SleepQueue, SleepTiming, TokensLeft,
    nights::Context,
    question::PendingQuestion,
    recall::Questions,
    today::{Today, of_day},
};

/// Number of NPCs whose new memories are handed to the pool in a tick, to be embedded before anybody asks.
const DAYS_PER_TICK: usize = 32;

/// Hands questions over, and what makes NPCs ready to be asked.
pub(crate) fn ask(
    mut nights: ResMut<SleepQueue>,
    mut questions: ResMut<Questions>,
    mut pool: ResMut<NightPool>,
    budgets: Res<NightBudgets>,
    mut tokens: ResMut<TokensLeft>,
    directory: Res<NpcDirectory>,
    mut asked: MessageReader<RecallQuestion>,
    mut minds: Query<(&mut NpcMind, &DailyMemories, Option<&NpcTags>)>,
    ports: WorldPorts,
) {
    let now = ports.clock.now;
    for (npc, index) in questions.take_indexed() {
        if let Some((mut mind, ..)) = directory.get(&npc).and_then(|entity| minds.get_mut(entity).ok()) {
            mind.set_missing_index(index);
        }
    }
    for asked in asked.read() {
        let due = match *ports.timing {
            SleepTiming::AsReady => None,
            SleepTiming::Lockstep { write_seconds, .. } => Some(now.seconds() + i64::from(write_seconds)),
        };
        let number = questions.next_number(due);
        let (bytes, most) = (asked.question.len(), ports.config.0.input.max_text_bytes);
        let error = match minds.get_mut(asked.entity) {
            Ok((mut mind, day, tags)) if mind.recalls() && bytes <= most => {
                let pending = PendingQuestion {
                    number,
                    as_of: 0,
                    asked: asked.clone(),
                    npc: mind.npc().clone(),
                    npc_tags: tags.map_or_else(|| mind.npc_tags(), |NpcTags(tags)| tags).to_vec(),
                    index: mind.index().map(Arc::clone),
                    today: submit(mind.bypass_change_detection(), day, &nights, &ports),
                    now,
                };
                questions.enqueue(pending, ports.current());
                continue;
            }
            Ok((mind, ..)) if mind.recalls() => QuestionError::TooLong { bytes, most },
            _ => QuestionError::NoMind,
        };
        let RecallQuestion { entity, question, ticket, .. } = asked.clone();
        let memories = Err(Arc::new(error));
        let answer = RecallAnswered { entity, question, ticket, memories, context: None };
        questions.refuse(number, answer);
    }
    for npc in questions.take_grown(DAYS_PER_TICK) {
        let Some((mut mind, day, _)) = directory.get(&npc).and_then(|entity| minds.get_mut(entity).ok())
        else {
            continue;
        };
        let (today, formed) = submit(mind.bypass_change_detection(), day, &nights, &ports);
        questions.embed_day(today, formed, ports.current());
    }
    if matches!(*ports.timing, SleepTiming::Lockstep { .. }) && questions.reads_store() {
        // Whether a night is written yet must not decide what is read.
        let tokens = &mut tokens.bypass_change_detection().0;
        let (pool, questions) = (&mut *pool, &mut *questions);
        let mut context = Context { pool, budgets: &budgets, tokens, questions };
        nights.finish_writing(ports.clock.now.seconds(), &mut context);
    }
    questions.launch(&pool, &budgets);
    questions.launch_indexing(&pool, || ports.current());
}

/// Hands the memories over that an NPC has of its day, and of the day that it sleeps on.
fn submit(
    mind: &mut NpcMind,
    day: &DailyMemories,
    nights: &SleepQueue,
    ports: &WorldPorts<'_>,
) -> (Arc<Today>, usize) {
    let npc = mind.npc().clone();
    let closed = nights.day_of(&npc).into_iter().flat_map(of_day);
    let turns_at = ports.config.0.day.turns_at;
    let open = day.memories().iter().map(|memory| (memory, memory.at.night(turns_at)));
    mind.submit(closed.chain(open))
}

/// Hands nights over, and takes the results of all jobs in.
pub(crate) fn consolidate(
    mut nights: ResMut<SleepQueue>,
    mut questions: ResMut<Questions>,
    mut pool: ResMut<NightPool>,
    budgets: Res<NightBudgets>,
    ports: WorldPorts,
) {
    nights.close_batch(&budgets);
    while let Some(report) = pool.try_receive() {
        if let Some(report) = questions.receive(report) {
            nights.receive(report, ports.clock.now.seconds());
        }
    }
    nights.launch(&pool, &budgets);
}
