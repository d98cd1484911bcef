//! k-means (Lloyd 1957) in the geometry of the proximities, from starts that are properties of the day, and refined until
//! no single move improves the result or [`MAX_ITERATIONS`] is reached.

mod assign;
mod seeds;

use nightfold_memory::config::ClusterConfig;

use self::seeds::WardTree;
use super::{
    ClusterError, Proximity,
    algorithm::{Algorithm, Labels},
    choose::{self, Fit},
};
use assign::Partition;

/// Maximum number of iterations of one start, and of passes of single moves after them.
pub(super) const MAX_ITERATIONS: usize = 100;

/// Least difference of two spreads; anything less is rounding.
const MIN_DIFFERENCE: f64 = 1e-7;

pub(super) struct KMeans<'a> {
    pub(super) settings: &'a ClusterConfig,
}

/// Fits of k-means to one day, of up to as many clusters as there are seeds.
pub(super) struct Fits<'a> {
    proximity: &'a Proximity<'a>,
    tree: WardTree,
    seeds: Vec<usize>,
}

impl<'a> Fits<'a> {
    /// Prepares the fits of up to `most` clusters to a day.
    pub(super) fn of(proximity: &'a Proximity<'a>, most: usize) -> Self {
        Self { proximity, tree: WardTree::new(proximity), seeds: seeds::greedy(proximity, most) }
    }

    /// Returns the best fit of `k` clusters, or of as many as rows differ: from the cut of Ward's tree and from greedy
    /// seeds. Of equals that of the tree is returned.
    pub(super) fn fit(&self, k: usize) -> Fit {
        // Equal rows are never parted.
        let seeds = &self.seeds[..k.min(self.seeds.len())];
        let k = seeds.len();
        let starts = [
            Partition::new(self.proximity, self.tree.cut(k), k),
            Partition::from_seeds(self.proximity, seeds),
        ];
        let mut best: Option<Fit> = None;
        for mut partition in starts {
            partition.run_lloyd(self.proximity, MAX_ITERATIONS);
            partition.refine(self.proximity, MAX_ITERATIONS);
            let inertia = partition.inertia();
            if best.as_ref().is_none_or(|b| inertia < b.inertia - MIN_DIFFERENCE) {
                best = Some(partition.into());
            }
        }
        best.unwrap_or_else(|| Fit::single_cluster(self.proximity))
    }
}

impl From<Partition> for Fit {
    fn from(partition: Partition) -> Self {
        let inertia = partition.inertia();
        let (labels, sums) = partition.into_parts();
        Self { labels, sums, inertia }
    }
}

impl Fit {
    /// Takes a partition into `k` clusters as it is.
    pub(super) fn of_labels(proximity: &Proximity<'_>, labels: Vec<usize>, k: usize) -> Self {
        Partition::new(proximity, labels, k).into()
    }

    /// Puts all rows in one cluster.
    pub(super) fn single_cluster(proximity: &Proximity<'_>) -> Self {
        Partition::from_seeds(proximity, &[0]).into()
    }
}

impl Algorithm for KMeans<'_> {
    fn labels(&self, proximity: &Proximity<'_>, k: Option<usize>) -> Result<Labels, ClusterError> {
        let labels = match k {
            Some(k) => Fits::of(proximity, k).fit(k).labels,
            None => choose::labels(proximity.len(), self.settings, |least, most| {
                let fits = Fits::of(proximity, most);
                Ok((least..=most).map(|k| fits.fit(k)).collect())
            })?,
        };
        Ok(labels.into_iter().map(Some).collect())
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Vectors;
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
            let proximity = Proximity::of(&gram);
            let fit = Fits::of(&proximity, k).fit(k);
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
        let proximity = Proximity::of(&gram);
        let fit = Fits::of(&proximity, 3).fit(3);
        assert_eq!(fit.labels.len(), 5);
        assert!(fit.inertia.abs() < 1e-9);
    }
}
