//! Arguments that name the days to consolidate.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use nightfold::memory::{GameTime, NpcId, Shard};

use crate::choices::shard;

/// Handling of a line that is not a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnBadLine {
    /// Stop, and change nothing
    Stop,
    /// Warn, and read on
    Skip,
}

/// Memories to read, and the way to read them.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct MemoryArgs {
    /// Memories as JSONL, one object a line; a folder of such files; the folder of a Generative Agents save; a pack; or a
    /// Parquet file with the same fields as columns (feature `parquet`); `-` reads standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Handling of a line that is no memory
    #[arg(long, value_enum, default_value = "stop")]
    pub(crate) on_bad_line: OnBadLine,
    /// Model of the vectors that come with the memories; without it such vectors are refused
    #[arg(long, value_name = "ID")]
    pub(crate) vector_model: Option<String>,
}

/// Arguments that name the days to consolidate.
#[derive(Debug, ClapArgs)]
pub(crate) struct DaysArgs {
    /// Plan a night for each date in the input, instead of one for all of it
    #[arg(long)]
    pub(crate) by_day: bool,
    /// Moment of sleep; later memories wait for another night
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<GameTime>,
    /// Only this NPC; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
    /// Only the NPCs of a shard, beside other workers: INDEX/COUNT, as in 0/4 to 3/4; in a Kubernetes Indexed
    /// Job COUNT alone
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    #[command(flatten)]
    pub(crate) memories: MemoryArgs,
}
