//! Radius of a neighbourhood (eps, ε), read off the curve of distances to the k-th neighbour.

use crate::cluster::Proximity;

/// Number of points of the curve that are tried.
const CURVE_POINTS: usize = 32;

/// Factor by which eps exceeds the intended distance, since neighbours must be strictly within eps.
const STRICT_MARGIN: f32 = 1.000_01;

/// Minimum eps, so that equal vectors are neighbours of each other.
const MIN_EPS: f32 = 1e-6;

/// Returns the eps that includes every point no further away than `distance`.
pub(super) fn eps_including(distance: f32) -> f32 {
    distance.max(MIN_EPS) * STRICT_MARGIN
}

/// Returns candidate values of eps, ascending: evenly spaced points of the sorted curve of each row's
/// distance to its `min_points`-th nearest row, itself included (Ester et al. 1996). At each, a known share
/// of the rows are core points.
pub(super) fn candidates(proximity: &Proximity<'_>, min_points: usize) -> Vec<f32> {
    let n = proximity.len();
    let nth = min_points.saturating_sub(1).min(n.saturating_sub(1));
    let mut curve: Vec<f32> = (0..n)
        .map(|i| {
            let mut distances: Vec<f32> = (0..n).map(|j| proximity.distance(i, j)).collect();
            *distances.select_nth_unstable_by(nth, f32::total_cmp).1
        })
        .collect();
    curve.sort_by(f32::total_cmp);
    let places = CURVE_POINTS.min(n);
    let mut candidates: Vec<f32> =
        (1..=places).map(|place| eps_including(curve[place * n / places - 1])).collect();
    candidates.dedup();
    candidates
}
