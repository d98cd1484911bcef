//! Arguments of the program and its commands.

mod bench;
mod days;
mod desk;
mod erase;
mod generate;
mod logging;
mod maintenance;
mod mcp;
mod replay;
mod review;
mod serve;
mod shards;
mod store;
mod transfer;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use nightfold::memory::{GameTime, MemoryId, NpcId, ThemeId};

pub(crate) use self::{
    bench::BenchArgs,
    days::{DaysArgs, MemoryArgs, OnBadLine},
    desk::DeskArgs,
    erase::EraseArgs,
    generate::{ConfigArgs, GenerateArgs, GenerateCommand},
    logging::{LogArgs, LogFormat},
    maintenance::{
        CapArgs, CollapseArgs, MaintainArgs, MaintainTask, PlanArgs, PurgeArgs, RestoreArgs, SettleArgs,
        StorePlanArgs,
    },
    mcp::McpArgs,
    replay::{InitArgs, ReplayArgs},
    review::{ApplyArgs, RewindArgs, ShowArgs, UndoArgs},
    serve::ServeArgs,
    shards::{EndArgs, PackArgs, RunsArgs, ShardsArgs, ShardsCommand},
    store::{AfterSleep, BackupArgs, ChangeArgs, CheckArgs, ReadArgs, StatsArgs, WaitArgs, WriteArgs},
    transfer::{Export, Import},
};
use crate::choices::{CacheChoice, LanguageChoice};

/// Memory of game NPCs: decides each night what an NPC will still know
///
/// Exit codes: 0 done; 1 a check failed; 2 wrong usage; 3 bad input data; 4 model or runtime missing; 5 store
/// refused (stale plan, newer format, locked); 6 done in part, the failures are listed; 7 an output could not be
/// written, as on a full disk; 130 ended by ^C; 141 standard output was closed before all was written, as by `| head`.
#[derive(Debug, Parser)]
#[command(name = "nightfold", version, max_term_width = 110)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) log: LogArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command: models, caches, threads and configuration.
#[derive(Debug, Clone, Default, ClapArgs)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Common {
    /// Folder that is searched first for the model and the runtime library
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) models: Option<PathBuf>,
    /// Fetch nothing from the network
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// File that keeps vectors, so that later calls need not embed the same texts; a store on a server
    /// (`postgres://…`), so that other machines need not either; or `off` [default: `NIGHTFOLD_VECTOR_CACHE`, or a
    /// file in your cache folder]
    #[arg(long, global = true, value_name = "FILE|off")]
    pub(crate) vector_cache: Option<CacheChoice>,
    /// Number of threads [default: one for each core]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Configuration file; `nightfold.toml` in the current folder is read when there is one
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Set one key of the configuration, such as `budget.storage=0.4`; may be repeated
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Seed of all random numbers [default: 42]
    #[arg(long, global = true, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Plan the night of every NPC in the input and show it; `--apply` writes it
    ///
    /// A run that was cut short is resumed by repeating it: nights that are in the store already are skipped.
    ///
    /// Workers that are given the same pack and the same `postgres://` store share a run: each takes a shard that nobody has,
    /// until all are slept; `nightfold shards show` shows it. With `--shard I/N` a worker begins with its own part.
    Sleep(SleepArgs),
    /// Pack memories into shards for workers that share a night; show how far they are, or end their run
    Shards(ShardsArgs),
    /// Show a saved plan
    Show(ShowArgs),
    /// Apply a saved plan
    Apply(ApplyArgs),
    /// Undo what the last `--apply` or `apply` wrote, or an NPC's nights from a given one on
    Undo(UndoArgs),
    /// Bring a store back to a save point or a moment, or forward to a later save point; note and list save points
    ///
    /// Nights that are no longer in force are shelved, not deleted: save points of later states stay reachable.
    Rewind(RewindArgs),
    /// Explain where a memory comes from, what became of it, and why
    Why(WhyArgs),
    /// List the entries of long-term memory
    List(ListArgs),
    /// Query an NPC's memory, as the game does by day
    Recall(RecallArgs),
    /// Show an NPC's themes and the nights on which each was seen
    Themes(ThemesArgs),
    /// Find status lines that repeat with new numbers, and merge each group in a store; `--apply` writes it
    Collapse(CollapseArgs),
    /// Keep the newest few insights on each subject, in a store or a folder of files; `--apply` archives the
    /// others
    Cap(CapArgs),
    /// Run all maintenance that is due: collapse status lines, summarise old weeks and months, distil typed records,
    /// cap insights, forget faded entries; `--apply` writes it
    Maintain(MaintainArgs),
    /// Delete entries for good that were archived long ago, and give the free space of the store's file back to the disk;
    /// `--apply` does it, and nothing takes it back
    Purge(PurgeArgs),
    /// Delete for good all that NPCs know of a person who asks to be forgotten; `--apply` does it, and nothing takes it back
    ///
    /// Deleted are entries that name the person, what was concluded from them, what noted and undid them, and with the options
    /// recorded answers, plans and reports. A vector cache that --vector-cache or `NIGHTFOLD_VECTOR_CACHE` names is emptied. Then
    /// the store is searched for the names: exit code 1 if one is found.
    Erase(EraseArgs),
    /// Restore an archived entry; `--apply` writes it
    Restore(RestoreArgs),
    /// Decide between contested entries, for one of them or against it; `--apply` writes it
    Settle(SettleArgs),
    /// Show how large a store is, how fast it grows, and what `purge` would free
    Stats(StatsArgs),
    /// Look for damage in a store: the file, every row, and rows that contradict each other
    ///
    /// The text and the time of every memory are compared with the fingerprint that was stored with them. Exit code 1 if there
    /// are problems.
    Check(CheckArgs),
    /// Copy a store's file while others may write to it; the copy is read again and compared
    Backup(BackupArgs),
    /// Export all of a store as lines of JSON, for `import`
    Export(Export),
    /// Make a store from a file that `export` wrote
    Import(Import),
    /// Plan the same nights under several settings, side by side; writes nothing
    ///
    /// INPUT is days as `sleep` reads them, or a scenario, which is replayed under each setting: its expectations are checked
    /// too. Two files `outcome.json` of a scenario are compared as they are.
    Compare(CompareArgs),
    /// Measure the speed of nights, on synthetic days and with temporary stores
    ///
    /// All nights are planned and written twice: first with an empty cache of vectors, then with a full one.
    /// Nothing is kept for later calls, and the first round embeds every distinct text, unless --vector-cache
    /// FILE names a cache.
    Bench(BenchArgs),
    /// Open a local page that plans a night again for every changed setting; writes nothing
    ///
    /// INPUT is the folder of a scenario, or days as for `sleep`. The nights before the shown one are as the
    /// story has them, without maintenance; texts are worded by the rules.
    Desk(DeskArgs),
    /// Serve towns over HTTP: for mods, tools and back ends that speak JSON
    ///
    /// A town holds NPCs that live through things, sleep and are asked; what happens are events. The token to show is that of the
    /// variable `NIGHTFOLD_SERVE_TOKEN`, or one that is made and printed; holders of the token of `NIGHTFOLD_SERVE_READ_TOKEN`
    /// may only read.
    Serve(ServeArgs),
    /// Run scenarios over their nights, check their expectations, and compare each outcome with the accepted
    /// one
    ///
    /// Only `--update` and `--junit` write files: each scenario runs in a temporary store.
    Replay(ReplayArgs),
    /// Write a commented `nightfold.toml` and a small scenario to begin with
    Init(InitArgs),
    /// Serve NPCs' memory to assistants: a Model Context Protocol server on standard input and output
    ///
    /// Tools: `consolidate` (the plan of a night, as a diff), `recall`, `why`, `themes`; applied nights are
    /// resources. Nothing can be written through it.
    Mcp(McpArgs),
    /// List, fetch or verify the model and the runtime library
    Models(ModelsArgs),
    /// Print the documented configuration, JSON Schemas or completions for a shell, or write man pages
    Generate(GenerateArgs),
}

