//! `nightfold cluster`: texts to themes.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use nightfold::{
    consolidate::cluster,
    memory::{Embedder, Vectors},
};
use serde::Serialize;

use crate::{
    args::{Cluster, Common},
    config,
    error::{CliError, Exit},
    input,
    models::{embedder, use_threads},
    output,
    show::{count, hang},
    terminal::{Role, Terminal},
};

#[derive(Debug, Serialize)]
struct Labelled {
    /// For each text in input order; −1 where it is loose.
    labels: Vec<i64>,
    clusters: usize,
    loose: usize,
    silhouette: Option<f64>,
}

/// More clusters were asked for than there are texts to be in them.
#[derive(Debug, thiserror::Error)]
#[error("--k {k}: {} holds only {}", file.display(), count(*given, "distinct text", "distinct texts"))]
struct TooManyClusters {
    k: usize,
    given: usize,
    file: PathBuf,
}

pub(crate) fn run(args: Cluster, common: &Common) -> Result<(), CliError> {
    let mut common = common.clone();
    if let Some(algorithm) = args.algorithm {
        common.set.push(format!("cluster.algorithm={algorithm}"));
    }
    let config = config::load(&common)?;
    use_threads(&common)?;
    let texts = input::texts(&args.texts, &config.input)?;
    // In an order of their own and each once: labels depend neither on the order of the input nor on repeats.
    let distinct: Vec<&str> = texts.iter().map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect();
    if let Some(k) = args.k.map(usize::from).filter(|k| *k > distinct.len()) {
        let (given, file) = (distinct.len(), args.texts.file);
        let hint = format!("give --k from 1 to {given}, or leave it out");
        return Err(CliError::new(Exit::Usage, TooManyClusters { k, given, file }).hint(hint));
    }
    let embedder = embedder(&common, &config, distinct.len())?;
    let vectors: Vectors = embedder.embed(&distinct)?.vectors;
    let found =
        cluster(&vectors, args.k.map(usize::from), &config).map_err(|e| CliError::new(Exit::Input, e))?;
    let by_text: BTreeMap<&str, i64> = distinct.iter().copied().zip(found.labels(distinct.len())).collect();
    let labels: Vec<i64> = texts.iter().map(|t| by_text[t.as_str()]).collect();
    let labelled = Labelled {
        clusters: found.clusters.len(),
        loose: labels.iter().filter(|l| **l < 0).count(),
        silhouette: found.silhouette,
        labels,
    };
    if args.json {
        return output::json(&labelled);
    }
    let terminal = Terminal::stdout();
    let mut out = String::new();
    for label in (0_i64..).take(labelled.clusters).chain([-1]) {
        let members: Vec<&str> = labelled
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
        out.push_str(&terminal.paint(Role::Title, &format!("{title} ({})\n", members.len())));
        members.iter().for_each(|t| out.push_str(&hang("  ", 2, t, terminal.width)));
    }
    output::text(&out)
}
