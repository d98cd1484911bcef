//! Questions to the memory of an NPC in a store.

use nightfold_consolidate::{ContextLimits, RecallIndex, RecallQuery, Recalled};
use nightfold_memory::{
    Embedder, EmbedderError, GameTime, IdError, LanguagePack, LanguagePacks, MemoryReader, MemoryRecord,
    NpcId, StoreError, UnknownPack, ValidConfig, config::RecallConfig,
};

use crate::{entries_at, pack_for_entries};

/// Entries of an NPC that a [`Recall`] searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RecallScope {
    /// The active entries, and with `recall.faint` those that may come faintly to mind.
    #[default]
    Remembered,
    /// All entries that have a vector or a sketch, also what was superseded, capped or declined.
    History,
    /// The entries that were active at a moment.
    At(GameTime),
}

/// Store, embedder and language packs of a [`Recall`].
#[derive(Clone, Copy)]
pub struct RecallPorts<'a> {
    /// Long-term memory.
    pub store: &'a dyn MemoryReader,
    /// Embedder of the store's vectors.
    pub embedder: &'a dyn Embedder,
    /// Language packs.
    pub packs: &'a dyn LanguagePacks,
}

/// A question to the memory of an NPC in a store, ready to be answered. Making one reads all entries of the NPC: a game that asks
/// often keeps a [`RecallIndex`].
#[derive(Debug)]
pub struct Recall<'a> {
    /// Entries that are searched.
    pub index: RecallIndex,
    /// The question.
    pub query: RecallQuery,
    /// Moment of the question, from which ages are counted: the one of the scope, or that of the NPC's latest night.
    pub now: GameTime,
    /// Settings of the NPC.
    pub settings: RecallConfig,
    pack: &'a dyn LanguagePack,
    turns_at: i64,
}

impl<'a> Recall<'a> {
    /// Reads what a question searches.
    ///
    /// # Errors
    /// [`RecallError`] if the question cannot be embedded, the store cannot be read or holds vectors of another model, or
    /// `language.pack` names no pack.
    pub fn new(
        RecallPorts { store, embedder, packs }: RecallPorts<'a>,
        config: &ValidConfig,
        npc: &NpcId,
        question: &str,
        scope: RecallScope,
    ) -> Result<Self, RecallError> {
        let past = store.snapshot(npc)?;
        if let Some(stored) = past.model.filter(|stored| stored != embedder.model()) {
            return Err(StoreError::Model { stored, given: embedder.model().clone() }.into());
        }
        let config = config.for_npc(npc, &past.npc_tags);
        let pack = pack_for_entries(&past.entries, packs, &config)?;
        let index = match scope {
            RecallScope::Remembered => {
                RecallIndex::new(recallable(store, npc, past.entries, &config.recall)?, pack)
            }
            RecallScope::History => RecallIndex::of_history(all_entries(store, npc)?, pack),
            RecallScope::At(at) => RecallIndex::new(entries_at(store, npc, at)?, pack),
        };
        let now = match scope {
            RecallScope::At(at) => at,
            _ => store.latest_night(npc)?.map_or(GameTime::ZERO, |night| night.at),
        };
        let query = RecallQuery::new(question, embedder.embed(&[question])?.vectors.row(0), pack);
        let (settings, turns_at) = (config.recall.clone(), config.day.turns_at);
        Ok(Self { index, query, now, settings, pack, turns_at })
    }

    /// Returns the entries that best answer the question ([`RecallIndex::recall`]).
    pub fn found(&self) -> Vec<Recalled<'_>> {
        self.index.recall(&self.query, self.now, &self.settings)
    }

    /// Returns what the NPC has in mind as a text for a prompt, of at most this many tokens ([`RecallIndex::context`]).
    pub fn context(&self, tokens: usize) -> String {
        let limits = ContextLimits { tokens, turns_at: self.turns_at };
        self.index.context(&self.query, self.now, &self.settings, self.pack, limits)
    }
}

/// Error of a [`Recall`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// The name is not a valid NPC id.
    #[error(transparent)]
    Npc(#[from] IdError),
    /// The question cannot be embedded.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no language pack of the configured name.
    #[error(transparent)]
    Pack(#[from] UnknownPack),
}

/// Returns the entries that recall searches: the active ones given, and if `recall.faint` is set the archived ones that may
/// come faintly to mind ([`MemoryReader::faint`]).
///
/// # Errors
/// [`StoreError`] if the store cannot be read.
pub fn recallable(
    store: &dyn MemoryReader,
    npc: &NpcId,
    active: Vec<MemoryRecord>,
    config: &RecallConfig,
) -> Result<Vec<MemoryRecord>, StoreError> {
    let mut entries = active;
    if config.faint {
        entries.extend(store.faint(npc)?);
    }
    Ok(entries)
}

/// Returns all entries of an NPC, with their vectors where they have one.
fn all_entries(store: &dyn MemoryReader, npc: &NpcId) -> Result<Vec<MemoryRecord>, StoreError> {
    let mut entries = Vec::new();
    for record in store.entries(npc)? {
        entries.extend(store.entry(npc, &record.entry.id)?);
    }
    Ok(entries)
}
