//! Why no themes could be found.

use nightfold_memory::ClusterAlgorithm;

/// Why no themes could be found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// More clusters than there are memories to be in them, or none.
    #[error("cannot make {k} clusters of {n} memories; ask for 1 to {n}")]
    Count {
        /// The clusters asked for.
        k: usize,
        /// The memories there are.
        n: usize,
    },
    /// A number of clusters was asked of an algorithm that finds its own.
    #[error("{algorithm} finds its own number of clusters; {k} cannot be asked of it")]
    OwnCount {
        /// The algorithm.
        algorithm: ClusterAlgorithm,
        /// The clusters asked for.
        k: usize,
    },
    /// More rows than a night may compare.
    #[error("there are {given} distinct memories; cluster.max_distinct allows {most}")]
    TooMany {
        /// How many there are.
        given: usize,
        /// How many are allowed.
        most: usize,
    },
    /// Not one time for each vector.
    #[error("{given} times were given for {expected} vectors")]
    Times {
        /// How many vectors there are.
        expected: usize,
        /// How many times came.
        given: usize,
    },
    /// DBSCAN refused its settings.
    #[error("DBSCAN failed")]
    Dbscan(#[source] linfa_clustering::DbscanParamsError),
    /// HDBSCAN refused the distances.
    #[error("HDBSCAN failed")]
    Hdbscan(#[source] hdbscan::HdbscanError),
    /// The principal components could not be found.
    #[error("the dimensions could not be reduced")]
    Reduce(#[source] linfa_linalg::LinalgError),
}
