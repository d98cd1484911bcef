//! Principal components (Pearson 1901), computed from the smaller of two matrices: that of the memories or
//! that of the dimensions.

use linfa_linalg::{
    LinalgError,
    eigh::{EigSort, Eigh},
};
use ndarray::Array2;
use nightfold_memory::Vectors;

use super::Proximity;
use crate::gram::Gram;

/// Computes the proximities of the rows in their first `dimensions` principal components.
pub(super) fn proximity(
    vectors: &Vectors,
    gram: &Gram,
    dimensions: usize,
) -> Result<Proximity<'static>, LinalgError> {
    let (n, d) = (vectors.len(), vectors.dimensions());
    let points = if n <= d { by_memories(gram, dimensions)? } else { by_dimensions(vectors, dimensions)? };
    Ok(Proximity::of_points(&points, n, dimensions))
}

/// Computes the coordinates from the `n × n` cosines: each eigenvector of their double-centred form, times
/// the root of its eigenvalue, holds the coordinates of all rows along one component.
fn by_memories(gram: &Gram, dimensions: usize) -> Result<Vec<f32>, LinalgError> {
    let n = gram.len();
    let means: Vec<f64> =
        (0..n).map(|i| gram.row(i).iter().map(|&x| f64::from(x)).sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    let centred =
        Array2::from_shape_fn((n, n), |(i, j)| f64::from(gram.cosine(i, j)) - means[i] - means[j] + mean);
    let (values, components) = centred.eigh()?.sort_eig_desc();
    let mut points = Vec::with_capacity(n * dimensions);
    for i in 0..n {
        points.extend((0..dimensions).map(|c| (components[(i, c)] * values[c].max(0.0).sqrt()) as f32));
    }
    Ok(points)
}

/// Computes the coordinates from the `d × d` covariances: the rows are projected onto the eigenvectors.
fn by_dimensions(vectors: &Vectors, dimensions: usize) -> Result<Vec<f32>, LinalgError> {
    let (n, d) = (vectors.len(), vectors.dimensions());
    let rows = Array2::from_shape_fn((n, d), |(i, j)| f64::from(vectors.row(i)[j]));
    let mut means = vec![0.0; d];
    for row in vectors.rows() {
        means.iter_mut().zip(row).for_each(|(m, &x)| *m += f64::from(x) / n as f64);
    }
    let centred = Array2::from_shape_fn((n, d), |(i, j)| rows[(i, j)] - means[j]);
    // Written out, because a library's matrix product may add in a different order on another machine.
    let mut covariance = Array2::<f64>::zeros((d, d));
    for row in centred.rows() {
        for a in 0..d {
            for b in 0..=a {
                covariance[(a, b)] += row[a] * row[b];
            }
        }
    }
    for a in 0..d {
        for b in 0..a {
            covariance[(b, a)] = covariance[(a, b)];
        }
    }
    let (_, components): (_, Array2<f64>) = covariance.eigh()?.sort_eig_desc();
    let mut points = Vec::with_capacity(n * dimensions);
    for row in centred.rows() {
        points.extend(
            (0..dimensions)
                .map(|c| row.iter().zip(components.column(c)).map(|(x, y)| x * y).sum::<f64>() as f32),
        );
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_components_preserve_distances_with_either_matrix() {
        // Fewer rows than dimensions, and more; n − 1 components describe `n` rows completely.
        for (n, all) in [(5_u8, 4), (9, 6)] {
            let mut rows = Vectors::with_capacity(6, usize::from(n));
            for i in 0..n {
                let x = f32::from(i);
                let row = [x.sin(), (2.0 * x).cos(), (0.5 * x).sin(), 1.0, (3.0 * x).sin(), x.cos()];
                let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
                rows.push(&row.map(|x| x / length)).unwrap();
            }
            let gram = Gram::new(&rows);
            let full = proximity(&rows, &gram, all).unwrap();
            let fewer = proximity(&rows, &gram, 2).unwrap();
            for i in 0..usize::from(n) {
                for j in 0..usize::from(n) {
                    let (near, cosine) = (full.row(i)[j], gram.cosine(i, j));
                    assert!((near - cosine).abs() < 1e-4, "{n}: {near} {cosine}");
                    // A projection never increases a distance.
                    assert!(fewer.row(i)[j] > cosine - 1e-4);
                }
            }
        }
    }
}
