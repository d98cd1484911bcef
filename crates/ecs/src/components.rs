//! Components of an NPC: its day, its sleep, its mind.

use std::sync::Arc;

use bevy_ecs::prelude::*;
#[cfg(feature = "bevy_reflect")]
use bevy_reflect::prelude::*;
use nightfold::{
    consolidate::{RecallIndex, RecallQuery, Recalled},
    english::Packs,
    pack_for_entries, recallable,
};
use nightfold_memory::{
    GameTime, Memory, MemoryId, MemoryStore, NightLabel, NpcId, SleepBudget, SleepError, ValidConfig,
    config::InputConfig, config::RecallConfig,
};
use serde::{Deserialize, Serialize};

use crate::{
    MemoryError, MindError, NewMemory, new_memory,
    today::{SubmittedDay, Today},
};

/// Memories of an NPC since its last night. The night takes those formed up to the moment of sleep; memories
/// formed during sleep stay here for the next night.
#[derive(Component, Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "bevy_reflect",
    derive(Reflect),
    reflect(opaque, Component, Default, Serialize, Deserialize)
)]
pub struct DailyMemories {
    memories: Vec<Memory>,
    /// Number of ids given out so far.
    formed: u64,
}

impl DailyMemories {
    /// Adds a memory under a new id (`t<seconds>-<number>`).
    ///
    /// # Errors
    /// [`MemoryError`] if the memory or the day exceeds the bounds of `[input]`; nothing is added then.
    pub fn remember(
        &mut self,
        npc: &NpcId,
        memory: NewMemory,
        limits: &InputConfig,
    ) -> Result<(), MemoryError> {
        let id = MemoryId::new(format!("t{}-{}", memory.at.seconds(), self.formed))
            .unwrap_or_else(|_| unreachable!("two numbers are a printable, short name"));
        self.add(npc, memory.named(npc, id), limits)?;
        self.formed = self.formed.saturating_add(1);
        Ok(())
    }

    /// Adds a memory that already has an id.
    ///
    /// # Errors
    /// As [`DailyMemories::remember`]; [`MemoryError::WrongNpc`] if the memory belongs to another NPC.
    pub fn add(&mut self, npc: &NpcId, memory: Memory, limits: &InputConfig) -> Result<(), MemoryError> {
        if memory.npc != *npc {
            return Err(MemoryError::WrongNpc { npc: npc.clone(), given: memory.npc });
        }
        new_memory::check(&memory, limits)?;
        if self.memories.len() >= limits.max_memories {
            return Err(MemoryError::DayFull { most: limits.max_memories });
        }
        self.memories.push(memory);
        Ok(())
    }

    /// Returns the memories in the order in which they were added.
    pub fn memories(&self) -> &[Memory] {
        &self.memories
    }

    /// Removes and returns the memories formed up to a moment.
    pub(crate) fn take_until(&mut self, until: GameTime) -> Vec<Memory> {
        if self.memories.iter().all(|memory| memory.at <= until) {
            return std::mem::take(&mut self.memories);
        }
        let (before, after) = std::mem::take(&mut self.memories).into_iter().partition(|m| m.at <= until);
        self.memories = after;
        before
    }

    /// Puts the memories of a failed night back, before the memories formed since.
    pub(crate) fn put_back(&mut self, mut memories: Vec<Memory>) {
        memories.append(&mut self.memories);
        self.memories = memories;
    }
}

/// Sleep of an NPC. The game inserts it; the sleep phase removes it when [`until`](Asleep::until) is reached,
/// and the game may remove it earlier to wake the NPC. The night begins when it is the NPC's turn
/// ([`NightBudgets::onset_per_tick`](crate::NightBudgets::onset_per_tick)).
///
/// Inserting it again on a sleeping NPC changes the length of the sleep. The night's budgets follow from the
/// quality and the hours planned at the beginning of the night.
#[derive(Component, Debug, Clone, PartialEq, Serialize, Deserialize)]
#[component(storage = "SparseSet")]
#[cfg_attr(feature = "bevy_reflect", derive(Reflect), reflect(opaque, Component, Serialize, Deserialize))]
pub struct Asleep {
    since: GameTime,
    quality: f64,
    /// Moment of waking.
    pub until: GameTime,
    /// True once the night has taken the day.
    pub(crate) begun: bool,
}

