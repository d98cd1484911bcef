//! The pairwise cosines of a day, computed once and shared by silhouette, cohesion and grouping.

use nightfold_memory::Vectors;
use serde::{Deserialize, Serialize};

/// Dot product with a fixed order of additions, so that it is the same to the bit wherever it is computed.
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

/// From this cosine on two rows may be the very same.
const ALIKE: f32 = 0.999;

/// The cosine of two unit vectors. Of equal ones it is 1, however far rounding put their length off.
fn of_rows(a: &[f32], b: &[f32]) -> f32 {
    let cosine = dot(a, b).clamp(-1.0, 1.0);
    if cosine > ALIKE && a == b { 1.0 } else { cosine }
}

/// `n × n` cosines of `n` unit vectors, with ones on the diagonal.
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
                let cosine = of_rows(vectors.row(i), vectors.row(j));
                cosines[i * n + j] = cosine;
                cosines[j * n + i] = cosine;
            }
        }
        Self { n, cosines }
    }

    /// The same cosines with the rows in another order.
    pub(crate) fn reordered(&self, order: &[usize]) -> Self {
        let mut cosines = Vec::with_capacity(order.len() * order.len());
        for &i in order {
            let row = self.row(i);
            cosines.extend(order.iter().map(|&j| row[j]));
        }
        Self { n: order.len(), cosines }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Row after row.
    pub(crate) fn as_slice(&self) -> &[f32] {
        &self.cosines
    }

    /// The cosines of row `i` to all others.
    pub(crate) fn row(&self, i: usize) -> &[f32] {
        &self.cosines[i * self.n..(i + 1) * self.n]
    }

    pub(crate) fn cosine(&self, i: usize, j: usize) -> f32 {
        self.cosines[i * self.n + j]
    }

    /// The closest other row of `i`, if there is any.
    pub(crate) fn nearest(&self, i: usize) -> Option<f32> {
        let row = self.row(i);
        (0..self.n).filter(|&j| j != i).map(|j| row[j]).max_by(f32::total_cmp)
    }
}
