//! Cache of vectors, grammars and verdicts for later runs, so that no text is embedded twice.
//!
//! [`CachedEmbedder`] wraps any embedder and consults a [`VectorCache`] first. The cache is a SQLite file,
//! because any number of processes may read and write SQLite at once, a crash at any byte leaves it intact,
//! and it finds a few vectors among many without reading all; and because the program contains it already.
//!
//! The key of a record is the SHA-256 of the text and of everything that decides its vector's bits and its
//! grammar, and each record carries a checksum: a cached text has both. A cache can lose a vector at any time, and nothing more: damage, in one record
//! or in the file, causes texts to be embedded again and counted. It is trusted to contain this user's
//! vectors, like the model's files: whoever may write it can give a text another unit vector, but nothing
//! else.
//!
//! A cache that several machines share may stand behind the file ([`VectorCache::with_shared`]): what the file lacks is looked
//! up there, and what is computed is kept in both.

mod embedder;
mod error;
mod file;
mod judge;
mod record;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use nightfold_memory::{RecordCache, StoreError};
use rusqlite::Connection;

pub use embedder::CachedEmbedder;
pub use error::CacheError;
use file::is_damaged;
pub use judge::CachedJudge;
use record::CacheKey;

/// Cache of vectors, in a file or in memory. It keeps a maximum number of records; the oldest are dropped
/// first.
#[derive(Debug)]
pub struct VectorCache {
    file: Mutex<Connection>,
    most: u64,
    /// True once a warning was given that nothing can be stored.
    warned: AtomicBool,
    /// Cache that other machines have too, and the number of records that it keeps.
    shared: Option<(Arc<dyn RecordCache>, u64)>,
    /// Time at which the shared cache failed: it is not asked for a while, since each time may take seconds.
    shared_failed: Mutex<Option<Instant>>,
}

/// Time for which a shared cache that failed is left alone.
const AGAIN_AFTER: Duration = Duration::from_mins(1);

/// Result of looking up records.
struct CacheLookup<T> {
    /// The records, in the order of the keys.
    rows: Vec<Option<T>>,
    /// Number of damaged records.
    damaged: usize,
}

impl VectorCache {
    /// Opens or creates a cache of at most `most` vectors. A damaged cache is reset; a file that is none is
    /// left unchanged.
    ///
    /// # Errors
    /// [`CacheError`] if the file is of another kind or cannot be reached.
    pub fn open(path: &Path, most: u64) -> Result<Self, CacheError> {
        Ok(Self::of(file::open(path)?, most))
    }

    /// Returns the default path of a user's cache: beside the fetched models. `None` if the system has no
    /// folder for caches.
    pub fn usual_path() -> Option<PathBuf> {
        crate::provision::cache_folder().map(|folder| folder.join("vectors.db"))
    }

