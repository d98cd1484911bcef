//! Pairwise proximity of memories, shared by all clustering algorithms.

use std::{borrow::Cow, collections::BTreeMap};

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

    /// Blends the words that two texts share into each proximity with a share of `weight`: the cosine of their words,
    /// each weighted by its rarity among the texts (Spärck Jones 1972). `words` are the different words of each text, sorted.
    pub(super) fn blend_words(&mut self, words: &[&[String]], weight: f64) {
        let mut texts_with: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (text, words) in words.iter().enumerate() {
            words.iter().for_each(|word| texts_with.entry(word).or_default().push(text));
        }
        let rarity = |texts: &[usize]| (1.0 + self.n as f64 / texts.len() as f64).ln().powi(2);
        // Each text's words, sorted, with their rarity and all texts that have them.
        let mut postings: Vec<Vec<(f64, &[usize])>> = vec![Vec::new(); self.n];
        for texts in texts_with.values() {
            texts.iter().for_each(|&text| postings[text].push((rarity(texts), texts)));
        }
        let lengths: Vec<f64> =
            postings.iter().map(|text| text.iter().map(|(rarity, _)| rarity).sum::<f64>().sqrt()).collect();
        let mut shared = vec![0.0; self.n];
        for (i, row) in self.values.to_mut().chunks_exact_mut(self.n.max(1)).enumerate() {
            shared.fill(0.0);
            for (rarity, texts) in &postings[i] {
                texts.iter().for_each(|&text| shared[text] += rarity);
            }
            for (j, value) in row.iter_mut().enumerate() {
                // Texts without any words share none, but for each with itself.
                let cosine = match lengths[i] * lengths[j] {
                    _ if i == j => 1.0,
                    0.0 => 0.0,
                    lengths => shared[j] / lengths,
                };
                *value = ((1.0 - weight) * f64::from(*value) + weight * cosine) as f32;
            }
        }
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
        for (i, row) in self.values.to_mut().chunks_exact_mut(self.n.max(1)).enumerate() {
            for (value, other) in row.iter_mut().zip(times) {
                let gap = times[i].seconds().abs_diff(other.seconds()) as f64 / span;
                *value = ((1.0 - weight) * f64::from(*value) + weight * (1.0 - gap)) as f32;
            }
        }
    }

    /// Returns the summed proximity of each of some rows to the others, in their order.
    pub(crate) fn sums_within(&self, rows: &[usize]) -> Vec<f64> {
        let to_others = |&row: &usize| rows.iter().filter(move |&&other| other != row);
        rows.iter().map(|row| to_others(row).map(|&other| self.between(*row, other)).sum()).collect()
    }

    /// Returns the proximity of two rows.
    pub(crate) fn between(&self, i: usize, j: usize) -> f64 {
        f64::from(self.values[i * self.n + j])
    }

    /// Returns the same proximities with the rows in another order.
    pub(in crate::cluster) fn reordered(&self, order: &[usize]) -> Proximity<'static> {
        let row = |&i: &usize| order.iter().map(move |&j| self.row(i)[j]);
        Proximity { n: order.len(), values: order.iter().flat_map(row).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Proximities of row `i` to all rows, itself included.
    pub(crate) fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// Returns half the squared distance, which is the cosine distance unless words or times are blended in.
    pub(crate) fn distance(&self, i: usize, j: usize) -> f32 {
        (1.0 - self.values[i * self.n + j]).max(0.0)
    }
}
