//! What an NPC carries: its day, its sleep, its mind.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use nightfold::consolidate::{RecallIndex, Recalled};
use nightfold_memory::{
    GameTime, InputConfig, Memory, MemoryId, MemoryStore, NpcId, RecallConfig, SleepBudget, SleepError,
    StoreError,
};
use serde::{Deserialize, Serialize};

use crate::{Lived, MemoryError, lived};

/// What an NPC has lived through since its last night. The night takes what happened up to the moment of sleep;
/// what happens during sleep stays here for the next one.
#[derive(Component, Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DailyMemories {
    memories: Vec<Memory>,
    /// How many were ever named here.
    formed: u64,
}

impl DailyMemories {
    /// Takes in what was lived through, under a new name (`t<seconds>-<number>`).
    ///
    /// # Errors
    /// [`MemoryError`] when it, or the day, exceeds the bounds of `[input]`; nothing is taken in then.
    pub fn remember(&mut self, npc: &NpcId, lived: Lived, limits: &InputConfig) -> Result<(), MemoryError> {
        let id = MemoryId::new(format!("t{}-{}", lived.at.seconds(), self.formed))
            .unwrap_or_else(|_| unreachable!("two numbers are a printable, short name"));
        self.add(npc, lived.named(npc, id), limits)?;
        self.formed += 1;
        Ok(())
    }

    /// Takes in a memory that has a name already.
    ///
    /// # Errors
    /// As [`DailyMemories::remember`]; [`MemoryError::Stranger`] when it is another NPC's.
    pub fn add(&mut self, npc: &NpcId, memory: Memory, limits: &InputConfig) -> Result<(), MemoryError> {
        if memory.npc != *npc {
            return Err(MemoryError::Stranger { npc: npc.clone(), given: memory.npc });
        }
        lived::check(&memory, limits)?;
        if self.memories.len() >= limits.max_memories {
            return Err(MemoryError::DayFull { most: limits.max_memories });
        }
        self.memories.push(memory);
        Ok(())
    }

    /// The memories, in the order they came.
    pub fn memories(&self) -> &[Memory] {
        &self.memories
    }

    /// Takes what happened up to a moment.
    pub(crate) fn take_until(&mut self, until: GameTime) -> Vec<Memory> {
        if self.memories.iter().all(|memory| memory.at <= until) {
            return std::mem::take(&mut self.memories);
        }
        let (before, after) = std::mem::take(&mut self.memories).into_iter().partition(|m| m.at <= until);
        self.memories = after;
        before
    }

    /// Puts back what no night took. It was lived through before all that is here now.
    pub(crate) fn put_back(&mut self, mut memories: Vec<Memory>) {
        memories.append(&mut self.memories);
        self.memories = memories;
    }
}

/// The NPC sleeps. The game inserts this; the sleep phase removes it when [`until`](Asleep::until) has come, and the
/// game may remove it earlier to wake the NPC. The night itself begins when it is the NPC's turn
/// ([`NightBudgets::onset_per_tick`](crate::NightBudgets::onset_per_tick)).
///
/// Inserted again on an NPC that sleeps, it changes how long it sleeps; what is left of the night's budgets is decided
/// when the night begins, from the quality and the hours planned then.
#[derive(Component, Debug, Clone, PartialEq, Serialize, Deserialize)]
#[component(storage = "SparseSet")]
pub struct Asleep {
    since: GameTime,
    quality: f64,
    /// When it wakes.
    pub until: GameTime,
    /// Whether its day was taken.
    pub(crate) begun: bool,
}

impl Asleep {
    /// Sound sleep from one moment to another.
    pub fn new(since: GameTime, until: GameTime) -> Self {
        Self { since, quality: 1.0, until, begun: false }
    }

    /// The same, slept so well: from 0 (tossing all night) to 1 (sound). Poor sleep keeps less.
    ///
    /// # Errors
    /// [`SleepError`] outside that range.
    pub fn with_quality(self, quality: f64) -> Result<Self, SleepError> {
        let quality = SleepBudget::new(quality, 0.0)?.quality();
        Ok(Self { quality, ..self })
    }

    /// When it fell asleep.
    pub fn since(&self) -> GameTime {
        self.since
    }