impl Asleep {
    /// Creates sound sleep from one moment to another.
    pub fn new(since: GameTime, until: GameTime) -> Self {
        Self { since, quality: 1.0, until, begun: false }
    }

    /// Sets the quality of the sleep, from 0 (tossing all night) to 1 (sound). Poor sleep keeps less.
    ///
    /// # Errors
    /// [`SleepError`] if the quality is outside that range.
    pub fn with_quality(self, quality: f64) -> Result<Self, SleepError> {
        let quality = SleepBudget::new(quality, 0.0)?.quality();
        Ok(Self { quality, ..self })
    }

    /// Returns the moment of falling asleep.
    pub fn since(&self) -> GameTime {
        self.since
    }

    /// Returns the quality of the sleep, 0 to 1.
    pub fn quality(&self) -> f64 {
        self.quality
    }

    /// Returns the share of a night's budgets that this sleep leaves: its quality, and its length up to a
    /// day.
    ///
    /// # Errors
    /// [`SleepError`] if the quality, read from a saved game, is outside 0 to 1.
    pub fn budget(&self) -> Result<SleepBudget, SleepError> {
        let seconds = self.until.seconds() - self.since.seconds();
        SleepBudget::new(self.quality, (seconds as f64 / 3600.0).clamp(0.0, 24.0))
    }
}

/// Tags of an NPC itself, such as its trade: they choose its profile of the configuration
/// ([`ValidConfig::for_npc`]), by night and for questions by day. NPCs of all profiles share batches. Without this
/// component an NPC keeps the tags of its latest night.
#[derive(Component, Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(Reflect), reflect(Component, Default, Serialize, Deserialize))]
pub struct NpcTags(pub Vec<String>);

/// Mark of an NPC whose night is under way: its day was taken and the result is not known yet. Inserted and
/// removed by the sleep phase only. It outlasts [`Asleep`] for a moment if the NPC wakes before its night is
/// finished.
#[derive(Component, Debug, Clone, Copy, PartialEq, Eq)]
#[component(storage = "SparseSet")]
pub struct Consolidating {
    since: GameTime,
}

impl Consolidating {
    pub(crate) fn new(since: GameTime) -> Self {
        Self { since }
    }

    /// Returns the moment of sleep that closed the day.
    pub fn since(&self) -> GameTime {
        self.since
    }
}

/// Long-term memory of an NPC, as far as the game holds it: the name under which the store has the records
/// and, for an NPC that is [recalling](NpcMind::recalling) by day, an index of its active entries.
#[derive(Component, Debug, Serialize, Deserialize)]
#[require(DailyMemories)]
#[cfg_attr(feature = "bevy_reflect", derive(Reflect), reflect(opaque, Component, Serialize, Deserialize))]
pub struct NpcMind {
    npc: NpcId,
    /// Version of long-term memory after the last night that this world saw.
    version: u64,
    recalls: bool,
    /// Tags of the NPC on that night, which choose its profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    npc_tags: Vec<String>,
    /// Moment of the last maintenance of its long-term memory, or of the first night.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    maintained: Option<GameTime>,
    #[serde(skip)]
    index: Option<Arc<RecallIndex>>,
    #[serde(skip)]
    handed: SubmittedDay,
}

/// A clone holds what is saved of a mind, and reads the rest anew: it belongs to a saved game, in which what the original has read of the
/// store and of its day since may not have happened.
impl Clone for NpcMind {
    fn clone(&self) -> Self {
        Self {
            version: self.version,
            recalls: self.recalls,
            npc_tags: self.npc_tags.clone(),
            maintained: self.maintained,
            ..Self::new(self.npc.clone())
        }
    }
}

impl NpcMind {
    /// Creates the mind of an NPC that consolidates by night and is not asked by day: a few dozen bytes.
    pub fn new(npc: NpcId) -> Self {
        Self {
            npc,
            version: 0,
            recalls: false,
            npc_tags: Vec::new(),
            maintained: None,
            index: None,
            handed: SubmittedDay::default(),
        }
    }

