//! k-means (Lloyd 1957) in the geometry of the proximities: seeded, and refined until no single move improves
//! the result or `cluster.max_iterations` is reached.

mod assign;
mod seeds;

use nightfold_memory::config::ClusterConfig;
use rand_xoshiro::{Xoshiro256Plus, rand_core::SeedableRng};

use super::{Algorithm, ClusterError, Labels, Proximity, Sums, choose};
use assign::Partition;

pub(super) struct KMeans<'a> {
    pub(super) settings: &'a ClusterConfig,
    pub(super) seed: u64,
}

/// Best result of all initialisations for one number of clusters.
pub(super) struct Fit {
    pub(super) labels: Vec<usize>,
    pub(super) sums: Sums,
    /// Half the within-cluster sum of squares.
    pub(super) inertia: f64,
}

impl Fit {
    /// Puts all rows in one cluster.
    pub(super) fn single_cluster(proximity: &Proximity<'_>) -> Self {
        let partition = Partition::from_seeds(proximity, &[0]);
        let inertia = partition.inertia();
        let (labels, sums) = partition.into_parts();
        Self { labels, sums, inertia }
    }
}

impl KMeans<'_> {
    /// Runs k-means `cluster.n_init` times from new seeds, and returns the result with the lowest inertia,
    /// among equals the first.
    pub(super) fn fit(&self, proximity: &Proximity<'_>, k: usize) -> Fit {
        let mut draws = Xoshiro256Plus::seed_from_u64(self.seed);
        let mut best: Option<Fit> = None;
        for _ in 0..self.settings.n_init {
            let mut partition = Partition::from_seeds(proximity, &seeds::draw(proximity, k, &mut draws));
            partition.run_lloyd(proximity, self.settings.max_iterations);
            partition.refine(proximity, self.settings.max_iterations);
            let inertia = partition.inertia();
            if best.as_ref().is_none_or(|b| inertia < b.inertia) {
                let (labels, sums) = partition.into_parts();
                best = Some(Fit { labels, sums, inertia });
            }
        }
        best.unwrap_or_else(|| Fit::single_cluster(proximity))
    }
}

impl Algorithm for KMeans<'_> {
    fn labels(&self, proximity: &Proximity<'_>, k: Option<usize>) -> Result<Labels, ClusterError> {
        let labels = match k {
            Some(k) => self.fit(proximity, k).labels,
            None => choose::labels(self, proximity, self.settings),
        };
        Ok(labels.into_iter().map(Some).collect())
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::{Vectors, config::ClusterConfig};
    use proptest::prelude::*;

    use super::*;
    use crate::gram::Gram;

    fn vectors(rows: &[[f32; 4]]) -> Vectors {
        let mut vectors = Vectors::with_capacity(4, rows.len());
        for row in rows {
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            vectors.push(&row.map(|x| x / length)).unwrap();
        }
        vectors
    }

    /// Computes the within-cluster sum of squares by its definition.
    fn spread(vectors: &Vectors, labels: &[usize]) -> f64 {
        let k = labels.iter().max().unwrap() + 1;
        (0..k)
            .map(|c| {
                let members: Vec<&[f32]> =
                    (0..labels.len()).filter(|&i| labels[i] == c).map(|i| vectors.row(i)).collect();
                let mean: Vec<f64> = (0..4)
                    .map(|d| members.iter().map(|m| f64::from(m[d])).sum::<f64>() / members.len() as f64)
                    .collect();
                members
                    .iter()
                    .flat_map(|m| m.iter().zip(&mean).map(|(&x, m)| (f64::from(x) - m).powi(2)))
                    .sum::<f64>()
            })
            .sum()
    }

    proptest! {
        #[test]
        fn no_single_move_reduces_the_inertia(
            rows in prop::collection::vec(prop::array::uniform4(0.05_f32..1.0), 6..30), k in 2..5_usize,
        ) {
            let vectors = vectors(&rows);
            let gram = Gram::new(&vectors);
            let settings = ClusterConfig::default();
            let fit = KMeans { settings: &settings, seed: 7 }.fit(&Proximity::of(&gram), k);
            let found = spread(&vectors, &fit.labels);
            prop_assert!((found - 2.0 * fit.inertia).abs() < 1e-4, "{found} {}", fit.inertia);
            for i in 0..fit.labels.len() {
                for c in 0..k {
                    let mut moved = fit.labels.clone();
                    moved[i] = c;
                    prop_assert!(spread(&vectors, &moved) > found - 1e-5);
                }
            }
        }
    }

    #[test]
    fn k_above_the_number_of_distinct_rows_labels_every_row() {
        let vectors = vectors(&[[1.0, 0.0, 0.0, 0.0]; 5]);
        let gram = Gram::new(&vectors);
        let settings = ClusterConfig::default();
        let fit = KMeans { settings: &settings, seed: 7 }.fit(&Proximity::of(&gram), 3);
        assert_eq!(fit.labels.len(), 5);
        assert!(fit.inertia.abs() < 1e-9);
    }
}
