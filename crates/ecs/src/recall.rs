//! Questions by day, answered off the main thread: the question is embedded, and what the NPC remembers of earlier
//! nights and of today is searched.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use bevy_ecs::prelude::*;
use nightfold::{
    consolidate::{RecallFilter, RecallIndex, Recalled},
    english::Packs,
    memory::{Confidence, Emotion, EndedPosition, GameTime, Importance, Kind, MemoryId, NpcId, RecordKind},
};
use serde::Serialize;

use crate::{
    NightBudgets, NightPool, NpcMind, QuestionError,
    job::{self, JobReport, Ports},
    pool::Lane,
    today::{Today, TodayError},
};

/// Question of the game to what an NPC remembers, of earlier nights and of today. Answered by [`RecallAnswered`] some
/// ticks later; questions are not saved with the game.
///
/// ```
/// use nightfold_ecs::{RecallQuestion, bevy_ecs::entity::Entity, memory::Kind};
///
/// let gossip = RecallQuestion::new(Entity::PLACEHOLDER, "What does Joss owe you?")
///     .with_ticket(17)
///     .with_filter(|filter| filter.about("Joss").kinds([Kind::Chat]));
/// assert_eq!(gossip.ticket, 17);
/// ```
#[derive(Message, Debug, Clone)]
pub struct RecallQuestion {
    /// NPC that is asked; its mind must be [recalling](crate::NpcMind::recalling).
    pub entity: Entity,
    /// Question in plain words. Players may write it.
    pub question: String,
    /// Condition on the memories that may answer (all may).
    pub filter: RecallFilter,
    /// Number of the game's own (0), which comes back with the answer.
    pub ticket: u64,
}

impl RecallQuestion {
    /// Creates a question to everything that the NPC remembers.
    pub fn new(entity: Entity, question: impl Into<String>) -> Self {
        Self { entity, question: question.into(), filter: RecallFilter::default(), ticket: 0 }
    }

    /// Sets the number that comes back with the answer.
    #[must_use]
    pub fn with_ticket(self, ticket: u64) -> Self {
        Self { ticket, ..self }
    }

    /// Narrows the memories that may answer: about somebody, with a tag, since a moment, of some kinds.
    #[must_use]
    pub fn with_filter(mut self, narrow: impl FnOnce(RecallFilter) -> RecallFilter) -> Self {
        self.filter = narrow(self.filter);
        self
    }
}

/// Answer to a [`RecallQuestion`].
#[derive(Message, EntityEvent, Debug, Clone)]
pub struct RecallAnswered {
    /// NPC that was asked; may be despawned in the message, never in the event.
    pub entity: Entity,
    /// Question as it was asked.
    pub question: String,
    /// Number that the game gave the question.
    pub ticket: u64,
    /// Up to `recall.limit` entries, best first, or the reason for the failure.
    pub memories: Result<Vec<RecalledEntry>, Arc<QuestionError>>,
}

/// Entry found for a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecalledEntry {
    /// Id in the store; a memory of today has the id that it will have there.
    pub id: MemoryId,
    /// Verbatim memory, synthesis or reflection.
    pub form: RecordKind,
    /// Kind of experience.
    pub kind: Kind,
    /// Text of the entry. Players may have written it: clean it before printing it to a terminal.
    pub text: String,
    /// Moment of the experience, or of the first of several.
    pub at: GameTime,
    /// Moment of the last of several.
    pub last_at: GameTime,
    /// Names of the participants.
    pub actors: Vec<String>,
    /// Tags of the game.
    pub tags: Vec<String>,
    /// Place where it happened.
    pub place: Option<String>,
    /// Emotion felt.
    pub emotion: Option<Emotion>,
    /// Importance, 1 to 10.
    pub importance: Importance,
    /// Confidence of the NPC in it.
    pub confidence: Confidence,
    /// Entries that contradict it, as long as it is not settled which one holds.
    pub contested_with: Vec<MemoryId>,
    /// Parts of the text that no longer hold.
    pub ended: Vec<EndedPosition>,
    /// Memories that it was made from.
    pub sources: Vec<MemoryId>,
    /// True if no night has consolidated it yet: the NPC lived through it since it woke, or sleeps on it now.
    pub today: bool,
    /// Score, 0 to 1: relevance, recency and importance weighed as in `[recall]`.
    pub score: f64,
    /// Cosine and words in common with the question, weighed, 0 to 1.
    pub relevance: f64,
}

