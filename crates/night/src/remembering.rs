//! Vectors that are kept, for whoever plans the same days several times.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Mutex, PoisonError},
};

use nightfold_memory::{Embedded, Embedder, EmbedderError, ModelId, Vector, Vectors};

/// An embedder that embeds a text once, however often it is asked. Nothing is ever forgotten.
pub struct Remembering {
    inner: Box<dyn Embedder>,
    known: Mutex<BTreeMap<String, (Vector, bool)>>,
}

impl Remembering {
    /// Remembers what this embedder says.
    pub fn new(inner: Box<dyn Embedder>) -> Self {
        Self { inner, known: Mutex::default() }
    }
}

impl fmt::Debug for Remembering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remembering").field("model", self.inner.model()).finish_non_exhaustive()
    }
}

impl Embedder for Remembering {
    fn model(&self) -> &ModelId {
        self.inner.model()
    }

    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        // What a thread that panicked left behind is whole: entries go in one by one.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<&str> = texts.iter().copied().filter(|t| !known.contains_key(*t)).collect();
        let embedded = self.inner.embed(&new)?;
        for (i, (text, truncated)) in new.into_iter().zip(embedded.truncated).enumerate() {
            known.insert(text.to_owned(), (embedded.vectors.vector(i), truncated));
        }
        let mut vectors = Vectors::with_capacity(self.dimensions(), texts.len());
        let mut truncated = Vec::with_capacity(texts.len());
        for (index, text) in texts.iter().enumerate() {
            let Some((vector, cut)) = known.get(*text) else { continue };
            vectors.push(vector.as_slice()).map_err(|source| EmbedderError::Vector { index, source })?;
            truncated.push(*cut);
        }
        Ok(Embedded { vectors, truncated })
    }
}
