//! Agglomerative clustering by average linkage (Sokal and Michener 1958), with the cut chosen from the day's
//! own data.

mod cut;

use kodama::{Dendrogram, Method, linkage};
use nightfold_memory::config::ClusterConfig;

use super::{
    ClusterError, Proximity, Sums,
    algorithm::{Algorithm, Labels},
    choose::Candidates,
};

pub(super) struct Hierarchical<'a> {
    pub(super) settings: &'a ClusterConfig,
}

impl Algorithm for Hierarchical<'_> {
    fn labels(&self, proximity: &Proximity<'_>, k: Option<usize>) -> Result<Labels, ClusterError> {
        let n = proximity.len();
        let mut condensed: Vec<f32> =
            (0..n).flat_map(|i| (i + 1..n).map(move |j| proximity.distance(i, j))).collect();
        let tree = linkage(&mut condensed, n, Method::Average);
        drop(condensed);
        if let Some(k) = k {
            // Average linkage parts single rows from one large cluster (chaining); only clusters of `min_size` rows count.
            return Ok(match cut::coarsest_cut_into(&tree, n, self.settings.min_size, k) {
                Some(merges) => self.with_all_rows(proximity, labels_after(&tree, n, merges)),
                None => labels_after(&tree, n, n - k),
            });
        }
        // A fixed cut distance does not work: the days of different NPCs differ widely in how spread out they
        // are.
        let mut candidates = Candidates::new(proximity, self.settings);
        for merges in cut::coarsest_cuts(&tree, n, self.settings.min_size) {
            candidates.add(labels_after(&tree, n, merges));
        }
        Ok(candidates.choose())
    }
}

impl Hierarchical<'_> {
    /// Puts each row of a cluster below `min_size` into the larger cluster to which it is nearest on average.
    fn with_all_rows(&self, proximity: &Proximity<'_>, labels: Labels) -> Labels {
        let k = labels.iter().flatten().max().map_or(0, |most| most + 1);
        let sums = Sums::new(proximity, labels.iter().copied(), k);
        let large: Vec<usize> =
            (0..k).filter(|&cluster| sums.size(cluster) >= self.settings.min_size).collect();
        let mean = |cluster: usize, row: usize| sums.to_row(cluster, row) / sums.size(cluster) as f64;
        let nearest = |row: usize| {
            large.iter().copied().max_by(|&a, &b| mean(a, row).total_cmp(&mean(b, row)).then(b.cmp(&a)))
        };
        let of_row = |(row, label): (usize, Option<usize>)| {
            label.filter(|&own| sums.size(own) >= self.settings.min_size).or_else(|| nearest(row))
        };
        labels.into_iter().enumerate().map(of_row).collect()
    }
}

/// Returns the labels of `n` rows after the first `merges` merges of a tree.
pub(in crate::cluster) fn labels_after(tree: &Dendrogram<f32>, n: usize, merges: usize) -> Labels {
    // Step `s` creates cluster `n + s`: from the last to the first, each cluster passes its label to its two
    // parts.
    let mut label: Vec<Option<usize>> = vec![None; n + merges];
    let mut next = 0;
    for node in (0..n + merges).rev() {
        let own = *label[node].get_or_insert_with(|| {
            next += 1;
            next - 1
        });
        if let Some(step) = node.checked_sub(n).map(|s| &tree.steps()[s]) {
            label[step.cluster1] = Some(own);
            label[step.cluster2] = Some(own);
        }
    }
    label.truncate(n);
    label
}
