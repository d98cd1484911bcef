//! The pairwise cosines of a day, computed once and shared by silhouette, cohesion and grouping.

use nightfold_memory::Vectors;
use serde::{Deserialize, Serialize};

/// Returns the dot product, with a fixed order of additions so that the result is bit-identical on every
/// machine.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    for (x, y) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum::<f32>()
}

/// Cosine above which two rows are checked for equality.
const NEARLY_EQUAL: f32 = 0.999;

/// Returns the cosine of two unit vectors; exactly 1 for equal vectors, even if rounding put their length
/// off.
fn row_cosine(a: &[f32], b: &[f32]) -> f32 {
    let cosine = dot(a, b).clamp(-1.0, 1.0);
    if cosine > NEARLY_EQUAL && a == b { 1.0 } else { cosine }
}

/// Matrix of the `n × n` cosines of `n` unit vectors, with ones on the diagonal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Gram {
    n: usize,
    cosines: Vec<f32>,
}

impl Gram {
    pub(crate) fn new(vectors: &Vectors) -> Self {
        let n = vectors.len();
        let mut cosines = vec![1.0; n * n];
        for i in 0..n {
            for j in 0..i {
                let cosine = row_cosine(vectors.row(i), vectors.row(j));
                cosines[i * n + j] = cosine;
                cosines[j * n + i] = cosine;
            }
        }
        Self { n, cosines }
    }

    /// Returns the same cosines with the rows in another order.
    pub(crate) fn reordered(&self, order: &[usize]) -> Self {
        let mut cosines = Vec::with_capacity(order.len() * order.len());
        for &i in order {
            let row = self.row(i);
            cosines.extend(order.iter().map(|&j| row[j]));
        }
        Self { n: order.len(), cosines }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// All cosines, row after row.
    pub(crate) fn as_slice(&self) -> &[f32] {
        &self.cosines
    }

    /// Cosines of row `i` to every row, itself included.
    pub(crate) fn row(&self, i: usize) -> &[f32] {
        &self.cosines[i * self.n..(i + 1) * self.n]
    }

    pub(crate) fn cosine(&self, i: usize, j: usize) -> f32 {
        self.cosines[i * self.n + j]
    }

    /// Cosine of row `i` to the closest other row; `None` if there is no other.
    pub(crate) fn nearest(&self, i: usize) -> Option<f32> {
        let row = self.row(i);
        (0..self.n).filter(|&j| j != i).map(|j| row[j]).max_by(f32::total_cmp)
    }
}
