//! Clustering of a day's vectors: one folder per algorithm behind one small interface.
//!
//! Every algorithm, but for the k-means of a library that needs vectors, sees the day only through [`Proximity`], an `n × n` matrix that is computed once. So all
//! algorithms work with the same geometry, including blended words and times, and none depends on the length of the
//! vectors.

mod algorithm;
mod choose;
mod dbscan;
mod error;
mod hdbscan;
mod hierarchical;
mod kmeans;
mod linfa_kmeans;
pub(crate) mod silhouette;
mod single;
mod space;
mod sums;
mod theme;

use nightfold_memory::{ValidConfig, config::ClusterAlgorithm};
use serde::{Deserialize, Serialize};

pub use error::ClusterError;
pub use space::Points;
pub(crate) use space::Proximity;
pub(crate) use sums::Sums;

use self::algorithm::Algorithm;
use crate::gram::Gram;

/// Clusters of a day's memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clustering {
    /// Rows of each cluster, ascending. The largest cluster comes first; equally large ones are ordered by
    /// their first row.
    pub clusters: Vec<Vec<usize>>,
    /// Rows that belong to no cluster.
    pub loose: Vec<usize>,
    /// Mean silhouette (−1 to 1) of all rows in clusters; `None` if there are fewer than two
    /// clusters.
    pub silhouette: Option<f64>,
}

impl Clustering {
    /// Returns a label for each of `n` rows: the number of its cluster, or −1 if it is loose.
    ///
    /// # Panics
    /// Panics if a cluster contains a row of `n` or above.
    pub fn labels(&self, n: usize) -> Vec<i64> {
        let mut labels = vec![-1; n];
        for (label, members) in (0_i64..).zip(&self.clusters) {
            members.iter().for_each(|&i| labels[i] = label);
        }
        labels
    }

    /// Returns the cluster of each of `n` rows.
    pub(crate) fn cluster_of(&self, n: usize) -> Vec<Option<usize>> {
        self.labels(n).into_iter().map(|label| usize::try_from(label).ok()).collect()
    }

    /// Builds a clustering from a label for each row: clusters below `min_size` become loose, the rest are
    /// ordered.
    fn from_labels(labels: &[Option<usize>], min_size: usize) -> Self {
        let mut clusters = vec![Vec::new(); labels.iter().flatten().max().map_or(0, |most| most + 1)];
        let mut loose = Vec::new();
        for (row, &label) in labels.iter().enumerate() {
            label.map_or(&mut loose, |cluster| &mut clusters[cluster]).push(row);
        }
        clusters.retain(|c| !c.is_empty());
        let (mut clusters, small): (Vec<_>, Vec<_>) = clusters.into_iter().partition(|c| c.len() >= min_size);
        clusters.sort_by_key(|c| (std::cmp::Reverse(c.len()), c[0]));
        loose.extend(small.into_iter().flatten());
        loose.sort_unstable();
        Self { clusters, loose, silhouette: None }
    }
}

/// Clusters vectors as the configuration says. `k` sets the number of clusters, of which those below
/// `cluster.min_size` become loose. Without `k` the algorithm chooses a number, and fewer rows than
/// `cluster.small_day` form one cluster.
///
/// The clusters depend only on the content of the rows, not on their order: the rows are sorted first, and
/// random draws are seeded.
///
/// ```
/// use nightfold_consolidate::{Points, cluster};
/// use nightfold_memory::{ValidConfig, Vectors};
///
/// let mut vectors = Vectors::with_capacity(2, 6);
/// for angle in [0.0_f32, 1.5, 0.1, 1.6, 0.2, 1.4] {
///     vectors.push(&[angle.cos(), angle.sin()])?;
/// }
/// let found = cluster(Points::new(&vectors), Some(2), &ValidConfig::default())?;
/// assert_eq!(found.clusters, [[0, 2, 4], [1, 3, 5]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ClusterError`] if there are more rows than `cluster.max_distinct`, or if `k` exceeds the number of rows,
/// is 0, or is passed to an algorithm that chooses its own.
pub fn cluster(
    points: Points<'_>,
    k: Option<usize>,
    config: &ValidConfig,
) -> Result<Clustering, ClusterError> {
    let (given, most) = (points.len(), config.cluster.max_distinct);
    if given > most {
        return Err(ClusterError::TooMany { given, most });
    }
    let gram = Gram::new(points.vectors());
    Ok(cluster_with(points, &gram, k, config)?.0)
}

/// Clusters vectors like [`cluster`], with cosines that are already computed. Returns their proximities too.
pub(crate) fn cluster_with<'g>(
    points: Points<'_>,
    gram: &'g Gram,
    k: Option<usize>,
    config: &ValidConfig,
) -> Result<(Clustering, Proximity<'g>), ClusterError> {
    let n = points.len();
    let settings = &config.cluster;
    if let Some(k) = k.filter(|_| !settings.algorithm.takes_k()) {
        return Err(ClusterError::UnsupportedCount { algorithm: settings.algorithm, k });
    }
    if let Some(k) = k.filter(|&k| k == 0 || k > n) {
        return Err(ClusterError::InvalidCount { k, n });
    }
    let small = k.is_none() && n < settings.small_day;
    if small || n < 2 || k == Some(1) {
        let proximity = points.proximity(gram, settings)?;
        return Ok((Clustering::from_labels(&vec![Some(0); n], 1), proximity));
    }
    // Rows are put in canonical order, because random draws and ties depend on row numbers.
    let order = points.canonical_order();
    let sorted = points.reordered(&order);
    let gram = gram.reordered(&order);
    let proximity = sorted.points().proximity(&gram, settings)?;
    let (vectors, seed) = (sorted.points().vectors(), config.seed.0);
    let algorithm: &dyn Algorithm = match settings.algorithm {
        ClusterAlgorithm::Single => &single::Single,
        ClusterAlgorithm::Kmeans => &kmeans::KMeans { settings },
        ClusterAlgorithm::LinfaKmeans => &linfa_kmeans::LinfaKMeans { settings, vectors, seed },
        ClusterAlgorithm::Dbscan => &dbscan::Dbscan { settings },
        ClusterAlgorithm::Hdbscan => &hdbscan::Hdbscan { settings },
        ClusterAlgorithm::Hierarchical => &hierarchical::Hierarchical { settings },
    };
    let found = algorithm.labels(&proximity, k)?;
    let silhouette = silhouette::of_clusters(&proximity, &found, settings.min_size);
    let (mut labels, mut places) = (vec![None; n], vec![0; n]);
    for (place, (&row, label)) in order.iter().zip(found).enumerate() {
        (labels[row], places[row]) = (label, place);
    }
    let clustering = Clustering { silhouette, ..Clustering::from_labels(&labels, settings.min_size) };
    Ok((clustering, proximity.reordered(&places)))
}

#[cfg(test)]
mod tests;
