//! Space in which clusters are computed: cosine, unless the configuration blends in time or reduces
//! dimensions.

mod pca;
mod proximity;

pub(crate) use proximity::Proximity;

use nightfold_memory::{GameTime, Vectors, config::ClusterConfig, config::Reduce};

use super::ClusterError;
use crate::gram::Gram;

/// Points to cluster: vectors with optional words and game times.
#[derive(Debug, Clone, Copy)]
pub struct Points<'a> {
    vectors: &'a Vectors,
    words: Option<&'a [&'a [String]]>,
    times: Option<&'a [GameTime]>,
}

impl<'a> Points<'a> {
    /// Wraps `n × d` unit vectors.
    pub fn new(vectors: &'a Vectors) -> Self {
        Self { vectors, words: None, times: None }
    }

    /// Adds the different words of each text, sorted; `cluster.words_weight` blends those that two texts share into their
    /// proximity.
    ///
    /// # Errors
    /// [`ClusterError`] if the number of texts differs from the number of vectors.
    pub fn with_words(self, words: &'a [&'a [String]]) -> Result<Self, ClusterError> {
        self.check_number("texts", words.len())?;
        Ok(Self { words: Some(words), ..self })
    }

    /// Adds the game time of each vector; `cluster.time_weight` blends the gaps into the distances.
    ///
    /// # Errors
    /// [`ClusterError`] if the number of times differs from the number of vectors.
    pub fn with_times(self, times: &'a [GameTime]) -> Result<Self, ClusterError> {
        self.check_number("times", times.len())?;
        Ok(Self { times: Some(times), ..self })
    }

    fn check_number(&self, of: &'static str, given: usize) -> Result<(), ClusterError> {
        let expected = self.vectors.len();
        if given == expected { Ok(()) } else { Err(ClusterError::NumberMismatch { of, expected, given }) }
    }

    /// Returns the same points in another order.
    pub(super) fn reordered(&self, order: &[usize]) -> OwnedPoints<'a> {
        OwnedPoints {
            vectors: self.vectors.pick(order),
            words: self.words.map(|words| order.iter().map(|&row| words[row]).collect()),
            times: self.times.map(|times| order.iter().map(|&row| times[row]).collect()),
        }
    }

    pub(super) fn vectors(&self) -> &'a Vectors {
        self.vectors
    }

    pub(super) fn len(&self) -> usize {
        self.vectors.len()
    }

    /// Returns the rows in an order that depends only on their content.
    pub(super) fn canonical_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        let rest = |i: usize| (self.times.map(|times| times[i]), self.words.map(|words| words[i]));
        order.sort_by(|&a, &b| {
            let numbers = self.vectors.row(a).iter().zip(self.vectors.row(b));
            numbers.map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or_else(|| rest(a).cmp(&rest(b)))
        });
        order
    }

    /// Computes the proximity of every two rows, in their present order. `gram` holds the cosines of the same
    /// rows.
    pub(crate) fn proximity<'g>(
        &self,
        gram: &'g Gram,
        config: &ClusterConfig,
    ) -> Result<Proximity<'g>, ClusterError> {
        let all = self.vectors.dimensions();
        let dimensions = config.dimensions.min(all);
        let mut proximity = match config.reduce {
            Reduce::Truncate if dimensions < all => truncated(self.vectors, dimensions),
            Reduce::Pca if dimensions < all.min(self.len()) => {
                pca::proximity(self.vectors, gram, dimensions).map_err(ClusterError::Reduce)?
            }
            _ => Proximity::of(gram),
        };
        if let Some(words) = self.words.filter(|_| config.words_weight > 0.0) {
            proximity.blend_words(words, config.words_weight);
        }
        if let Some(times) = self.times.filter(|_| config.time_weight > 0.0) {
            proximity.blend_times(times, config.time_weight);
        }
        Ok(proximity)
    }
}

/// Points that own their data.
pub(super) struct OwnedPoints<'a> {
    vectors: Vectors,
    words: Option<Vec<&'a [String]>>,
    times: Option<Vec<GameTime>>,
}

impl OwnedPoints<'_> {
    pub(super) fn points(&self) -> Points<'_> {
        Points { vectors: &self.vectors, words: self.words.as_deref(), times: self.times.as_deref() }
    }
}

/// Computes the cosines of the first `dimensions` numbers of each vector. This works well only for models
/// trained for it (Matryoshka representations, Kusupati et al. 2022).
fn truncated(vectors: &Vectors, dimensions: usize) -> Proximity<'static> {
    let mut short = Vec::with_capacity(vectors.len() * dimensions);
    for row in vectors.rows() {
        let head = &row[..dimensions];
        let length = head.iter().map(|x| x * x).sum::<f32>().sqrt();
        // A vector whose first numbers are all 0 gets the distance of an unrelated one.
        short.extend(head.iter().map(|x| if length > 0.0 { x / length } else { 0.0 }));
    }
    Proximity::of_points(&short, vectors.len(), dimensions)
}
