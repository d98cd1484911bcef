//! Questions by day, answered off the main thread.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use bevy_ecs::prelude::*;
use nightfold::{consolidate::RecallIndex, memory::NpcId};

use crate::{
    NightBudgets, NightPool, RecallAnswered,
    job::{self, JobReport},
    pool::Lane,
    ports::Ports,
    question::{MadeIndex, PendingQuestion},
    today::Today,
};

/// Questions under way, and the work that makes NPCs ready to be asked.
#[derive(Resource, Default)]
pub(crate) struct Questions {
    asked: u64,
    waiting: VecDeque<(PendingQuestion, Ports)>,
    running: usize,
    /// Due moment of each answer, if it is fixed.
    due: BTreeMap<u64, Option<i64>>,
    answers: BTreeMap<u64, RecallAnswered>,
    /// NPCs whose index is still to be made from the store.
    unindexed: BTreeSet<NpcId>,
    /// Number of times that the mind of an NPC was brought to another state of long-term memory: an index made before is outdated.
    rereads: BTreeMap<NpcId, u64>,
    /// Number of indices that the pool makes.
    indexing: usize,
    /// Indices that were made, to be given to their NPCs.
    indexed: Vec<(NpcId, Arc<RecallIndex>)>,
    /// NPCs with new memories that nobody embeds yet.
    grown: BTreeSet<NpcId>,
    /// Number of unanswered questions for which an index is made from the store.
    reading: usize,
    /// Days whose memories are still to be embedded.
    unembedded: VecDeque<(Arc<Today>, usize, Ports)>,
    /// True while the pool embeds memories of a day.
    embedding: bool,
}

impl Questions {
    /// Returns the number of jobs that the pool works on.
    pub(crate) fn running(&self) -> usize {
        self.running + self.indexing + usize::from(self.embedding)
    }

    /// Returns the number of a new question; `due` is the fixed moment of its answer, if there is one.
    pub(crate) fn next_number(&mut self, due: Option<i64>) -> u64 {
        self.asked += 1;
        self.due.insert(self.asked, due);
        self.asked
    }

    pub(crate) fn enqueue(&mut self, mut asked: PendingQuestion, ports: Ports) {
        asked.as_of = self.rereads_of(&asked.npc);
        self.reading += usize::from(asked.index.is_none());
        self.waiting.push_back((asked, ports));
    }

    /// Notes an NPC that has a new memory.
    pub(crate) fn extend_day(&mut self, npc: &NpcId) {
        if !self.grown.contains(npc) {
            self.grown.insert(npc.clone());
        }
    }

    /// Removes and returns up to `most` NPCs with new memories.
    pub(crate) fn take_grown(&mut self, most: usize) -> Vec<NpcId> {
        std::iter::from_fn(|| self.grown.pop_first()).take(most).collect()
    }

    /// Answers a question that needs no search.
    pub(crate) fn refuse(&mut self, number: u64, answer: RecallAnswered) {
        self.answers.insert(number, answer);
    }

    /// Notes an NPC whose index is to be made from the store, as after loading a game.
    pub(crate) fn index_missing(&mut self, npc: &NpcId) {
        self.unindexed.insert(npc.clone());
    }

    /// Notes an NPC whose mind has another state of long-term memory: that of a night, or one that was read anew.
    pub(crate) fn invalidate(&mut self, npc: &NpcId) {
        *self.rereads.entry(npc.clone()).or_default() += 1;
        self.indexed.retain(|(of, _)| of != npc);
    }

    fn rereads_of(&self, npc: &NpcId) -> u64 {
        self.rereads.get(npc).copied().unwrap_or_default()
    }

    /// Notes a day that has grown to this many memories.
    pub(crate) fn embed_day(&mut self, today: Arc<Today>, formed: usize, ports: Ports) {
        self.unembedded.push_back((today, formed, ports));
    }

    /// True while an index is made or is to be made from the store.
    pub(crate) fn reads_store(&self) -> bool {
        self.indexing + self.reading > 0 || !self.unindexed.is_empty()
    }

    pub(crate) fn launch(&mut self, pool: &NightPool, budgets: &NightBudgets) {
        while self.running < budgets.questions.max(1) {
            let Some((asked, ports)) = self.waiting.pop_front() else { break };
            self.running += 1;
            pool.run(Lane::Answers, move |_| job::answer(&asked, &ports));
        }
        if !self.embedding
            && let Some((today, formed, ports)) = self.unembedded.pop_front()
        {
            self.embedding = true;
            pool.run(Lane::Days, move |_| job::embed_day(&today, formed, &ports));
        }
    }

    /// Makes the indices that are missing, a few at a time.
    pub(crate) fn launch_indexing(&mut self, pool: &NightPool, ports: impl Fn() -> Ports) {
        while self.indexing < INDEXING_AT_ONCE {
            let Some(npc) = self.unindexed.pop_first() else { return };
            self.indexing += 1;
            let (ports, as_of) = (ports(), self.rereads_of(&npc));
            pool.run(Lane::Days, move |_| job::index(npc, as_of, &ports));
        }
    }

    /// Takes in an answer, an index or an embedded day; returns any other report.
    pub(crate) fn receive(&mut self, report: JobReport) -> Option<JobReport> {
        match report {
            JobReport::Answered { number, answer, made, read_store } => {
                self.running = self.running.saturating_sub(1);
                self.reading = self.reading.saturating_sub(usize::from(read_store));
                self.answers.insert(number, answer);
                self.take_index(made);
                None
            }
            JobReport::Indexed(index) => {
                self.indexing = self.indexing.saturating_sub(1);
                self.take_index(index);
                None
            }
            JobReport::DayEmbedded => {
                self.embedding = false;
                None
            }
            other => Some(other),
        }
    }

    fn take_index(&mut self, made: Option<MadeIndex>) {
        let current = made.filter(|made| made.as_of == self.rereads_of(&made.npc));
        self.indexed.extend(current.map(|made| (made.npc, made.index)));
    }

    /// Removes and returns the indices made since the last call.
    pub(crate) fn take_indexed(&mut self) -> Vec<(NpcId, Arc<RecallIndex>)> {
        std::mem::take(&mut self.indexed)
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

/// Number of indices made from the store at a time.
const INDEXING_AT_ONCE: usize = 4;
