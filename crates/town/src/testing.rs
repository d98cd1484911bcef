//! An embedder for examples and tests, of letters: no model is needed.

use nightfold_ecs::memory::{Embedded, Embedder, EmbedderError, ModelId, Vectors};

/// Embedder that counts pairs of letters. Texts with the same words are close; it knows no meaning.
#[derive(Debug)]
pub struct Letters(ModelId);

/// Numbers of a vector of [`Letters`].
const DIMENSIONS: usize = 64;

impl Letters {
    /// Creates the embedder.
    #[expect(clippy::new_without_default, reason = "it opens nothing, but says what it makes")]
    pub fn new() -> Self {
        Self("letters@1".parse().unwrap_or_else(|_| unreachable!("the name is valid")))
    }

    /// Returns the vector of a text.
    pub fn vector(text: &str) -> Vec<f32> {
        let mut row = vec![1e-3_f32; DIMENSIONS];
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let word = word.to_lowercase();
            let bytes = word.as_bytes();
            for pair in bytes.windows(2) {
                row[(usize::from(pair[0]) * 31 + usize::from(pair[1])) % DIMENSIONS] += 1.0;
            }
            row[bytes.iter().map(|b| usize::from(*b)).sum::<usize>() % DIMENSIONS] += 2.0;
        }
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        row.iter_mut().for_each(|x| *x /= length);
        row
    }
}

impl Embedder for Letters {
    fn model(&self) -> &ModelId {
        &self.0
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        let mut vectors = Vectors::with_capacity(DIMENSIONS, texts.len());
        for text in texts {
            vectors.push(&Self::vector(text)).map_err(|error| EmbedderError::Run(error.into()))?;
        }
        Ok(Embedded::without_grammar(vectors, vec![false; texts.len()]))
    }
}
