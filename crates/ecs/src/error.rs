//! Errors about memories, nights, the pool and saved games.

use std::{num::NonZeroUsize, sync::Arc};

use nightfold::{NightError, RunError};
use nightfold_memory::{ConfigError, EmbedderError, NpcId, PlanError, StoreError, UnknownPack};

/// Reason for refusing a memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The text is longer than `input.max_text_bytes`.
    #[error("its text is {bytes} bytes long; at most {most} are allowed (input.max_text_bytes)")]
    TextTooLong {
        /// Length of the text in bytes.
        bytes: usize,
        /// Longest allowed text in bytes.
        most: usize,
    },
    /// A list is longer than `input.max_list`.
    #[error("it has {given} {field}; at most {most} are allowed (input.max_list)")]
    ListTooLong {
        /// `actors`, `tags` or `sources`.
        field: &'static str,
        /// Number of items in the list.
        given: usize,
        /// Most items allowed.
        most: usize,
    },
    /// The day already holds `input.max_memories`.
    #[error("the day holds {most} memories already, and no more are allowed (input.max_memories)")]
    DayFull {
        /// Most memories allowed.
        most: usize,
    },
    /// The memory belongs to another NPC.
    #[error("it is a memory of {given}, not of {npc}")]
    WrongNpc {
        /// NPC whose day the memory was added to.
        npc: NpcId,
        /// NPC named in the memory.
        given: NpcId,
    },
    /// The entity is gone, or has no [`NpcMind`](crate::NpcMind) or no
    /// [`DailyMemories`](crate::DailyMemories).
    #[error("the entity it was meant for remembers nothing")]
    NoMind,
    /// The sleep phase is not installed in this world: there are no limits to hold to.
    #[error("the sleep phase is not installed; call `install` before anybody remembers")]
    NotInstalled,
}

/// Reason for the failure of an NPC's night. Its memories are kept for the next night.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NightFailure {
    /// The night could not be planned.
    #[error(transparent)]
    Night(#[from] NightError),
    /// The embedder or the store failed during planning.
    #[error(transparent)]
    Sleep(#[from] RunError),
    /// The store refused the night, or failed for all nights written with it.
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
    /// The driver returned neither a plan nor a failure.
    #[error("the night was never planned")]
    Unplanned,
}

/// Panic of foreign code on a thread of the pool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a panic ended it: {message}")]
pub struct Panicked {
    /// Panic message, up to 200 characters.
    pub message: String,
}

/// Reason for the failure of a question.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuestionError {
    /// The NPC is gone, or is not [recalling](crate::NpcMind::recalling).
    #[error("nobody who can be asked was asked: the NPC is gone, or its mind is not recalling")]
    NoMind,
    /// The question is longer than `input.max_text_bytes`.
    #[error("the question is {bytes} bytes long; at most {most} are allowed (input.max_text_bytes)")]
    TooLong {
        /// Length of the question in bytes.
        bytes: usize,
        /// Longest allowed question in bytes.
        most: usize,
    },
    /// The question could not be embedded.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// The language pack that read the NPC's entries is gone.
    #[error(transparent)]
    Pack(#[from] UnknownPack),
    /// The NPC's memories of earlier nights cannot be read from the store.
    #[error(transparent)]
    Mind(#[from] MindError),
    /// The embedder panicked.
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

/// Reason why a mind cannot be loaded from the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MindError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no language pack of the configured name.
    #[error(transparent)]
    Pack(#[from] UnknownPack),
}

/// Failure to start a thread of the pool.
#[derive(Debug, thiserror::Error)]
#[error("thread {thread} of {threads} for the nights could not be prepared")]
pub struct PoolError {
    /// Number of the thread, from 1.
    pub thread: usize,
    /// Number of threads asked for.
    pub threads: NonZeroUsize,
    /// Cause.
    #[source]
    pub source: rayon::ThreadPoolBuildError,
}

/// Reason for refusing a checkpoint.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The checkpoint was saved by a newer version.
    #[error("the checkpoint is of format {found}; this version reads format {known}")]
    Format {
        /// Format of the checkpoint.
        found: u32,
        /// Format that this build reads.
        known: u32,
    },
    /// The state of the store could not be noted, or the store could not be rewound to it.
    #[error("the store cannot be saved or rewound with the game")]
    Store(#[source] Arc<StoreError>),
    /// The sleep phase is not installed in this world.
    #[error("the sleep phase is not installed; call `install` before loading")]
    NotInstalled,
}
