//! How many clusters: by silhouette, by the elbow of the spread, or by how many memories there are.

mod knee;

use nightfold_memory::{ChooseK, ClusterConfig};

use knee::knee;

use super::{
    Proximity,
    kmeans::{Fit, KMeans},
    silhouette,
};

/// The fit of k-means whose number of clusters, between `cluster.k_min` and `cluster.k_max`, is the best.
pub(super) fn fit(kmeans: &KMeans<'_>, near: &Proximity<'_>, settings: &ClusterConfig) -> Fit {
    // A partition into as many clusters as rows says nothing.
    let most = settings.k_max.min(near.len().saturating_sub(1)).max(1);
    let least = settings.k_min.min(most);
    match settings.choose_k {
        ChooseK::Silhouette => by_silhouette(kmeans, near, least, most),
        ChooseK::Elbow => by_elbow(kmeans, near, least, most),
        ChooseK::Heuristic => kmeans.fit(near, heuristic(near.len()).clamp(least, most)),
    }
}

/// The highest mean silhouette; of equals the fewest clusters.
fn by_silhouette(kmeans: &KMeans<'_>, near: &Proximity<'_>, least: usize, most: usize) -> Fit {
    let mut best: Option<(f64, Fit)> = None;
    for k in least..=most {
        let fit = kmeans.fit(near, k);
        let labels: Vec<Option<usize>> = fit.labels.iter().map(|&l| Some(l)).collect();
        if let Some(score) = silhouette::mean(&silhouette::rows(&fit.sums, &labels))
            && best.as_ref().is_none_or(|(highest, _)| score > *highest)
        {
            best = Some((score, fit));
        }
    }
    best.map_or_else(|| Fit::together(near), |(_, fit)| fit)
}

/// Where one more cluster stops lessening the within-cluster sum of squares much (Thorndike 1953): the point of the
/// curve furthest below its chord. One k more on either side, so that every candidate can be the bend.
fn by_elbow(kmeans: &KMeans<'_>, near: &Proximity<'_>, least: usize, most: usize) -> Fit {
    let first = least.saturating_sub(1).max(1);
    let last = (most + 1).min(near.len());
    let mut fits: Vec<Fit> = (first..=last).map(|k| kmeans.fit(near, k)).collect();
    let curve: Vec<f64> = fits.iter().map(|f| f.inertia).collect();
    let bend = knee(&curve).map_or(least, |at| first + at).clamp(least, most);
    fits.swap_remove(bend - first)
}

/// The root of half the memories (Mardia et al. 1979).
fn heuristic(memories: usize) -> usize {
    (memories as f64 / 2.0).sqrt().round() as usize
}
