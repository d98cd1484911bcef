//! Assignment of rows to clusters, repeated until no row moves.

use crate::cluster::{Proximity, Sums};

/// Minimum gain; anything less is rounding.
const MIN_GAIN: f64 = 1e-9;

/// Labels of all rows, improved step by step.
pub(super) struct Partition {
    labels: Vec<usize>,
    sums: Sums,
}

impl Partition {
    /// Assigns every row to its nearest seed.
    pub(super) fn from_seeds(proximity: &Proximity<'_>, seeds: &[usize]) -> Self {
        let mut labels = vec![0; proximity.len()];
        let mut closest = vec![f32::NEG_INFINITY; proximity.len()];
        for (cluster, &seed) in seeds.iter().enumerate() {
            for (row, &value) in proximity.row(seed).iter().enumerate() {
                if value > closest[row] {
                    closest[row] = value;
                    labels[row] = cluster;
                }
            }
        }
        Self::new(proximity, labels, seeds.len())
    }

    /// Takes labels below `k`.
    pub(super) fn new(proximity: &Proximity<'_>, labels: Vec<usize>, k: usize) -> Self {
        let sums = Sums::of_all(proximity, &labels, k);
        Self { labels, sums }
    }

    /// Runs Lloyd's iteration: all rows move to their nearest mean at once, then the means are updated.
    pub(super) fn run_lloyd(&mut self, proximity: &Proximity<'_>, max_iterations: usize) {
        let n = self.labels.len();
        let mut target = vec![0; n];
        let mut least = vec![0.0; n];
        for _ in 0..max_iterations {
            target.copy_from_slice(&self.labels);
            least.fill(f64::INFINITY);
            for cluster in (0..self.sums.clusters()).filter(|&c| self.sums.size(c) > 0) {
                let size = self.sums.size(cluster) as f64;
                let own = self.sums.within(cluster) / (size * size);
                for ((to, &label), (least, &sum)) in
                    target.iter_mut().zip(&self.labels).zip(least.iter_mut().zip(self.sums.to_rows(cluster)))
                {
                    // Half the squared distance to the mean, without the row's own half, which is the same
                    // for all clusters.
                    let away = own / 2.0 - sum / size;
                    if away < *least || (away <= *least && label == cluster) {
                        *least = away;
                        *to = cluster;
                    }
                }
            }
            let mut moved = false;
            for (row, &to) in target.iter().enumerate() {
                let from = self.labels[row];
                if from != to {
                    self.sums.move_row(proximity, row, from, to);
                    self.labels[row] = to;
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
    }

    /// Moves single rows as long as that reduces the spread (Hartigan 1975). This often improves on the
    /// result of Lloyd's iteration, and fills empty clusters.
    pub(super) fn refine(&mut self, proximity: &Proximity<'_>, max_passes: usize) {
        for _ in 0..max_passes {
            let mut moved = false;
            for row in 0..self.labels.len() {
                let from = self.labels[row];
                if self.sums.size(from) < 2 {
                    continue;
                }
                let size = self.sums.size(from) as f64;
                let freed = self.distance(proximity, row, from) * size / (size - 1.0);
                let mut best = (freed - MIN_GAIN, from);
                for to in (0..self.sums.clusters()).filter(|&c| c != from) {
                    let size = self.sums.size(to) as f64;
                    let cost = if size > 0.0 {
                        self.distance(proximity, row, to) * size / (size + 1.0)
                    } else {
                        0.0
                    };
                    if cost < best.0 {
                        best = (cost, to);
                    }
                }
                if best.1 != from {
                    self.sums.move_row(proximity, row, from, best.1);
                    self.labels[row] = best.1;
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
    }

    /// Returns half the squared distance of a row to the mean of a cluster that is not empty.
    fn distance(&self, proximity: &Proximity<'_>, row: usize, cluster: usize) -> f64 {
        let size = self.sums.size(cluster) as f64;
        let own = f64::from(proximity.row(row)[row]) / 2.0;
        own - self.sums.to_row(cluster, row) / size + self.sums.within(cluster) / (2.0 * size * size)
    }

    /// Returns half the within-cluster sum of squares.
    pub(super) fn inertia(&self) -> f64 {
        let explained: f64 = (0..self.sums.clusters())
            .filter(|&c| self.sums.size(c) > 0)
            .map(|c| self.sums.within(c) / self.sums.size(c) as f64)
            .sum();
        // The proximity of every row to itself is 1.
        (self.labels.len() as f64 - explained) / 2.0
    }

    /// Returns the labels and their sums.
    pub(super) fn into_parts(self) -> (Vec<usize>, Sums) {
        (self.labels, self.sums)
    }
}
