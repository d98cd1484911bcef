//! k-means of the library linfa: Lloyd's algorithm from seeds of k-means++ (Arthur and Vassilvitskii 2007), the best of
//! ten starts.
//!
//! It is there to be compared with: the night's own [k-means](super::kmeans) draws no lots, moves single rows where no
//! centre moves, and sees what all algorithms see. This one needs the vectors themselves, so it knows neither blended
//! times nor reduced dimensions.

use linfa::{
    DatasetBase,
    traits::{Fit as _, Predict},
};
use linfa_clustering::{KMeans, KMeansInit};
use linfa_nn::distance::L2Dist;
use ndarray::ArrayView2;
use nightfold_memory::{Vectors, config::ClusterConfig};
use rand_xoshiro::{Xoshiro256Plus, rand_core::SeedableRng};

use super::{
    ClusterError, Proximity,
    algorithm::{Algorithm, Labels},
    choose::{self, Fit},
    kmeans::MAX_ITERATIONS,
};

/// Number of starts, the best of which is taken.
const N_INIT: usize = 10;

/// Difference of all centres below which a start has converged.
const TOLERANCE: f32 = 1e-4;

pub(super) struct LinfaKMeans<'a> {
    pub(super) settings: &'a ClusterConfig,
    /// Rows in the order of the proximities.
    pub(super) vectors: &'a Vectors,
    pub(super) seed: u64,
}

impl LinfaKMeans<'_> {
    fn fit(&self, proximity: &Proximity<'_>, k: usize) -> Result<Fit, ClusterError> {
        let shape = (self.vectors.len(), self.vectors.dimensions());
        let rows = ArrayView2::from_shape(shape, self.vectors.as_slice()).map_err(ClusterError::Shape)?;
        let rows = DatasetBase::from(rows);
        let rng = Xoshiro256Plus::seed_from_u64(self.seed);
        let model = KMeans::params_with(k, rng, L2Dist)
            .n_runs(N_INIT)
            .max_n_iterations(MAX_ITERATIONS as u64)
            .tolerance(TOLERANCE)
            .init_method(KMeansInit::KMeansPlusPlus)
            .fit(&rows)
            .map_err(ClusterError::LinfaKMeans)?;
        // Equal rows leave centres without rows.
        let found: Vec<usize> = model.predict(rows.records()).to_vec();
        let mut used = found.clone();
        used.sort_unstable();
        used.dedup();
        let labels = found.iter().map(|label| used.partition_point(|other| other < label)).collect();
        Ok(Fit::of_labels(proximity, labels, used.len()))
    }
}

impl Algorithm for LinfaKMeans<'_> {
    fn labels(&self, proximity: &Proximity<'_>, k: Option<usize>) -> Result<Labels, ClusterError> {
        let labels = match k {
            Some(k) => self.fit(proximity, k)?.labels,
            None => choose::labels(proximity.len(), self.settings, |least, most| {
                (least..=most).map(|k| self.fit(proximity, k)).collect()
            })?,
        };
        Ok(labels.into_iter().map(Some).collect())
    }
}
