//! Arguments of `nightfold evaluate`: a suite, and the data it is measured on.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use nightfold::memory::config::ClusterAlgorithm;

use super::plumbing::JudgingArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct EvaluateArgs {
    #[command(subcommand)]
    pub(crate) suite: Suite,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Suite {
    /// Beliefs of NPCs at the end of short stories, right or wrong, and changes of beliefs in lives and talk; fails if too
    /// few are right, a newer statement is lost to an older one, or more than 2 % of the endings in lives are false
    Beliefs(StoriesArgs),
    /// Agreement of clusters with people's labels, by algorithm; fails if k-means is worse than scikit-learn's
    Clusters(ClustersArgs),
    /// Correlation of the parts of cohesion with the purity of a cluster
    Cohesion(LabelledArgs),
    /// Accuracy of grouping status lines by their template; fails below the published figures of other
    /// programs
    Collapse(LogsArgs),
    /// Agreement of the grammar that is read beside the vectors with people's; fails below linear heads
    Grammar(TreebankArgs),
    /// Share of later questions' evidence that is still found after a whole life: night after night into one
    /// store, with weekly maintenance; fails below 90 % of the full store's and below as much text chosen otherwise
    Life(ConversationsArgs),
    /// Share of 132 questions to the NPCs of the project's scenarios that are answered after the last night
    Recall(RecallSuiteArgs),
    /// Recognition of themes that recur, at several thresholds
    Recurring(ScenarioArgs),
    /// Share of later questions' evidence that is still found after the night; fails below 95 % of the full
    /// store's and below the longest half's
    Retention(ConversationsArgs),
    /// Agreement of salience with people's votes for what is worth remembering, and with what was asked about later
    Salience(SalienceArgs),
    /// Agreement of a stance judge with people; fails if too much is merged, or too little
    Stance(PairsArgs),
    /// Share of fates that change if another memory is missing or worded otherwise, if lots fall otherwise, or if vectors
    /// are a little off; fails if they exceed the project's bounds
    Stability(StabilityArgs),
    /// Length, words, grammar and names of the texts that nights write; fails if syntheses of unimportant memories are
    /// longer than 0.6 of their sources, if more than 5 % of texts or names are faulty, or if too few nights reflect
    Texts(TextsArgs),
}

/// Arguments of `evaluate beliefs`.
#[derive(Debug, ClapArgs)]
pub(crate) struct StoriesArgs {
    /// JSONL of stories, used instead of the project's own stories and lives
    #[arg(long = "stories", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Folder with `locomo`, `realtalk`, `topical_chat` or `generative_agents`, each converted to JSONL, in which
    /// changes of beliefs are counted
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) judging: JudgingArgs,
    /// Number of wrong beliefs to show of each set of stories, lost news first, and of changes in talk, first those that
    /// a person read as false, then those that nobody read
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) wrong: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `evaluate stability`.
#[derive(Debug, ClapArgs)]
pub(crate) struct StabilityArgs {
    /// Files with days as JSONL, or folders of Generative Agents saves; each date is a night, slept on without a store
    #[arg(value_name = "DAYS", required = true)]
    pub(crate) days: Vec<PathBuf>,
    /// Number of nights, spread over all
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) nights: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `evaluate texts`.
#[derive(Debug, ClapArgs)]
pub(crate) struct TextsArgs {
    /// Files with days as JSONL; each date is a night
    #[arg(value_name = "DAYS", required_unless_present = "scenarios")]
    pub(crate) days: Vec<PathBuf>,
    /// Scenario, or folder with scenarios in it
    #[arg(long, value_name = "DIR")]
    pub(crate) scenarios: Option<PathBuf>,
    /// Number of faulty texts and names to show
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) wrong: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `evaluate recall`.
#[derive(Debug, ClapArgs)]
pub(crate) struct RecallSuiteArgs {
    /// Folder with the project's scenarios in it
    #[arg(long, value_name = "DIR", default_value = "scenarios")]
    pub(crate) scenarios: PathBuf,
    /// Number of unanswered questions to show, of the set that may be looked at
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) wrong: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `evaluate life` and `evaluate retention`.
#[derive(Debug, ClapArgs)]
pub(crate) struct ConversationsArgs {
    /// Folder with `memories.jsonl` and `questions.jsonl`: LoCoMo, REALTALK, BEAM
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `evaluate salience`.
#[derive(Debug, ClapArgs)]
pub(crate) struct SalienceArgs {
    /// Folder with `lufy/memories.jsonl` (turns with votes), and perhaps `locomo`, `realtalk` and `beam`, or the
    /// folder of the votes itself
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Runs whose votes are measured: those at even places, which may be looked at while something is made better,
    /// those at odd places, or all
    #[arg(long, value_enum, default_value_t = VotedHalf::All)]
    pub(crate) half: VotedHalf,
    /// Measure the votes alone
    #[arg(long)]
    pub(crate) votes_only: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Half of the voted runs, by their place in the order of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VotedHalf {
    Even,
    Odd,
    All,
}

/// Arguments of `evaluate stance`.
#[derive(Debug, ClapArgs)]
pub(crate) struct PairsArgs {
    /// Folder with any of `sick` (`SICK_train.txt`, `SICK_trial.txt`), `nli` and `nli_measure_only` (a folder
    /// for each set, with `pairs.jsonl`) in it, or one of these itself
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// JSONL used instead of the project's own pairs: its lines have texts `a` and `b` and their `stance`,
    /// `same`, `contradiction` or `unrelated`, perhaps with a `family` and a `category`
    #[arg(long = "pairs", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) judging: JudgingArgs,
    /// Print the accuracy by family and by category, for sets that have several; JSON always has it
    #[arg(long)]
    pub(crate) families: bool,
    /// Number of wrongly judged pairs to show of each set, the most harmful first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) wrong: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `evaluate recurring`.
#[derive(Debug, ClapArgs)]
pub(crate) struct ScenarioArgs {
    /// Scenario whose days have labels, such as `scenarios/riverbend`
    #[arg(long, value_name = "DIR")]
    pub(crate) scenario: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `evaluate collapse`.
#[derive(Debug, ClapArgs)]
pub(crate) struct LogsArgs {
    /// Folder with `SYSTEM_2k.log_structured.csv` of loghub, or with `loghub` in it
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `evaluate grammar`.
#[derive(Debug, ClapArgs)]
pub(crate) struct TreebankArgs {
    /// Folder with `test.conllu` and `dev.conllu` of UD English EWT, or with `ud_ewt` in it
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Measure on the half for choosing, not on the one that is only measured on
    #[arg(long)]
    pub(crate) dev: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ClustersArgs {
    #[command(flatten)]
    pub(crate) labelled: LabelledArgs,
    /// Algorithms that are measured [default: all]
    #[arg(
        long = "algorithm",
        value_name = "NAME,…",
        value_delimiter = ',',
        value_parser = ClusterAlgorithm::ALL.map(ClusterAlgorithm::as_str)
    )]
    pub(crate) algorithms: Vec<String>,
}

/// Arguments of `evaluate clusters` and `evaluate cohesion`.
#[derive(Debug, ClapArgs)]
pub(crate) struct LabelledArgs {
    /// Folder with `clustering/banking77`, `clustering/clinc150` and `clustering/gsdmm`, each as its makers
    /// publish it
    #[arg(long, value_name = "DIR", required_unless_present = "scenario")]
    pub(crate) data: Option<PathBuf>,
    /// Scenario whose days have labels, such as `scenarios/riverbend`
    #[arg(long, value_name = "DIR", required_unless_present = "data")]
    pub(crate) scenario: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