impl RecalledEntry {
    fn of(recalled: &Recalled<'_>, today: bool) -> Self {
        let (record, entry) = (recalled.memory, &recalled.memory.entry);
        Self {
            id: entry.id.clone(),
            form: entry.form,
            kind: entry.kind,
            text: entry.text.clone(),
            at: entry.at,
            last_at: entry.last_at,
            actors: entry.actors.clone(),
            tags: entry.tags.clone(),
            place: entry.place.clone(),
            emotion: entry.emotion,
            importance: entry.importance,
            confidence: record.confidence,
            contested_with: record.contested_with.clone(),
            ended: record.ended.clone(),
            sources: entry.sources.clone(),
            today,
            score: recalled.score,
            relevance: recalled.relevance,
        }
    }
}

/// Question on its way to the pool.
pub(crate) struct PendingQuestion {
    pub(crate) number: u64,
    pub(crate) asked: RecallQuestion,
    pub(crate) npc: NpcId,
    pub(crate) npc_tags: Vec<String>,
    /// Index of the NPC at the time of the question; `None` if it is still to be made from the store.
    pub(crate) index: Option<Arc<RecallIndex>>,
    /// Number of times that the NPC was reread before.
    pub(crate) as_of: u64,
    /// Memories that no night has consolidated, and the number of them at the time of the question.
    pub(crate) today: (Arc<Today>, usize),
    pub(crate) now: GameTime,
}

/// Index made from the store.
pub(crate) struct MadeIndex {
    pub(crate) npc: NpcId,
    /// Number of times that the NPC was reread before.
    pub(crate) as_of: u64,
    pub(crate) index: Arc<RecallIndex>,
}

/// Answer, with the index that had to be made for it.
pub(crate) type Found = (Vec<RecalledEntry>, Option<Arc<RecallIndex>>);

impl PendingQuestion {
    pub(crate) fn search(&self, ports: &Ports) -> Result<Found, QuestionError> {
        let question = &self.asked.question;
        let vectors = ports.embedder.embed(&[question])?.vectors;
        let made = match &self.index {
            Some(_) => None,
            None => Some(index_of(&self.npc, ports)?),
        };
        let empty = (Vec::new(), made.clone());
        let Some(base) = self.index.as_ref().or(made.as_ref()) else { return Ok(empty) };
        let (today, formed) = &self.today;
        let index = today.index(base, *formed, &*ports.embedder, &ports.config)?;
        let Some(vector) = vectors.rows().next() else { return Ok(empty) };
        let query = index.query(question, vector, &Packs)?.with_filter(self.asked.filter.clone());
        let config = ports.config.for_npc(&self.npc, &self.npc_tags);
        let found = index.recall(&query, self.now, &config.recall);
        tracing::debug!(npc = %self.npc, found = found.len(), "asked");
        let remembered = found
            .iter()
            .map(|recalled| RecalledEntry::of(recalled, today.has(*formed, &recalled.memory.entry.id)));
        Ok((remembered.collect(), made))
    }
}

impl From<TodayError> for QuestionError {
    fn from(error: TodayError) -> Self {
        match error {
            TodayError::Embedder(error) => error.into(),
            TodayError::Pack(error) => error.into(),
        }
    }
}

/// Makes the index of an NPC from the store.
pub(crate) fn index_of(npc: &NpcId, ports: &Ports) -> Result<Arc<RecallIndex>, QuestionError> {
    let mind = NpcMind::load(npc.clone(), &*ports.store, &ports.config)?;
    Ok(mind.index().map_or_else(|| Arc::new(RecallIndex::empty()), Arc::clone))
}

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
    pub(crate) fn day_grew(&mut self, npc: &NpcId) {
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
    pub(crate) fn outdate(&mut self, npc: &NpcId) {
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
