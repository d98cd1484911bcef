//! How well rows sit in their clusters: the silhouette (Rousseeuw 1987).

use super::Sums;

/// For each row its silhouette, −1 to 1, by half squared distances: cosine distance where nothing is blended in. Alone
/// in its cluster a row counts 0, as in the paper; a loose row, and every row while there is but one cluster, has none.
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
        // Summed distance is size less summed proximity; to itself a row has neither.
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

/// The mean of those rows that have one.
pub(crate) fn mean(rows: &[Option<f64>]) -> Option<f64> {
    let scores: Vec<f64> = rows.iter().flatten().copied().collect();
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}
