//! Arguments of `run`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::store::WaitArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    #[command(subcommand)]
    pub(crate) command: RunCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunCommand {
    /// Show the latest run: how many of its shards are slept, who sleeps the others, what failed
    Status(RunStatusArgs),
    /// End a run: its workers write no night any more, and take no shard
    ///
    /// Nights that are written stay; `undo` takes them back. The next worker that is given the pack begins another run.
    End(RunEndArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunStatusArgs {
    /// Store that the workers share, `postgres://…`
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Number of runs to show, the latest first
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) last: u16,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunEndArgs {
    /// Number of the run
    #[arg(value_name = "RUN")]
    pub(crate) run: u64,
    /// Store that the workers share, `postgres://…`
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}
