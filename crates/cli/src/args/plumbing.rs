//! What the commands take that do a single step: `embed`, `cluster`, `judge`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use nightfold::memory::ClusterAlgorithm;

use crate::{judge, language::Language};

/// Where plumbing commands take their texts from.
#[derive(Debug, ClapArgs)]
pub(crate) struct Texts {
    /// JSONL whose lines have a `text`; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Read plain lines of text instead
    #[arg(long)]
    pub(crate) lines: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Embed {
    #[command(flatten)]
    pub(crate) texts: Texts,
    /// Write the vectors here: NumPy, n × 384 little-endian f32, unit length, input order
    #[arg(long, value_name = "FILE.npy")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Cluster {
    #[command(flatten)]
    pub(crate) texts: Texts,
    /// `kmeans`, `hierarchical`, `dbscan`, `hdbscan` or `single` [default: cluster.algorithm]
    #[arg(long, value_name = "NAME", value_parser = ClusterAlgorithm::ALL.map(ClusterAlgorithm::as_str))]
    pub(crate) algorithm: Option<String>,
    /// The vectors of the texts, as `embed` wrote them; nothing is embedded then
    #[arg(long, value_name = "FILE.npy")]
    pub(crate) vectors: Option<PathBuf>,
    /// How many clusters, of an algorithm that does not find its own [default: found by the algorithm]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) k: Option<u16>,
    /// Print JSON: `{"labels":[…]}`, −1 for loose texts
    #[arg(long)]
    pub(crate) json: bool,
}

/// Who judges pairs of texts.
#[derive(Debug, ClapArgs)]
pub(crate) struct Judging {
    /// Who judges: `rules`, `language` (the model of `--language`) or `nli:FOLDER` (a classifier of entailment)
    /// [default: judge.by]
    #[arg(long, value_name = "WHO")]
    pub(crate) judge: Option<judge::Judge>,
    /// The model that judges with `--judge language`: `openai:URL`, `local:FILE` or `recorded:FILE`
    #[arg(long, value_name = "WHO", default_value = "rules")]
    pub(crate) language: Language,
    /// Keep what the model answers in this file, and ask for nothing that is in it already
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Judge {
    /// JSONL whose lines have texts `a`, which was known, and `b`, which is new; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) asked: Judging,
    /// Print the lines as JSON, each with `stance`, `cosine`, `judged_by` and what that rests on
    #[arg(long)]
    pub(crate) json: bool,
}
