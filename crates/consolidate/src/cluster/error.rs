//! Error type of clustering.

use nightfold_memory::config::ClusterAlgorithm;

/// Error of [`cluster`](super::cluster) and of building [`Points`](super::Points).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The requested number of clusters is 0 or exceeds the number of memories.
    #[error("cannot make {k} clusters of {n} memories; ask for 1 to {n}")]
    InvalidCount {
        /// Requested number of clusters.
        k: usize,
        /// Number of memories.
        n: usize,
    },
    /// A number of clusters was requested from an algorithm that determines its own.
    #[error("{algorithm} finds its own number of clusters; {k} cannot be asked of it")]
    UnsupportedCount {
        /// Algorithm in use.
        algorithm: ClusterAlgorithm,
        /// Requested number of clusters.
        k: usize,
    },
    /// More distinct memories than `cluster.max_distinct` allows.
    #[error("there are {given} distinct memories; cluster.max_distinct allows {most}")]
    TooMany {
        /// Number of distinct memories.
        given: usize,
        /// Maximum number allowed.
        most: usize,
    },
    /// The number of times or texts differs from the number of vectors.
    #[error("{given} {of} were given for {expected} vectors")]
    NumberMismatch {
        /// `times` or `texts`.
        of: &'static str,
        /// Number of vectors.
        expected: usize,
        /// Number of times or texts.
        given: usize,
    },
    /// DBSCAN rejected its settings.
    #[error("DBSCAN failed")]
    Dbscan(#[source] linfa_clustering::DbscanParamsError),
    /// linfa's k-means failed.
    #[error("k-means of linfa failed")]
    LinfaKMeans(#[source] linfa_clustering::KMeansError),
    /// The vectors are no matrix.
    #[error("the vectors cannot be read as a matrix")]
    Shape(#[source] ndarray::ShapeError),
    /// HDBSCAN rejected the distances.
    #[error("HDBSCAN failed")]
    Hdbscan(#[source] hdbscan::HdbscanError),
    /// The principal components could not be computed.
    #[error("the dimensions could not be reduced")]
    Reduce(#[source] linfa_linalg::LinalgError),
}
