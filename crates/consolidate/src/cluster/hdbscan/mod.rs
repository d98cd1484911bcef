//! HDBSCAN (Campello et al. 2013): clusters of different density, selected by how long they persist as
//! density falls.
//!
//! Its hierarchy takes n² time on typical days; the library takes n³ if clusters are nested about a thousand
//! deep.

use ::hdbscan::{DistanceMetric, Hdbscan as Library, HdbscanHyperParams};
use nightfold_memory::config::ClusterConfig;

use super::{
    ClusterError, Proximity,
    algorithm::{Algorithm, Labels, MIN_POINTS},
};

pub(super) struct Hdbscan<'a> {
    pub(super) settings: &'a ClusterConfig,
}

impl Algorithm for Hdbscan<'_> {
    fn labels(&self, proximity: &Proximity<'_>, _: Option<usize>) -> Result<Labels, ClusterError> {
        let n = proximity.len();
        // Euclidean distances, so that the library's densities (1 / distance) are those of the paper.
        let distances: Vec<Vec<f32>> =
            (0..n).map(|i| (0..n).map(|j| (2.0 * proximity.distance(i, j)).sqrt()).collect()).collect();
        let settings = HdbscanHyperParams::builder()
            .min_cluster_size(self.settings.min_size.max(2))
            .min_samples(MIN_POINTS.min(n))
            .dist_metric(DistanceMetric::Precalculated)
            .build();
        let labels = Library::new(&distances, settings).cluster().map_err(ClusterError::Hdbscan)?;
        let found: Labels = labels.into_iter().map(|label| usize::try_from(label).ok()).collect();
        // The library finds no cluster if density is uniform, but equal memories are one cluster.
        let all_equal = || (1..n).all(|i| proximity.distance(0, i) <= 0.0);
        Ok(if found.iter().all(Option::is_none) && all_equal() { vec![Some(0); n] } else { found })
    }
}
