//! Initial seeds by greedy k-means++ (Arthur and Vassilvitskii 2007): the best of a few draws for each seed.

use rand_xoshiro::rand_core::RngCore;

use crate::cluster::Proximity;

/// Draws `k` seed rows far apart: the probability of a row is proportional to its squared distance to the
/// nearest seed drawn before. Returns fewer seeds if fewer rows differ.
pub(super) fn draw(proximity: &Proximity<'_>, k: usize, draws: &mut impl RngCore) -> Vec<usize> {
    let n = proximity.len();
    let tries = 2 + (k as f64).ln() as usize;
    let mut seeds = Vec::with_capacity(k);
    if n == 0 || k == 0 {
        return seeds;
    }
    seeds.push(((uniform(draws) * n as f64) as usize).min(n - 1));
    let mut nearest: Vec<f32> = (0..n).map(|i| proximity.distance(i, seeds[0])).collect();
    while seeds.len() < k {
        let total: f64 = nearest.iter().map(|&d| f64::from(d)).sum();
        if total <= 0.0 {
            break;
        }
        let best = (0..tries)
            .map(|_| weighted_row(&nearest, uniform(draws) * total))
            .map(|row| (spread_with(proximity, &nearest, row), row))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some((_, row)) = best else { break };
        nearest.iter_mut().zip(proximity.row(row)).for_each(|(d, &p)| *d = d.min((1.0 - p).max(0.0)));
        seeds.push(row);
    }
    seeds
}

/// Returns the summed distance of all rows to their nearest seed if `row` became a seed.
fn spread_with(proximity: &Proximity<'_>, nearest: &[f32], row: usize) -> f64 {
    nearest.iter().zip(proximity.row(row)).map(|(&d, &p)| f64::from(d.min((1.0 - p).max(0.0)))).sum()
}

/// Returns the row at position `at` along the summed weights.
fn weighted_row(weights: &[f32], at: f64) -> usize {
    let mut left = at;
    for (row, &weight) in weights.iter().enumerate() {
        left -= f64::from(weight);
        if left < 0.0 {
            return row;
        }
    }
    // Rounding errors lead here: the last row of positive weight.
    weights.iter().rposition(|&w| w > 0.0).unwrap_or(0)
}

/// Draws a number from 0 up to, but not including, 1.
fn uniform(draws: &mut impl RngCore) -> f64 {
    (draws.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
