//! Packs: memories of many NPCs in shards, for workers that share a night.
//!
//! A pack is a folder with a JSONL file for each shard: file `i` of `n` has the NPCs of the [`Shard`] `i/n`, each with all its
//! memories. A worker opens the files of its own shards alone, and other programs read them too. `pack.json` holds [`PackNotes`];
//! it is written last, so that a folder without it is no pack yet.

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, BufReader, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use nightfold_memory::{Memory, ModelId, NpcId, Shard, config::InputConfig};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    grouped::{NpcGroups, SpillError},
    jsonl::{JsonlError, MemoryLines, VectorRule},
};

const NOTES: &str = "pack.json";

/// Format of the packs that this version writes and reads.
const FORMAT: u32 = 1;

/// Maximum number of shards of a pack.
pub const MOST_SHARDS: u32 = 100_000;

/// Contents of a pack: the sizes of its shards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackNotes {
    /// Format of the pack.
    pub format: u32,
    /// Model of the vectors that come with the memories; none if there are none.
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
    /// SHA-256 of the file, as hex.
    pub sha256: String,
}

/// Returns the name of a shard's file.
fn file_name(shard: u32) -> String {
    format!("shard-{shard:05}.jsonl")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// A pack that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// A file of the pack cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// File of the pack.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// `pack.json` is not that of a pack.
    #[error("{} is not that of a pack: {source}", path.display())]
    Notes {
        /// The file.
        path: PathBuf,
        /// Error of the parser.
        source: serde_json::Error,
    },
    /// A pack of another format.
    #[error("{} is a pack of format {found}; this version reads format {FORMAT}", path.display())]
    Format {
        /// Folder of the pack.
        path: PathBuf,
        /// Format of the pack.
        found: u32,
    },
    /// The file of a shard was changed or cut since it was packed.
    #[error("{} is not what was packed: its checksum is another", path.display())]
    Changed {
        /// File of the shard.
        path: PathBuf,
    },
    /// An NPC whose place is in another shard: the pack was made by another program.
    #[error("{}: {npc} belongs to another shard", path.display())]
    OtherShard {
        /// File of the shard.
        path: PathBuf,
        /// Name of the NPC.
        npc: NpcId,
    },
    /// A line is no memory. The lines after it can still be read.
    #[error(transparent)]
    Line(#[from] JsonlError),
}

/// A pack to be read. Its files are not trusted.
#[derive(Debug)]
pub struct Pack {
    folder: PathBuf,
    notes: PackNotes,
}

impl Pack {
    /// True if a path leads to a pack.
    pub fn is_at(path: &Path) -> bool {
        path.join(NOTES).is_file()
    }

    /// Opens a pack.
    ///
    /// # Errors
    /// [`PackError`] if the folder is no pack, or one of another format.
    pub fn open(folder: &Path) -> Result<Self, PackError> {
        let path = folder.join(NOTES);
        let bytes = fs::read(&path).map_err(|source| PackError::Read { path: path.clone(), source })?;
        let notes: PackNotes =
            serde_json::from_slice(&bytes).map_err(|source| PackError::Notes { path, source })?;
        let folder = folder.to_owned();
        if notes.format != FORMAT {
            return Err(PackError::Format { path: folder, found: notes.format });
        }
        Ok(Self { folder, notes })
    }

    /// Returns the folder of the pack.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the contents of the pack.
    pub fn notes(&self) -> &PackNotes {
        &self.notes
    }

    /// Opens the memories of a shard, those of each NPC together, after a comparison of the file with its checksum. `vectors`
    /// is the rule for memories with vectors; without one these are refused.
    ///
    /// # Errors
    /// [`PackError`] if the file cannot be read or was changed. A line that is no memory is an error of the iterator, which goes
    /// on after it.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn memories<'a>(
        &self,
        shard: u32,
        limits: &'a InputConfig,
        vectors: Option<VectorRule<'a>>,
    ) -> Result<impl Iterator<Item = Result<Memory, PackError>> + use<'a>, PackError> {
        let path = self.folder.join(file_name(shard));
        let unread = |source| PackError::Read { path: path.clone(), source };
        let open = || File::open(&path).map_err(unread);
        let mut digest = Sha256::new();
        io::copy(&mut open()?, &mut digest).map_err(unread)?;
        if hex(&digest.finalize()) != self.notes.shards[shard as usize].sha256 {
            return Err(PackError::Changed { path });
        }
        let lines = MemoryLines::new(&path, BufReader::with_capacity(1 << 16, open()?), limits);
        let lines = match vectors {
            Some(rule) => lines.with_vectors(rule),
            None => lines,
        };
        let count = self.notes.shard_count();
        Ok(lines.map(move |memory| match memory? {
            Memory { npc, .. } if Shard::index_of(Shard::hash(&npc), count) != shard => {
                Err(PackError::OtherShard { path: path.clone(), npc })
            }
            memory => Ok(memory),
        }))
    }
}

