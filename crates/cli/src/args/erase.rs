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
    /// File of recorded answers of language models: lines that name the person are removed; may be repeated
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) recordings: Vec<PathBuf>,
    /// Saved plan, report page or export: it is deleted if it names the person; may be repeated
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(crate) files: Vec<PathBuf>,
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