    /// Drops everything, and rewrites the file so that no byte of it is left; returns the number of records that it had. A
    /// shared cache behind it stays.
    ///
    /// # Errors
    /// [`CacheError`] if the file cannot be written, or another process is using it.
    pub fn clear(&self) -> Result<usize, CacheError> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file::clear(&file).map_err(|source| {
            let path = PathBuf::from(file.path().unwrap_or_default());
            CacheError::File { path, source }
        })
    }

    /// Creates a cache in memory, which is dropped with this value.
    ///
    /// # Errors
    /// [`CacheError`] if there is no memory for it.
    pub fn in_memory(most: u64) -> Result<Self, CacheError> {
        Ok(Self::of(file::in_memory()?, most))
    }

    fn of(file: Connection, most: u64) -> Self {
        let warned = AtomicBool::new(false);
        Self { file: Mutex::new(file), most, warned, shared: None, shared_failed: Mutex::default() }
    }

    /// Puts a cache that other machines have too behind this one, with the number of records that it keeps. What is found there
    /// is kept here. When it fails, the cache goes on without it for a minute.
    #[must_use]
    pub fn with_shared(self, shared: Arc<dyn RecordCache>, most: u64) -> Self {
        Self { shared: Some((shared, most)), ..self }
    }

    /// Looks up records, of which `read` returns the intact ones and whose bytes are as many as `lengths` allows. Unreadable
    /// records count as missing.
    fn find<T>(
        &self,
        keys: &[CacheKey],
        lengths: &RangeInclusive<usize>,
        read: impl Fn(&CacheKey, &[u8]) -> Option<T>,
    ) -> CacheLookup<T> {
        let mut found = self.find_here(keys, lengths, &read);
        if let Some((shared, _)) = self.answering() {
            self.find_there(shared.as_ref(), keys, lengths, &read, &mut found);
        }
        found
    }

    fn find_here<T>(
        &self,
        keys: &[CacheKey],
        lengths: &RangeInclusive<usize>,
        read: &impl Fn(&CacheKey, &[u8]) -> Option<T>,
    ) -> CacheLookup<T> {
        // Every change of the file is a transaction, which a panic rolls back.
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = CacheLookup { rows: Vec::new(), damaged: 0 };
        found.rows.resize_with(keys.len(), || None);
        for (key, row) in keys.iter().zip(&mut found.rows) {
            let kept = file::read(&file, key, lengths, |record| record.and_then(|bytes| read(key, bytes)));
            match kept {
                Ok(None) => {}
                Ok(Some(Some(kept))) => *row = Some(kept),
                Ok(Some(None)) => found.damaged += 1,
                Err(error) if is_damaged(&error) => found.damaged += 1,
                Err(error) => {
                    // A disk that fails, or a lock that is not given: asking again for every text would take minutes.
                    tracing::warn!(%error, "the cache cannot be read; what it held is computed instead");
                    break;
                }
            }
        }
        found
    }

    /// Completes a lookup with the records of the shared cache, and keeps these.
    fn find_there<T>(
        &self,
        shared: &dyn RecordCache,
        keys: &[CacheKey],
        lengths: &RangeInclusive<usize>,
        read: &impl Fn(&CacheKey, &[u8]) -> Option<T>,
        found: &mut CacheLookup<T>,
    ) {
        let mut missing: BTreeMap<CacheKey, Vec<usize>> = BTreeMap::new();
        for (at, key) in keys.iter().enumerate().filter(|(at, _)| found.rows[*at].is_none()) {
            missing.entry(*key).or_default().push(at);
        }
        if missing.is_empty() {
            return;
        }
        let asked: Vec<CacheKey> = missing.keys().copied().collect();
        let records = match shared.find_records(&asked, *lengths.end()) {
            Ok(records) => records,
            Err(error) => return self.go_on_without_shared(&error),
        };
        let mut intact = Vec::with_capacity(records.len());
        for (key, record) in records {
            let Some(places) = missing.get(&key) else { continue };
            for &at in places {
                found.rows[at] = read(&key, &record).filter(|_| lengths.contains(&record.len()));
            }
            if places.first().is_some_and(|at| found.rows[*at].is_some()) {
                intact.push((key, record));
            } else {
                found.damaged += 1;
            }
        }
        if let Err(error) = self.keep_here(&intact) {
            tracing::debug!(%error, "what the shared cache held is not kept here");
        }
    }

    /// Returns the shared cache, unless it has failed a moment ago.
    fn answering(&self) -> Option<&(Arc<dyn RecordCache>, u64)> {
        let failed = *self.shared_failed.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.as_ref().filter(|_| failed.is_none_or(|failed| failed.elapsed() >= AGAIN_AFTER))
    }

    fn go_on_without_shared(&self, error: &StoreError) {
        *self.shared_failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        let error: &dyn std::error::Error = error;
        tracing::warn!(error, "the shared vector cache failed; it is asked again in a minute");
    }

    /// Stores records here and in the shared cache. If that fails, a warning is given once.
    fn keep(&self, records: &[(CacheKey, Vec<u8>)]) {
        if records.is_empty() {
            return;
        }
        if let Some((shared, most)) = self.answering()
            && let Err(error) = shared.keep_records(records, *most)
        {
            self.go_on_without_shared(&error);
        }
        if let Err(error) = self.keep_here(records)
            && !self.warned.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(%error, "nothing can be kept for later runs; this one goes on");
        }
    }

    /// Stores records, and drops the oldest if there are too many. A file in which that finds damage is emptied.
    fn keep_here(&self, records: &[(CacheKey, Vec<u8>)]) -> rusqlite::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        match file::write(&mut file, records, self.most) {
            Err(error) if is_damaged(&error) => {
                file::reset(&mut file)?;
                file::write(&mut file, records, self.most)
            }
            written => written,
        }
    }
}
