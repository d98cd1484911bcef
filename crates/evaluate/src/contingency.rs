//! Which label fell into which cluster how often.

use std::collections::BTreeMap;

/// Items that share a label and a cluster, with the sizes of both.
pub(crate) struct Cell {
    /// How many share both; at least 1.
    pub(crate) count: u64,
    /// How many have the label.
    pub(crate) class: u64,
    /// How many are in the cluster.
    pub(crate) cluster: u64,
}

/// The table of labels against clusters, without its empty cells. All are in the order of labels and clusters, so
/// that sums over them come out the same each time.
pub(crate) struct Contingency {
    /// How many items there are.
    pub(crate) total: u64,
    /// The size of each class: of the items that have one label.
    pub(crate) classes: Vec<u64>,
    /// The size of each cluster.
    pub(crate) clusters: Vec<u64>,
    /// Row after row.
    pub(crate) cells: Vec<Cell>,
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
            row.iter().map(move |(cluster, &count)| Cell { count, class, cluster: clusters[cluster] })
        });
        Self {
            total: classes.iter().sum(),
            cells: cells.collect(),
            clusters: clusters.into_values().collect(),
            classes,
        }
    }
}
