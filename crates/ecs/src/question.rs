//! A question to what an NPC remembers, and its answer: the question is embedded, and what the NPC remembers of earlier
//! nights and of today is searched.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use nightfold::{
    consolidate::{ContextLimits, RecallFilter, RecallIndex, Recalled},
    english::Packs,
    memory::{
        Confidence, Emotion, EndedPosition, GameTime, Importance, Kind, LanguagePacks, MemoryId, NpcId,
        RecordKind,
    },
};
use serde::Serialize;

use crate::{NpcMind, QuestionError, ports::Ports, today::Today};

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
    /// Maximum number of tokens of the text for a prompt that is to come with the answer ([`RecallIndex::context`]); `None`
    /// for no text.
    pub context: Option<usize>,
}

impl RecallQuestion {
    /// Creates a question to everything that the NPC remembers.
    pub fn new(entity: Entity, question: impl Into<String>) -> Self {
        Self { entity, question: question.into(), filter: RecallFilter::default(), ticket: 0, context: None }
    }

    /// Sets the number that comes back with the answer.
    #[must_use]
    pub fn with_ticket(self, ticket: u64) -> Self {
        Self { ticket, ..self }
    }

    /// Asks also for a text for a prompt, of at most this many tokens.
    #[must_use]
    pub fn with_context(self, tokens: usize) -> Self {
        Self { context: Some(tokens), ..self }
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
    /// Text for a prompt of what the NPC has in mind; `None` if the question asked for none or failed.
    pub context: Option<String>,
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
    /// True if it is archived and comes faintly to mind.
    pub faint: bool,
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
            faint: recalled.faint,
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

/// Result of a search.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) memories: Vec<RecalledEntry>,
    pub(crate) context: Option<String>,
    /// The index that had to be made for it.
    pub(crate) made: Option<Arc<RecallIndex>>,
}

impl PendingQuestion {
    pub(crate) fn search(&self, ports: &Ports) -> Result<Found, QuestionError> {
        let question = &self.asked.question;
        let vectors = ports.embedder.embed(&[question])?.vectors;
        let made = match &self.index {
            Some(_) => None,
            None => Some(index_of(&self.npc, ports)?),
        };
        let nothing = Found { made: made.clone(), ..Found::default() };
        let Some(base) = self.index.as_ref().or(made.as_ref()) else { return Ok(nothing) };
        let (today, formed) = &self.today;
        let index = today.index(base, *formed, &*ports.embedder, &ports.config)?;
        let Some(vector) = vectors.rows().next() else { return Ok(nothing) };
        let query = index.query(question, vector, &Packs)?.with_filter(self.asked.filter.clone());
        let config = ports.config.for_npc(&self.npc, &self.npc_tags);
        let found = index.recall(&query, self.now, &config.recall);
        tracing::debug!(npc = %self.npc, found = found.len(), "asked");
        let remembered = found
            .iter()
            .map(|recalled| RecalledEntry::of(recalled, today.has(*formed, &recalled.memory.entry.id)));
        let context = match (self.asked.context, Packs.named(index.pack())) {
            (Some(tokens), Some(pack)) => {
                let limits = ContextLimits { tokens, turns_at: config.day.turns_at };
                Some(index.context(&query, self.now, &config.recall, pack, limits))
            }
            _ => None,
        };
        Ok(Found { memories: remembered.collect(), context, made })
    }
}

/// Makes the index of an NPC from the store.
pub(crate) fn index_of(npc: &NpcId, ports: &Ports) -> Result<Arc<RecallIndex>, QuestionError> {
    let mind = NpcMind::load(npc.clone(), &*ports.store, &ports.config)?;
    Ok(mind.index().map_or_else(|| Arc::new(RecallIndex::empty()), Arc::clone))
}
