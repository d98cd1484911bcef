//! Choice of the number of clusters (by silhouette, by the elbow of the spread, or by the number of
//! memories), and of one partition among several of an algorithm that takes no `k`.

mod knee;
mod partition;

pub(super) use partition::Candidates;

use nightfold_memory::{config::ChooseK, config::ClusterConfig};

use knee::knee;

use super::{
    Proximity,
    kmeans::{Fit, KMeans},
    silhouette,
};

/// Returns the labels of k-means with the best number of clusters between `cluster.k_min` and
/// `cluster.k_max`.
pub(super) fn labels(kmeans: &KMeans<'_>, proximity: &Proximity<'_>, settings: &ClusterConfig) -> Vec<usize> {
    // A partition into as many clusters as rows is uninformative.
    let most = settings.k_max.min(proximity.len().saturating_sub(1)).max(1);
    let least = settings.k_min.min(most);
    match settings.choose_k {
        ChooseK::Silhouette => by_silhouette(kmeans, proximity, least, most),
        ChooseK::Elbow => by_elbow(kmeans, proximity, least, most),
        ChooseK::Heuristic => {
            let k = heuristic(proximity.len()).clamp(least, most);
            kmeans.fits(proximity).range(k, k).swap_remove(0).labels
        }
    }
}

/// Difference of mean silhouettes below which two numbers of clusters are equally good: a rounding of the vectors may turn
/// it round.
const PLATEAU: f64 = 0.005;

/// Chooses the most clusters among the numbers whose mean silhouette is nearly the highest. The fewest would be as
/// stable against lots, but less so against noise: `cluster.k_max` bounds a plateau above.
fn by_silhouette(kmeans: &KMeans<'_>, proximity: &Proximity<'_>, least: usize, most: usize) -> Vec<usize> {
    let mut fits = kmeans.fits(proximity).range(least, most);
    let mean = |fit: &Fit| {
        let labels: Vec<Option<usize>> = fit.labels.iter().map(|&label| Some(label)).collect();
        silhouette::mean(&silhouette::rows(&fit.sums, &labels)).unwrap_or(f64::NEG_INFINITY)
    };
    let scores: Vec<f64> = fits.iter().map(mean).collect();
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let chosen = scores.iter().rposition(|&score| score >= best - PLATEAU);
    chosen.map_or_else(|| vec![0; proximity.len()], |at| fits.swap_remove(at).labels)
}

/// Chooses the elbow, after which one more cluster reduces the within-cluster sum of squares only little
/// (Thorndike 1953): the point of the curve furthest below its chord. The curve extends one `k` beyond the
/// candidates on either side, so that every candidate can be the elbow.
fn by_elbow(kmeans: &KMeans<'_>, proximity: &Proximity<'_>, least: usize, most: usize) -> Vec<usize> {
    let first = least.saturating_sub(1).max(1);
    let last = (most + 1).min(proximity.len());
    let fits = kmeans.fits(proximity).range(first, last);
    let (curve, mut labels): (Vec<f64>, Vec<Vec<usize>>) =
        fits.into_iter().map(|fit| (fit.inertia, fit.labels)).unzip();
    let bend = knee(&curve).map_or(least, |at| first + at).clamp(least, most);
    labels.swap_remove(bend - first)
}

/// Returns the square root of half the number of memories (Mardia et al. 1979).
fn heuristic(memories: usize) -> usize {
    (memories as f64 / 2.0).sqrt().round() as usize
}