    /// How well it sleeps, 0 to 1.
    pub fn quality(&self) -> f64 {
        self.quality
    }

    /// What this sleep leaves of a night's budgets: its quality, and its length up to a day.
    ///
    /// # Errors
    /// [`SleepError`] when it was read from a saved game with a quality outside 0 to 1.
    pub fn budget(&self) -> Result<SleepBudget, SleepError> {
        let seconds = self.until.seconds() - self.since.seconds();
        SleepBudget::new(self.quality, (seconds as f64 / 3600.0).clamp(0.0, 24.0))
    }
}

/// The NPC's night is going on: its day was taken and what becomes of it is not known yet. Inserted and removed by the
/// sleep phase alone. It may outlast [`Asleep`], for a moment, when the NPC wakes before its night is worked out.
#[derive(Component, Debug, Clone, Copy, PartialEq, Eq)]
#[component(storage = "SparseSet")]
pub struct Consolidating {
    since: GameTime,
    /// Whether it was noticed that the NPC woke.
    pub(crate) awake: bool,
}

impl Consolidating {
    pub(crate) fn new(since: GameTime) -> Self {
        Self { since, awake: false }
    }

    /// The moment of sleep that closed the day.
    pub fn since(&self) -> GameTime {
        self.since
    }
}

/// An NPC's long-term memory, as far as the game holds it: a name, under which the store has the rest, and, where the
/// NPC [recalls](Mind::recalling) by day, what it can call to mind.
#[derive(Component, Debug, Clone, Serialize, Deserialize)]
pub struct Mind {
    npc: NpcId,
    /// The state of long-term memory after the last night this world saw.
    version: u64,
    recalls: bool,
    #[serde(skip)]
    known: Option<Arc<RecallIndex>>,
}

impl Mind {
    /// The mind of an NPC that consolidates by night and is not asked by day: a few dozen bytes.
    pub fn new(npc: NpcId) -> Self {
        Self { npc, version: 0, recalls: false, known: None }
    }

    /// The same, of an NPC that calls things to mind: after each night it gets an index of its active entries, some
    /// 2 KiB for each.
    #[must_use]
    pub fn recalling(self) -> Self {
        Self { recalls: true, ..self }
    }

    /// A mind that [recalls](Mind::recalling), with what the store knows of it. Reads the store and waits for it: for
    /// loading screens and other threads, not for a system.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub fn load(npc: NpcId, store: &dyn MemoryStore) -> Result<Self, StoreError> {
        let past = store.past(&npc)?;
        let (version, known) = (past.version, Some(Arc::new(RecallIndex::new(past.entries))));
        Ok(Self { npc, version, recalls: true, known })
    }

    /// Whose mind it is.
    pub fn npc(&self) -> &NpcId {
        &self.npc
    }

    /// The version of long-term memory after the last night this world saw: a fingerprint of all that is remembered and
    /// of how it came about; 0 before the first.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether it is to have an index.
    pub fn recalls(&self) -> bool {
        self.recalls
    }

    /// How many entries can come to mind; 0 without an index.
    pub fn entries(&self) -> usize {
        self.known.as_ref().map_or(0, |known| known.len())
    }

    /// What comes to mind for a query's vector, best first (see [`RecallIndex::recall`]); nothing without an index. Takes
    /// some 0.06 ms among 1,000 entries. Making the vector takes longer and belongs on another thread, which is what
    /// [`Question`](crate::Question) is for.
    pub fn recall(&self, query: &[f32], now: GameTime, config: &RecallConfig) -> Vec<Recalled<'_>> {
        self.known.as_ref().map_or_else(Vec::new, |known| known.recall(query, now, config))
    }

    pub(crate) fn index(&self) -> Option<&Arc<RecallIndex>> {
        self.known.as_ref()
    }

    /// Notes what a night made of it; gives what it knew before, which may be large.
    pub(crate) fn wakes_with(
        &mut self,
        version: u64,
        known: Option<Arc<RecallIndex>>,
    ) -> Option<Arc<RecallIndex>> {
        self.version = version;
        if !self.recalls {
            return None;
        }
        known.and_then(|known| self.known.replace(known))
    }
}
