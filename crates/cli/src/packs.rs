//! Packs of memories as input.

use std::{ops::Range, path::Path};

use nightfold::memory::{Memory, ModelId, ValidConfig};
use nightfold_formats::{
    jsonl::VectorRule,
    pack::{Pack, PackError},
};

use crate::{
    error::{CliError, Exit, message},
    input::InputError,
};

/// A pack that is being read.
pub(crate) struct InputPack(Pack);

impl InputPack {
    /// Opens a folder as a pack, if it is one.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, InputError> {
        Ok(Pack::is_at(path).then(|| Pack::open(path)).transpose()?.map(Self))
    }

    /// Returns the number of shards.
    pub(crate) fn shards(&self) -> u32 {
        self.0.notes().shard_count()
    }

    /// Returns the identity of the contents.
    pub(crate) fn identity(&self) -> String {
        self.0.notes().identity()
    }

    /// Returns the number of memories in all shards.
    pub(crate) fn memories(&self) -> u64 {
        self.0.notes().memories()
    }

    /// Reads the memories of shards one by one.
    pub(crate) fn each_memory(
        &self,
        shards: Range<u32>,
        config: &ValidConfig,
        vectors: &VectorRule<'_>,
        each: &mut dyn FnMut(Result<Memory, InputError>) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let Self(pack) = self;
        let packed_with = pack.notes().vectors.as_ref().map(ModelId::as_str);
        if let (Some(given), Some(packed_with)) = (vectors.given, packed_with)
            && given != packed_with
        {
            let folder = pack.folder().display();
            let text = format!("{folder}: its vectors are of {packed_with}, not of {given}");
            return Err(message(Exit::Usage, text).hint("leave --vector-model out"));
        }
        let rule = VectorRule { given: vectors.given.or(packed_with), ..*vectors };
        for shard in shards {
            let memories = pack.memories(shard, &config.input, Some(rule)).map_err(InputError::from)?;
            for memory in memories {
                each(memory.map_err(InputError::from))?;
            }
        }
        Ok(())
    }
}

/// Returns a hint for a pack that cannot be used.
pub(crate) fn hint(error: &PackError) -> &'static str {
    match error {
        PackError::Format { .. } => {
            "use the version of nightfold that packed it, or pack again with this one"
        }
        _ => "bring the folder over whole, or pack again",
    }
}
