//! Why a night cannot be planned.

use nightfold_memory::{ModelId, NpcId};

use crate::cluster::ClusterError;

/// Why the night of one NPC cannot be planned. It stops no other NPC's night.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConsolidateError {
    /// A memory of another NPC is in the day.
    #[error("the day of {npc} holds a memory of {other}")]
    Stranger {
        /// Whose day it is.
        npc: NpcId,
        /// Whose memory was found.
        other: NpcId,
    },
    /// More memories than a day may have.
    #[error("the day holds {given} memories; input.max_memories allows {most}")]
    TooManyMemories {
        /// How many there are.
        given: usize,
        /// How many are allowed.
        most: usize,
    },
    /// More distinct texts than a night may compare.
    #[error("the day holds {given} distinct memories; cluster.max_distinct allows {most}")]
    TooManyDistinct {
        /// How many there are.
        given: usize,
        /// How many are allowed.
        most: usize,
    },
    /// Not as many vectors as texts, or of another width.
    #[error("{given} vectors of {dimensions} numbers were given for {expected} texts")]
    Vectors {
        /// How many texts there were.
        expected: usize,
        /// How many vectors came.
        given: usize,
        /// How wide they are.
        dimensions: usize,
    },
    /// The NPC's past was embedded by another model.
    #[error("long-term memory was embedded with {stored}, and the night would use {given}")]
    Model {
        /// The model of the past.
        stored: ModelId,
        /// The model of the night.
        given: ModelId,
    },
    /// The themes could not be found.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// A vector that is none.
    #[error("an embedding cannot be used")]
    Vector(#[from] nightfold_memory::VectorError),
}
