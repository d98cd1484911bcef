//! What the game asks by day, answered off the main thread: the question becomes a vector, and the NPC's index is searched.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use bevy_ecs::prelude::*;
use nightfold::{
    consolidate::RecallIndex,
    memory::{GameTime, MemoryId, NpcId, RecordKind},
};

use crate::{
    NightBudgets, NightPool, QuestionError,
    job::{self, Ports, Report},
};

/// The game asks what comes to an NPC's mind. Answered by [`CameToMind`], some ticks later; questions are not saved with
/// the game.
#[derive(Message, Debug, Clone)]
pub struct Question {
    /// Who is asked: an NPC with a [recalling](crate::Mind::recalling) mind.
    pub entity: Entity,
    /// What for, in plain words. Players may write it.
    pub question: String,
}

/// What came to an NPC's mind.
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct CameToMind {
    /// Who was asked; may be gone in the message, never in the event.
    pub entity: Entity,
    /// What for.
    pub question: String,
    /// Up to `recall.limit` entries, the best first; or why there are none.
    pub memories: Result<Vec<Remembered>, Arc<QuestionError>>,
}

/// An entry that came to mind.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// Its name in the store.
    pub id: MemoryId,
    /// Whether it is the NPC's own experience, several told as one, or an insight.
    pub form: RecordKind,
    /// What is remembered. Players may have written it: clean it before a terminal sees it.
    pub text: String,
    /// When it happened, or the first of it.
    pub at: GameTime,
    /// How well it answers, 0 to 1: relevance, recency and importance as `[recall]` weighs them.
    pub score: f64,
    /// Cosine to the question, negative ones counted as 0.
    pub relevance: f64,
}

/// A question on its way.
pub(crate) struct Asked {
    pub(crate) number: u64,
    pub(crate) entity: Entity,
    pub(crate) npc: NpcId,
    pub(crate) question: String,
    /// What the NPC knew when it was asked.
    pub(crate) known: Arc<RecallIndex>,
    pub(crate) now: GameTime,
}

impl Asked {
    pub(crate) fn remember(&self, ports: &Ports) -> Result<Vec<Remembered>, QuestionError> {
        let vectors = ports.embedder.embed(&[&self.question])?.vectors;
        let Some(query) = vectors.rows().next() else { return Ok(Vec::new()) };
        let found = self.known.recall(query, self.now, &ports.config.recall);
        tracing::debug!(npc = %self.npc, found = found.len(), "asked");
        let remembered = found.into_iter().map(|recalled| {
            let entry = &recalled.memory.entry;
            Remembered {
                id: entry.id.clone(),
                form: entry.form,
                text: entry.text.clone(),
                at: entry.at,
                score: recalled.score,
                relevance: recalled.relevance,
            }
        });
        Ok(remembered.collect())
    }
}

/// The questions that are going on.
#[derive(Resource, Default)]
pub(crate) struct Questions {
    asked: u64,
    waiting: VecDeque<(Asked, Ports)>,
    running: usize,
    /// The moment of each answer, where it is fixed.
    due: BTreeMap<u64, Option<i64>>,
    answers: BTreeMap<u64, CameToMind>,
}

impl Questions {
    /// How many the pool works on.
    pub(crate) fn running(&self) -> usize {
        self.running
    }

    /// The number of the next question, whose answer may have a fixed moment.
    pub(crate) fn number(&mut self, due: Option<i64>) -> u64 {
        self.asked += 1;
        self.due.insert(self.asked, due);
        self.asked
    }

    pub(crate) fn ask(&mut self, asked: Asked, ports: Ports) {
        self.waiting.push_back((asked, ports));
    }

    /// One that needs no thinking.
    pub(crate) fn refuse(&mut self, number: u64, answer: CameToMind) {
        self.answers.insert(number, answer);
    }

    pub(crate) fn launch(&mut self, pool: &NightPool, budgets: &NightBudgets) {
        while self.running < budgets.questions.max(1) {
            let Some((asked, ports)) = self.waiting.pop_front() else { return };
            self.running += 1;
            pool.run(move || job::answer(&asked, &ports));
        }
    }

    /// Takes an answer in; gives back what is none.
    pub(crate) fn take_in(&mut self, report: Report) -> Option<Report> {
        match report {
            Report::Answered(number, answer) => {
                self.running = self.running.saturating_sub(1);
                self.answers.insert(number, answer);
                None
            }
            other => Some(other),
        }
    }

    /// The number of a question that is due and not answered yet.
    pub(crate) fn unanswered(&self, now: i64) -> Option<u64> {
        let due = |(number, due): (&u64, &Option<i64>)| {
            (due.is_some_and(|due| due <= now) && !self.answers.contains_key(number)).then_some(*number)
        };
        self.due.iter().find_map(due)
    }

    /// The answers that are due, in the order of the questions.
    pub(crate) fn take_due(&mut self, now: i64) -> Vec<CameToMind> {
        let ready = |number: &u64| self.due.get(number).is_none_or(|due| due.is_none_or(|due| due <= now));
        let numbers: Vec<u64> = self.answers.keys().copied().filter(ready).collect();
        for number in &numbers {
            self.due.remove(number);
        }
        numbers.iter().filter_map(|number| self.answers.remove(number)).collect()
    }
}
