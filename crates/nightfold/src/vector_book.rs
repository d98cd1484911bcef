//! Cache of text vectors, so that every distinct text of a run is embedded only once.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Embedder, Vectors};

use crate::{Observer, RunError};

/// Row of a text's vector; `truncated` is true if the model read only the text's beginning.
struct CachedVector {
    row: usize,
    truncated: bool,
}

/// Cache of the vectors of a run's texts.
pub(crate) struct VectorBook<'a> {
    embedder: &'a dyn Embedder,
    observer: &'a dyn Observer,
    /// Maximum number of texts per call of the embedder.
    window: usize,
    /// Number of texts above which the cache is emptied.
    max_texts: usize,
    rows: Vectors,
    by_text: BTreeMap<String, CachedVector>,
}

impl<'a> VectorBook<'a> {
    pub(crate) fn new(
        embedder: &'a dyn Embedder,
        observer: &'a dyn Observer,
        window: usize,
        max_texts: usize,
    ) -> Self {
        let rows = Vectors::with_capacity(embedder.dimensions(), 0);
        Self { embedder, observer, window, max_texts, rows, by_text: BTreeMap::new() }
    }

    /// Embeds those of the texts that are not in the cache.
    pub(crate) fn embed_missing<'t>(&mut self, texts: impl Iterator<Item = &'t str>) -> Result<(), RunError> {
        if self.by_text.len() > self.max_texts {
            self.by_text.clear();
            self.rows = Vectors::with_capacity(self.embedder.dimensions(), 0);
        }
        let new: BTreeSet<&str> = texts.filter(|t| !self.by_text.contains_key(*t)).collect();
        let new: Vec<&str> = new.into_iter().collect();
        for chunk in new.chunks(self.window) {
            let embedded = self.embedder.embed(chunk)?;
            for ((text, vector), truncated) in
                chunk.iter().zip(embedded.vectors.rows()).zip(embedded.truncated)
            {
                let row = self.rows.len();
                self.rows.push(vector)?;
                self.by_text.insert((*text).to_owned(), CachedVector { row, truncated });
            }
            self.observer.on_embedded(chunk.len());
        }
        Ok(())
    }

    /// Returns the vectors of texts in the cache, in the order of `texts`, each with a flag that is true if the text
    /// was truncated.
    pub(crate) fn of(&self, texts: &[&str]) -> Result<(Vectors, Vec<bool>), RunError> {
        let mut vectors = Vectors::with_capacity(self.embedder.dimensions(), texts.len());
        let mut truncated = Vec::with_capacity(texts.len());
        for known in texts.iter().filter_map(|t| self.by_text.get(*t)) {
            vectors.push(self.rows.row(known.row))?;
            truncated.push(known.truncated);
        }
        Ok((vectors, truncated))
    }
}
