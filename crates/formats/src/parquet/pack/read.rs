//! Reading of packs. The file is not trusted.

use std::{
    fs::File,
    io::{Read, Seek},
    sync::Arc,
};

use nightfold_memory::{Memory, Shard, config::InputConfig};
use parquet::file::reader::{ChunkReader, FileReader as _, Length as _, SerializedFileReader};
use sha2::{Digest as _, Sha256};

use super::{FORMAT, NOTES, PackError, PackNotes, PackProblem, columns};
use crate::{
    jsonl::{VectorRule, check_memory},
    parquet::{
        ParquetError, ParquetProblem, footer,
        guard::guarded,
        ranges::{LoadedRange, RangeFile, RangeSource},
        read::Rows,
        schema,
    },
};

/// Reader of a pack.
pub struct PackReader {
    rows: Rows,
    notes: PackNotes,
    /// File that is far away, of which a shard is loaded before it is read.
    far: Option<Arc<LoadedRange>>,
}

impl PackReader {
    /// Opens a pack, which is not trusted. `most_bytes` bounds a shard.
    ///
    /// # Errors
    /// [`ParquetError`] if the file is no pack, or one of another format.
    pub fn open(mut file: File, most_bytes: u64) -> Result<Self, ParquetError> {
        footer_checked(&mut file)?;
        let bytes = file.metadata().map_err(|error| ParquetProblem::File(error.into()).of_file())?.len();
        Self::read(file, bytes, most_bytes, None)
    }

    /// Opens a pack like [`open`](Self::open) that is read by ranges: of each shard that is read, only its part of the file is.
    ///
    /// # Errors
    /// As for `open`.
    pub fn open_ranges(source: impl RangeSource, most_bytes: u64) -> Result<Self, ParquetError> {
        let mut file = RangeFile::new(source);
        let far = file.file();
        far.load_footer().map_err(|error| ParquetProblem::Unreachable(error).of_file())?;
        footer_checked(&mut file)?;
        let bytes = file.len();
        Self::read(file, bytes, most_bytes, Some(far))
    }

    fn read(
        file: impl ChunkReader + 'static,
        file_bytes: u64,
        most_bytes: u64,
        far: Option<Arc<LoadedRange>>,
    ) -> Result<Self, ParquetError> {
        let whole = |error| ParquetProblem::File(error).of_file();
        let file =
            guarded(|| SerializedFileReader::new(file)).map_err(ParquetProblem::of_file)?.map_err(whole)?;
        let schema = schema::parsed("pack", &columns::declared()).map_err(whole)?;
        let about = file.metadata().file_metadata();
        let noted = about.key_value_metadata().and_then(|notes| notes.iter().find(|note| note.key == NOTES));
        let noted = noted.and_then(|note| note.value.as_deref());
        let notes: PackNotes = match noted.map(serde_json::from_str) {
            Some(Ok(notes)) => notes,
            _ => return Err(ParquetProblem::NoPack.of_file()),
        };
        if notes.format != FORMAT {
            return Err(ParquetProblem::PackFormat { found: notes.format, known: FORMAT }.of_file());
        }
        if *about.schema() != *schema {
            return Err(ParquetProblem::NoPack.of_file());
        }
        let rows = Rows::of(file, schema, file_bytes, most_bytes)?;
        if rows.group_count() != notes.shards.len() || notes.shards.is_empty() {
            return Err(ParquetProblem::NoPack.of_file());
        }
        Ok(Self { rows, notes, far })
    }

    /// Returns what is in the pack.
    pub fn notes(&self) -> &PackNotes {
        &self.notes
    }

    /// Reads the memories of a shard, those of each NPC together. The end is an error if they are not those that were written.
    /// `vectors` is the rule for memories with vectors; without one these are refused.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn memories<'a>(
        &'a mut self,
        shard: usize,
        limits: &'a InputConfig,
        vectors: Option<VectorRule<'a>>,
    ) -> impl Iterator<Item = Result<Memory, PackError>> + 'a {
        let expected = &self.notes.shards[shard].sha256;
        let count = self.notes.shard_count();
        self.rows.only(shard);
        let mut unloaded = self.far.as_ref().and_then(|far| load(far, &self.rows, shard).err());
        let rows = &mut self.rows;
        let (mut digest, mut ended) = (Some(Sha256::new()), false);
        std::iter::from_fn(move || {
            if let Some(error) = unloaded.take() {
                ended = true;
                return Some(Err(PackError { shard, row: None, problem: error }));
            }
            if ended {
                return None;
            }
            match memory(rows, limits, vectors.as_ref(), digest.as_mut()) {
                Ok(Some(memory)) if Shard::index_of(Shard::place(&memory.npc), count) as usize != shard => {
                    ended = true;
                    Some(Err(PackProblem::OtherShard { npc: memory.npc }))
                }
                Ok(Some(memory)) => Some(Ok(memory)),
                Ok(None) => {
                    ended = true;
                    let changed =
                        digest.take().is_some_and(|digest| super::hex(&digest.finalize()) != *expected);
                    changed.then(|| Err(PackProblem::Changed))
                }
                Err(problem) => {
                    // What is no memory cannot be compared.
                    if matches!(problem, PackProblem::Memory { .. }) {
                        digest = None;
                    }
                    ended = !problem.is_of_one_memory();
                    Some(Err(problem))
                }
            }
            .map(|read| {
                read.map_err(|problem| {
                    let row = (!matches!(problem, PackProblem::Changed)).then(|| rows.number());
                    PackError { shard, row, problem }
                })
            })
        })
    }
}

/// Loads a shard of a file that is far away.
fn load(far: &LoadedRange, rows: &Rows, shard: usize) -> Result<(), PackProblem> {
    // Damage is told before the shard is asked for: it is not away.
    let range = rows.group_bytes(shard).map_err(PackProblem::Parquet)?;
    far.load(range).map_err(PackProblem::Read)
}

fn footer_checked(file: &mut (impl Read + Seek)) -> Result<(), ParquetError> {
    footer::check(file).map_err(|problem| match problem {
        ParquetProblem::NoStore => ParquetProblem::NoPack.of_file(),
        problem => problem.of_file(),
    })
}

/// Reads the next memory; none at the end of the shard.
fn memory(
    rows: &mut Rows,
    limits: &InputConfig,
    vectors: Option<&VectorRule<'_>>,
    digest: Option<&mut Sha256>,
) -> Result<Option<Memory>, PackProblem> {
    let Some(row) = rows.next().map_err(|error| PackProblem::Parquet(error.problem))? else {
        return Ok(None);
    };
    let json = columns::json(row).ok_or(PackProblem::Parquet(ParquetProblem::NoRow))?;
    let memory: Memory = serde_path_to_error::deserialize(json).map_err(|error| {
        let field = Some(error.path().to_string()).filter(|path| path != ".");
        PackProblem::Memory { field, problem: error.into_inner() }
    })?;
    if let Some(digest) = digest {
        super::digest(&memory, digest).map_err(|problem| PackProblem::Memory { field: None, problem })?;
    }
    check_memory(&memory, limits, vectors).map_err(PackProblem::Bounds)?;
    Ok(Some(memory))
}
