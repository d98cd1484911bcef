//! `nightfold evaluate clusters`: measures the agreement of clusters with people's labels.

use std::collections::BTreeSet;

use nightfold::memory::{ValidConfig, config::ClusterAlgorithm};
use nightfold_evaluate::{
    data,
    suites::{ClusterScore, Reference, SCIKIT_LEARN, clusters},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::sets::{sets, with, wrong};
use crate::{
    args::{ClustersArgs, Common},
    error::{CliError, Exit, message},
    output,
    show::TextTable,
};

/// Margin below the reference that still passes.
const MARGIN: f64 = 0.01;

/// Number of seeds over which linfa's k-means is scored: its result depends on the seed.
const SEEDS: u64 = 3;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ClustersReport {
    /// Scores by data set, algorithm, and with or without the number of themes.
    scores: Vec<ClusterScore>,
    /// Scores of scikit-learn's k-means on the same vectors.
    reference: Vec<Reference>,
}

pub(super) fn run(args: &ClustersArgs, config: &ValidConfig, common: &Common) -> Result<(), CliError> {
    let ClustersArgs { labelled, algorithms } = args;
    let measured = |algorithm: &ClusterAlgorithm| {
        algorithms.is_empty() || algorithms.iter().any(|name| name == algorithm.as_str())
    };
    let mut scores = Vec::new();
    for set in sets(labelled, &[data::banking77, data::clinc150, data::tweets], config, common)? {
        for algorithm in ClusterAlgorithm::ALL.into_iter().filter(measured) {
            let seeds = if algorithm == ClusterAlgorithm::LinfaKmeans { SEEDS } else { 1 };
            let configs = |told_k: bool| {
                let of_seed = |more| {
                    with(config, |c| {
                        c.cluster.algorithm = algorithm;
                        c.seed.0 = c.seed.0.wrapping_add(more);
                        if set.texts {
                            // These are no days: their themes are many, and none is of two texts.
                            let themes = set.days[0].distinct_themes().max(2);
                            (c.cluster.k_min, c.cluster.k_max, c.cluster.min_size) = (2, themes, 5);
                        }
                        if told_k && !(set.texts && algorithm == ClusterAlgorithm::Hierarchical) {
                            // Told the number, none of the clusters is dissolved; average linkage counts by their size.
                            c.cluster.min_size = 1;
                        }
                    })
                };
                (0..seeds).map(of_seed).collect::<Result<Vec<_>, _>>()
            };
            if algorithm.takes_k() {
                scores.push(clusters(&set.name, &set.days, true, &configs(true)?).map_err(wrong)?);
            }
            if !(algorithm.takes_k() && set.texts) {
                scores.push(clusters(&set.name, &set.days, false, &configs(false)?).map_err(wrong)?);
            }
        }
    }
    let reference: Vec<Reference> =
        SCIKIT_LEARN.into_iter().filter(|r| scores.iter().any(|s| s.set == r.set)).collect();
    let worse = worse(&scores, &reference);
    let report = ClustersReport { scores, reference };
    if labelled.json {
        output::json(&report)?;
    } else {
        output::text(&table(&report))?;
    }
    if worse.is_empty() { Ok(()) } else { Err(message(Exit::Check, worse.join("; "))) }
}

/// Returns a line for each score of k-means that is below the reference by more than the margin.
fn worse(scores: &[ClusterScore], reference: &[Reference]) -> Vec<String> {
    let mut lines = Vec::new();
    for r in reference {
        let ours =
            scores.iter().find(|s| s.set == r.set && s.algorithm == ClusterAlgorithm::Kmeans && s.told_k);
        for (what, ours, theirs) in ours.iter().flat_map(|s| {
            [("V-measure", s.agreement.v_measure, r.v_measure), ("ARI", s.agreement.ari, r.ari)]
        }) {
            if ours < theirs - MARGIN {
                lines.push(format!("k-means on {}: {what} {ours:.3}, scikit-learn {theirs:.3}", r.set));
            }
        }
    }
    lines
}

fn table(report: &ClustersReport) -> String {
    let mut table =
        TextTable::new(["data", "algorithm", "k", "texts", "themes", "clusters", "loose", "V", "NMI", "ARI"]);
    for s in &report.scores {
        let [least, most] = s.clusters_between;
        let clusters = if s.days == 1 {
            format!("{:.0}", s.clusters)
        } else {
            format!("{:.1} ({least}-{most})", s.clusters)
        };
        table.row([
            s.set.clone(),
            s.algorithm.to_string(),
            if s.told_k { "true" } else { "own" }.to_owned(),
            s.texts.to_string(),
            format!("{:.1}", s.themes),
            clusters,
            format!("{:.0} %", s.loose * 100.0),
            format!("{:.3}", s.agreement.v_measure),
            format!("{:.3}", s.agreement.nmi),
            format!("{:.3}", s.agreement.ari),
        ]);
    }
    for r in &report.reference {
        let blank = String::new;
        table.row([
            r.set.to_owned(),
            "scikit-learn kmeans".to_owned(),
            "true".to_owned(),
            blank(),
            blank(),
            blank(),
            blank(),
            format!("{:.3}", r.v_measure),
            format!("{:.3}", r.v_measure),
            format!("{:.3}", r.ari),
        ]);
    }
    let mut out = table.render();
    let sets: BTreeSet<&String> = report.scores.iter().map(|s| &s.set).collect();
    for (set, told_k) in sets.into_iter().flat_map(|set| [(set, true), (set, false)]) {
        let of_set = report.scores.iter().filter(|s| s.set == *set && s.told_k == told_k);
        let best = of_set.max_by(|a, b| a.agreement.v_measure.total_cmp(&b.agreement.v_measure));
        if let Some(best) = best {
            let how = if told_k { "told the number of themes" } else { "finding its own" };
            out.push_str(&format!("best V-measure on {set}, {how}: {}\n", best.algorithm));
        }
    }
    out
}
