//! What `nightfold show`, `apply` and `undo` take: how a plan is read, which part of it is written, what is taken back.

use std::{path::PathBuf, str::FromStr};

use clap::Args as ClapArgs;
use nightfold::{
    consolidate::review::Selector,
    memory::{IdError, MemoryId, NightLabel, NpcId},
};

#[derive(Debug, ClapArgs)]
pub(crate) struct Show {
    /// A plan saved with `--plan`
    #[arg(value_name = "PLAN")]
    pub(crate) plan: PathBuf,
    /// The store it was planned against, for what the entries say that it speaks of
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Write the nights as a page to look at: one HTML file that needs no network. A plan holds no map of its days: each
    /// theme is drawn by itself then
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Only this NPC; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
    /// Print the diff as JSON: by theme each memory with its fate, what is proposed, and the reasons
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the diff as Markdown, for a review in version control
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Apply {
    /// A plan saved with `sleep --plan`
    #[arg(value_name = "PLAN")]
    pub(crate) plan: PathBuf,
    /// Long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Only the nights of this NPC; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
    /// Only these changes: the id of what is written, or what is done with it, as in `supersede:m-41`. Memories that other
    /// changes would decide stay as they were lived
    #[arg(long, value_name = "CHANGE,…", value_delimiter = ',', conflicts_with = "except")]
    pub(crate) only: Vec<Selector>,
    /// All changes but these: what was to be told with others or let go stays word for word, what was to be kept is let go
    #[arg(long, value_name = "CHANGE,…", value_delimiter = ',')]
    pub(crate) except: Vec<Selector>,
    /// Let a synthesis or an insight say something else; refused where its sources do not bear it. May be repeated
    #[arg(long, value_name = "ID=TEXT")]
    pub(crate) edit: Vec<Edit>,
}

/// What an entry is to say.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    pub(crate) id: MemoryId,
    pub(crate) text: String,
}

/// Why an edit cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EditError {
    #[error("an edit is written as ID=TEXT")]
    NoText,
    #[error(transparent)]
    Id(#[from] IdError),
}

impl FromStr for Edit {
    type Err = EditError;

    fn from_str(argument: &str) -> Result<Self, EditError> {
        let (id, text) = argument.split_once('=').ok_or(EditError::NoText)?;
        Ok(Self { id: MemoryId::new(id)?, text: text.trim().to_owned() })
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Undo {
    /// Long-term memory
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
}
