//! Arguments of the commands that maintain a store: `maintain`, `collapse`, `cap`, `purge`, `restore` and
//! `settle`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use nightfold::memory::{GameTime, MemoryId, NpcId};

use super::{
    days::MemoryArgs,
    store::{ChangeArgs, WaitArgs},
};
use crate::choices::LanguageChoice;

/// Arguments that say what happens to a plan of maintenance.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct PlanArgs {
    /// Only this NPC of a store; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
    /// Write it to the store
    #[arg(long)]
    pub(crate) apply: bool,
    /// Write nothing, even if `review.approval` is `auto`
    #[arg(long, conflicts_with = "apply")]
    pub(crate) dry_run: bool,
    /// Save the plan for a store, to be shown and applied later
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}

/// Store, and what happens to a plan of its maintenance.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct StorePlanArgs {
    /// Store of long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) args: PlanArgs,
    /// Print the plan as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
#[command(
    mut_arg("inputs", |inputs| {
        inputs.required(false).required_unless_present("store").conflicts_with_all(["store", "apply"])
    }),
    mut_arg("on_bad_line", |on_bad_line| on_bad_line.conflicts_with("store")),
    mut_arg("vector_model", |model| model.conflicts_with("store"))
)]
pub(crate) struct CollapseArgs {
    #[command(flatten)]
    pub(crate) memories: MemoryArgs,
    /// Store of long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) plan_args: PlanArgs,
    /// Merge lines whose words overlap enough, too
    #[arg(long)]
    pub(crate) fuzzy: bool,
    /// Take every memory for a status line: do not look for keywords
    #[arg(long)]
    pub(crate) all_status: bool,
    /// Print JSON: the report, and `groups` of ids with the canonical one first
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CapArgs {
    /// Folder of insight files, which are capped by the time they were modified
    #[arg(required_unless_present = "store", conflicts_with = "store", value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Store of long-term memory, whose insights are capped by the time they were touched
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) plan_args: PlanArgs,
    /// Print JSON: for a folder the files that stay and leave, by subject; for a store the plan
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MaintainArgs {
    #[command(flatten)]
    pub(crate) plan: StorePlanArgs,
    /// Only these tasks [default: all]
    #[arg(long, value_enum, value_name = "TASK,…", value_delimiter = ',')]
    pub(crate) only: Vec<MaintainTask>,
    /// Moment of the maintenance; ages are counted from it on, and an NPC whose latest night is later is not maintained
    /// [default: the NPC's latest night]
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<GameTime>,
    /// Author of the texts of distilled records: `rules`; `openai:URL`, a server with OpenAI's interface and the model of
    /// `language.model`; or `recorded:FILE`, answers kept by `--record`
    #[arg(long, value_name = "WHO", default_value = "rules")]
    pub(crate) language: LanguageChoice,
    /// Record the model's answers in this file; questions already answered there are not asked again
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

/// Task of maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MaintainTask {
    /// Merge status lines that differ in numbers only
    Collapse,
    /// Summarise old weeks and months
    Abstract,
    /// Cap the insights on one subject
    Cap,
    /// Forget faded entries
    Forget,
    /// Distil typed records from similar memories of several days
    Distill,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PurgeArgs {
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
    /// Only this NPC; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
    /// Keep entries that an NPC's last N nights archived, maintenance counted [default:
    /// `maintain.purge_after_nights`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) older_than_nights: Option<u32>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RestoreArgs {
    /// Id of an archived entry
    #[arg(value_name = "ID")]
    pub(crate) id: MemoryId,
    #[command(flatten)]
    pub(crate) plan: StorePlanArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SettleArgs {
    /// Id of a contested entry
    #[arg(value_name = "ID")]
    pub(crate) id: MemoryId,
    /// Decide for it: it supersedes all entries it is contested with
    #[arg(long = "for", required_unless_present = "against", conflicts_with = "against")]
    pub(crate) holds: bool,
    /// Decide against it: the latest entry it is contested with supersedes it
    #[arg(long)]
    pub(crate) against: bool,
    #[command(flatten)]
    pub(crate) plan: StorePlanArgs,
}
