//! What the commands take that carry a store elsewhere: `export`, `import`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use nightfold::memory::NpcId;

#[derive(Debug, ClapArgs)]
pub(crate) struct Export {
    /// Long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Only this NPC
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Option<NpcId>,
    /// Where the lines go; `-` is standard output
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) to: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Import {
    /// What `export` wrote; `-` reads standard input
    #[arg(value_name = "FILE.jsonl")]
    pub(crate) file: PathBuf,
    /// The store to make; one that exists must be empty
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
}
