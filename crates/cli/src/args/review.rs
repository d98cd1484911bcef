//! Arguments of `nightfold show`, `apply`, `undo`, `save-point` and `rewind`.

use std::{path::PathBuf, str::FromStr};

use clap::Args as ClapArgs;
use nightfold::{
    consolidate::review::Selector,
    memory::{IdError, MemoryId, NightLabel, NpcId, SavePointName},
};

use super::store::WaitArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct ShowArgs {
    /// A plan saved with `--plan`
    #[arg(value_name = "PLAN")]
    pub(crate) plan: PathBuf,
    /// Store that the plan was made against, for the texts of the entries that it refers to
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Write the nights as an HTML page: one file that needs no network. A saved plan holds no map of its
    /// days, so each theme is drawn by itself
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Only this NPC; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
    /// Print the diff as JSON: by theme each memory with its fate, the proposals, and the reasons
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the diff as Markdown, for a review in version control
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ApplyArgs {
    /// A plan saved with `sleep --plan`
    #[arg(value_name = "PLAN")]
    pub(crate) plan: PathBuf,
    /// Store of long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Only the nights of this NPC; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
    /// Only these changes: the id of the entry that is written, or a verb with an id, as in `supersede:m-41`.
    /// Memories that other changes would decide stay as they are
    #[arg(long, value_name = "CHANGE,…", value_delimiter = ',', conflicts_with = "except")]
    pub(crate) only: Vec<Selector>,
    /// All changes but these: a memory that was to be merged or pruned stays word for word, one that was to
    /// be kept is pruned
    #[arg(long, value_name = "CHANGE,…", value_delimiter = ',')]
    pub(crate) except: Vec<Selector>,
    /// Change the text of a synthesis or an insight; refused if its sources do not support it. May be
    /// repeated
    #[arg(long, value_name = "ID=TEXT")]
    pub(crate) edit: Vec<TextEdit>,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}

/// New text of an entry.
#[derive(Debug, Clone)]
pub(crate) struct TextEdit {
    pub(crate) id: MemoryId,
    pub(crate) text: String,
}

/// Error of reading an edit.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TextEditError {
    #[error("an edit is written as ID=TEXT")]
    NoText,
    #[error(transparent)]
    Id(#[from] IdError),
}

impl FromStr for TextEdit {
    type Err = TextEditError;

    fn from_str(argument: &str) -> Result<Self, TextEditError> {
        let (id, text) = argument.split_once('=').ok_or(TextEditError::NoText)?;
        Ok(Self { id: MemoryId::new(id)?, text: text.trim().to_owned() })
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct UndoArgs {
    /// Store of long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Only the latest night of this NPC
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Option<NpcId>,
    /// This night of the NPC instead; refused where later nights build on it
    #[arg(long, value_name = "LABEL", requires = "npc")]
    pub(crate) night: Option<NightLabel>,
    /// With `--night`: all later nights of the NPC, too
    #[arg(long, requires = "night")]
    pub(crate) cascade: bool,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SavePointArgs {
    /// Name of the save point, such as the slot of a saved game; without it, list the save points
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<SavePointName>,
    /// Store of long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Forget the save point; no night is deleted
    #[arg(long, requires = "name")]
    pub(crate) forget: bool,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RewindArgs {
    /// Store of long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Save point, or moment up to which nights stay in force
    #[arg(long, value_name = "NAME|TIME")]
    pub(crate) to: SavePointName,
    /// Only this NPC
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Option<NpcId>,
    /// Rewind the store
    #[arg(long)]
    pub(crate) apply: bool,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
