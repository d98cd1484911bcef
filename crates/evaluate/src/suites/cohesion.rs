//! Whether cohesion tells how pure a theme is.

use nightfold_consolidate::{ClusterError, DayRows, Points, cluster, cohesion};
use nightfold_memory::{CohesionConfig, CohesionParts, ValidConfig};
use rand_xoshiro::{
    Xoshiro256Plus,
    rand_core::{RngCore, SeedableRng},
};
use serde::Serialize;

use crate::{LabelledRows, pair_purity, spearman};

/// A cluster that was found, with what holds it together and how pure people find it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeasuredCluster {
    /// The day it was found in, from 0.
    pub day: usize,
    /// How many rows it has.
    pub size: usize,
    /// What holds it together.
    pub parts: CohesionParts,
    /// The chance that two of its rows are of one theme.
    pub purity: f64,
}

/// All clusters of at least two rows that are found in these days, under each of the configurations.
///
/// # Errors
/// [`ClusterError`] when themes cannot be found.
pub fn measured_clusters(
    days: &[LabelledRows],
    configs: &[ValidConfig],
) -> Result<Vec<MeasuredCluster>, ClusterError> {
    let mut measured = Vec::new();
    for config in configs {
        for (number, day) in days.iter().enumerate() {
            let found = cluster(Points::new(&day.vectors).at(&day.times)?, None, config)?;
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

/// Spearman's correlation of cohesion by these weights with purity; `None` where one of them is the same for all.
pub fn tracks_purity(clusters: &[MeasuredCluster], weights: &CohesionConfig) -> Option<f64> {
    let pairs: Vec<(f64, f64)> = clusters.iter().map(|c| (c.parts.weighed(weights), c.purity)).collect();
    spearman(&pairs)
}

/// Every way to weigh some parts alike and leave the others out, single parts first.
pub fn combinations() -> Vec<CohesionConfig> {
    let mut all: Vec<CohesionConfig> = (1..64_u8)
        .map(|bits| {
            let weight = |bit: u8| f64::from(bits >> bit & 1);
            CohesionConfig {
                cosine: weight(0),
                inverse_variance: weight(1),
                silhouette: weight(2),
                importance: weight(3),
                temporal: weight(4),
                emotion: weight(5),
            }
        })
        .collect();
    all.sort_by_key(|w| w.named().iter().filter(|(_, weight)| *weight > 0.0).count());
    all
}

/// How many times days are drawn anew for an interval.
const DRAWS: usize = 400;

/// By how much `weights` track purity better than `instead`, mean over the sets: the middle 95 % of what comes out when
/// the days of each set are drawn anew, with replacement (bootstrap, Efron 1979). An interval that holds 0 says that
/// the data cannot tell them apart.
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

/// As many days as there are, drawn with replacement, with all their clusters.
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
    fn what_tells_purity_is_told_from_what_does_not() {
        let clusters: Vec<MeasuredCluster> = (0..40)
            .map(|i| {
                cluster(i / 2, f64::from(u8::try_from(i).unwrap()), (i * 7 % 11) as f64, i as f64 / 40.0)
            })
            .collect();
        let only = |edit: fn(&mut CohesionConfig)| {
            let mut weights = CohesionConfig { cosine: 0.0, ..CohesionConfig::default() };
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
    fn every_combination_is_there_once() {
        let all = combinations();
        assert_eq!(all.len(), 63);
        assert!(all.iter().enumerate().all(|(i, w)| !all[..i].contains(w)));
    }
}
