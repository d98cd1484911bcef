//! Cohesion of each cluster, as its separate parts.

use nightfold_memory::{CohesionParts, GameTime, Importance, ValidConfig, Vectors, config::ClusterConfig};

use crate::{
    cluster::{ClusterError, Clustering, Points, Proximity, Sums, cluster_with, silhouette},
    gram::Gram,
};

/// The attributes of a day's memories that cohesion is computed from, all in the order of the vectors.
#[derive(Debug, Clone, Copy)]
pub struct DayRows<'a> {
    /// `n × d` unit vectors.
    pub vectors: &'a Vectors,
    /// Different words of each text, sorted.
    pub words: &'a [&'a [String]],
    /// Game time of each memory.
    pub times: &'a [GameTime],
    /// Importance of each memory.
    pub importances: &'a [Importance],
    /// Emotional intensity of each memory, 0 to 1.
    pub intensities: &'a [f64],
}

impl<'a> DayRows<'a> {
    /// Returns the rows as points to cluster.
    ///
    /// # Errors
    /// [`ClusterError`] if the fields differ in length.
    pub fn points(&self) -> Result<Points<'a>, ClusterError> {
        Points::new(self.vectors).with_words(self.words)?.with_times(self.times)
    }
}

/// Returns the themes of a day, with the parts of each one's cohesion. The clusters that [`cluster`](crate::cluster())
/// finds are themes as far as they hang together, are large enough and matter (`[themes]`); all else is loose.
///
/// # Errors
/// [`ClusterError`] if the fields of `day` differ in length, or the algorithm fails.
pub fn themes_of_day(
    day: DayRows<'_>,
    config: &ValidConfig,
) -> Result<(Clustering, Vec<CohesionParts>), ClusterError> {
    themes_of_day_with(day, &Gram::new(day.vectors), config)
}

/// Returns themes like [`themes_of_day`], with cosines that are already computed.
pub(crate) fn themes_of_day_with(
    day: DayRows<'_>,
    gram: &Gram,
    config: &ValidConfig,
) -> Result<(Clustering, Vec<CohesionParts>), ClusterError> {
    let (clustering, proximity) = cluster_with(day.points()?, gram, None, config)?;
    let themes = clustering.into_themes(&proximity, day.importances, config);
    let parts = cohesion_with(day, &proximity, &themes);
    Ok((themes, parts))
}

/// Returns the parts of each cluster's cohesion; the night's cohesion is their mean by the weights of the
/// configuration.
///
/// # Errors
/// [`ClusterError`] if the fields of `day` differ in length, or its dimensions cannot be reduced.
///
/// # Panics
/// Panics if a cluster contains a row that does not exist.
pub fn cohesion(
    day: DayRows<'_>,
    clustering: &Clustering,
    config: &ClusterConfig,
) -> Result<Vec<CohesionParts>, ClusterError> {
    let gram = Gram::new(day.vectors);
    Ok(cohesion_with(day, &day.points()?.proximity(&gram, config)?, clustering))
}

fn cohesion_with(day: DayRows<'_>, proximity: &Proximity<'_>, clustering: &Clustering) -> Vec<CohesionParts> {
    let labels = clustering.cluster_of(proximity.len());
    let sums = Sums::new(proximity, labels.iter().copied(), clustering.clusters.len());
    let silhouettes = silhouette::rows(&sums, &labels);
    let span = span(day.times);
    clustering
        .clusters
        .iter()
        .enumerate()
        .map(|(c, members)| CohesionParts {
            proximity: mean_pairwise_proximity(&sums, c),
            inverse_variance: inverse_variance(day.vectors, members),
            silhouette: mean(members.iter().map(|&i| silhouettes[i].unwrap_or(0.0))),
            importance: mean(members.iter().map(|&i| f64::from(day.importances[i].get()) / 10.0)),
            temporal: temporal_closeness(members.iter().map(|&i| day.times[i].seconds()).collect(), span),
            emotion: mean(members.iter().map(|&i| day.intensities[i])),
        })
        .collect()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1);
    values.sum::<f64>() / n as f64
}

/// Returns the mean proximity over all pairs of a cluster's members, −1 to 1; 0 for a cluster of fewer than two
/// members. The sum over all pairs is already known.
fn mean_pairwise_proximity(sums: &Sums, cluster: usize) -> f64 {
    let n = sums.size(cluster) as f64;
    if n < 2.0 { 0.0 } else { (sums.within(cluster) - n) / (n * (n - 1.0)) }
}

