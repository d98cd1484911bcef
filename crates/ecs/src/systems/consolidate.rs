//! [`SleepSystems::Consolidate`](crate::SleepSystems): work is handed to the pool and its results are taken
//! in.

use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::WorldPorts;
use crate::{
    NightBudgets, NightPool, Nights, NpcMind, Pace, QuestionError, RecallAnswered, RecallQuestion,
    recall::{PendingQuestion, Questions},
};

pub(crate) fn consolidate(
    mut nights: ResMut<Nights>,
    mut questions: ResMut<Questions>,
    mut pool: ResMut<NightPool>,
    budgets: Res<NightBudgets>,
    mut asked: MessageReader<RecallQuestion>,
    minds: Query<&NpcMind>,
    ports: WorldPorts,
) {
    let now = ports.clock.now;
    for RecallQuestion { entity, question } in asked.read() {
        let due = match *ports.pace {
            Pace::AsReady => None,
            Pace::Lockstep { write_seconds, .. } => Some(now.seconds() + i64::from(write_seconds)),
        };
        let number = questions.next_number(due);
        let target = minds.get(*entity).ok().and_then(|mind| Some((mind, Arc::clone(mind.index()?))));
        let (entity, question, most) = (*entity, question.clone(), ports.config.0.input.max_text_bytes);
        let error = match target {
            Some((mind, index)) if question.len() <= most => {
                let (npc, npc_tags) = (mind.npc().clone(), mind.npc_tags().to_vec());
                let asked = PendingQuestion { number, entity, npc, npc_tags, question, index, now };
                questions.enqueue(asked, ports.current());
                continue;
            }
            Some(_) => QuestionError::TooLong { bytes: question.len(), most },
            None => QuestionError::NoMind,
        };
        questions.refuse(number, RecallAnswered { entity, question, memories: Err(Arc::new(error)) });
    }
    questions.launch(&pool, &budgets);
    nights.close_batch(&budgets);
    while let Some(report) = pool.try_receive() {
        if let Some(report) = questions.receive(report) {
            nights.receive(report, now.seconds());
        }
    }
    nights.launch(&pool, &budgets);
}