#[derive(Debug, ClapArgs)]
#[command(mut_arg("inputs", |inputs| inputs.required(false).required_unless_present("inbox")))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct SleepArgs {
    #[command(flatten)]
    pub(crate) days: DaysArgs,
    /// Sleep on all files of days in this folder (`.jsonl`, `.parquet`) by name, instead of INPUT. A name that begins with `.` or
    /// ends in `.part` or `.tmp` is one of a file that is not whole yet
    #[arg(
        long,
        value_name = "DIR",
        requires = "done",
        conflicts_with_all = ["inputs", "npc", "until", "shard", "resume"]
    )]
    pub(crate) inbox: Option<PathBuf>,
    /// Folder on the same file system to which `--apply` moves each file of the inbox whose nights are in the store and that
    /// has no bad line
    #[arg(long, value_name = "DIR", requires = "inbox")]
    pub(crate) done: Option<PathBuf>,
    /// Store of long-term memory, a file or `postgres://…`; without it every NPC sleeps as if for the first time
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Write the nights to the store
    #[arg(long, requires = "store")]
    pub(crate) apply: bool,
    /// Write nothing, even if `review.approval` is `auto`
    #[arg(long, conflicts_with = "apply")]
    pub(crate) dry_run: bool,
    /// Save the plan, to be shown and applied later
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<PathBuf>,
    /// Write the nights as an HTML page: one file that needs no network
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Open the page of `--report` in a browser
    #[arg(long, requires = "report")]
    pub(crate) open: bool,
    /// Author of the texts of syntheses and reflections: `rules`; `openai:URL`, a server with OpenAI's
    /// interface and the model of `language.model`; or `recorded:FILE`, answers kept by `--record`
    #[arg(long, value_name = "WHO", default_value = "rules")]
    pub(crate) language: LanguageChoice,
    /// Record the model's answers in this file; questions already answered there are not asked again
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Judge of two close statements [default: judge.by]
    #[arg(long, value_enum, value_name = "WHO")]
    pub(crate) judge: Option<JudgeChoice>,
    /// On a pack and a store that workers share: sleep shards again that failed
    #[arg(long, requires = "store")]
    pub(crate) resume: bool,
    /// Do this when all nights are written, in this order: `maintain` runs all maintenance that is due, `purge` deletes for
    /// good what was archived long ago. Both are for the NPCs of `--npc`, or for all of the store
    #[arg(
        long,
        value_enum,
        value_name = "TASK,…",
        value_delimiter = ',',
        requires = "store",
        conflicts_with_all = ["shard", "dry_run"]
    )]
    pub(crate) then: Vec<AfterSleep>,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    /// Write the figures of the call into this file at its end, also if it failed: one JSON object
    #[arg(long, value_name = "FILE")]
    pub(crate) summary_json: Option<PathBuf>,
    /// Write the figures of the call into this file at its end, also if it failed, as metrics in Prometheus' text format
    #[arg(long, value_name = "FILE")]
    pub(crate) metrics: Option<PathBuf>,
    /// Print the plan as JSON; with `--then`, a line of JSON for each task follows
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the diff as Markdown, for a review in version control
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

