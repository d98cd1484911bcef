//! Arguments of the commands that do a single step: `embed`, `cluster`, `judge`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use nightfold::memory::config::ClusterAlgorithm;

use crate::choices::{JudgeChoice, LanguageChoice};

/// Argument that names a file of texts.
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
pub(crate) struct EmbedArgs {
    #[command(flatten)]
    pub(crate) texts: Texts,
    /// File for the vectors: NumPy, n × 384 little-endian f32, unit length, input order
    #[arg(long, value_name = "FILE.npy")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ClusterArgs {
    #[command(flatten)]
    pub(crate) texts: Texts,
    /// Clustering algorithm: `kmeans`, `hierarchical`, `dbscan`, `hdbscan`, `linfa-kmeans` or `single` [default:
    /// cluster.algorithm]
    #[arg(long, value_name = "NAME", value_parser = ClusterAlgorithm::ALL.map(ClusterAlgorithm::as_str))]
    pub(crate) algorithm: Option<String>,
    /// Vectors of the texts, as `embed` wrote them; nothing is embedded then
    #[arg(long, value_name = "FILE.npy")]
    pub(crate) vectors: Option<PathBuf>,
    /// Number of clusters, for `kmeans`, `linfa-kmeans` and `hierarchical` [default: found by the algorithm]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) k: Option<u16>,
    /// Print JSON: `{"labels":[…]}`, −1 for loose texts
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments that name the judge of pairs of texts.
#[derive(Debug, ClapArgs)]
pub(crate) struct JudgingArgs {
    /// Judge: `model`, `rules` or `language` (the model of `--language`) [default: judge.by]
    #[arg(long, value_name = "WHO")]
    pub(crate) judge: Option<JudgeChoice>,
    /// Model that judges with `--judge language`: `openai:URL` or `recorded:FILE`
    #[arg(long, value_name = "WHO", default_value = "rules")]
    pub(crate) language: LanguageChoice,
    /// Record the model's answers in this file; questions already answered there are not asked again
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct JudgeArgs {
    /// JSONL whose lines have an older text `a` and a newer text `b`; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) judging: JudgingArgs,
    /// Print the lines as JSON, each with `stance`, `cosine`, `judged_by` and the values behind it
    #[arg(long)]
    pub(crate) json: bool,
}
