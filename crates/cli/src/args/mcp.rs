//! Arguments of `nightfold mcp`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use nightfold::memory::NpcId;

#[derive(Debug, ClapArgs)]
pub(crate) struct McpArgs {
    /// Days as JSONL, for calls of `consolidate` that bring no memories; every such call reads them anew
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Store of long-term memory; it is opened for reading only
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Answer for this NPC only; may be repeated [default: for everyone]
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
    /// Model of the vectors that come with the memories; without it such vectors are refused
    #[arg(long, value_name = "ID")]
    pub(crate) vector_model: Option<String>,
}
