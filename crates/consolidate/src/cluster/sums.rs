//! What k-means, the silhouette and cohesion all stand on: how close each row is to each cluster, summed.

use super::Proximity;

/// Summed proximities of every row to the members of every cluster, kept right as rows move.
///
/// Means need not be known: ‖x − mean‖² / 2 follows from these sums alone (kernel k-means, Dhillon et al. 2004), in
/// as many steps as there are rows and not rows times dimensions.
pub(crate) struct Sums {
    n: usize,
    sizes: Vec<usize>,
    /// Cluster after cluster, a sum for each row.
    to_rows: Vec<f64>,
    /// For each cluster, the sum over all ordered pairs of members, each with itself included.
    within: Vec<f64>,
}

impl Sums {
    /// Of rows labelled below `k`; rows without a label count nowhere.
    pub(crate) fn new(
        near: &Proximity<'_>,
        labels: impl IntoIterator<Item = Option<usize>>,
        k: usize,
    ) -> Self {
        let n = near.len();
        let mut sums = Self { n, sizes: vec![0; k], to_rows: vec![0.0; k * n], within: vec![0.0; k] };
        for (row, label) in labels.into_iter().enumerate() {
            if let Some(cluster) = label {
                sums.join(near, row, cluster);
            }
        }
        sums
    }

    fn join(&mut self, near: &Proximity<'_>, row: usize, cluster: usize) {
        let column = &mut self.to_rows[cluster * self.n..(cluster + 1) * self.n];
        self.within[cluster] += 2.0 * column[row] + f64::from(near.row(row)[row]);
        column.iter_mut().zip(near.row(row)).for_each(|(sum, &value)| *sum += f64::from(value));
        self.sizes[cluster] += 1;
    }

    fn leave(&mut self, near: &Proximity<'_>, row: usize, cluster: usize) {
        let column = &mut self.to_rows[cluster * self.n..(cluster + 1) * self.n];
        self.within[cluster] -= 2.0 * column[row] - f64::from(near.row(row)[row]);
        column.iter_mut().zip(near.row(row)).for_each(|(sum, &value)| *sum -= f64::from(value));
        self.sizes[cluster] -= 1;
    }

    /// Of rows that all have a label.
    pub(super) fn of_all(near: &Proximity<'_>, labels: &[usize], k: usize) -> Self {
        Self::new(near, labels.iter().map(|&l| Some(l)), k)
    }

    /// Takes a row from one cluster into another.
    pub(crate) fn move_row(&mut self, near: &Proximity<'_>, row: usize, from: usize, to: usize) {
        self.leave(near, row, from);
        self.join(near, row, to);
    }

    /// How many clusters there are, empty ones included.
    pub(crate) fn clusters(&self) -> usize {
        self.sizes.len()
    }

    pub(crate) fn size(&self, cluster: usize) -> usize {
        self.sizes[cluster]
    }

    /// The summed proximity of a row to the members of a cluster, to itself included where it is one.
    pub(crate) fn to_row(&self, cluster: usize, row: usize) -> f64 {
        self.to_rows[cluster * self.n + row]
    }

    /// The summed proximities of all rows to the members of a cluster.
    pub(crate) fn to_rows(&self, cluster: usize) -> &[f64] {
        &self.to_rows[cluster * self.n..(cluster + 1) * self.n]
    }

    /// The sum over all ordered pairs of a cluster's members, each with itself included.
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
        fn after_any_moves_the_sums_are_those_of_the_labels(
            angles in prop::collection::vec(0.0..6.2_f32, 2..16),
            moves in prop::collection::vec((0..16_usize, 0..3_usize), 0..40),
        ) {
            let mut vectors = Vectors::with_capacity(2, angles.len());
            angles.iter().for_each(|a| vectors.push(&[a.cos(), a.sin()]).unwrap());
            let gram = Gram::new(&vectors);
            let near = Proximity::of(&gram);
            let mut labels = vec![0; angles.len()];
            let mut sums = Sums::of_all(&near, &labels, 3);
            for (row, to) in moves {
                let row = row % labels.len();
                sums.move_row(&near, row, labels[row], to);
                labels[row] = to;
            }
            let anew = Sums::of_all(&near, &labels, 3);
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
