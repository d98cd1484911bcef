//! Arguments of the commands that move a store elsewhere: `export`, `import`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use nightfold::memory::NpcId;

use super::store::WaitArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct Export {
    /// Store of long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Only this NPC
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Option<NpcId>,
    /// File to write; `-` is standard output
    #[arg(long, value_name = "FILE", visible_alias = "out")]
    pub(crate) to: PathBuf,
    /// Only the entries of long-term memory, in every state, for other programs; `import` does not read them
    #[arg(long)]
    pub(crate) entries: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Import {
    /// File that `export` wrote; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Store to make; one that exists must be empty
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}
