//! Arguments of `nightfold show`, `apply`, `undo` and `rewind`.

use std::{path::PathBuf, str::FromStr};

use clap::Args as ClapArgs;
use nightfold::{
    consolidate::review::Selector,
    memory::{MemoryId, NightLabel, NpcId, SavePointName},
};

use super::store::{ChangeArgs, WriteArgs};

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
    /// Open the page of `--report` in a browser
    #[arg(long, requires = "report")]
    pub(crate) open: bool,
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
    #[command(flatten)]
    pub(crate) write: WriteArgs,
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
}

/// New text of an entry.
#[derive(Debug, Clone)]
pub(crate) struct TextEdit {
    pub(crate) id: MemoryId,
    pub(crate) text: String,
}

impl FromStr for TextEdit {
    type Err = String;

    fn from_str(argument: &str) -> Result<Self, String> {
        let (id, text) = argument.split_once('=').ok_or("an edit is written as ID=TEXT")?;
        let id = MemoryId::new(id).map_err(|error| error.to_string())?;
        Ok(Self { id, text: text.trim().to_owned() })
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct UndoArgs {
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Only the latest night of this NPC
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Option<NpcId>,
    /// This night of the NPC instead; refused where later nights build on it
    #[arg(long, value_name = "LABEL", requires = "npc")]
    pub(crate) night: Option<NightLabel>,
    /// With `--night`: all later nights of the NPC, too
    #[arg(long, requires = "night")]
    pub(crate) cascade: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RewindArgs {
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
    /// Save point, or moment up to which nights stay in force; without it, list the save points
    #[arg(long, value_name = "NAME|TIME", required_if_eq("apply", "true"))]
    pub(crate) to: Option<SavePointName>,
    /// Only this NPC
    #[arg(long, value_name = "NAME", requires = "to")]
    pub(crate) npc: Option<NpcId>,
    /// Note the present state as a save point, such as the slot of a saved game
    #[arg(long, value_name = "NAME", conflicts_with_all = ["to", "forget"])]
    pub(crate) save: Option<SavePointName>,
    /// Forget a save point; no night is deleted
    #[arg(long, value_name = "NAME", conflicts_with = "to")]
    pub(crate) forget: Option<SavePointName>,
}
