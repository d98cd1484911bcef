//! `nightfold cluster`: groups texts into clusters.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use nightfold::{
    consolidate::{ClusterError, Points, cluster},
    memory::{Embedder, Vectors},
};
use nightfold_formats::npy::{self, NpyError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    args::{ClusterArgs, Common},
    config,
    error::{CliError, Exit},
    input,
    models::{embedder, use_threads},
    irregular_file, output,
    show::{count, hang},
    terminal::{Terminal, TextRole},
};

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ClusterOutput {
    /// Cluster of each text in input order; −1 for loose texts.
    labels: Vec<i64>,
    /// Number of clusters.
    clusters: usize,
    /// Number of texts in no cluster.
    loose: usize,
    /// Mean silhouette, −1 to 1; `null` if it has none.
    silhouette: Option<f64>,
}

/// Error of asking for more clusters than there are distinct texts.
#[derive(Debug, thiserror::Error)]
#[error("--k {k}: {} holds only {}", file.display(), count(*given, "distinct text", "distinct texts"))]
struct TooManyClusters {
    k: usize,
    given: usize,
    file: PathBuf,
}

/// Error of using the vectors of a file.
#[derive(Debug, thiserror::Error)]
enum VectorsError {
    #[error("cannot read {}", path.display())]
    Open { path: PathBuf, source: std::io::Error },
    #[error("{} holds no vectors", path.display())]
    Npy { path: PathBuf, source: NpyError },
    #[error(
        "{} holds {} for {}", path.display(), count(*vectors, "vector", "vectors"), count(*texts, "text", "texts")
    )]
    Rows { path: PathBuf, vectors: usize, texts: usize },
}

/// Reads the vectors of the distinct texts from a file that `embed` wrote for all texts.
fn read_vectors(path: &Path, texts: &[String], distinct: &[&str]) -> Result<Vectors, CliError> {
    let wrong = |error| {
        CliError::new(Exit::Input, error).hint("give what `nightfold embed` wrote for the same file of texts")
    };
    irregular_file::refuse(path, Exit::Input, "give what `nightfold embed` wrote for the same file of texts")?;
    let path = path.to_owned();
    let all = match std::fs::read(&path) {
        Ok(bytes) => {
            npy::read(&bytes).map_err(|source| wrong(VectorsError::Npy { path: path.clone(), source }))?
        }
        Err(source) => return Err(wrong(VectorsError::Open { path, source })),
    };
    if all.len() != texts.len() {
        return Err(wrong(VectorsError::Rows { path, vectors: all.len(), texts: texts.len() }));
    }
    let rows: BTreeMap<&str, usize> = texts.iter().map(String::as_str).zip(0..).collect();
    let picked: Vec<usize> = distinct.iter().filter_map(|text| rows.get(text).copied()).collect();
    Ok(all.pick(&picked))
}

pub(crate) fn run(args: ClusterArgs, common: &Common) -> Result<(), CliError> {
    let mut common = common.clone();
    if let Some(algorithm) = args.algorithm {
        common.set.push(format!("cluster.algorithm={algorithm}"));
    }
    let config = config::load(&common)?;
    use_threads(&common)?;
    let texts = input::texts(&args.texts, &config.input)?;
    let algorithm = config.cluster.algorithm;
    if let Some(k) = args.k.map(usize::from).filter(|_| !algorithm.takes_k()) {
        let hint = "leave --k out, or take --algorithm kmeans, linfa-kmeans or hierarchical";
        return Err(CliError::new(Exit::Usage, ClusterError::UnsupportedCount { algorithm, k }).hint(hint));
    }
    // In an order of their own and each once: labels depend neither on the order of the input nor on repeats.
    let distinct: Vec<&str> = texts.iter().map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect();
    if let Some(k) = args.k.map(usize::from).filter(|k| *k > distinct.len()) {
        let (given, file) = (distinct.len(), args.texts.file);
        let hint = format!("give --k from 1 to {given}, or leave it out");
        return Err(CliError::new(Exit::Usage, TooManyClusters { k, given, file }).hint(hint));
    }
    let (given, most) = (distinct.len(), config.cluster.max_distinct);
    if given > most {
        return Err(CliError::new(Exit::Input, ClusterError::TooMany { given, most })
            .hint("its cost grows with the square; --set cluster.max_distinct=N allows up to 20000"));
    }
    let vectors = match &args.vectors {
        Some(file) => read_vectors(file, &texts, &distinct)?,
        None => embedder(&common, &config, distinct.len())?.embed(&distinct)?.vectors,
    };
    let found = cluster(Points::new(&vectors), args.k.map(usize::from), &config)
        .map_err(|e| CliError::new(Exit::Usage, e))?;
    let by_text: BTreeMap<&str, i64> = distinct.iter().copied().zip(found.labels(distinct.len())).collect();
    let labels: Vec<i64> = texts.iter().map(|t| by_text[t.as_str()]).collect();
    let output_labels = ClusterOutput {
        clusters: found.clusters.len(),
        loose: labels.iter().filter(|l| **l < 0).count(),
        silhouette: found.silhouette,
        labels,
    };
    if args.json {
        return output::json(&output_labels);
    }
    let terminal = Terminal::stdout();
    let mut out = String::new();
    for label in (0_i64..).take(output_labels.clusters).chain([-1]) {
        let members: Vec<&str> = output_labels
            .labels
            .iter()
            .zip(&texts)
            .filter(|(l, _)| **l == label)
            .map(|(_, t)| t.as_str())
            .collect();
        if members.is_empty() {
            continue;
        }
        let title = if label < 0 { "loose".to_owned() } else { format!("cluster {label}") };
        out.push_str(&terminal.paint(TextRole::Title, &format!("{title} ({})\n", members.len())));
        members.iter().for_each(|t| out.push_str(&hang("  ", 2, t, terminal.width)));
    }
    output::text(&out)
}
