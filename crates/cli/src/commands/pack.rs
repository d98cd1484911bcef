//! `nightfold pack`: memories of many NPCs as one file in shards, for workers that share a night.

use nightfold::memory::ModelId;
use nightfold_formats::jsonl::VectorRule;

use crate::{
    args::{Common, PackArgs},
    cloud::{self, CloudError, Upload},
    config,
    error::{CliError, Exit},
    files_in_use::FilesInUse,
    input::each_memory,
    lookalikes::LookalikeNames,
    models::models,
    output::{self, NewFile},
    parquet::{self, NewPack},
    progress::ReadBar,
    show::count,
    terminal::clean,
};

/// Memories of a shard, where the number of shards is not given: at some 200 NPCs a shard a core takes about a minute for it.
const MEMORIES_OF_A_SHARD: u64 = 10_000;

pub(crate) fn run(args: &PackArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    let models = models(common, &config);
    let vectors = VectorRule {
        given: args.vector_model.as_deref(),
        model: models.model_id(),
        dimensions: nightfold_embed::DIMENSIONS,
    };
    // What goes to a cloud is written here first: its shards are counted at the end.
    let upload = cloud::address(&args.to).map(Upload::prepare).transpose().map_err(not_reached)?;
    let folder = upload.as_ref().map(|_| tempfile::tempdir()).transpose()?;
    let place = folder.as_ref().map_or_else(|| args.to.clone(), |folder| folder.path().join("pack"));
    let file = NewFile::prepare(&place, &FilesInUse::of(common).and(&args.inputs))?;
    let (mut pack, bar) = (NewPack::new(&config), ReadBar::new());
    let mut names = LookalikeNames::default();
    let (mut memories, mut with_vectors) = (0_u64, false);
    each_memory(&args.inputs, &config, args.on_bad_line, &vectors, None, &mut |memory| {
        bar.read();
        memories += 1;
        names.add(&memory.npc);
        with_vectors |= memory.vector.is_some();
        Ok(pack.push(memory)?)
    })?;
    bar.finish();
    names.warn();
    let shards = args.shards.unwrap_or_else(|| usual_shards(memories));
    // Vectors of another model were refused.
    let of_model: Option<ModelId> = with_vectors.then(|| models.model_id().clone());
    let mut file = file.begin();
    let notes = pack.write(&mut file, shards, of_model, &config)?;
    file.finish()?;
    if let Some(upload) = upload {
        upload.finish(&place).map_err(not_reached)?;
    }

    let sizes = || notes.shards.iter().map(|shard| shard.memories);
    let (least, most) = (sizes().min().unwrap_or_default(), sizes().max().unwrap_or_default());
    let counted = |n: u64, one, many| count(usize::try_from(n).unwrap_or(usize::MAX), one, many);
    output::text(&format!(
        "{} of {} in {} (from {least} to {most} memories) to {}\n",
        counted(memories, "memory", "memories"),
        counted(notes.npcs(), "NPC", "NPCs"),
        count(notes.shards.len(), "shard", "shards"),
        clean(&parquet::shown(&args.to))
    ))
}

fn not_reached(error: CloudError) -> CliError {
    CliError::new(Exit::Store, error).hint("look at the address, and at the credentials in the environment")
}

fn usual_shards(memories: u64) -> u32 {
    let shards = memories.div_ceil(MEMORIES_OF_A_SHARD).max(1);
    u32::try_from(shards).unwrap_or(u32::MAX).min(parquet::MOST_SHARDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_as_many_as_workers_can_take_in_minutes() {
        assert_eq!([0, 1, 10_000, 10_001, u64::MAX].map(usual_shards), [1, 1, 1, 2, parquet::MOST_SHARDS]);
    }
}
