//! A day's vectors to themes.

mod kmeans;
mod silhouette;

use nightfold_memory::{ClusterAlgorithm, ValidConfig, Vectors};
use serde::{Deserialize, Serialize};

pub use kmeans::KMeansError;

use crate::gram::Gram;

/// The themes of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clustering {
    /// Rows of each cluster, in order; the largest cluster first, of equal ones the one that began earlier.
    pub clusters: Vec<Vec<usize>>,
    /// Rows in no cluster.
    pub loose: Vec<usize>,
    /// The mean silhouette (cosine distance, −1 to 1) of the partition, where one was chosen by it.
    pub silhouette: Option<f64>,
}

impl Clustering {
    /// A label for each of `n` rows: the number of its cluster, or −1 where it is loose.
    pub fn labels(&self, n: usize) -> Vec<i64> {
        let mut labels = vec![-1; n];
        for (label, members) in (0_i64..).zip(&self.clusters) {
            members.iter().for_each(|&i| labels[i] = label);
        }
        labels
    }

    /// From a label for each row: clusters below `min_size` dissolve, the others are put in order.
    fn from_labels(labels: &[usize], min_size: usize, silhouette: Option<f64>) -> Self {
        let mut clusters = vec![Vec::new(); labels.iter().max().map_or(0, |m| m + 1)];
        for (row, &label) in labels.iter().enumerate() {
            clusters[label].push(row);
        }
        clusters.retain(|c| !c.is_empty());
        let (mut clusters, small): (Vec<_>, Vec<_>) = clusters.into_iter().partition(|c| c.len() >= min_size);
        clusters.sort_by_key(|c| (std::cmp::Reverse(c.len()), c[0]));
        let mut loose: Vec<usize> = small.into_iter().flatten().collect();
        loose.sort_unstable();
        Self { clusters, loose, silhouette }
    }
}

/// Groups `n × d` unit vectors by theme, as the configuration says. `k` sets the number of clusters; without it
/// the silhouette chooses between `cluster.k_min` and `cluster.k_max`, and fewer rows than `cluster.small_day` are one
/// cluster.
///
/// Rows should come in an order that does not depend on how they were read: the draws are seeded, so the same
/// rows in the same order always give the same themes.
///
/// # Errors
/// [`KMeansError`] when k-means cannot be fitted.
pub fn cluster(vectors: &Vectors, k: Option<usize>, config: &ValidConfig) -> Result<Clustering, KMeansError> {
    cluster_with(vectors, &Gram::new(vectors), k, config)
}

pub(crate) fn cluster_with(
    vectors: &Vectors,
    gram: &Gram,
    k: Option<usize>,
    config: &ValidConfig,
) -> Result<Clustering, KMeansError> {
    let n = vectors.len();
    let settings = &config.cluster;
    let one = vec![0; n];
    let small = k.is_none() && n < settings.small_day;
    if settings.algorithm == ClusterAlgorithm::Single || small || k == Some(1) {
        return Ok(Clustering::from_labels(&one, 1, None));
    }
    let candidates = match k {
        Some(k) => k..=k,
        // A partition into as many clusters as rows has no silhouette.
        None => settings.k_min..=settings.k_max.min(n - 1),
    };
    let mut best: Option<(f64, Vec<usize>)> = None;
    for k in candidates {
        let labels = kmeans::fit(vectors, k, config)?;
        let score = silhouette::mean(gram, &labels);
        if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
            best = Some((score, labels));
        }
    }
    Ok(match best {
        Some((score, labels)) => Clustering::from_labels(&labels, settings.min_size, Some(score)),
        None => Clustering::from_labels(&one, 1, None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three bundles of directions, far apart.
    fn bundles() -> Vectors {
        let mut vectors = Vectors::with_capacity(3, 12);
        for i in 0..12_u8 {
            let mut row = [0.05 * f32::from(i / 3), 0.02, 0.03];
            row[usize::from(i % 3)] += 1.0;
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            vectors.push(&row.map(|x| x / length)).unwrap();
        }
        vectors
    }

    #[test]
    fn clear_themes_are_found() {
        let found = cluster(&bundles(), None, &ValidConfig::default()).unwrap();
        assert_eq!(found.clusters, [vec![0, 3, 6, 9], vec![1, 4, 7, 10], vec![2, 5, 8, 11]]);
        assert!(found.loose.is_empty() && found.silhouette.unwrap() > 0.8);
        assert_eq!(found, cluster(&bundles(), None, &ValidConfig::default()).unwrap());
    }

    #[test]
    fn a_small_day_is_one_theme() {
        let mut few = Vectors::with_capacity(2, 2);
        few.push(&[1.0, 0.0]).unwrap();
        few.push(&[0.0, 1.0]).unwrap();
        assert_eq!(cluster(&few, None, &ValidConfig::default()).unwrap().clusters, [vec![0, 1]]);
        let none = cluster(&Vectors::with_capacity(2, 0), None, &ValidConfig::default()).unwrap();
        assert_eq!(none.labels(0), Vec::<i64>::new());
    }

    #[test]
    fn small_clusters_dissolve_and_labels_say_so() {
        let made = Clustering::from_labels(&[1, 0, 1, 2, 2, 2], 2, None);
        assert_eq!(made.labels(6), [1, -1, 1, 0, 0, 0]);
    }
}
