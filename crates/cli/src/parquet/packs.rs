//! Packs of memories through `nightfold_formats`.

use std::{
    fs::File,
    ops::Range,
    path::{Path, PathBuf},
};

use nightfold::memory::{Memory, ModelId, ValidConfig};
pub(crate) use nightfold_formats::parquet::MOST_SHARDS;
use nightfold_formats::{
    grouped::{NpcSorter, SpillError},
    jsonl::VectorRule,
    parquet::{
        PackError, PackNotes, PackProblem, PackReader, PackWriteError, PackWriter, ParquetError,
        ParquetProblem,
    },
};

use crate::{
    cloud::{self, CloudError, CloudFile},
    error::{CliError, Exit, message},
    output::{OutputError, UnfinishedFile},
};

/// Returns the name of a pack as it may be shown.
pub(crate) fn shown(path: &Path) -> String {
    cloud::address(path).map_or_else(|| path.display().to_string(), cloud::shown)
}

/// A pack that cannot be used, with the file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PackReadError {
    #[error("{}: {source}", shown(path))]
    File { path: PathBuf, source: ParquetError },
    #[error(transparent)]
    Cloud(#[from] CloudError),
    #[error("{}: {source}", shown(path))]
    Shard { path: PathBuf, source: PackError },
}

impl PackReadError {
    /// True if the pack was not reached: it may be well.
    pub(crate) fn is_of_the_way(&self) -> bool {
        match self {
            Self::Cloud(_) => true,
            Self::File { source, .. } => matches!(source.problem, ParquetProblem::Unreachable(_)),
            Self::Shard { source, .. } => matches!(source.problem, PackProblem::Read(_)),
        }
    }

    /// True if only one memory is bad.
    pub(crate) fn is_of_one_memory(&self) -> bool {
        matches!(self, Self::Shard { source, .. } if source.problem.is_of_one_memory())
    }

    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::File { source, .. } if matches!(source.problem, ParquetProblem::LargeGroup { .. }) => {
                "raise the limit with --set, or pack again in more shards"
            }
            Self::File { source, .. } if matches!(source.problem, ParquetProblem::PackFormat { .. }) => {
                "use the version of nightfold that packed it, or pack again with this one"
            }
            _ if self.is_of_the_way() => "look at the address, and at the credentials in the environment",
            Self::Cloud(_) | Self::File { .. } => {
                "give a file that `nightfold pack` wrote; other tables come as JSON lines"
            }
            Self::Shard { .. } if self.is_of_one_memory() => {
                "pack again from mended memories, or pass it over with --on-bad-line skip"
            }
            Self::Shard { .. } => "bring the file over whole, or pack again",
        }
    }
}

/// A pack that is being read.
pub(crate) struct InputPack {
    path: PathBuf,
    reader: PackReader,
}

impl InputPack {
    pub(crate) fn open(path: &Path, file: File, config: &ValidConfig) -> Result<Self, PackReadError> {
        Self::opened(path, PackReader::open(file, config.transfer.max_group_bytes))
    }

    /// Opens a pack in object storage.
    pub(crate) fn open_far(address: &str, config: &ValidConfig) -> Result<Self, PackReadError> {
        let reader = PackReader::open_ranges(CloudFile::open(address)?, config.transfer.max_group_bytes);
        Self::opened(Path::new(address), reader)
    }

    fn opened(path: &Path, reader: Result<PackReader, ParquetError>) -> Result<Self, PackReadError> {
        let path = path.to_owned();
        match reader {
            Ok(reader) => Ok(Self { path, reader }),
            Err(source) => Err(PackReadError::File { path, source }),
        }
    }

    /// Returns the number of shards.
    pub(crate) fn shards(&self) -> u32 {
        self.reader.notes().shard_count()
    }

    /// Returns the identity of the contents.
    pub(crate) fn identity(&self) -> String {
        self.reader.notes().identity()
    }

    /// Returns the number of memories in all shards.
    pub(crate) fn memories(&self) -> u64 {
        self.reader.notes().memories()
    }

    /// Reads the memories of shards one by one.
    pub(crate) fn each_memory(
        &mut self,
        shards: Range<u32>,
        config: &ValidConfig,
        vectors: &VectorRule<'_>,
        each: &mut dyn FnMut(Result<Memory, PackReadError>) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let Self { path, reader } = self;
        let packed_with = reader.notes().vectors.clone();
        let packed_with = packed_with.as_ref().map(ModelId::as_str);
        if let (Some(given), Some(packed_with)) = (vectors.given, packed_with)
            && given != packed_with
        {
            let text = format!("{}: its vectors are of {packed_with}, not of {given}", shown(path));
            return Err(message(Exit::Usage, text).hint("leave --vector-model out"));
        }
        let rule = VectorRule { given: vectors.given.or(packed_with), ..*vectors };
        for shard in shards {
            for memory in reader.memories(shard as usize, &config.input, Some(rule)) {
                each(memory.map_err(|source| PackReadError::Shard { path: path.clone(), source }))?;
            }
        }
        Ok(())
    }
}

/// Memories that are gathered into a pack.
pub(crate) struct NewPack(NpcSorter);

impl NewPack {
    pub(crate) fn new(config: &ValidConfig) -> Self {
        Self(NpcSorter::by_place(&config.input))
    }

    pub(crate) fn push(&mut self, memory: Memory) -> Result<(), SpillError> {
        self.0.push(memory)
    }

    /// Writes the pack.
    pub(crate) fn write(
        self,
        out: &mut UnfinishedFile,
        shards: u32,
        vectors: Option<ModelId>,
        config: &ValidConfig,
    ) -> Result<PackNotes, CliError> {
        let path = out.path().to_owned();
        let refused = |error| refused(&path, error);
        let mut pack =
            PackWriter::new(out, shards, vectors, config.transfer.max_group_bytes).map_err(refused)?;
        for npc in self.0.finish()? {
            let (npc, memories) = npc?;
            pack.push(&npc, &memories).map_err(refused)?;
        }
        pack.finish().map_err(refused)
    }
}

fn refused(path: &Path, error: PackWriteError) -> CliError {
    match error {
        PackWriteError::Write(source) => OutputError::io(path, source).into(),
        error @ PackWriteError::LargeShard { .. } => CliError::new(Exit::Usage, error)
            .hint("give more shards (--shards), or raise the limit with --set"),
        error => CliError::new(Exit::Usage, error),
    }
}
