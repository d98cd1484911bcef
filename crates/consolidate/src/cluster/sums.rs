//! Summed proximity of each row to each cluster, shared by k-means, the silhouette and cohesion.

use super::Proximity;

/// Summed proximities of every row to the members of every cluster, updated as rows move.
///
/// Cluster means are not needed: ‖x − mean‖² / 2 follows from these sums alone (kernel k-means, Dhillon et
/// al. 2004), in time proportional to the number of rows, independent of the dimensions.
pub(crate) struct Sums {
    n: usize,
    sizes: Vec<usize>,
    /// One sum for each row, cluster after cluster.
    to_rows: Vec<f64>,
    /// Sum over all ordered pairs of each cluster's members, pairs of a row with itself included.
    within: Vec<f64>,
}

impl Sums {
    /// Builds the sums of rows with labels below `k`; rows without a label belong to no cluster.
    pub(crate) fn new(
        proximity: &Proximity<'_>,
        labels: impl IntoIterator<Item = Option<usize>>,
        k: usize,
    ) -> Self {
        let n = proximity.len();
        let mut sums = Self { n, sizes: vec![0; k], to_rows: vec![0.0; k * n], within: vec![0.0; k] };
        for (row, label) in labels.into_iter().enumerate() {
            if let Some(cluster) = label {
                sums.join(proximity, row, cluster);
            }
        }
        sums
    }

    fn join(&mut self, proximity: &Proximity<'_>, row: usize, cluster: usize) {
        let column = &mut self.to_rows[cluster * self.n..(cluster + 1) * self.n];
        self.within[cluster] += 2.0 * column[row] + f64::from(proximity.row(row)[row]);
        column.iter_mut().zip(proximity.row(row)).for_each(|(sum, &value)| *sum += f64::from(value));
        self.sizes[cluster] += 1;
    }

    fn leave(&mut self, proximity: &Proximity<'_>, row: usize, cluster: usize) {
        let column = &mut self.to_rows[cluster * self.n..(cluster + 1) * self.n];
        self.within[cluster] -= 2.0 * column[row] - f64::from(proximity.row(row)[row]);
        column.iter_mut().zip(proximity.row(row)).for_each(|(sum, &value)| *sum -= f64::from(value));
        self.sizes[cluster] -= 1;
    }

    /// Builds the sums of rows that all have a label.
    pub(super) fn of_all(proximity: &Proximity<'_>, labels: &[usize], k: usize) -> Self {
        Self::new(proximity, labels.iter().map(|&l| Some(l)), k)
    }

    /// Moves a row from one cluster to another.
    pub(crate) fn move_row(&mut self, proximity: &Proximity<'_>, row: usize, from: usize, to: usize) {
        self.leave(proximity, row, from);
        self.join(proximity, row, to);
    }

    /// Number of clusters, empty ones included.
    pub(crate) fn clusters(&self) -> usize {
        self.sizes.len()
    }

    pub(crate) fn size(&self, cluster: usize) -> usize {
        self.sizes[cluster]
    }

    /// Returns the summed proximity of a row to the members of a cluster, to itself included if it is a
    /// member.
    pub(crate) fn to_row(&self, cluster: usize, row: usize) -> f64 {
        self.to_rows[cluster * self.n + row]
    }

    /// Returns the summed proximities of all rows to the members of a cluster.
    pub(crate) fn to_rows(&self, cluster: usize) -> &[f64] {
        &self.to_rows[cluster * self.n..(cluster + 1) * self.n]
    }

    /// Returns the sum over all ordered pairs of a cluster's members, pairs of a row with itself included.
    pub(crate) fn within(&self, cluster: usize) -> f64 {
        self.within[cluster]
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Vectors;
    use proptest::prelude::*;

    use super::*;
    use crate::gram::Gram;

    proptest! {
        #[test]
        fn sums_stay_consistent_with_labels_after_moves(
            angles in prop::collection::vec(0.0..6.2_f32, 2..16),
            moves in prop::collection::vec((0..16_usize, 0..3_usize), 0..40),
        ) {
            let mut vectors = Vectors::with_capacity(2, angles.len());
            angles.iter().for_each(|a| vectors.push(&[a.cos(), a.sin()]).unwrap());
            let gram = Gram::new(&vectors);
            let proximity = Proximity::of(&gram);
            let mut labels = vec![0; angles.len()];
            let mut sums = Sums::of_all(&proximity, &labels, 3);
            for (row, to) in moves {
                let row = row % labels.len();
                sums.move_row(&proximity, row, labels[row], to);
                labels[row] = to;
            }
            let anew = Sums::of_all(&proximity, &labels, 3);
            for cluster in 0..3 {
                prop_assert_eq!(sums.size(cluster), anew.size(cluster));
                prop_assert!((sums.within(cluster) - anew.within(cluster)).abs() < 1e-4);
                for row in 0..labels.len() {
                    prop_assert!((sums.to_row(cluster, row) - anew.to_row(cluster, row)).abs() < 1e-4);
                }
            }
        }
    }
}
