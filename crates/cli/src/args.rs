//! What can be typed.

mod bench;
mod desk;
mod evaluate;
mod graph;
mod mcp;
mod plumbing;
mod replay;
mod review;
mod transfer;
mod upkeep;

use std::path::PathBuf;

use clap::{ArgAction, Args as ClapArgs, Parser, Subcommand, ValueEnum};
use nightfold::memory::{Approval, GameTime, MemoryId, NpcId, ReviewConfig};

pub(crate) use self::{
    bench::Bench,
    desk::Desk,
    evaluate::{Evaluate, Labelled, Logs, Pairs, Scenario, Stories, Suite, Talks},
    graph::GraphFormat,
    mcp::Mcp,
    plumbing::{Cluster, Embed, Judge, Judging, Texts},
    replay::{Init, Replay},
    review::{Apply, Show, Undo},
    transfer::{Export, Format, Import},
    upkeep::{Cap, Chore, Collapse, Maintain, Purge, Restore, Settle, Tending},
};
use crate::{judge, language::Language, vectors};

/// What a game NPC still knows tomorrow.
///
/// Exit codes: 0 done; 1 a check failed; 2 wrong usage; 3 bad input data; 4 model or runtime missing; 5 store
/// refused (stale plan, newer format, locked); 6 done in part, the failures are listed; 130 ended by ^C;
/// 141 standard output was closed before all was written, as by `| head`.
#[derive(Debug, Parser)]
#[command(name = "nightfold", version, max_term_width = 110)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) common: Common,
    /// Say more: reasons in diffs, tracing on stderr (repeat for more)
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where things come from.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct Common {
    /// A folder to look for the model and the runtime library in first
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) models: Option<PathBuf>,
    /// Never fetch anything
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// Where vectors are kept, so that later calls need not embed the same texts: a file, or `off`
    /// [default: `NIGHTFOLD_VECTOR_CACHE`, or a file in your cache folder]
    #[arg(long, global = true, value_name = "FILE|off")]
    pub(crate) vector_cache: Option<vectors::Kept>,
    /// Threads to use [default: one for each core]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// A configuration file; `nightfold.toml` in the current folder is read when there is one
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// One key of the configuration, such as `budget.storage=0.4`; may be repeated
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Seed of everything that draws lots [default: 42]
    #[arg(long, global = true, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Plan the night of every NPC in the input and show it; `--apply` writes it
    ///
    /// A run that was cut short is resumed by repeating it: what was written is passed over, and the nights that
    /// were not are slept.
    Sleep(Sleep),
    /// A night's questions to a language model as files for a provider's batch interface, and its answers
    Batch(Batch),
    /// Show a saved plan
    Show(Show),
    /// Apply a saved plan
    Apply(Apply),
    /// Take back what the last `--apply` or `apply` wrote, or the nights of an NPC since one of them
    Undo(Undo),
    /// Say where a memory comes from, what became of it, and why
    Why(Why),
    /// List what is remembered
    List(List),
    /// Ask an NPC's memory, as the game does by day
    Recall(Recall),
    /// What occupies an NPC night after night
    Themes(Themes),
    /// Texts to vectors
    Embed(Embed),
    /// Texts to themes
    Cluster(Cluster),
    /// Pairs of texts to what the one is to the other: the same, a contradiction, or neither
    Judge(Judge),
    /// Find status lines that repeat with new numbers, and make one of each in a store; `--apply` writes it
    Collapse(Collapse),
    /// Keep the newest few insights on each subject, in a store or a folder of files; `--apply` moves the others into
    /// the archive
    Cap(Cap),
    /// All upkeep of long-term memory that is due: status lines are collapsed, old weeks and months told in short, insights
    /// capped, and what has faded is forgotten; `--apply` writes it
    Maintain(Maintain),
    /// Delete for good what was put away long ago; `--apply` does it, and nothing takes it back
    Purge(Purge),
    /// Bring back what was put away; `--apply` writes it
    Restore(Restore),
    /// Decide between contested entries: for one of them, or against it; `--apply` writes it
    Settle(Settle),
    /// Write all that a store holds as lines of JSON, which `import` makes the same store of
    Export(Export),
    /// Make a store of what `export` wrote
    Import(Import),
    /// Plan the same nights under several settings, side by side; writes nothing
    Compare(Compare),
    /// Measure how fast nights are, on generated days and with stores that are thrown away
    ///
    /// All nights are slept and written twice: first as they come, then again with their vectors at hand. Nothing is kept
    /// for later calls, and the first round embeds every distinct text, unless --vector-cache FILE names a cache.
    Bench(Bench),
    /// Open a local page on which turning a knob of the configuration plans a night again; writes nothing
    ///
    /// INPUT is the folder of a scenario, or days as for `sleep`. Nights before the one that is looked at are as the story has
    /// them, without upkeep; words are found by the rules.
    Desk(Desk),
    /// Run scenarios over their nights, check what they expect, and compare what came of it with what was accepted
    ///
    /// Nothing is written but what `--update` and `--junit` name: each scenario lives in a store that is thrown away.
    Replay(Replay),
    /// Write a commented `nightfold.toml` and a small scenario to begin with
    Init(Init),
    /// Measure quality on labelled data
    Evaluate(Evaluate),
    /// Let assistants ask about NPCs' memory: a server of the Model Context Protocol on standard input and output
    ///
    /// Tools: `consolidate` (what a night would make of a day, as a diff), `recall`, `why`, `themes`; applied nights are
    /// resources. Nothing can be written through it.
    Mcp(Mcp),
    /// The model and the runtime library
    ///
    /// A classifier for `--judge nli:FOLDER` is yours to bring; models/README.md says which fit. None is fetched.
    Models(Models),
    /// Print every key of the configuration with its meaning, default and range
    Config,
}

