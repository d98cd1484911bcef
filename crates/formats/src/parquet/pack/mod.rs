//! Packs: memories of many NPCs in shards, for workers that share a night.
//!
//! A pack is a Parquet file with a row for each memory, whose columns have the names of a memory's fields, and a group of rows
//! for each shard: group `i` of `n` has the NPCs of [`Shard`](nightfold_memory::Shard) `i/n`, each with all its memories. So a
//! worker reads its own groups alone, and other programs read them too. Columns are not compressed, as in exported stores.
//!
//! The file's note `nightfold.pack` is the JSON of [`PackNotes`].

mod columns;
mod read;
mod write;

use std::{fmt::Write as _, io};

use nightfold_memory::{Memory, ModelId, NpcId};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

pub use self::{
    read::PackReader,
    write::{MOST_SHARDS, PackWriteError, PackWriter},
};
use super::ParquetProblem;
use crate::jsonl::LineProblem;

const NOTES: &str = "nightfold.pack";

/// Format of the packs that this version writes and reads.
const FORMAT: u32 = 1;

/// Contents of a pack: the sizes of its shards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackNotes {
    /// Format of the file.
    pub format: u32,
    /// Model of the vectors that come with the memories; none if none was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<ModelId>,
    /// The shards, by index.
    pub shards: Vec<ShardNotes>,
}

impl PackNotes {
    /// Returns the number of memories in all shards.
    pub fn memories(&self) -> u64 {
        self.shards.iter().fold(0, |sum, shard| sum.saturating_add(shard.memories))
    }

    /// Returns the number of NPCs in all shards.
    pub fn npcs(&self) -> u64 {
        self.shards.iter().fold(0, |sum, shard| sum.saturating_add(shard.npcs))
    }

    /// Returns the number of shards.
    pub fn shard_count(&self) -> u32 {
        u32::try_from(self.shards.len()).unwrap_or(u32::MAX)
    }

    /// Returns the identity of the contents as hex: the SHA-256 of the sums of all shards. Packs of the same memories in the
    /// same shards have the same.
    pub fn identity(&self) -> String {
        let mut all = Sha256::new();
        self.shards.iter().for_each(|shard| all.update(&shard.sha256));
        hex(&all.finalize())
    }
}

/// Size and checksum of a shard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardNotes {
    /// Number of NPCs.
    pub npcs: u64,
    /// Number of memories.
    pub memories: u64,
    /// SHA-256 of the memories as lines of JSON, as hex.
    pub sha256: String,
}

/// A pack that cannot be used, with the place.
#[derive(Debug, thiserror::Error)]
#[error("shard {shard}{}: {problem}", row.map(|row| format!(", row {row}")).unwrap_or_default())]
pub struct PackError {
    /// Index of the shard.
    pub shard: usize,
    /// Number of the row in the shard, from 1; none if the shard as a whole is at fault.
    pub row: Option<u64>,
    /// The fault.
    #[source]
    pub problem: PackProblem,
}

/// A fault in a pack.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackProblem {
    /// The columns cannot be read.
    #[error(transparent)]
    Parquet(ParquetProblem),
    /// The shard cannot be read from where it is.
    #[error("the shard cannot be read")]
    Read(#[source] io::Error),
    /// An NPC whose place is in another shard: the pack was made by no version of this program.
    #[error("{npc} belongs to another shard")]
    OtherShard {
        /// Name of the NPC.
        npc: NpcId,
    },
    /// A row is no memory. The rows after it can still be read.
    #[error("{}{problem}", field.as_ref().map(|field| format!("field `{field}`: ")).unwrap_or_default())]
    Memory {
        /// Path to the field, where it is known.
        field: Option<String>,
        /// The fault.
        problem: serde_json::Error,
    },
    /// A memory exceeds a bound, or its vector is not allowed. The rows after it can still be read.
    #[error(transparent)]
    Bounds(LineProblem),
    /// The memories are not those that were written.
    #[error("the memories of the shard are not those that were written: their checksum is another")]
    Changed,
}

impl PackProblem {
    /// True if only one row is bad: those after it can still be read.
    pub fn is_of_one_memory(&self) -> bool {
        matches!(self, Self::Memory { .. } | Self::Bounds(_))
    }
}

/// Adds a memory to the checksum of its shard.
fn digest(memory: &Memory, digest: &mut Sha256) -> serde_json::Result<()> {
    struct Lines<'a>(&'a mut Sha256);
    impl io::Write for Lines<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.update(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    serde_json::to_writer(Lines(digest), memory)?;
    digest.update(b"\n");
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
