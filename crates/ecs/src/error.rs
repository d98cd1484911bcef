//! What can go wrong: with a memory, a night, the pool, a saved game.

use std::{num::NonZeroUsize, sync::Arc};

use nightfold::{NightError, SleepError};
use nightfold_memory::{ConfigError, EmbedderError, NpcId, PlanError, StoreError};

/// Why a memory was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// Its text is longer than `input.max_text_bytes`.
    #[error("its text is {bytes} bytes long; at most {most} are allowed (input.max_text_bytes)")]
    TextTooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// One of its lists is longer than `input.max_list`.
    #[error("it has {given} {field}; at most {most} are allowed (input.max_list)")]
    ListTooLong {
        /// `actors`, `tags` or `sources`.
        field: &'static str,
        /// How many there are.
        given: usize,
        /// How many there may be.
        most: usize,
    },
    /// The day holds `input.max_memories` already.
    #[error("the day holds {most} memories already, and no more are allowed (input.max_memories)")]
    DayFull {
        /// How many there may be.
        most: usize,
    },
    /// It is another NPC's.
    #[error("it is a memory of {given}, not of {npc}")]
    Stranger {
        /// Whose day it was to go into.
        npc: NpcId,
        /// Whose memory it is.
        given: NpcId,
    },
    /// The entity it was meant for is gone, or has no [`Mind`](crate::Mind) or [`DailyMemories`](crate::DailyMemories).
    #[error("the entity it was meant for remembers nothing")]
    NoMind,
}

/// Why an NPC's night did not happen. Its memories went back to where the next night finds them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NightFailure {
    /// It could not be planned.
    #[error(transparent)]
    Night(#[from] NightError),
    /// The embedder or the store failed while it was planned.
    #[error(transparent)]
    Sleep(#[from] SleepError),
    /// The store refused it, or failed for all nights that were written with it.
    #[error("the night was not written")]
    Store(#[source] Arc<StoreError>),
    /// The plan has no fingerprint.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The configuration cannot carry the tokens that are left.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The embedder, the model or the store panicked.
    #[error(transparent)]
    Panicked(#[from] Panicked),
    /// The driver gave neither a plan nor a failure.
    #[error("the night was never planned")]
    Unplanned,
}

/// Somebody else's code panicked on a thread of the pool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a panic ended it: {message}")]
pub struct Panicked {
    /// What it said, up to 200 characters.
    pub message: String,
}

/// Why nothing came to mind for a question.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuestionError {
    /// The NPC is gone, or has no index: see [`Mind::recalling`](crate::Mind::recalling).
    #[error("nobody with an index was asked")]
    NoMind,
    /// It is longer than `input.max_text_bytes`.
    #[error("the question is {bytes} bytes long; at most {most} are allowed (input.max_text_bytes)")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// The question has no vector.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// The embedder panicked.
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

/// Why there is no pool for nights.
#[derive(Debug, thiserror::Error)]
#[error("thread {thread} of {threads} for the nights could not be prepared")]
pub struct PoolError {
    /// Which, from 1.
    pub thread: usize,
    /// Of how many.
    pub threads: NonZeroUsize,
    /// What stood in the way.
    #[source]
    pub source: rayon::ThreadPoolBuildError,
}

/// Why a saved game's nights could not be taken up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// Saved by a newer version.
    #[error("the checkpoint is of format {found}; this version reads format {known}")]
    Format {
        /// The format it states.
        found: u32,
        /// The format this build reads.
        known: u32,
    },
    /// The sleep phase was never installed in this world.
    #[error("the sleep phase is not installed; call `install` before loading")]
    NotInstalled,
}
