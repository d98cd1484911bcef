//! Errors of one NPC's night, and of a whole run.

use std::error::Error;

use nightfold_consolidate::ConsolidateError;
use nightfold_memory::{
    EmbedderError, GameTime, IdError, NightLabel, NpcId, PlanError, StoreError, UnknownPack, VectorError,
};

/// Error of a caller's iterator of days or sink for nights.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Reason one NPC's night was not planned or not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NightError {
    /// The night could not be planned.
    #[error(transparent)]
    Consolidate(#[from] ConsolidateError),
    /// The store refused the night.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The plan could not be serialized.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A step of the night, the language model or the judge panicked.
    #[error("{step} panicked: {message}; please report this with the NPC, the night and its memories")]
    Panicked {
        /// Step that panicked.
        step: &'static str,
        /// Message of the panic, up to 200 characters. It may contain text that players wrote.
        message: String,
    },
    /// Maintenance was asked for at a moment before the NPC's latest night, or of another clock: ages cannot be counted
    /// from it.
    #[error(
        "maintenance of {npc} cannot be as of {now}: its latest night was at {latest}, and ages are counted from there on; \
         give a moment that is not before it, or none"
    )]
    BeforeLatestNight {
        /// NPC that is not maintained.
        npc: NpcId,
        /// Moment that was given.
        now: GameTime,
        /// Moment of the NPC's latest night.
        latest: GameTime,
    },
    /// An earlier night of the same NPC failed, so this one was not planned or written.
    #[error("it waits for night {earlier}, which did not happen")]
    Blocked {
        /// The night that failed.
        earlier: NightLabel,
    },
}

/// A night that was not planned or not written.
#[derive(Debug, thiserror::Error)]
#[error("night {night} of {npc}")]
pub struct Failure {
    /// NPC of the night.
    pub npc: NpcId,
    /// Label of the night.
    pub night: NightLabel,
    /// Reason of the failure.
    #[source]
    pub error: NightError,
}

/// Error that ended a run. Nights that were written before stay written, and another run continues from there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The embedder failed.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// The embedder returned vectors of the wrong number or width.
    #[error("the embedder broke its contract")]
    Vectors(#[from] VectorError),
    /// The store failed as a whole.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no language pack of the configured name.
    #[error(transparent)]
    Pack(#[from] UnknownPack),
    /// The caller's iterator of days failed.
    #[error("the days cannot be read")]
    Days(#[source] BoxError),
    /// NPCs must be ordered by name, each with all its days at once: no night may be planned from a state that an
    /// earlier night of the same NPC has changed meanwhile.
    #[error("NPC `{npc}` comes after `{last}`: NPCs come by name, each once with all its days")]
    Order {
        /// NPC that is out of order.
        npc: NpcId,
        /// NPC before it.
        last: NpcId,
    },
    /// The observer gave the run up; see [`Observer::is_abandoned`](crate::Observer::is_abandoned).
    #[error("the run was given up")]
    Abandoned,
    /// The caller's sink for nights failed.
    #[error("the nights cannot be handed on")]
    Taken(#[source] BoxError),
    /// The label of a maintenance plan is not a valid night label.
    #[error(transparent)]
    Label(#[from] IdError),
    /// The plan could not be serialized.
    #[error(transparent)]
    Plan(#[from] PlanError),
}
