//! Choice among the partitions that an algorithm produces: one for each cut of a dendrogram, or for each eps
//! of a neighbourhood.

use std::cmp::Reverse;

use nightfold_memory::config::ClusterConfig;

use crate::cluster::{Proximity, algorithm::Labels, silhouette};

/// Mean silhouette from which the structure of a day counts as clear (Kaufman and Rousseeuw 1990).
const CLEAR_SILHOUETTE: f64 = 0.5;

/// Collects partitions from fine to coarse, of which one is chosen.
///
/// If any partition is clear, the one with the highest silhouette is chosen, loose memories counting as 0.
/// Days of text are seldom that clear; then the partition with the most clusters is chosen, among equals the
/// coarsest, which leaves the fewest loose. A cluster has at least `cluster.min_size` memories, and there are
/// at most [`ClusterConfig::k_max`] clusters; if every partition has more, only the largest clusters of the coarsest
/// one are kept.
pub(in crate::cluster) struct Candidates<'a> {
    proximity: &'a Proximity<'a>,
    settings: &'a ClusterConfig,
    k_max: usize,
    best_clear: Option<(f64, Labels)>,
    most_clusters: Option<(usize, Labels)>,
    over_k_max: Option<(usize, Labels)>,
}

impl<'a> Candidates<'a> {
    pub(in crate::cluster) fn new(proximity: &'a Proximity<'a>, settings: &'a ClusterConfig) -> Self {
        let k_max = settings.k_max(proximity.len());
        Self { proximity, settings, k_max, best_clear: None, most_clusters: None, over_k_max: None }
    }

    /// Adds the next coarser partition.
    pub(in crate::cluster) fn add(&mut self, labels: Labels) {
        let clusters = sizes(&labels).into_iter().filter(|&s| s >= self.settings.min_size).count();
        if clusters > self.k_max {
            if self.over_k_max.as_ref().is_none_or(|(fewest, _)| clusters <= *fewest) {
                self.over_k_max = Some((clusters, labels));
            }
            return;
        }
        if clusters == 0 {
            return;
        }
        let score = silhouette::of_clusters(self.proximity, &labels, self.settings.min_size).map(|mean| {
            let sizes = sizes(&labels);
            let clustered = labels.iter().flatten().filter(|&&l| sizes[l] >= self.settings.min_size).count();
            mean * clustered as f64 / labels.len() as f64
        });
        if let Some(score) = score.filter(|&s| s >= CLEAR_SILHOUETTE)
            && self.best_clear.as_ref().is_none_or(|(best, _)| score >= *best)
        {
            self.best_clear = Some((score, labels.clone()));
        }
        if self.most_clusters.as_ref().is_none_or(|(most, _)| clusters >= *most) {
            self.most_clusters = Some((clusters, labels));
        }
    }

    pub(in crate::cluster) fn choose(self) -> Labels {
        let chosen =
            self.best_clear.map(|(_, labels)| labels).or(self.most_clusters.map(|(_, labels)| labels));
        chosen.or_else(|| self.over_k_max.map(|(_, labels)| keep_largest(labels, self.k_max))).unwrap_or_else(
            || {
                // No partition has any cluster: all rows are loose.
                vec![None; self.proximity.len()]
            },
        )
    }
}

fn sizes(labels: &Labels) -> Vec<usize> {
    let mut sizes = vec![0; labels.iter().flatten().max().map_or(0, |most| most + 1)];
    labels.iter().flatten().for_each(|&label| sizes[label] += 1);
    sizes
}

/// Keeps only the `most` largest clusters, among equals those of lower label.
fn keep_largest(mut labels: Labels, most: usize) -> Labels {
    let sizes = sizes(&labels);
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&label| (Reverse(sizes[label]), label));
    order.truncate(most);
    labels.iter_mut().for_each(|label| *label = label.filter(|l| order.contains(l)));
    labels
}
