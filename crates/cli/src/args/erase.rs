//! Arguments of `erase`.

use clap::Args as ClapArgs;

use super::store::ChangeArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct EraseArgs {
    /// Person who is to be forgotten, by the name that the game uses
    #[arg(long, value_name = "NAME")]
    pub(crate) person: String,
    /// Another name of the person; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) also: Vec<String>,
    /// Delete NPCs that have the name as well, with all that they know
    #[arg(long)]
    pub(crate) npc_too: bool,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}
