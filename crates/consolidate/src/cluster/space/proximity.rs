//! Pairwise proximity of memories, shared by all clustering algorithms.

use std::borrow::Cow;

use nightfold_memory::GameTime;

use crate::gram::Gram;

/// Matrix of `n × n` proximities, 1 on the diagonal. Half the squared distance of two rows is one minus their
/// proximity, as for the cosine of unit vectors. Anything blended in must keep it a squared Euclidean
/// distance, or k-means would not be valid.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Proximity<'a> {
    n: usize,
    values: Cow<'a, [f32]>,
}

impl<'a> Proximity<'a> {
    /// Uses the cosines as proximities.
    pub(crate) fn of(gram: &'a Gram) -> Self {
        Self { n: gram.len(), values: Cow::Borrowed(gram.as_slice()) }
    }

    /// Computes the proximities of points of any length as one minus half the squared distance.
    pub(super) fn of_points(points: &[f32], n: usize, dimensions: usize) -> Self {
        let mut values = vec![1.0; n * n];
        let row = |i: usize| &points[i * dimensions..(i + 1) * dimensions];
        for i in 0..n {
            for j in 0..i {
                let squared: f32 = row(i).iter().zip(row(j)).map(|(x, y)| (x - y) * (x - y)).sum();
                let value = 1.0 - squared / 2.0;
                values[i * n + j] = value;
                values[j * n + i] = value;
            }
        }
        Self { n, values: Cow::Owned(values) }
    }

    /// Blends the gap in time into each distance with a share of `weight`: it adds nothing at the same moment
    /// and `weight` between the first and the last moment of the day.
    ///
    /// The gap itself is a squared Euclidean distance (that of Brownian paths); its square root is the
    /// distance.
    pub(super) fn blend_times(&mut self, times: &[GameTime], weight: f64) {
        let seconds = || times.iter().map(|t| t.seconds());
        let (Some(first), Some(last)) = (seconds().min(), seconds().max()) else { return };
        let span = last.abs_diff(first) as f64;
        if span == 0.0 {
            return;
        }
        for (i, row) in self.values.to_mut().chunks_exact_mut(self.n).enumerate() {
            for (value, other) in row.iter_mut().zip(times) {
                let gap = times[i].seconds().abs_diff(other.seconds()) as f64 / span;
                *value = ((1.0 - weight) * f64::from(*value) + weight * (1.0 - gap)) as f32;
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Proximities of row `i` to all rows, itself included.
    pub(crate) fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// Returns half the squared distance, which is the cosine distance unless times are blended in.
    pub(crate) fn distance(&self, i: usize, j: usize) -> f32 {
        (1.0 - self.values[i * self.n + j]).max(0.0)
    }
}
