//! What can go wrong: for one NPC, or for the whole run.

use nightfold_consolidate::ConsolidateError;
use nightfold_memory::{
    EmbedderError, IdError, NightLabel, NpcId, PlanError, StoreError, UnknownPack, VectorError,
};

use crate::BoxError;

/// Why one NPC's night was not planned or not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NightError {
    /// It could not be planned.
    #[error(transparent)]
    Consolidate(#[from] ConsolidateError),
    /// The store refused it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The plan could not be written down.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A step panicked, or a language model or a judge that it asked.
    #[error("{step} panicked: {message}; please report this with the NPC, the night and its memories")]
    Panicked {
        /// Step that was under way.
        step: &'static str,
        /// Message of the panic, up to 200 characters. It may hold what players wrote.
        message: String,
    },
    /// An earlier night of the same NPC did not happen.
    #[error("it waits for night {earlier}, which did not happen")]
    Waits {
        /// The night it waits for.
        earlier: NightLabel,
    },
}

/// A night that did not happen.
#[derive(Debug, thiserror::Error)]
#[error("night {night} of {npc}")]
pub struct Failure {
    /// Whose night.
    pub npc: NpcId,
    /// Which night.
    pub night: NightLabel,
    /// Why.
    #[source]
    pub error: NightError,
}

/// Why a run stopped. Nights that were written before stay written, and running again goes on from there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SleepError {
    /// No vectors.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// The embedder gave other vectors than it should.
    #[error("the embedder broke its contract")]
    Vectors(#[from] VectorError),
    /// The store as a whole.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No language pack of the name that is set.
    #[error(transparent)]
    Pack(#[from] UnknownPack),
    /// Whoever gives the days failed.
    #[error("the days cannot be read")]
    Days(#[source] BoxError),
    /// NPCs must come by name, and each once, so that no night of one is planned from a state that another has changed.
    #[error("NPC `{npc}` comes after `{last}`: NPCs come by name, each once with all its days")]
    Order {
        /// Who came too late.
        npc: NpcId,
        /// Who came before.
        last: NpcId,
    },
    /// Whoever takes the nights failed.
    #[error("the nights cannot be handed on")]
    Taken(#[source] BoxError),
    /// What upkeep comes after cannot be named.
    #[error(transparent)]
    Label(#[from] IdError),
    /// The plan could not be written down.
    #[error(transparent)]
    Plan(#[from] PlanError),
}