    /// Lets the NPC be asked by day: after each night it gets an index of its active entries, some 2 KiB for
    /// each.
    #[must_use]
    pub fn recalling(self) -> Self {
        Self { recalls: true, ..self }
    }

    /// Creates a [recalling](NpcMind::recalling) mind with the index of the store's entries. Reads the store
    /// and blocks: meant for loading screens and other threads, not for a system.
    ///
    /// # Errors
    /// [`MindError`] if the store cannot be read, or `language.pack` names no pack.
    pub fn load(npc: NpcId, store: &dyn MemoryStore, config: &ValidConfig) -> Result<Self, MindError> {
        let past = store.snapshot(&npc)?;
        let pack = pack_for_entries(&past.entries, &Packs, config)?;
        let (version, npc_tags) = (past.version, past.npc_tags);
        let recall = &config.for_npc(&npc, &npc_tags).recall;
        let entries = recallable(store, &npc, past.entries, recall)?;
        let index = Some(Arc::new(RecallIndex::new(entries, pack)));
        Ok(Self { version, recalls: true, npc_tags, index, ..Self::new(npc) })
    }

    /// Returns the name of the NPC.
    pub fn npc(&self) -> &NpcId {
        &self.npc
    }

    /// Returns the version of long-term memory after the last night that this world saw: a fingerprint of all
    /// records and their history; 0 before the first night.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// True if the NPC gets an index after each night.
    pub fn recalls(&self) -> bool {
        self.recalls
    }

    /// Returns the number of entries that can be recalled; 0 without an index.
    pub fn entries(&self) -> usize {
        self.index.as_ref().map_or(0, |index| index.len())
    }

    /// Returns the entries that best answer a question, best first (see [`RecallIndex::recall`]); none
    /// without an index. Takes some 0.1 ms among 1,000 entries. Embedding the question takes longer and belongs
    /// on another thread: send a [`RecallQuestion`](crate::RecallQuestion) instead.
    pub fn recall(&self, query: &RecallQuery, now: GameTime, config: &RecallConfig) -> Vec<Recalled<'_>> {
        self.index.as_ref().map_or_else(Vec::new, |index| index.recall(query, now, config))
    }

    /// Returns the tags of the NPC on the last night that this world saw; they choose its profile
    /// ([`ValidConfig::for_npc`]).
    pub fn npc_tags(&self) -> &[String] {
        &self.npc_tags
    }

    pub(crate) fn index(&self) -> Option<&Arc<RecallIndex>> {
        self.index.as_ref()
    }

    /// Hands the memories over that no delivered night has consolidated; returns them and their number.
    pub(crate) fn submit<'m>(
        &mut self,
        memories: impl Iterator<Item = (&'m Memory, NightLabel)>,
    ) -> (Arc<Today>, usize) {
        self.handed.submit(memories)
    }

    /// Drops the index and what was handed over; both are made again.
    pub(crate) fn forget_index(&mut self) {
        (self.index, self.handed) = (None, SubmittedDay::default());
    }

    /// Sets an index made from the store, unless a night has brought one meanwhile.
    pub(crate) fn set_missing_index(&mut self, index: Arc<RecallIndex>) {
        if self.recalls {
            self.index.get_or_insert(index);
        }
    }

    /// Returns the moment of its last maintenance, or of its first night.
    pub(crate) fn maintained(&self) -> Option<GameTime> {
        self.maintained
    }

    pub(crate) fn set_maintained(&mut self, at: GameTime) {
        self.maintained = Some(at);
    }

    pub(crate) fn set_version(&mut self, version: u64) {
        self.version = version;
    }

    /// Stores the result of a night; returns what it replaces, which may be large.
    pub(crate) fn update(
        &mut self,
        npc_tags: Vec<String>,
        index: Option<Arc<RecallIndex>>,
    ) -> (Option<Arc<RecallIndex>>, SubmittedDay) {
        self.npc_tags = npc_tags;
        let handed = self.handed.clear();
        if !self.recalls {
            return (None, handed);
        }
        // Without a new index, the next question makes one from the store.
        (std::mem::replace(&mut self.index, index), handed)
    }
}
