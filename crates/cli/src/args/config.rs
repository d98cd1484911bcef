//! Arguments of `nightfold config`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use nightfold::memory::NpcId;

#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigArgs {
    /// Print the configuration of this NPC instead, as the file, `--set` and its profile make it
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Option<NpcId>,
    /// Tag that the NPC has, such as a role or a faction; may be repeated [default: the tags of its latest night in
    /// the store]
    #[arg(long = "npc-tag", value_name = "TAG", requires = "npc")]
    pub(crate) npc_tags: Vec<String>,
    /// Store that knows the NPC's tags
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
}
