//! How well a partition separates: the silhouette (Rousseeuw 1987) with cosine distance.

use crate::gram::Gram;

/// The mean silhouette of all rows, −1 to 1. Rows alone in their cluster count 0, as in the paper; fewer than two
/// clusters give −1, so that any real partition is better.
pub(super) fn mean(gram: &Gram, labels: &[usize]) -> f64 {
    let k = labels.iter().max().map_or(0, |m| m + 1);
    let mut sizes = vec![0_usize; k];
    labels.iter().for_each(|&l| sizes[l] += 1);
    if sizes.iter().filter(|&&s| s > 0).count() < 2 {
        return -1.0;
    }
    let mut total = 0.0;
    let mut distances = vec![0.0_f64; k];
    for (i, &own) in labels.iter().enumerate() {
        if sizes[own] == 1 {
            continue;
        }
        distances.fill(0.0);
        for (j, &cosine) in gram.row(i).iter().enumerate() {
            if i != j {
                distances[labels[j]] += f64::from(1.0 - cosine);
            }
        }
        let inside = distances[own] / (sizes[own] - 1) as f64;
        let outside = (0..k)
            .filter(|&c| c != own && sizes[c] > 0)
            .map(|c| distances[c] / sizes[c] as f64)
            .fold(f64::INFINITY, f64::min);
        let widest = inside.max(outside);
        if widest > 0.0 {
            total += (outside - inside) / widest;
        }
    }
    total / labels.len() as f64
}
