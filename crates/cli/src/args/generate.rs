//! Arguments of `nightfold generate`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use clap_complete::Shell;
use nightfold::memory::NpcId;

#[derive(Debug, ClapArgs)]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    pub(crate) command: GenerateCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GenerateCommand {
    /// Print every key of the configuration with its meaning, default and range
    ///
    /// With `--config FILE`, check that file, and print the keys that differ from their defaults.
    ///
    /// With `--npc`, print the configuration of one NPC: the file, `--set` and the NPC's profile together, each value
    /// that the profile changes with its name behind it.
    Config(ConfigArgs),
    /// Print the JSON Schema of an output or of a file that users write, or list them all
    ///
    /// Every JSON that leaves the program has a schema: what `--json` prints, and the files that it writes. A schema is that of
    /// this version exactly: it names every field there is.
    Schema {
        /// Name of a schema; without it, list the schemas
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Print a script that completes commands and options in a shell
    Completions {
        /// Shell that is to complete them
        #[arg(value_enum, value_name = "SHELL")]
        shell: Shell,
    },
    /// Write the man pages of nightfold and of each command
    Man {
        /// Folder for the pages; it is made if it is not there
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

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
