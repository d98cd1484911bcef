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
    /// A folder with `SICK_train.txt` and `SICK_trial.txt`, or with `sick` in it
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// JSONL whose lines have texts `a` and `b` and their `stance`: `same`, `contradiction` or `unrelated`. The project's own
    /// pairs are then left out
    #[arg(long = "pairs", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) asked: Judging,
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
