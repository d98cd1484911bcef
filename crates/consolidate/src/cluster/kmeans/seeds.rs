//! Starts of k-means that are properties of the day: no lots are drawn.

use kodama::{Dendrogram, Method, linkage};

use crate::cluster::{Proximity, hierarchical::labels_after};

/// Ward's tree of the rows (Ward 1963), of which a cut is a start for any number of clusters.
pub(super) struct WardTree {
    tree: Dendrogram<f32>,
    rows: usize,
}

impl WardTree {
    pub(super) fn new(proximity: &Proximity<'_>) -> Self {
        let n = proximity.len();
        // Ward's method takes distances, of which it computes the squares itself.
        let mut condensed: Vec<f32> =
            (0..n).flat_map(|i| (i + 1..n).map(move |j| (2.0 * proximity.distance(i, j)).sqrt())).collect();
        Self { tree: linkage(&mut condensed, n, Method::Ward), rows: n }
    }

    /// Returns the labels of the cut into `k` clusters.
    pub(super) fn cut(&self, k: usize) -> Vec<usize> {
        let labels = labels_after(&self.tree, self.rows, self.rows - k.min(self.rows));
        labels.into_iter().map(Option::unwrap_or_default).collect()
    }
}

/// Returns up to `most` seed rows: each is the row by which the summed distance of all rows to their nearest seed falls
/// most (greedy k-means++ of Arthur and Vassilvitskii 2007 with all rows as candidates). Fewer are returned if fewer
/// rows differ. The first `k` are the seeds of `k` clusters.
pub(super) fn greedy(proximity: &Proximity<'_>, most: usize) -> Vec<usize> {
    let n = proximity.len();
    let mut nearest = vec![f32::INFINITY; n];
    let mut spreads = vec![0.0_f64; n];
    let mut seeds = Vec::with_capacity(most);
    let distance = |p: f32| (1.0 - p).max(0.0);
    while seeds.len() < most {
        spreads.fill(0.0);
        // The rows are as far from each other either way, so the sums of all of them grow side by side.
        for (to, &nearest) in nearest.iter().enumerate() {
            for (spread, &p) in spreads.iter_mut().zip(proximity.row(to)) {
                *spread += f64::from(nearest.min(distance(p)));
            }
        }
        let best = spreads.iter().zip(0..).min_by(|a, b| a.0.total_cmp(b.0).then(a.1.cmp(&b.1)));
        let Some((_, row)) = best.filter(|(_, row)| nearest[*row] > 0.0) else { break };
        nearest.iter_mut().zip(proximity.row(row)).for_each(|(d, &p)| *d = d.min(distance(p)));
        seeds.push(row);
    }
    seeds
}
