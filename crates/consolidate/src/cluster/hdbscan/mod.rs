//! HDBSCAN (Campello et al. 2013): themes of different density, those that persist longest as density falls.
//!
//! Its hierarchy costs n² on days as they are; the library takes n³ where one theme nests in the next a thousand deep.

use ::hdbscan::{DistanceMetric, Hdbscan as Library, HdbscanHyperParams};
use nightfold_memory::ClusterConfig;

use super::{Algorithm, ClusterError, Labels, Proximity};

pub(super) struct Hdbscan<'a> {
    pub(super) settings: &'a ClusterConfig,
}

impl Algorithm for Hdbscan<'_> {
    fn labels(&self, near: &Proximity<'_>, _: Option<usize>) -> Result<Labels, ClusterError> {
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
        let found: Labels = labels.into_iter().map(|label| usize::try_from(label).ok()).collect();
        // Where all is of one density there is nothing for the library to tell apart: equal memories are one theme.
        let all_equal = || (1..n).all(|i| near.distance(0, i) <= 0.0);
        Ok(if found.iter().all(Option::is_none) && all_equal() { vec![Some(0); n] } else { found })
    }
}
