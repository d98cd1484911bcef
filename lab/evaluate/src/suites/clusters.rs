//! Agreement of found clusters with themes given by people.

use nightfold_consolidate::{ClusterError, Points, cluster};
use nightfold_memory::{ValidConfig, config::ClusterAlgorithm};
use serde::Serialize;

use crate::{Agreement, LabelledRows};

/// Result of another implementation on the same vectors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reference {
    /// Name of the data set.
    pub set: &'static str,
    /// V-measure.
    pub v_measure: f64,
    /// Adjusted Rand index.
    pub ari: f64,
}

/// Results of scikit-learn's `KMeans(n_init=10)` at the true number of clusters, on vectors of
/// all-MiniLM-L6-v2; `benches/peers/clusters.py` measures them again.
pub const SCIKIT_LEARN: [Reference; 3] = [
    Reference { set: "banking77", v_measure: 0.790, ari: 0.494 },
    Reference { set: "clinc150", v_measure: 0.893, ari: 0.666 },
    Reference { set: "tweets", v_measure: 0.867, ari: 0.525 },
];

/// Result of one algorithm on one data set; means over its days and seeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClusterScore {
    /// Name of the data set.
    pub set: String,
    /// Clustering algorithm.
    pub algorithm: ClusterAlgorithm,
    /// True if the algorithm was given the number of themes.
    pub told_k: bool,
    /// Number of seeds.
    pub seeds: usize,
    /// Number of days; 1 for a set of single texts.
    pub days: usize,
    /// Number of texts in all days.
    pub texts: usize,
    /// Mean number of themes per day, as given by people.
    pub themes: f64,
    /// Mean number of clusters found per day.
    pub clusters: f64,
    /// Fewest and most clusters of a day.
    pub clusters_between: [usize; 2],
    /// Share of texts in no cluster.
    pub loose: f64,
    /// Agreement of clusters with themes. All loose texts of a day count as one group.
    pub agreement: Agreement,
}

/// Scores an algorithm on the days of a data set under each configuration. The configurations differ only in
/// their seed. If `told_k` is true, the algorithm is given the number of themes of each day; otherwise it
/// chooses a number within the bounds of the configuration.
///
/// # Errors
/// [`ClusterError`] if clustering fails, for instance if `k` is given to an algorithm that finds its own.
///
/// # Panics
/// If there is no configuration.
pub fn clusters(
    set: &str,
    days: &[LabelledRows],
    told_k: bool,
    configs: &[ValidConfig],
) -> Result<ClusterScore, ClusterError> {
    let mut score = ClusterScore {
        set: set.to_owned(),
        algorithm: configs[0].cluster.algorithm,
        told_k,
        seeds: configs.len(),
        days: days.len(),
        texts: days.iter().map(LabelledRows::len).sum(),
        themes: 0.0,
        clusters: 0.0,
        clusters_between: [usize::MAX, 0],
        loose: 0.0,
        agreement: Agreement { homogeneity: 0.0, completeness: 0.0, v_measure: 0.0, nmi: 0.0, ari: 0.0 },
    };
    let agreement = &mut score.agreement;
    for (config, day) in configs.iter().flat_map(|config| days.iter().map(move |day| (config, day))) {
        let k = told_k.then(|| day.distinct_themes());
        let found = cluster(Points::new(&day.vectors).with_times(&day.times)?, k, config)?;
        let of_day = Agreement::of(day.themes.iter().zip(found.labels(day.len())));
        score.themes += day.distinct_themes() as f64;
        score.clusters += found.clusters.len() as f64;
        score.clusters_between[0] = score.clusters_between[0].min(found.clusters.len());
        score.clusters_between[1] = score.clusters_between[1].max(found.clusters.len());
        score.loose += found.loose.len() as f64 / day.len().max(1) as f64;
        agreement.homogeneity += of_day.homogeneity;
        agreement.completeness += of_day.completeness;
        agreement.v_measure += of_day.v_measure;
        agreement.nmi += of_day.nmi;
        agreement.ari += of_day.ari;
    }
    let times = (days.len() * configs.len()).max(1) as f64;
    for sum in [
        &mut score.themes,
        &mut score.clusters,
        &mut score.loose,
        &mut agreement.homogeneity,
        &mut agreement.completeness,
        &mut agreement.v_measure,
        &mut agreement.nmi,
        &mut agreement.ari,
    ] {
        *sum /= times;
    }
    Ok(score)
}
