//! Arguments of `nightfold shards`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::{
    days::MemoryArgs,
    store::{ReadArgs, WriteArgs},
};

#[derive(Debug, ClapArgs)]
pub(crate) struct ShardsArgs {
    #[command(subcommand)]
    pub(crate) command: ShardsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ShardsCommand {
    /// Pack memories into a folder of shards
    ///
    /// A shard is a JSONL file with some of the NPCs, each with all its memories. `sleep` takes the folder as input; with
    /// `--shard` a worker reads only its own part.
    Pack(PackArgs),
    /// Show the latest run: how many of its shards are slept, who sleeps the others, what failed
    Show(RunsArgs),
    /// End a run: its workers write no night any more, and take no shard
    ///
    /// Nights that are written stay; `undo` takes them back. The next worker that is given the pack begins another run.
    End(EndArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PackArgs {
    #[command(flatten)]
    pub(crate) memories: MemoryArgs,
    /// Folder to make
    #[arg(long, value_name = "DIR")]
    pub(crate) to: PathBuf,
    /// Number of shards: the pieces that workers take one by one [default: one for each 10 000 memories]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) shards: Option<u32>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Number of runs to show, the latest first
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) last: u16,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct EndArgs {
    /// Number of the run
    #[arg(value_name = "RUN")]
    pub(crate) run: u64,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}