/// Returns the narrowness of a Gaussian with one variance per dimension, 0 to 1: the mean of 1 / (1 + d σ²)
/// over the `d` dimensions. Random directions have a variance of 1/d and score one half; equal vectors score
/// 1; a cluster of fewer than two members scores 0.
fn inverse_variance(vectors: &Vectors, members: &[usize]) -> f64 {
    let (n, d) = (members.len(), vectors.dimensions());
    if n < 2 {
        return 0.0;
    }
    let mut means = vec![0.0; d];
    let mut squares = vec![0.0; d];
    for &i in members {
        for ((mean, square), &x) in means.iter_mut().zip(&mut squares).zip(vectors.row(i)) {
            let x = f64::from(x);
            *mean += x / n as f64;
            *square += x * x;
        }
    }
    let narrowness = means.iter().zip(&squares).map(|(mean, square)| {
        let variance = ((square - n as f64 * mean * mean) / (n - 1) as f64).max(0.0);
        1.0 / (1.0 + d as f64 * variance)
    });
    narrowness.sum::<f64>() / d as f64
}

/// Returns one minus the mean gap between any two times as a share of the whole day's span; 0 for a cluster
/// of fewer than two members.
fn temporal_closeness(mut seconds: Vec<i64>, span: f64) -> f64 {
    let n = seconds.len();
    if n < 2 {
        return 0.0;
    }
    if span == 0.0 {
        return 1.0;
    }
    seconds.sort_unstable();
    // The k-th gap between neighbours lies between k times n − k pairs.
    let between = seconds.windows(2).zip(1..).map(|(w, k)| w[1].abs_diff(w[0]) as f64 * (k * (n - k)) as f64);
    1.0 - between.sum::<f64>() / (n * (n - 1) / 2) as f64 / span
}

fn span(times: &[GameTime]) -> f64 {
    let seconds = || times.iter().map(|t| t.seconds());
    match (seconds().min(), seconds().max()) {
        (Some(first), Some(last)) => last.abs_diff(first) as f64,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Vectors;

    use super::*;

    fn day_of<'a>(vectors: &'a Vectors, times: &'a [GameTime], felt: &'a [f64]) -> DayRows<'a> {
        const FIVES: [Importance; 4] = [Importance::DEFAULT; 4];
        const NO_WORDS: [&[String]; 4] = [&[]; 4];
        let n = vectors.len();
        DayRows { vectors, words: &NO_WORDS[..n], times, importances: &FIVES[..n], intensities: felt }
    }

    fn cosines() -> ClusterConfig {
        ClusterConfig::default().with(|c| c.words_weight = 0.0)
    }

    fn one_cluster(n: usize) -> Clustering {
        Clustering { clusters: vec![(0..n).collect()], loose: Vec::new(), silhouette: None }
    }

    fn at(seconds: i64) -> GameTime {
        GameTime::from_seconds(seconds).unwrap()
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    #[test]
    fn every_part_matches_its_definition() {
        let mut vectors = Vectors::with_capacity(2, 3);
        let rows = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]];
        rows.iter().for_each(|r| vectors.push(r).unwrap());
        let times = [0, 100, 400].map(at);
        let felt = [0.0, 0.3, 0.9];
        let parts = cohesion(day_of(&vectors, &times, &felt), &one_cluster(3), &cosines()).unwrap()[0];
        // (‖Σv‖² − n) / (n (n − 1))
        let sum = rows.iter().fold([0.0; 2], |s, r| [s[0] + f64::from(r[0]), s[1] + f64::from(r[1])]);
        let closed = (sum[0] * sum[0] + sum[1] * sum[1] - 3.0) / 6.0;
        assert!(near(parts.proximity, closed), "{parts:?} {closed}");
        // Variances of (1, 0.6, 0) and (0, 0.8, 1): 0.25333 and 0.28.
        let narrow = f64::midpoint(1.0 / (1.0 + 2.0 * 0.253_333_333), 1.0 / (1.0 + 2.0 * 0.28));
        assert!(near(parts.inverse_variance, narrow), "{parts:?}");
        // Gaps of 100, 300 and 400 in a day of 400.
        assert!(near(parts.temporal, 1.0 - 800.0 / 3.0 / 400.0), "{parts:?}");
        assert!(near(parts.emotion, 0.4) && near(parts.importance, 0.5) && near(parts.silhouette, 0.0));
    }

    #[test]
    fn single_memory_has_no_cohesion() {
        let mut vectors = Vectors::with_capacity(2, 1);
        vectors.push(&[1.0, 0.0]).unwrap();
        let parts = cohesion(day_of(&vectors, &[at(5)], &[0.0]), &one_cluster(1), &cosines()).unwrap()[0];
        assert!(near(parts.proximity, 0.0) && near(parts.inverse_variance, 0.0) && near(parts.temporal, 0.0));
    }
}
