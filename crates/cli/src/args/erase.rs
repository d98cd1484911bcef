//! Arguments of `erase`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::store::WaitArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct EraseArgs {
    /// Person who is to be forgotten, by the name that the game uses
    #[arg(long, value_name = "NAME")]
    pub(crate) person: String,
    /// Another name of the person; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) also: Vec<String>,
    /// Store of long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Delete NPCs that have the name as well, with all that they know
    #[arg(long)]
    pub(crate) npc_too: bool,
    /// Erase it
    #[arg(long)]
    pub(crate) apply: bool,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
