//! An embedder for many runs over the same texts.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use nightfold_memory::{Embedded, Embedder, EmbedderError, ModelId, Vector, Vectors};

/// An embedder that embeds a text once, however many runs ask for it. Nothing is ever forgotten.
#[derive(Debug)]
pub struct Remembering<E> {
    inner: E,
    known: Mutex<BTreeMap<String, (Vector, bool)>>,
}

impl<E: Embedder> Remembering<E> {
    /// Remembers what this embedder says.
    pub fn new(inner: E) -> Self {
        Self { inner, known: Mutex::new(BTreeMap::new()) }
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, (Vector, bool)>> {
        // What a thread that panicked left behind is whole: entries go in one by one.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<E: Embedder> Embedder for Remembering<E> {
    fn model(&self) -> &ModelId {
        self.inner.model()
    }

    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        let new: Vec<&str> = {
            let known = self.known();
            texts.iter().copied().filter(|text| !known.contains_key(*text)).collect()
        };
        if !new.is_empty() {
            // Not while the book is held: runs beside this one look things up meanwhile.
            let embedded = self.inner.embed(&new)?;
            let mut known = self.known();
            for (i, (text, truncated)) in new.into_iter().zip(embedded.truncated).enumerate() {
                known.insert(text.to_owned(), (embedded.vectors.vector(i), truncated));
            }
        }
        let known = self.known();
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