/// Failure to write a pack.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackWriteError {
    /// More shards than a pack has, or none.
    #[error("{count} shards; a pack has 1 to {MOST_SHARDS}")]
    Shards {
        /// Number that was asked for.
        count: u32,
    },
    /// There is a pack already, or other files.
    #[error("{} is not empty", folder.display())]
    NotEmpty {
        /// Folder that was named.
        folder: PathBuf,
    },
    /// Memories that were spilled to disk cannot be read back.
    #[error(transparent)]
    Spill(#[from] SpillError),
    /// A file cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// File of the pack, or its folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}

/// Pack to be written. The bytes depend on the memories and the number of shards alone.
///
/// ```
/// use nightfold_formats::{grouped::NpcSorter, pack::{NewPack, Pack}};
/// use nightfold_memory::{Kind, Memory, config::InputConfig};
///
/// let fed = Memory::new("mara".parse()?, "m1".parse()?, "2026-03-01T08:00".parse()?, Kind::Event, "I fed the hens.");
/// let limits = InputConfig::default();
/// let mut sorter = NpcSorter::by_place(&limits);
/// sorter.push(fed.clone())?;
///
/// let place = tempfile::tempdir()?;
/// let folder = place.path().join("day");
/// let notes = NewPack::prepare(&folder)?.write(sorter.finish()?, 4, None)?;
/// assert_eq!((notes.shards.len(), notes.memories()), (4, 1));
///
/// let pack = Pack::open(&folder)?;
/// let shard = (0..4).find(|shard| notes.shards[*shard as usize].npcs > 0).expect("she is in one of them");
/// assert_eq!(pack.memories(shard, &limits, None)?.collect::<Result<Vec<_>, _>>()?, [fed]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NewPack {
    folder: PathBuf,
}

impl NewPack {
    /// Makes the folder, or clears one of the files of a pack that was begun and not finished.
    ///
    /// # Errors
    /// [`PackWriteError::NotEmpty`] if there is anything else in it, such as a whole pack.
    pub fn prepare(folder: &Path) -> Result<Self, PackWriteError> {
        let folder = folder.to_owned();
        let failed = |source| PackWriteError::Write { path: folder.clone(), source };
        let mut begun = Vec::new();
        match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir(&folder).map_err(failed)?;
            }
            Err(error) => return Err(failed(error)),
            Ok(entries) => {
                for entry in entries {
                    let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
                    let is_shard =
                        name.strip_prefix("shard-").is_some_and(|rest| rest.strip_suffix(".jsonl").is_some());
                    if !is_shard && name != part() {
                        return Err(PackWriteError::NotEmpty { folder });
                    }
                    begun.push(folder.join(name));
                }
            }
        }
        begun.iter().try_for_each(fs::remove_file).map_err(failed)?;
        Ok(Self { folder })
    }

    /// Writes the NPCs, in the order of [`NpcSorter::by_place`](crate::grouped::NpcSorter::by_place), in this number of shards.
    /// `vectors` is the model of the memories' vectors, where they have any.
    ///
    /// # Errors
    /// [`PackWriteError`]. What was written then is no pack.
    pub fn write(
        &self,
        npcs: NpcGroups,
        shards: u32,
        vectors: Option<ModelId>,
    ) -> Result<PackNotes, PackWriteError> {
        if !(1..=MOST_SHARDS).contains(&shards) {
            return Err(PackWriteError::Shards { count: shards });
        }
        let mut npcs = npcs.peekable();
        let mut notes = PackNotes { format: FORMAT, vectors, shards: Vec::new() };
        for shard in 0..shards {
            let path = self.folder.join(file_name(shard));
            let failed = |source| PackWriteError::Write { path: path.clone(), source };
            let mut out = BufWriter::new(File::create(&path).map_err(failed)?);
            let (mut written, mut digest) = (ShardNotes::default(), Sha256::new());
            let is_here = |npc: &NpcId| Shard::index_of(Shard::hash(npc), shards) == shard;
            while let Some(group) = npcs.next_if(|group| group.as_ref().map_or(true, |(npc, _)| is_here(npc)))
            {
                let (_, memories) = group?;
                written.npcs += 1;
                written.memories += memories.len() as u64;
                for memory in &memories {
                    let mut line = serde_json::to_vec(memory).map_err(|error| failed(error.into()))?;
                    line.push(b'\n');
                    digest.update(&line);
                    out.write_all(&line).map_err(failed)?;
                }
            }
            out.flush().map_err(failed)?;
            written.sha256 = hex(&digest.finalize());
            notes.shards.push(written);
        }
        self.end(&notes).map_err(|source| PackWriteError::Write { path: self.folder.join(NOTES), source })?;
        Ok(notes)
    }

    /// Puts the notes in place whole.
    fn end(&self, notes: &PackNotes) -> io::Result<()> {
        let begun = self.folder.join(part());
        fs::write(&begun, serde_json::to_vec(notes)?)?;
        fs::rename(begun, self.folder.join(NOTES))
    }
}

/// Returns the name of the notes while they are written.
fn part() -> String {
    format!("{NOTES}.part")
}
