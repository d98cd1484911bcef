//! [`SleepSystems::Consolidate`](crate::SleepSystems): the pool gets its work, and what it has done is taken in.

use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::PortsOf;
use crate::{
    CameToMind, Mind, NightBudgets, NightPool, Nights, Pace, Question, QuestionError,
    question::{Asked, Questions},
};

pub(crate) fn consolidate(
    mut nights: ResMut<Nights>,
    mut questions: ResMut<Questions>,
    mut pool: ResMut<NightPool>,
    budgets: Res<NightBudgets>,
    mut asked: MessageReader<Question>,
    minds: Query<&Mind>,
    ports: PortsOf,
) {
    let now = ports.clock.now;
    for Question { entity, question } in asked.read() {
        let due = match *ports.pace {
            Pace::AsReady => None,
            Pace::Lockstep { write_seconds, .. } => Some(now.seconds() + i64::from(write_seconds)),
        };
        let number = questions.number(due);
        let known =
            minds.get(*entity).ok().and_then(|mind| Some((mind.npc().clone(), Arc::clone(mind.index()?))));
        let (entity, question, most) = (*entity, question.clone(), ports.config.0.input.max_text_bytes);
        let error = match known {
            Some((npc, known)) if question.len() <= most => {
                questions.ask(Asked { number, entity, npc, question, known, now }, ports.now());
                continue;
            }
            Some(_) => QuestionError::TooLong { bytes: question.len(), most },
            None => QuestionError::NoMind,
        };
        questions.refuse(number, CameToMind { entity, question, memories: Err(Arc::new(error)) });
    }
    questions.launch(&pool, &budgets);
    nights.close_batch(&budgets);
    while let Some(report) = pool.look() {
        if let Some(report) = questions.take_in(report) {
            nights.take_in(report, now.seconds());
        }
    }
    nights.launch(&pool, &budgets);
}
