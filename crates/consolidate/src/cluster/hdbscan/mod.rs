//! HDBSCAN (Campello et al. 2013): themes of different density, those that persist longest as density falls.

use ::hdbscan::{DistanceMetric, Hdbscan as Library, HdbscanHyperParams};
use nightfold_memory::{ClusterAlgorithm, ClusterConfig};

use super::{Algorithm, ClusterError, Labels, Proximity};

pub(super) struct Hdbscan<'a> {
    pub(super) settings: &'a ClusterConfig,
}

impl Algorithm for Hdbscan<'_> {
    fn labels(&self, near: &Proximity<'_>, k: Option<usize>) -> Result<Labels, ClusterError> {
        if let Some(k) = k {
            return Err(ClusterError::OwnCount { algorithm: ClusterAlgorithm::Hdbscan, k });
        }
        let n = near.len();
        // Euclidean, so that the library's densities (one over distance) are those of the paper.
        let distances: Vec<Vec<f32>> =
            (0..n).map(|i| (0..n).map(|j| (2.0 * near.distance(i, j)).sqrt()).collect()).collect();
        let settings = HdbscanHyperParams::builder()
            .min_cluster_size(self.settings.min_size.max(2))
            .min_samples(self.settings.min_points.min(n))
            .dist_metric(DistanceMetric::Precalculated)
            .build();
        let labels = Library::new(&distances, settings).cluster().map_err(ClusterError::Hdbscan)?;
        Ok(labels.into_iter().map(|label| usize::try_from(label).ok()).collect())
    }
}
