//! Choice of the number of clusters (by silhouette, by the elbow of the spread, or by the number of
//! memories), and of one partition among several of an algorithm that takes no `k`.

mod knee;
mod partition;

pub(super) use partition::Candidates;

use nightfold_memory::{config::ChooseK, config::ClusterConfig};

use knee::knee;

use super::{ClusterError, Sums, silhouette};

/// Best result of all starts for one number of clusters.
pub(super) struct Fit {
    pub(super) labels: Vec<usize>,
    pub(super) sums: Sums,
    /// Half the within-cluster sum of squares.
    pub(super) inertia: f64,
}

/// Returns the labels of k-means with the best number of clusters between `cluster.k_min` and [`ClusterConfig::k_max`], for a day
/// of `rows` rows. `fits` returns the fits of all numbers of clusters between two.
pub(super) fn labels(
    rows: usize,
    settings: &ClusterConfig,
    fits: impl Fn(usize, usize) -> Result<Vec<Fit>, ClusterError>,
) -> Result<Vec<usize>, ClusterError> {
    // A partition into as many clusters as rows is uninformative.
    let most = settings.k_max(rows).min(rows.saturating_sub(1)).max(1);
    let least = settings.k_min.min(most);
    Ok(match settings.choose_k {
        ChooseK::Silhouette => by_silhouette(fits(least, most)?, rows),
        ChooseK::Elbow => {
            let first = least.saturating_sub(1).max(1);
            let fits = fits(first, (most + 1).min(rows))?;
            by_elbow(fits, least - first, most - first)
        }
        ChooseK::Heuristic => {
            let k = heuristic(rows).clamp(least, most);
            fits(k, k)?.swap_remove(0).labels
        }
    })
}

/// Difference of mean silhouettes below which two numbers of clusters are equally good: a rounding of the vectors may turn
/// it round.
const PLATEAU: f64 = 0.005;

/// Chooses the most clusters among the numbers whose mean silhouette is nearly the highest. The fewest would be as
/// stable against lots, but less so against noise.
fn by_silhouette(mut fits: Vec<Fit>, rows: usize) -> Vec<usize> {
    let mean = |fit: &Fit| {
        let labels: Vec<Option<usize>> = fit.labels.iter().map(|&label| Some(label)).collect();
        silhouette::mean(&silhouette::rows(&fit.sums, &labels)).unwrap_or(f64::NEG_INFINITY)
    };
    let scores: Vec<f64> = fits.iter().map(mean).collect();
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let chosen = scores.iter().rposition(|&score| score >= best - PLATEAU);
    chosen.map_or_else(|| vec![0; rows], |at| fits.swap_remove(at).labels)
}

/// Chooses the elbow, after which one more cluster reduces the within-cluster sum of squares only little
/// (Thorndike 1953): the point of the curve furthest below its chord. The curve extends one `k` beyond the
/// candidates, from place `least` to place `most`, on either side, so that every candidate can be the elbow.
fn by_elbow(fits: Vec<Fit>, least: usize, most: usize) -> Vec<usize> {
    let (curve, mut labels): (Vec<f64>, Vec<Vec<usize>>) =
        fits.into_iter().map(|fit| (fit.inertia, fit.labels)).unzip();
    let bend = knee(&curve).unwrap_or(least).clamp(least, most);
    labels.swap_remove(bend)
}

/// Returns the square root of half the number of memories (Mardia et al. 1979).
fn heuristic(memories: usize) -> usize {
    (memories as f64 / 2.0).sqrt().round() as usize
}
