//! Silhouette of rows in their clusters (Rousseeuw 1987).

use super::{Proximity, Sums};

/// Returns the silhouette of each row, −1 to 1, from half squared distances, which are cosine distances
/// unless words or times are blended in. A row alone in its cluster scores 0, as in the paper; a loose row has none,
/// nor has any row if there is only one cluster.
pub(crate) fn rows(sums: &Sums, labels: &[Option<usize>]) -> Vec<Option<f64>> {
    let taken: Vec<usize> = (0..sums.clusters()).filter(|&c| sums.size(c) > 0).collect();
    if taken.len() < 2 {
        return vec![None; labels.len()];
    }
    let score = |row: usize, own: usize| {
        let others = sums.size(own) - 1;
        if others == 0 {
            return 0.0;
        }
        // The summed distance is the size minus the summed proximity; a row has distance 0 to itself.
        let inside = (sums.size(own) as f64 - sums.to_row(own, row)) / others as f64;
        let outside = taken
            .iter()
            .filter(|&&c| c != own)
            .map(|&c| 1.0 - sums.to_row(c, row) / sums.size(c) as f64)
            .fold(f64::INFINITY, f64::min);
        let widest = inside.max(outside);
        if widest > 0.0 { (outside - inside) / widest } else { 0.0 }
    };
    labels.iter().enumerate().map(|(row, label)| label.map(|own| score(row, own))).collect()
}

/// Returns the mean over the rows that have a silhouette.
pub(crate) fn mean(rows: &[Option<f64>]) -> Option<f64> {
    let scores: Vec<f64> = rows.iter().flatten().copied().collect();
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}

/// Returns the mean silhouette of the rows in clusters of at least `min_size`; `None` if there are fewer than
/// two such clusters.
pub(super) fn of_clusters(
    proximity: &Proximity<'_>,
    labels: &[Option<usize>],
    min_size: usize,
) -> Option<f64> {
    let clusters = labels.iter().flatten().max().map_or(0, |most| most + 1);
    let mut sizes = vec![0; clusters];
    labels.iter().flatten().for_each(|&label| sizes[label] += 1);
    let labels: Vec<Option<usize>> = labels.iter().map(|l| l.filter(|&l| sizes[l] >= min_size)).collect();
    let sums = Sums::new(proximity, labels.iter().copied(), clusters);
    mean(&rows(&sums, &labels))
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Vectors;
    use proptest::prelude::*;

    use super::*;
    use crate::gram::Gram;

    /// Computes the silhouette by its definition: a is the mean distance to the other members of the own
    /// cluster, b the lowest mean distance to another cluster.
    fn by_definition(proximity: &Proximity<'_>, labels: &[usize], row: usize) -> f64 {
        let mean_to = |cluster: usize| {
            let others: Vec<usize> =
                (0..labels.len()).filter(|&j| j != row && labels[j] == cluster).collect();
            let sum: f64 = others.iter().map(|&j| f64::from(proximity.distance(row, j))).sum();
            (!others.is_empty()).then(|| sum / others.len() as f64)
        };
        let Some(inside) = mean_to(labels[row]) else { return 0.0 };
        let outside = (0..4).filter(|&c| c != labels[row]).filter_map(mean_to).fold(f64::INFINITY, f64::min);
        (outside - inside) / inside.max(outside)
    }

    proptest! {
        #[test]
        fn silhouette_matches_its_definition(
            angles in prop::collection::vec((0.0..6.2_f32, 0..4_usize), 3..20),
        ) {
            let labels: Vec<usize> = angles.iter().map(|(_, l)| *l).collect();
            prop_assume!(labels.iter().any(|l| *l != labels[0]));
            let mut vectors = Vectors::with_capacity(2, angles.len());
            angles.iter().for_each(|(a, _)| vectors.push(&[a.cos(), a.sin()]).unwrap());
            let gram = Gram::new(&vectors);
            let proximity = Proximity::of(&gram);
            let some: Vec<Option<usize>> = labels.iter().map(|&l| Some(l)).collect();
            let found = rows(&Sums::new(&proximity, some.iter().copied(), 4), &some);
            for row in 0..labels.len() {
                let (found, defined) = (found[row].unwrap(), by_definition(&proximity, &labels, row));
                prop_assert!((found - defined).abs() < 1e-4 || defined.is_nan(), "{found} {defined}");
            }
        }
    }
}
