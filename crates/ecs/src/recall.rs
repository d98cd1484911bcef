//! Questions by day, answered off the main thread: the question is embedded and the NPC's index is searched.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use bevy_ecs::prelude::*;
use nightfold::{
    consolidate::RecallIndex,
    english::Packs,
    memory::{GameTime, MemoryId, NpcId, RecordKind},
};

use crate::{
    NightBudgets, NightPool, QuestionError,
    job::{self, JobReport, Ports},
};

/// Question of the game to an NPC's long-term memory. Answered by [`RecallAnswered`] some ticks later;
/// questions are not saved with the game.
#[derive(Message, Debug, Clone)]
pub struct RecallQuestion {
    /// NPC that is asked; its mind must be [recalling](crate::NpcMind::recalling).
    pub entity: Entity,
    /// Question in plain words. Players may write it.
    pub question: String,
}

/// Answer to a [`RecallQuestion`].
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct RecallAnswered {
    /// NPC that was asked; may be despawned in the message, never in the event.
    pub entity: Entity,
    /// Question as it was asked.
    pub question: String,
    /// Up to `recall.limit` entries, best first, or the reason for the failure.
    pub memories: Result<Vec<RecalledEntry>, Arc<QuestionError>>,
}

/// Entry found for a question.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledEntry {
    /// Id in the store.
    pub id: MemoryId,
    /// Verbatim memory, synthesis or reflection.
    pub form: RecordKind,
    /// Text of the entry. Players may have written it: clean it before printing it to a terminal.
    pub text: String,
    /// Moment of the experience, or of the first of several.
    pub at: GameTime,
    /// Score, 0 to 1: relevance, recency and importance weighed as in `[recall]`.
    pub score: f64,
    /// Cosine to the question; negative values count as 0.
    pub relevance: f64,
}

/// Question on its way to the pool.
pub(crate) struct PendingQuestion {
    pub(crate) number: u64,
    pub(crate) entity: Entity,
    pub(crate) npc: NpcId,
    pub(crate) npc_tags: Vec<String>,
    pub(crate) question: String,
    /// Index of the NPC at the time of the question.
    pub(crate) index: Arc<RecallIndex>,
    pub(crate) now: GameTime,
}

impl PendingQuestion {
    pub(crate) fn search(&self, ports: &Ports) -> Result<Vec<RecalledEntry>, QuestionError> {
        let vectors = ports.embedder.embed(&[&self.question])?.vectors;
        let Some(vector) = vectors.rows().next() else { return Ok(Vec::new()) };
        let query = self.index.query(&self.question, vector, &Packs)?;
        let config = ports.config.for_npc(&self.npc, &self.npc_tags);
        let found = self.index.recall(&query, self.now, &config.recall);
        tracing::debug!(npc = %self.npc, found = found.len(), "asked");
        let remembered = found.into_iter().map(|recalled| {
            let entry = &recalled.memory.entry;
            RecalledEntry {
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

/// Questions under way.
#[derive(Resource, Default)]
pub(crate) struct Questions {
    asked: u64,
    waiting: VecDeque<(PendingQuestion, Ports)>,
    running: usize,
    /// Due moment of each answer, if it is fixed.
    due: BTreeMap<u64, Option<i64>>,
    answers: BTreeMap<u64, RecallAnswered>,
}

impl Questions {
    /// Returns the number of questions that the pool works on.
    pub(crate) fn running(&self) -> usize {
        self.running
    }

    /// Returns the number of a new question; `due` is the fixed moment of its answer, if there is one.
    pub(crate) fn next_number(&mut self, due: Option<i64>) -> u64 {
        self.asked += 1;
        self.due.insert(self.asked, due);
        self.asked
    }

    pub(crate) fn enqueue(&mut self, asked: PendingQuestion, ports: Ports) {
        self.waiting.push_back((asked, ports));
    }

    /// Answers a question that needs no search.
    pub(crate) fn refuse(&mut self, number: u64, answer: RecallAnswered) {
        self.answers.insert(number, answer);
    }

    pub(crate) fn launch(&mut self, pool: &NightPool, budgets: &NightBudgets) {
        while self.running < budgets.questions.max(1) {
            let Some((asked, ports)) = self.waiting.pop_front() else { return };
            self.running += 1;
            pool.run(move || job::answer(&asked, &ports));
        }
    }

    /// Takes in an answer; returns any other report.
    pub(crate) fn receive(&mut self, report: JobReport) -> Option<JobReport> {
        match report {
            JobReport::Answered(number, answer) => {
                self.running = self.running.saturating_sub(1);
                self.answers.insert(number, answer);
                None
            }
            other => Some(other),
        }
    }

    /// Returns the number of a question that is due and not answered yet.
    pub(crate) fn unanswered(&self, now: i64) -> Option<u64> {
        let due = |(number, due): (&u64, &Option<i64>)| {
            (due.is_some_and(|due| due <= now) && !self.answers.contains_key(number)).then_some(*number)
        };
        self.due.iter().find_map(due)
    }

    /// Removes and returns the answers that are due, in the order of the questions.
    pub(crate) fn take_due(&mut self, now: i64) -> Vec<RecallAnswered> {
        let ready = |number: &u64| self.due.get(number).is_none_or(|due| due.is_none_or(|due| due <= now));
        let numbers: Vec<u64> = self.answers.keys().copied().filter(ready).collect();
        for number in &numbers {
            self.due.remove(number);
        }
        numbers.iter().filter_map(|number| self.answers.remove(number)).collect()
    }
}
