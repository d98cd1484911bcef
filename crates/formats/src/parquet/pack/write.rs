//! Writing of packs.

use std::{
    io::{self, Write},
    mem,
};

use nightfold_memory::{Memory, ModelId, NpcId, Shard};
use parquet::errors::ParquetError as LibraryError;
use sha2::{Digest as _, Sha256};

use super::{NOTES, PackNotes, ShardNotes, columns};
use crate::parquet::{footer::MOST_LISTED, schema, write::Columns};

/// Most shards of a pack: Parquet numbers the groups of rows in 16 bits.
pub const MOST_SHARDS: u32 = MOST_LISTED as u32;

/// Failure to write a pack.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackWriteError {
    /// A shard is larger than a reader would hold.
    #[error("shard {shard} of {count} exceeds {most} bytes (transfer.max_group_bytes)")]
    LargeShard {
        /// Index of the shard.
        shard: u32,
        /// Number of shards.
        count: u32,
        /// Most bytes that are allowed.
        most: u64,
    },
    /// More shards than a pack has, or none.
    #[error("{count} shards; a pack has 1 to {MOST_SHARDS}")]
    Shards {
        /// Number that was asked for.
        count: u32,
    },
    /// An NPC came after one that is behind it, or came twice.
    #[error("{npc} is out of the order of `NpcSorter::by_place`")]
    Order {
        /// Name of the NPC.
        npc: NpcId,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl From<LibraryError> for PackWriteError {
    fn from(error: LibraryError) -> Self {
        Self::Write(error.into())
    }
}

/// Writer of a pack: takes the NPCs in the order of [`NpcSorter::by_place`](crate::grouped::NpcSorter::by_place).
///
/// The bytes depend on the memories and the number of shards alone. One shard is held in memory at a time.
///
/// ```
/// use std::io::Write as _;
///
/// use nightfold_formats::{grouped::NpcSorter, parquet::{PackReader, PackWriter}};
/// use nightfold_memory::{Kind, Memory, config::InputConfig};
///
/// let fed = Memory::new("mara".parse()?, "m1".parse()?, "2026-03-01T08:00".parse()?, Kind::Event, "I fed the hens.");
/// let mut sorter = NpcSorter::by_place(&InputConfig::default());
/// sorter.push(fed.clone())?;
///
/// let mut bytes = Vec::new();
/// let mut pack = PackWriter::new(&mut bytes, 4, None, 1 << 20)?;
/// for npc in sorter.finish()? {
///     let (npc, memories) = npc?;
///     pack.push(&npc, &memories)?;
/// }
/// let notes = pack.finish()?;
/// assert_eq!((notes.shards.len(), notes.memories()), (4, 1));
///
/// let mut file = tempfile::tempfile()?;
/// file.write_all(&bytes)?;
/// let mut pack = PackReader::open(file, 1 << 20)?;
/// let shard = (0..4).find(|shard| notes.shards[*shard].npcs > 0).expect("she is in one of them");
/// let limits = InputConfig::default();
/// assert_eq!(pack.memories(shard, &limits, None).collect::<Result<Vec<_>, _>>()?, [fed]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PackWriter<W: Write + Send> {
    columns: Columns<W>,
    notes: PackNotes,
    count: u32,
    most_bytes: u64,
    last: Option<(u64, NpcId)>,
    shard: ShardNotes,
    digest: Sha256,
}

impl<W: Write + Send> PackWriter<W> {
    /// Begins a pack of so many shards. `vectors` is the model of the memories' vectors, where they have any; `most_bytes` bounds
    /// the values of a shard.
    ///
    /// # Errors
    /// [`PackWriteError::Shards`], and those of `out`.
    pub fn new(
        out: W,
        shards: u32,
        vectors: Option<ModelId>,
        most_bytes: u64,
    ) -> Result<Self, PackWriteError> {
        if !(1..=MOST_SHARDS).contains(&shards) {
            return Err(PackWriteError::Shards { count: shards });
        }
        let columns = Columns::new(out, schema::parsed("pack", &columns::declared())?, columns::leaves())?;
        let notes = PackNotes { format: super::FORMAT, vectors, shards: Vec::new() };
        let (shard, digest) = (ShardNotes::default(), Sha256::new());
        Ok(Self { columns, notes, count: shards, most_bytes, last: None, shard, digest })
    }

    /// Writes an NPC with its memories.
    ///
    /// # Errors
    /// [`PackWriteError`]; the pack cannot be finished then.
    pub fn push(&mut self, npc: &NpcId, memories: &[Memory]) -> Result<(), PackWriteError> {
        let here = (Shard::place(npc), npc.clone());
        if self.last.as_ref().is_some_and(|last| here <= *last) {
            return Err(PackWriteError::Order { npc: npc.clone() });
        }
        self.end_shards_before(Shard::index_of(here.0, self.count))?;
        self.last = Some(here);
        self.shard.npcs += 1;
        for memory in memories {
            self.shard.memories += 1;
            super::digest(memory, &mut self.digest).map_err(io::Error::from)?;
            // Every value is of its column: they are written side by side.
            if !columns::push(memory, &mut self.columns) {
                return Err(io::Error::other("a value that its column does not hold").into());
            }
            if self.columns.waiting as u64 > self.most_bytes {
                return Err(PackWriteError::LargeShard {
                    shard: self.index(),
                    count: self.count,
                    most: self.most_bytes,
                });
            }
        }
        Ok(())
    }

    /// Index of the shard that is being written.
    fn index(&self) -> u32 {
        // There are at most `MOST_SHARDS`.
        self.notes.shards.len() as u32
    }

    fn end_shards_before(&mut self, index: u32) -> Result<(), PackWriteError> {
        while self.index() < index {
            self.columns.write_group()?;
            let mut shard = mem::take(&mut self.shard);
            shard.sha256 = super::hex(&mem::take(&mut self.digest).finalize());
            self.notes.shards.push(shard);
        }
        Ok(())
    }

    /// Writes the shards that are left and the end of the file, and returns what is in it.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn finish(mut self) -> Result<PackNotes, PackWriteError> {
        self.end_shards_before(self.count)?;
        let notes = serde_json::to_string(&self.notes).map_err(io::Error::from)?;
        self.columns.note(NOTES, notes);
        self.columns.finish()?;
        Ok(self.notes)
    }
}