/// Judge that `--judge` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgeChoice {
    /// The stance model that comes with the program
    Model,
    /// The rules
    Rules,
    /// The model of `--language`, within its tokens
    Language,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) days: DaysArgs,
    /// Settings to compare: algorithms, keys of the configuration, or both joined by `+`, as in
    /// `kmeans,hierarchical,kmeans+budget.storage=0.4` [default: all algorithms]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub(crate) with: Vec<String>,
    /// Store of long-term memory to plan against; it is only read
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Write a page with the nights under two settings side by side
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Open the page in a browser
    #[arg(long, requires = "report")]
    pub(crate) open: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct WhyArgs {
    /// Id of a memory, a synthesis or a reflection
    #[arg(value_name = "ID")]
    pub(crate) id: MemoryId,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// NPC that has the memory; needed if several have one of this id
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Option<NpcId>,
    /// Print the provenance as a graph for Graphviz: `dot -Tsvg`
    #[arg(long, conflicts_with = "json")]
    pub(crate) graph: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Only this NPC; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Vec<NpcId>,
    /// Include archived entries
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct RecallArgs {
    /// NPC whose memory is queried
    #[arg(value_name = "NPC")]
    pub(crate) npc: NpcId,
    /// Query, in words
    #[arg(value_name = "QUERY", required_unless_present = "theme")]
    pub(crate) query: Option<String>,
    /// Instead of a query: the entries of this theme, and the best ones of those nearest to it
    #[arg(long, value_name = "ID", conflicts_with_all = ["query", "now", "at", "explain", "touch"])]
    pub(crate) theme: Option<ThemeId>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Number of entries at most [default: recall.limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: Option<u16>,
    /// Moment of the query, not before the NPC's latest night [default: that night]
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<GameTime>,
    /// Search what the NPC knew at this moment, and not what it knows today
    #[arg(long, value_name = "TIME", conflicts_with_all = ["now", "touch"])]
    pub(crate) at: Option<GameTime>,
    /// Search all that is archived, too: also what was superseded, capped or declined
    #[arg(long, conflicts_with_all = ["at", "touch", "theme"])]
    pub(crate) all: bool,
    /// Print a text for the prompt of a language model, of no more tokens than this: what answers, what is known of the people
    /// named, what is open with them, and what comes faintly to mind
    #[arg(long, value_name = "TOKENS", conflicts_with_all = ["json", "explain", "theme"])]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) context: Option<u32>,
    /// Show the parts of each score
    #[arg(long)]
    pub(crate) explain: bool,
    /// Mark the found entries as touched in the store, so that they stay recent
    #[arg(long)]
    pub(crate) touch: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ThemesArgs {
    /// NPC whose themes are shown
    #[arg(value_name = "NPC")]
    pub(crate) npc: NpcId,
    /// Show for each theme those nearest to it: whom they share, and which reflections join them
    #[arg(long)]
    pub(crate) graph: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    pub(crate) command: ModelsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List the files that are needed, each with its place
    List,
    /// Fetch the files that are missing
    Fetch {
        /// Fetch again files that are there
        #[arg(long)]
        force: bool,
    },
    /// Check every file against its checksum
    Verify,
}
