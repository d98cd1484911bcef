//! Agglomerative clustering by average linkage (Sokal and Michener 1958), with the cut chosen from the day's
//! own data.

mod cut;

use kodama::{Dendrogram, Method, linkage};
use nightfold_memory::config::ClusterConfig;

use super::{Algorithm, ClusterError, Labels, Proximity, choose::Candidates};

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
            return Ok(labels_after(&tree, n, n - k));
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
