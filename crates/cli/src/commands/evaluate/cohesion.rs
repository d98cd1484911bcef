//! `nightfold evaluate cohesion`: measures the correlation of cohesion with the purity of clusters.

use nightfold::memory::{ValidConfig, config::ClusterAlgorithm, config::CohesionConfig};
use nightfold_evaluate::{
    LabelledRows, data,
    suites::{MeasuredCluster, combinations, gain_between, measured_clusters, tracks_purity},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::sets::{sets, with, wrong};
use crate::{
    args::{Common, LabelledArgs},
    error::CliError,
    output,
    show::{TextTable, count},
};

/// Number and size of the days that are drawn from single texts.
const DRAWN_DAYS: usize = 60;
const DRAWN_SIZE: usize = 50;

/// Number of the best combinations that are shown.
const SHOWN: usize = 8;

/// Weights of the parts of cohesion, with their correlation with purity.
#[derive(Debug, Serialize, JsonSchema)]
struct Weighing {
    /// Weights of the parts.
    weights: CohesionConfig,
    /// Spearman's correlation with purity, set by set.
    spearman: Vec<Option<f64>>,
    /// Mean over the sets.
    mean: f64,
    /// Gain over the configured weights, as an interval of 95 % of resamples of the days; only for the best
    /// few.
    gain: Option<[f64; 2]>,
}

impl Weighing {
    fn parts(&self) -> usize {
        self.weights.named().iter().filter(|(_, weight)| *weight > 0.0).count()
    }

    fn title(&self) -> String {
        let parts = self.weights.named();
        let named = parts.iter().filter(|(_, weight)| *weight > 0.0);
        named.map(|(name, weight)| format!("{weight} {name}")).collect::<Vec<_>>().join(" + ")
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CohesionReport {
    /// Names of the data sets.
    sets: Vec<String>,
    /// Number of themes of each set.
    clusters: Vec<usize>,
    /// Correlation of the configured weights.
    configured: Weighing,
    /// Correlation of every combination of parts, the best first.
    combinations: Vec<Weighing>,
}

pub(super) fn run(args: &LabelledArgs, config: &ValidConfig, common: &Common) -> Result<(), CliError> {
    let configs = [ClusterAlgorithm::Kmeans, ClusterAlgorithm::Hierarchical, ClusterAlgorithm::Hdbscan]
        .into_iter()
        .map(|algorithm| with(config, |c| c.cluster.algorithm = algorithm))
        .collect::<Result<Vec<_>, _>>()?;
    let mut names = Vec::new();
    let mut measured: Vec<Vec<MeasuredCluster>> = Vec::new();
    for set in sets(args, &[data::clinc150_domains], config, common)? {
        let drawn = |rows: &LabelledRows| rows.draw_days(DRAWN_DAYS, DRAWN_SIZE, config.seed.0);
        let days = if set.texts { set.days.iter().flat_map(drawn).collect() } else { set.days };
        measured.push(measured_clusters(&days, &configs).map_err(wrong)?);
        names.push(set.name);
    }
    let weigh = |weights: CohesionConfig| {
        let spearman: Vec<Option<f64>> = measured.iter().map(|m| tracks_purity(m, &weights)).collect();
        let mean = spearman.iter().map(|s| s.unwrap_or(0.0)).sum::<f64>() / spearman.len().max(1) as f64;
        Weighing { weights, spearman, mean, gain: None }
    };
    let mut combinations: Vec<Weighing> = combinations().into_iter().map(weigh).collect();
    combinations.sort_by(|a, b| b.mean.total_cmp(&a.mean));
    for best in combinations.iter_mut().take(SHOWN) {
        best.gain = Some(gain_between(&measured, &best.weights, &config.cohesion, config.seed.0));
    }
    let clusters = measured.iter().map(Vec::len).collect();
    let report = CohesionReport { sets: names, clusters, configured: weigh(config.cohesion), combinations };
    if args.json { output::json(&report) } else { output::text(&render(&report)) }
}

fn render(report: &CohesionReport) -> String {
    let mut out = String::from(
        "Spearman's correlation of cohesion with purity, the chance that two memories of a theme have one label\n",
    );
    for (set, &clusters) in report.sets.iter().zip(&report.clusters) {
        out.push_str(&format!("{set}: {}\n", count(clusters, "theme", "themes")));
    }
    let single = report.combinations.iter().filter(|w| w.parts() == 1);
    let best = report.combinations.iter().take(SHOWN);
    out.push_str(&table("as configured", std::iter::once(&report.configured)));
    out.push_str(&table("each part alone", single));
    out.push_str(&table("the best", best));
    out.push_str("gain: over the configured weights, 95 % of resamples of the days\n");
    out
}

fn table<'a>(title: &str, weighings: impl Iterator<Item = &'a Weighing>) -> String {
    let mut table = TextTable::new([title, "mean", "set by set", "gain"]);
    for w in weighings {
        let sets: Vec<String> =
            w.spearman.iter().map(|s| s.map_or("-".to_owned(), |s| format!("{s:.3}"))).collect();
        let gain = w.gain.map_or(String::new(), |[low, high]| format!("{low:+.3} to {high:+.3}"));
        table.row([w.title(), format!("{:.3}", w.mean), sets.join(" "), gain]);
    }
    table.render()
}