/// What to do about a line that is no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnBadLine {
    /// Stop, and change nothing.
    Stop,
    /// Say so, and go on with the others.
    Skip,
}

/// The days that NPCs sleep on.
#[derive(Debug, ClapArgs)]
pub(crate) struct Lived {
    /// Memories as JSONL, one object a line, or the folder of a Generative Agents save; `-` reads standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// A night for each date in the input, instead of one for all of it
    #[arg(long)]
    pub(crate) by_day: bool,
    /// The moment of sleep; memories after it wait for another night
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<GameTime>,
    /// Only this NPC; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
    /// What to do about a line that is no memory
    #[arg(long, value_enum, default_value = "stop")]
    pub(crate) on_bad_line: OnBadLine,
    /// The model of the vectors that come with the memories; without it such vectors are refused
    #[arg(long, value_name = "ID")]
    pub(crate) vector_model: Option<String>,
}

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Sleep {
    #[command(flatten)]
    pub(crate) lived: Lived,
    /// Long-term memory; without it every NPC sleeps as if for the first time
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Write the nights to the store
    #[arg(long, requires = "store")]
    pub(crate) apply: bool,
    /// Write nothing, though `review.approval` is `auto`
    #[arg(long, conflicts_with = "apply")]
    pub(crate) dry_run: bool,
    /// Save the plan, to be shown and applied later
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<PathBuf>,
    /// Write the nights as a page to look at: one HTML file that needs no network
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Who finds the words for syntheses and reflections: `rules`; `openai:URL`, a server that speaks as `OpenAI`'s does,
    /// with the model of `language.model`; `local:FILE`, a model in a GGUF file, run in this process (feature `local`);
    /// or `recorded:FILE`, what `--record` kept
    #[arg(long, value_name = "WHO", default_value = "rules")]
    pub(crate) language: Language,
    /// Keep what the model answers in this file, and ask for nothing that is in it already
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Who says whether two close statements say the same: `rules`, `language` (the model of `--language`, within its tokens)
    /// or `nli:FOLDER` (a classifier of entailment) [default: judge.by]
    #[arg(long, value_name = "WHO")]
    pub(crate) judge: Option<judge::Judge>,
    /// Print the plan as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the diff as Markdown, for a review in version control
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

impl Sleep {
    /// Whether the nights are to be written: told so by this call, or once and for all.
    pub(crate) fn applies(&self, config: &ReviewConfig) -> bool {
        let auto = config.approval == Approval::Auto && self.store.is_some() && !self.dry_run;
        self.apply || auto
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Batch {
    #[command(subcommand)]
    pub(crate) command: BatchCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BatchCommand {
    /// Write what the model of `language.model` is to be asked in this night, and has not answered yet
    Write(BatchWrite),
    /// Read what the provider gave back; then `sleep --language recorded:FOLDER/answers.jsonl`
    Read(BatchRead),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BatchWrite {
    #[command(flatten)]
    pub(crate) lived: Lived,
    /// Where the files of the batch are kept
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Long-term memory to plan against; it is only read
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Write again what was written before and has no answer yet
    #[arg(long)]
    pub(crate) again: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BatchRead {
    /// The provider's results as JSONL; `-` reads standard input
    #[arg(required = true, value_name = "RESULTS")]
    pub(crate) results: Vec<PathBuf>,
    /// Where the files of the batch are kept
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) lived: Lived,
    /// Settings to compare: algorithms, keys of the configuration, or both joined by `+`, as in
    /// `kmeans,hierarchical,kmeans+budget.storage=0.4` [default: all algorithms]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub(crate) with: Vec<String>,
    /// Long-term memory to plan against; it is only read
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Why {
    /// The id of a memory, a synthesis or a reflection
    #[arg(value_name = "ID")]
    pub(crate) id: MemoryId,
    /// Long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Whose memory it is; needed when several NPCs have one of this id
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Option<NpcId>,
    /// Draw where it comes from and what became of it, for Graphviz (`dot`) or Mermaid
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    pub(crate) graph: Option<GraphFormat>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct List {
    /// Long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Only this NPC; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
    /// What left the active set too
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Recall {
    /// Whose memory is asked
    #[arg(value_name = "NPC")]
    pub(crate) npc: NpcId,
    /// What about
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,
    /// Long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// How many entries [default: recall.limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: Option<u16>,
    /// The moment of asking [default: the NPC's latest night]
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<GameTime>,
    /// Show the parts of each score
    #[arg(long)]
    pub(crate) explain: bool,
    /// Note in the store that these came to mind: they stay recent
    #[arg(long)]
    pub(crate) touch: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Themes {
    /// Whose themes
    #[arg(value_name = "NPC")]
    pub(crate) npc: NpcId,
    /// Long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Models {
    #[command(subcommand)]
    pub(crate) command: ModelsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// What is needed, and where it lies
    List,
    /// Fetch what is missing
    Fetch {
        /// Fetch again what is there
        #[arg(long)]
        force: bool,
    },
    /// Check every file against its checksum
    Verify,
}
