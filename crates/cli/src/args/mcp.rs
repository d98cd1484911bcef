//! Arguments of `nightfold mcp`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use nightfold::memory::NpcId;

use super::days::MemoryArgs;

/// Help of the files of days.
const INPUTS: &str =
    "Days as for `sleep`, for calls of `consolidate` that bring no memories; every such call reads them anew";

#[derive(Debug, ClapArgs)]
#[command(mut_arg("inputs", |inputs| inputs.required(false).help(INPUTS)))]
pub(crate) struct McpArgs {
    #[command(flatten)]
    pub(crate) memories: MemoryArgs,
    /// Store of long-term memory; it is opened for reading only
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Answer for this NPC only; may be repeated [default: for everyone]
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
}
