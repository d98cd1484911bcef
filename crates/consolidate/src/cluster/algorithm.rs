//! Interface of the clustering algorithms.

use super::{ClusterError, Proximity};

/// Number of memories, counting itself, that make a neighbourhood dense in DBSCAN and HDBSCAN.
pub(super) const MIN_POINTS: usize = 2;

/// Cluster of each row, or `None` for a loose row.
pub(super) type Labels = Vec<Option<usize>>;

/// Algorithm that groups rows by proximity.
pub(super) trait Algorithm {
    /// Groups at least two rows, passed in canonical order. `k`, from 2 to the number of rows, sets the
    /// number of clusters; without it the algorithm chooses one. `k` is passed only if
    /// [`ClusterAlgorithm::takes_k`](nightfold_memory::config::ClusterAlgorithm::takes_k) is true.
    fn labels(&self, proximity: &Proximity<'_>, k: Option<usize>) -> Result<Labels, ClusterError>;
}
