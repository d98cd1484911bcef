//! Choice of the number of clusters (by silhouette, by the elbow of the spread, or by the number of
//! memories), and of one partition among several of an algorithm that takes no `k`.

mod knee;
mod partition;

pub(super) use partition::Candidates;

use nightfold_memory::{config::ChooseK, config::ClusterConfig};

use knee::knee;

use super::{Proximity, kmeans::KMeans, silhouette};

/// Returns the labels of k-means with the best number of clusters between `cluster.k_min` and
/// `cluster.k_max`.
pub(super) fn labels(kmeans: &KMeans<'_>, proximity: &Proximity<'_>, settings: &ClusterConfig) -> Vec<usize> {
    // A partition into as many clusters as rows is uninformative.
    let most = settings.k_max.min(proximity.len().saturating_sub(1)).max(1);
    let least = settings.k_min.min(most);
    match settings.choose_k {
        ChooseK::Silhouette => by_silhouette(kmeans, proximity, least, most),
        ChooseK::Elbow => by_elbow(kmeans, proximity, least, most),
        ChooseK::Heuristic => kmeans.fit(proximity, heuristic(proximity.len()).clamp(least, most)).labels,
    }
}

/// Chooses the highest mean silhouette; among equals the fewest clusters.
fn by_silhouette(kmeans: &KMeans<'_>, proximity: &Proximity<'_>, least: usize, most: usize) -> Vec<usize> {
    let mut best: (f64, Vec<usize>) = (f64::NEG_INFINITY, vec![0; proximity.len()]);
    for k in least..=most {
        let fit = kmeans.fit(proximity, k);
        let labels: Vec<Option<usize>> = fit.labels.iter().map(|&l| Some(l)).collect();
        if let Some(score) = silhouette::mean(&silhouette::rows(&fit.sums, &labels)).filter(|&s| s > best.0) {
            best = (score, fit.labels);
        }
    }
    best.1
}

/// Chooses the elbow, after which one more cluster reduces the within-cluster sum of squares only little
/// (Thorndike 1953): the point of the curve furthest below its chord. The curve extends one `k` beyond the
/// candidates on either side, so that every candidate can be the elbow.
fn by_elbow(kmeans: &KMeans<'_>, proximity: &Proximity<'_>, least: usize, most: usize) -> Vec<usize> {
    let first = least.saturating_sub(1).max(1);
    let last = (most + 1).min(proximity.len());
    let (curve, mut labels): (Vec<f64>, Vec<Vec<usize>>) =
        (first..=last).map(|k| kmeans.fit(proximity, k)).map(|fit| (fit.inertia, fit.labels)).unzip();
    let bend = knee(&curve).map_or(least, |at| first + at).clamp(least, most);
    labels.swap_remove(bend - first)
}

/// Returns the square root of half the number of memories (Mardia et al. 1979).
fn heuristic(memories: usize) -> usize {
    (memories as f64 / 2.0).sqrt().round() as usize
}
