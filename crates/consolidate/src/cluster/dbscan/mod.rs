//! DBSCAN (Ester et al. 1996): clusters are dense regions of any shape; all other memories are loose.

mod reach;

use linfa::{ParamGuard, traits::Transformer};
use linfa_clustering::Dbscan as LinfaDbscan;
use linfa_nn::{LinearSearch, distance::Distance};
use ndarray::{Array2, ArrayView, Dimension};
use nightfold_memory::config::ClusterConfig;

use super::{
    ClusterError, Proximity,
    algorithm::{Algorithm, Labels, MIN_POINTS},
    choose::Candidates,
};

pub(super) struct Dbscan<'a> {
    pub(super) settings: &'a ClusterConfig,
}

impl Algorithm for Dbscan<'_> {
    fn labels(&self, proximity: &Proximity<'_>, _: Option<usize>) -> Result<Labels, ClusterError> {
        if self.settings.eps > 0.0 {
            return labels_at(proximity, reach::eps_including(self.settings.eps as f32));
        }
        let mut candidates = Candidates::new(proximity, self.settings);
        for eps in reach::candidates(proximity, MIN_POINTS) {
            candidates.add(labels_at(proximity, eps)?);
        }
        Ok(candidates.choose())
    }
}

/// Runs DBSCAN with one eps. The library receives row numbers as points and looks up their distances, so
/// no vector is read again.
fn labels_at(proximity: &Proximity<'_>, eps: f32) -> Result<Labels, ClusterError> {
    let rows = Array2::from_shape_fn((proximity.len(), 1), |(row, _)| row as f32);
    let min_points = MIN_POINTS.min(proximity.len());
    let found = LinfaDbscan::params_with(min_points, Lookup(proximity), LinearSearch)
        .tolerance(eps)
        .check()
        .map_err(ClusterError::Dbscan)?
        .transform(&rows);
    Ok(found.to_vec())
}

/// Metric that looks up the distance of two rows by their numbers. Row numbers are exact in `f32` up to 16
/// million.
#[derive(Clone)]
struct Lookup<'a>(&'a Proximity<'a>);

impl Distance<f32> for Lookup<'_> {
    fn distance<D: Dimension>(&self, a: ArrayView<f32, D>, b: ArrayView<f32, D>) -> f32 {
        match (a.first(), b.first()) {
            (Some(&a), Some(&b)) => self.0.distance(a as usize, b as usize),
            _ => f32::INFINITY,
        }
    }
}
