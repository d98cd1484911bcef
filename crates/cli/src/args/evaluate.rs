//! What `nightfold evaluate` takes: a suite, and what it is measured on.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::Judging;

#[derive(Debug, ClapArgs)]
pub(crate) struct Evaluate {
    #[command(subcommand)]
    pub(crate) suite: Suite,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Suite {
    /// Beliefs of NPCs at the end of short stories, right or wrong; fails where too few beliefs are right or news is
    /// lost to the old
    Beliefs(Stories),
    /// How well themes agree with those people see, for every algorithm; fails where k-means is worse than
    /// scikit-learn's
    Clusters(Labelled),
    /// Which parts of cohesion tell how pure a theme is
    Cohesion(Labelled),
    /// How well status lines are put together that one template wrote; fails below the figures of others
    Collapse(Logs),
    /// Whether themes that come again are known again, at several thresholds
    Recurring(Scenario),
    /// How much of what is asked later is still found after the night; fails below the full store and below the longest
    /// half
    Retention(Talks),
    /// How far a stance judge can be trusted; fails where too much is merged, or too little
    Stance(Pairs),
}

/// Stories to measure on.
#[derive(Debug, ClapArgs)]
pub(crate) struct Stories {
    /// JSONL of stories. The project's own are then left out
    #[arg(long = "stories", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) asked: Judging,
    /// Show this many beliefs of each set that come out wrong, lost news first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) wrong: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Conversations to measure on.
#[derive(Debug, ClapArgs)]
pub(crate) struct Talks {
    /// A folder with `memories.jsonl` and `questions.jsonl` of LoCoMo, or with `locomo` in it
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Pairs of texts to measure on.
#[derive(Debug, ClapArgs)]
pub(crate) struct Pairs {
    /// A folder with any of `sick` (`SICK_train.txt`, `SICK_trial.txt`), `nli` and `nli_measure_only` (a folder for each set, with
    /// `pairs.jsonl`) in it, or one of these itself
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// JSONL whose lines have texts `a` and `b` and their `stance`: `same`, `contradiction` or `unrelated`, perhaps with a
    /// `family` and a `category`. The project's own
    /// pairs are then left out
    #[arg(long = "pairs", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) asked: Judging,
    /// Say by family and by category, for sets that have several, how many are judged as people do; JSON always does
    #[arg(long)]
    pub(crate) families: bool,
    /// Show this many pairs of each set that are judged another way than people do, the most harmful first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) wrong: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Days with labels to measure on.
#[derive(Debug, ClapArgs)]
pub(crate) struct Scenario {
    /// A scenario whose days have labels, such as `scenarios/riverbend`
    #[arg(long, value_name = "DIR")]
    pub(crate) scenario: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Logs to measure on.
#[derive(Debug, ClapArgs)]
pub(crate) struct Logs {
    /// A folder with `SYSTEM_2k.log_structured.csv` of loghub, or with `loghub` in it
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Labelled data to measure on.
#[derive(Debug, ClapArgs)]
pub(crate) struct Labelled {
    /// A folder with `clustering/banking77`, `clustering/clinc150` and `clustering/gsdmm`, each as its
    /// makers give it
    #[arg(long, value_name = "DIR", required_unless_present = "scenario")]
    pub(crate) data: Option<PathBuf>,
    /// A scenario whose days have labels, such as `scenarios/riverbend`
    #[arg(long, value_name = "DIR", required_unless_present = "data")]
    pub(crate) scenario: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
