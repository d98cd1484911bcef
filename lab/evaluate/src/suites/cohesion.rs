//! Correlation of cohesion with the purity of clusters.

use nightfold_consolidate::{ClusterError, DayRows, Points, cluster, cohesion};
use nightfold_memory::{CohesionParts, ValidConfig, config::CohesionConfig};
use rand_xoshiro::{
    Xoshiro256Plus,
    rand_core::{RngCore, SeedableRng},
};
use serde::Serialize;

use crate::{LabelledRows, pair_purity, spearman};

/// Cluster with its cohesion and its purity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeasuredCluster {
    /// Number of its day, from 0.
    pub day: usize,
    /// Number of rows.
    pub size: usize,
    /// Parts of its cohesion.
    pub parts: CohesionParts,
    /// Probability that two of its rows are of one theme.
    pub purity: f64,
}

/// Returns all clusters of at least two rows that are found in these days, under each of the configurations.
///
/// # Errors
/// [`ClusterError`] if clustering fails.
pub fn measured_clusters(
    days: &[LabelledRows],
    configs: &[ValidConfig],
) -> Result<Vec<MeasuredCluster>, ClusterError> {
    let mut measured = Vec::new();
    for config in configs {
        for (number, day) in days.iter().enumerate() {
            let found = cluster(Points::new(&day.vectors).with_times(&day.times)?, None, config)?;
            let rows = DayRows {
                vectors: &day.vectors,
                times: &day.times,
                importances: &day.importances,
                intensities: &day.intensities,
            };
            let parts = cohesion(rows, &found);
            measured.extend(found.clusters.iter().zip(parts).filter(|(members, _)| members.len() > 1).map(
                |(members, parts)| MeasuredCluster {
                    day: number,
                    size: members.len(),
                    parts,
                    purity: pair_purity(members.iter().map(|&i| &day.themes[i])),
                },
            ));
        }
    }
    Ok(measured)
}

/// Returns Spearman's correlation of cohesion by these weights with purity; `None` if cohesion or purity is
/// the same for all clusters.
pub fn tracks_purity(clusters: &[MeasuredCluster], weights: &CohesionConfig) -> Option<f64> {
    let pairs: Vec<(f64, f64)> =
        clusters.iter().map(|c| (c.parts.weighted_mean(weights), c.purity)).collect();
    spearman(&pairs)
}

/// Returns all combinations of equally weighted parts, single parts first.
pub fn combinations() -> Vec<CohesionConfig> {
    let mut all: Vec<CohesionConfig> = (1..64_u8)
        .map(|bits| {
            let weight = |bit: u8| f64::from(bits >> bit & 1);
            CohesionConfig::default().with(|weights| {
                weights.cosine = weight(0);
                weights.inverse_variance = weight(1);
                weights.silhouette = weight(2);
                weights.importance = weight(3);
                weights.temporal = weight(4);
                weights.emotion = weight(5);
            })
        })
        .collect();
    all.sort_by_key(|w| w.named().iter().filter(|(_, weight)| *weight > 0.0).count());
    all
}

/// Number of bootstrap samples for an interval.
const DRAWS: usize = 400;

/// Returns the gain in correlation with purity of `weights` over `instead`, averaged over the sets, as the
/// middle 95 % of the values over bootstrap samples of each set's days (Efron 1979). If the interval contains
/// 0, the data do not show a difference between the weights.
pub fn gain_between(
    sets: &[Vec<MeasuredCluster>],
    weights: &CohesionConfig,
    instead: &CohesionConfig,
    seed: u64,
) -> [f64; 2] {
    let mut draws = Xoshiro256Plus::seed_from_u64(seed);
    let mut gains: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let gain = |clusters: &Vec<MeasuredCluster>| {
                let drawn = resampled(clusters, &mut draws);
                let tracks = |w| tracks_purity(&drawn, w).unwrap_or(0.0);
                tracks(weights) - tracks(instead)
            };
            sets.iter().map(gain).sum::<f64>() / sets.len().max(1) as f64
        })
        .collect();
    gains.sort_by(f64::total_cmp);
    [gains[DRAWS / 40], gains[DRAWS - 1 - DRAWS / 40]]
}

/// Draws a bootstrap sample: the same number of days, with replacement, each with all its clusters.
fn resampled(clusters: &[MeasuredCluster], draws: &mut impl RngCore) -> Vec<MeasuredCluster> {
    let days = clusters.iter().map(|c| c.day + 1).max().unwrap_or(0);
    let mut by_day = vec![Vec::new(); days];
    clusters.iter().for_each(|c| by_day[c.day].push(*c));
    (0..days).flat_map(|_| by_day[(draws.next_u64() >> 33) as usize % days].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(day: usize, cosine: f64, silhouette: f64, purity: f64) -> MeasuredCluster {
        let parts = CohesionParts { cosine, silhouette, ..CohesionParts::default() };
        MeasuredCluster { day, size: 3, parts, purity }
    }

    #[test]
    fn part_that_tracks_purity_is_distinguished_from_one_that_does_not() {
        let clusters: Vec<MeasuredCluster> = (0..40)
            .map(|i| {
                cluster(i / 2, f64::from(u8::try_from(i).unwrap()), (i * 7 % 11) as f64, i as f64 / 40.0)
            })
            .collect();
        let only = |edit: fn(&mut CohesionConfig)| {
            let mut weights = CohesionConfig::default().with(|c| c.cosine = 0.0);
            edit(&mut weights);
            weights
        };
        let cosine = only(|w| w.cosine = 1.0);
        let silhouette = only(|w| w.silhouette = 1.0);
        assert!((tracks_purity(&clusters, &cosine).unwrap() - 1.0).abs() < 1e-12);
        let [low, high] = gain_between(&[clusters], &cosine, &silhouette, 1);
        assert!(0.3 < low && low < high, "{low} {high}");
    }

    #[test]
    fn combinations_are_complete_and_distinct() {
        let all = combinations();
        assert_eq!(all.len(), 63);
        assert!(all.iter().enumerate().all(|(i, w)| !all[..i].contains(w)));
    }
}
