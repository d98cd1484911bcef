//! Arguments of the upkeep of a store: `maintain`, `collapse`, `cap`, `purge`, `restore` and
//! `settle`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use nightfold::memory::{Approval, GameTime, MemoryId, NpcId, ReviewConfig};

use super::OnBadLine;

/// What to do with a plan of upkeep.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Tending {
    /// Only this NPC of a store; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
    /// Write it
    #[arg(long)]
    pub(crate) apply: bool,
    /// Write nothing, though `review.approval` is `auto`
    #[arg(long, conflicts_with = "apply")]
    pub(crate) dry_run: bool,
    /// Save the plan for a store, to be shown and applied later
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<PathBuf>,
}

impl Tending {
    /// As it is meant of a store, whose plans may be approved once and for all.
    pub(crate) fn of_a_store(&self, config: &ReviewConfig) -> Self {
        let auto = config.approval == Approval::Auto && !self.dry_run;
        Self { apply: self.apply || auto, ..self.clone() }
    }
}

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Collapse {
    /// Memories as JSONL, one object a line, or the folder of a Generative Agents save; `-` reads standard input. They are
    /// only looked at
    #[arg(required_unless_present = "store", conflicts_with_all = ["store", "apply"], value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tending: Tending,
    /// Join lines whose words overlap enough too
    #[arg(long)]
    pub(crate) fuzzy: bool,
    /// Join lines of one template too
    #[arg(long)]
    pub(crate) template: bool,
    /// Every memory is a status line: do not look for keywords
    #[arg(long)]
    pub(crate) all_status: bool,
    /// What to do about a line that is no memory
    #[arg(long, value_enum, default_value = "stop", conflicts_with = "store")]
    pub(crate) on_bad_line: OnBadLine,
    /// The model of the vectors that come with the memories; without it such vectors are refused
    #[arg(long, value_name = "ID", conflicts_with = "store")]
    pub(crate) vector_model: Option<String>,
    /// Print JSON: the report, and `groups` of ids with the canonical one first
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Cap {
    /// A folder of insight files, which are capped by the time they were modified
    #[arg(required_unless_present = "store", conflicts_with = "store", value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Long-term memory, whose insights are capped by the time they were touched
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tending: Tending,
    /// Print JSON: of a folder what stays and what leaves, by subject; of a store the plan
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Maintain {
    /// Long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) tending: Tending,
    /// Only these chores [default: all]
    #[arg(long, value_enum, value_name = "CHORE,…", value_delimiter = ',')]
    pub(crate) only: Vec<Chore>,
    /// The moment of it, from which ages are counted; one before an NPC's latest night counts as that [default: the NPC's
    /// latest night]
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<GameTime>,
    /// Print the plan as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A part of upkeep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Chore {
    /// Status lines that say the same become one.
    Collapse,
    /// Old weeks and months are told in short.
    Abstract,
    /// Insights on one subject are capped.
    Cap,
    /// What has faded is forgotten.
    Forget,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Purge {
    /// Long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Only this NPC; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
    /// Keep what an NPC's last so many nights put away, upkeep counted [default: `maintain.purge_after_nights`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) older_than_nights: Option<u32>,
    /// Delete it
    #[arg(long)]
    pub(crate) apply: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Restore {
    /// The id of what was put away
    #[arg(value_name = "ID")]
    pub(crate) id: MemoryId,
    /// Long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) tending: Tending,
    /// Print the plan as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Settle {
    /// The id of a contested entry
    #[arg(value_name = "ID")]
    pub(crate) id: MemoryId,
    /// It holds: it supersedes whatever it is contested with
    #[arg(long = "for", required_unless_present = "against", conflicts_with = "against")]
    pub(crate) holds: bool,
    /// It does not hold: what it is contested with supersedes it, of several the latest
    #[arg(long)]
    pub(crate) against: bool,
    /// Long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) tending: Tending,
    /// Print the plan as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
