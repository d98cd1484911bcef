//! k-means on unit vectors, where Euclidean and cosine order agree (‖a − b‖² = 2 − 2 cos).

use linfa::{
    DatasetBase,
    traits::{Fit, Predict},
};
use linfa_clustering::{KMeans, KMeansError as LinfaError, KMeansInit};
use linfa_nn::distance::L2Dist;
use ndarray::{Array2, ShapeError};
use nightfold_memory::{ValidConfig, Vectors};
use rand_xoshiro::{Xoshiro256Plus, rand_core::SeedableRng};

/// Why k-means could not be fitted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KMeansError {
    /// More clusters than there are different points.
    #[error("cannot make {k} clusters of {n} memories")]
    TooFew {
        /// The clusters asked for.
        k: usize,
        /// The memories there are.
        n: usize,
    },
    /// The vectors do not make a matrix.
    #[error("the vectors do not make a matrix")]
    Shape(#[from] ShapeError),
    /// The fit itself failed.
    #[error("k-means failed for k = {k}")]
    Fit {
        /// The clusters asked for.
        k: usize,
        /// The library's own error.
        source: LinfaError,
    },
}

/// Movement of the centroids below which a start has settled.
const TOLERANCE: f64 = 1e-4;

/// A label below `k` for each row, from the best of `cluster.starts` seeded starts (k-means++, Arthur and
/// Vassilvitskii 2007).
pub(super) fn fit(vectors: &Vectors, k: usize, config: &ValidConfig) -> Result<Vec<usize>, KMeansError> {
    let n = vectors.len();
    if k == 0 || k > n {
        return Err(KMeansError::TooFew { k, n });
    }
    let points = Array2::from_shape_vec((n, vectors.dimensions()), vectors.as_slice().to_vec())?;
    let data = DatasetBase::from(points);
    // KMeansPara, the library's default start, draws in thread order: plain k-means++ repeats to the bit.
    let model = KMeans::params_with(k, Xoshiro256Plus::seed_from_u64(config.seed.0), L2Dist)
        .init_method(KMeansInit::KMeansPlusPlus)
        .n_runs(config.cluster.starts)
        .max_n_iterations(config.cluster.max_iterations as u64)
        .tolerance(TOLERANCE as f32)
        .fit(&data)
        .map_err(|source| KMeansError::Fit { k, source })?;
    Ok(model.predict(data.records()).to_vec())
}
