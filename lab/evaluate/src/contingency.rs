//! Contingency table of labels and clusters.

use std::collections::BTreeMap;

/// Number of items that share a label and a cluster, with the sizes of that label and cluster.
pub(crate) struct ContingencyCell {
    /// Number of items with this label and this cluster; at least 1.
    pub(crate) count: u64,
    /// Number of items with the label.
    pub(crate) class: u64,
    /// Number of items in the cluster.
    pub(crate) cluster: u64,
}

/// Contingency table without its empty cells. All parts are in the order of labels and clusters, so that sums
/// over them are reproducible.
pub(crate) struct Contingency {
    /// Number of items.
    pub(crate) total: u64,
    /// Number of items of each label.
    pub(crate) classes: Vec<u64>,
    /// Number of items of each cluster.
    pub(crate) clusters: Vec<u64>,
    /// Non-empty cells, row after row.
    pub(crate) cells: Vec<ContingencyCell>,
}

impl Contingency {
    pub(crate) fn count<L: Ord>(pairs: impl IntoIterator<Item = (L, i64)>) -> Self {
        let mut rows: BTreeMap<L, BTreeMap<i64, u64>> = BTreeMap::new();
        let mut clusters: BTreeMap<i64, u64> = BTreeMap::new();
        for (label, cluster) in pairs {
            *rows.entry(label).or_default().entry(cluster).or_default() += 1;
            *clusters.entry(cluster).or_default() += 1;
        }
        let classes: Vec<u64> = rows.values().map(|row| row.values().sum()).collect();
        let cells = rows.values().zip(&classes).flat_map(|(row, &class)| {
            let clusters = &clusters;
            row.iter().map(move |(cluster, &count)| ContingencyCell {
                count,
                class,
                cluster: clusters[cluster],
            })
        });
        Self {
            total: classes.iter().sum(),
            cells: cells.collect(),
            clusters: clusters.into_values().collect(),
            classes,
        }
    }
}
