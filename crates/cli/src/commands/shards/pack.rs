//! `nightfold shards pack`: memories of many NPCs as a folder of shards.

use nightfold::memory::ModelId;
use nightfold_formats::{
    grouped::NpcSorter,
    pack::{MOST_SHARDS, NewPack, PackWriteError},
};

use crate::{
    args::{Common, PackArgs},
    config,
    confusables::ConfusableNames,
    error::{CliError, Exit},
    input::MemoryReading,
    output,
    progress::ReadBar,
    show::count,
    terminal::clean,
};

/// Memories of a shard, where the number of shards is not given: at some 200 NPCs a shard a core takes about a minute for it.
const MEMORIES_OF_A_SHARD: u64 = 10_000;

pub(super) fn run(args: &PackArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    let reading = MemoryReading::new(&args.memories, &config, common);
    let pack = NewPack::prepare(&args.to)?;
    let (mut sorter, bar) = (NpcSorter::by_place(&config.input), ReadBar::new());
    let mut names = ConfusableNames::default();
    let (mut memories, mut with_vectors) = (0_u64, false);
    reading.each(&args.memories.inputs, None, &mut |memory| {
        bar.read();
        memories += 1;
        names.add(&memory.npc);
        with_vectors |= memory.vector.is_some();
        Ok(sorter.push(memory)?)
    })?;
    drop(bar);
    names.warn();
    let shards = args.shards.unwrap_or_else(|| usual_shards(memories));
    // Vectors of another model were refused.
    let of_model: Option<ModelId> = with_vectors.then(|| reading.model().clone());
    let notes = pack.write(sorter.finish()?, shards, of_model)?;

    let sizes = || notes.shards.iter().map(|shard| shard.memories);
    let (least, most) = (sizes().min().unwrap_or_default(), sizes().max().unwrap_or_default());
    output::text(&format!(
        "{} of {} in {} (from {least} to {most} memories) to {}\n",
        count(memories, "memory", "memories"),
        count(notes.npcs(), "NPC", "NPCs"),
        count(notes.shards.len(), "shard", "shards"),
        clean(&args.to.display().to_string())
    ))
}

impl From<PackWriteError> for CliError {
    fn from(error: PackWriteError) -> Self {
        match error {
            PackWriteError::Spill(error) => error.into(),
            PackWriteError::NotEmpty { .. } => {
                Self::new(Exit::Usage, error).hint("name a folder that is not there yet, or remove this one")
            }
            PackWriteError::Write { ref source, .. } => {
                let exit = if output::is_refusal(source) { Exit::Usage } else { Exit::Output };
                Self::new(exit, error).hint("see to it that the folder may be written and the disk has room")
            }
            error => Self::new(Exit::Usage, error),
        }
    }
}

fn usual_shards(memories: u64) -> u32 {
    let shards = memories.div_ceil(MEMORIES_OF_A_SHARD).max(1);
    u32::try_from(shards).unwrap_or(u32::MAX).min(MOST_SHARDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_as_many_as_workers_can_take_in_minutes() {
        assert_eq!([0, 1, 10_000, 10_001, u64::MAX].map(usual_shards), [1, 1, 1, 2, MOST_SHARDS]);
    }
}
