//! Errors of planning a night.

use nightfold_memory::{ModelId, NpcId};

use crate::cluster::ClusterError;

/// Error that prevents the plan of one NPC's night; the nights of other NPCs are not affected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConsolidateError {
    /// The day holds a memory of another NPC.
    #[error("the day of {npc} holds a memory of {other}")]
    ForeignMemory {
        /// NPC of the day.
        npc: NpcId,
        /// NPC of the memory.
        other: NpcId,
    },
    /// The day holds more memories than `input.max_memories`.
    #[error("the day holds {given} memories; input.max_memories allows {most}")]
    TooManyMemories {
        /// Number of memories.
        given: usize,
        /// Largest allowed number.
        most: usize,
    },
    /// The vectors do not fit the texts in number, or the other vectors of the day in width.
    #[error("{given} vectors of {dimensions} numbers were given for {expected} texts")]
    Vectors {
        /// Number of texts.
        expected: usize,
        /// Number of vectors.
        given: usize,
        /// Width of the vectors.
        dimensions: usize,
    },
    /// The NPC's long-term memory was embedded by another model.
    #[error("long-term memory was embedded with {stored}, and the night would use {given}")]
    Model {
        /// Model of the long-term memory.
        stored: ModelId,
        /// Model of the night.
        given: ModelId,
    },
    /// The day cannot be clustered.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// A vector is invalid.
    #[error("an embedding cannot be used")]
    Vector(#[from] nightfold_memory::VectorError),
}
