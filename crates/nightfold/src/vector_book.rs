//! Cache of text vectors and grammars, so that every distinct text of a run is embedded only once.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use nightfold_memory::{Embedded, Embedder, Grammar, Vectors};

use crate::{Observer, RunError};

/// Maximum number of texts handed to the embedder at once: between two calls a run can be given up.
pub(crate) const EMBED_WINDOW: usize = 1024;

/// Row of a text's vector, and its grammar; `truncated` is true if the model read only the text's beginning.
struct CachedVector {
    row: usize,
    truncated: bool,
    grammar: Option<Grammar>,
}

/// Cache of the vectors and grammars of a run's texts.
pub(crate) struct VectorBook<'a> {
    embedder: &'a dyn Embedder,
    observer: &'a dyn Observer,
    /// Number of texts above which the cache is emptied.
    max_texts: usize,
    rows: Vectors,
    by_text: BTreeMap<String, CachedVector>,
}

impl<'a> VectorBook<'a> {
    pub(crate) fn new(embedder: &'a dyn Embedder, observer: &'a dyn Observer, max_texts: usize) -> Self {
        let rows = Vectors::with_capacity(embedder.dimensions(), 0);
        Self { embedder, observer, max_texts, rows, by_text: BTreeMap::new() }
    }

    /// Embeds those of the texts that are not in the cache.
    pub(crate) fn embed_missing<'t>(&mut self, texts: impl Iterator<Item = &'t str>) -> Result<(), RunError> {
        if self.by_text.len() > self.max_texts {
            self.by_text.clear();
            self.rows = Vectors::with_capacity(self.embedder.dimensions(), 0);
        }
        let new: BTreeSet<&str> = texts.filter(|t| !self.by_text.contains_key(*t)).collect();
        let mut new: Vec<&str> = new.into_iter().collect();
        // Texts of about one length make full batches.
        new.sort_by_key(|text| Reverse(text.len()));
        for chunk in new.chunks(EMBED_WINDOW) {
            if self.observer.is_abandoned() {
                return Err(RunError::Abandoned);
            }
            let embedded = self.embedder.embed(chunk)?;
            let read = embedded.truncated.into_iter().zip(embedded.grammar);
            for ((text, vector), (truncated, grammar)) in chunk.iter().zip(embedded.vectors.rows()).zip(read)
            {
                let row = self.rows.len();
                self.rows.push(vector)?;
                self.by_text.insert((*text).to_owned(), CachedVector { row, truncated, grammar });
            }
            self.observer.on_embedded(chunk.len());
        }
        Ok(())
    }

    /// Returns the vectors and grammars of texts in the cache, in the order of `texts`.
    pub(crate) fn of(&self, texts: &[&str]) -> Result<Embedded, RunError> {
        let mut embedded = Embedded {
            vectors: Vectors::with_capacity(self.embedder.dimensions(), texts.len()),
            truncated: Vec::with_capacity(texts.len()),
            grammar: Vec::with_capacity(texts.len()),
        };
        for known in texts.iter().filter_map(|t| self.by_text.get(*t)) {
            embedded.vectors.push(self.rows.row(known.row))?;
            embedded.truncated.push(known.truncated);
            embedded.grammar.push(known.grammar.clone());
        }
        Ok(embedded)
    }
}
