//! Embedder that consults the cache first.

use std::sync::{Mutex, PoisonError};

use nightfold_memory::{Embedded, Embedder, EmbedderError, ModelId, VectorReport, Vectors};

use super::{
    CacheLookup, VectorCache,
    record::{CacheKey, KeyHasher, TextRecord},
};
use crate::distinct::DistinctTexts;

/// Number of texts that are embedded before their vectors are stored: an interrupted run loses at most this
/// many.
const KEPT_AT_ONCE: usize = 1024;

/// Embedder that embeds no text that is cached, and counts the origins of its vectors.
///
/// ```no_run
/// use std::path::Path;
/// use nightfold_embed::{CachedEmbedder, LazyMiniLm, MiniLmOptions, ModelOptions, Models, VectorCache};
/// use nightfold_memory::Embedder;
///
/// let files = Models::new(ModelOptions::from_env()).provide(&|_| {})?;
/// let model = LazyMiniLm::new(files, MiniLmOptions::default());
/// let cache = VectorCache::open(Path::new("vectors.db"), 400_000)?;
/// let made_by = model.made_by();
/// let embedder = CachedEmbedder::new(model, Some(cache), &made_by);
/// embedder.embed(&["I swept the common room"])?;
/// println!("{} embedded", embedder.report().embedded);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CachedEmbedder<E> {
    inner: E,
    cache: Option<VectorCache>,
    keys: KeyHasher,
    report: Mutex<VectorReport>,
}

impl<E: Embedder> CachedEmbedder<E> {
    /// Puts a cache before `inner`; without a cache, vectors are only counted. `made_by` identifies
    /// everything except the model's id that decides the bits of a vector and the grammar: both are shared only
    /// between equal values of `made_by`.
    pub fn new(inner: E, cache: Option<VectorCache>, made_by: &str) -> Self {
        let keys = KeyHasher::new(inner.model().as_str(), inner.dimensions(), made_by);
        Self { inner, cache, keys, report: Mutex::default() }
    }

    /// Returns the number of vectors so far by origin: cached or embedded.
    pub fn report(&self) -> VectorReport {
        *self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cache, if there is one.
    pub fn cache(&self) -> Option<&VectorCache> {
        self.cache.as_ref()
    }

    /// The embedder behind the cache.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    fn count(&self, texts: usize, cached: usize, damaged: usize) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report.texts += texts;
        report.cached += cached;
        report.embedded += texts - cached;
        report.damaged += damaged;
    }

    /// Embeds the texts that have no vector yet, and stores their vectors.
    fn complete(
        &self,
        texts: &[&str],
        keys: &[CacheKey],
        rows: &mut [Option<TextRecord>],
    ) -> Result<(), (usize, EmbedderError)> {
        let missing: Vec<usize> = (0..texts.len()).filter(|&at| rows[at].is_none()).collect();
        for missing in missing.chunks(KEPT_AT_ONCE) {
            let asked: Vec<&str> = missing.iter().map(|&at| texts[at]).collect();
            let embedded = self.inner.embed(&asked).map_err(|error| match &error {
                EmbedderError::Tokenize { index, .. } | EmbedderError::Vector { index, .. } => {
                    (missing.get(*index).copied().unwrap_or(*index), error)
                }
                _ => (0, error),
            })?;
            let read = embedded.truncated.into_iter().zip(embedded.grammar);
            for (&at, (vector, (truncated, grammar))) in missing.iter().zip(embedded.vectors.rows().zip(read))
            {
                rows[at] = Some(TextRecord { vector: vector.to_vec(), truncated, grammar });
            }
            if let Some(cache) = &self.cache {
                let record = |&at: &usize| Some((keys[at], rows[at].as_ref()?.write(&keys[at])));
                cache.keep(&missing.iter().filter_map(record).collect::<Vec<_>>());
            }
        }
        Ok(())
    }
}

impl<E: Embedder> Embedder for CachedEmbedder<E> {
    fn model(&self) -> &ModelId {
        self.inner.model()
    }

    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        let distinct = DistinctTexts::of(texts);
        let asked = distinct.texts();
        let dimensions = self.dimensions();
        let keys: Vec<CacheKey> = match &self.cache {
            Some(_) => asked.iter().map(|text| self.keys.of(text)).collect(),
            None => Vec::new(),
        };
        let CacheLookup { mut rows, damaged } = match &self.cache {
            Some(cache) => cache.find(&keys, &TextRecord::lengths(dimensions), |key, bytes| {
                TextRecord::read(key, bytes, dimensions)
            }),
            None => CacheLookup { rows: vec![None; asked.len()], damaged: 0 },
        };
        let cached = rows.iter().flatten().count();
        self.complete(asked, &keys, &mut rows).map_err(|(at, error)| in_input(error, distinct.first(at)))?;
        self.count(asked.len(), cached, damaged);

        let mut embedded = Embedded {
            vectors: Vectors::with_capacity(dimensions, texts.len()),
            truncated: Vec::with_capacity(texts.len()),
            grammar: Vec::with_capacity(texts.len()),
        };
        for (index, &text) in distinct.of_input().iter().enumerate() {
            // An embedder that gives too few vectors breaks its contract, and the caller sees too few.
            let Some(row) = &rows[text] else { continue };
            let pushed = embedded.vectors.push(&row.vector);
            pushed.map_err(|source| EmbedderError::Vector { index, source })?;
            embedded.truncated.push(row.truncated);
            embedded.grammar.push(row.grammar.clone());
        }
        Ok(embedded)
    }
}

/// Returns an error about a text with the index in the whole input.
fn in_input(error: EmbedderError, index: usize) -> EmbedderError {
    match error {
        EmbedderError::Tokenize { source, .. } => EmbedderError::Tokenize { index, source },
        EmbedderError::Vector { source, .. } => EmbedderError::Vector { index, source },
        other => other,
    }
}
