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

mod embedder;
mod error;
mod file;
mod judge;
mod record;
#[cfg(test)]
mod tests;

use std::{
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rusqlite::Connection;

pub use embedder::CachedEmbedder;
pub use error::CacheError;
use file::is_damaged;
pub use judge::CachedJudge;
use record::{CacheKey, TextRecord};

/// Cache of vectors, in a file or in memory. It keeps a maximum number of records; the oldest are dropped
/// first.
#[derive(Debug)]
pub struct VectorCache {
    file: Mutex<Connection>,
    most: u64,
    /// True if a read found a corrupt database: it is reset before the next write.
    damaged: AtomicBool,
}

/// Result of looking up vectors.
struct CacheLookup {
    /// The records, in the order of the keys.
    rows: Vec<Option<TextRecord>>,
    /// Number of damaged records.
    damaged: usize,
}

impl VectorCache {
    /// Opens or creates a cache of at most `most` vectors. A damaged cache is reset; a file that is none is
    /// left unchanged.
    ///
    /// # Errors
    /// [`CacheError`] if the file is of another kind, of another format version, or cannot be reached.
    pub fn open(path: &Path, most: u64) -> Result<Self, CacheError> {
        Ok(Self::of(file::open(path)?, most))
    }

    /// Returns the default path of a user's cache: beside the fetched models. `None` if the system has no
    /// folder for caches.
    pub fn usual_path() -> Option<PathBuf> {
        crate::provision::cache_folder().map(|folder| folder.join("vectors.db"))
    }

    /// Creates a cache in memory, which is dropped with this value.
    ///
    /// # Errors
    /// [`CacheError`] if there is no memory for it.
    pub fn in_memory(most: u64) -> Result<Self, CacheError> {
        Ok(Self::of(file::in_memory()?, most))
    }

    fn of(file: Connection, most: u64) -> Self {
        Self { file: Mutex::new(file), most, damaged: AtomicBool::new(false) }
    }

    /// Looks up vectors of this many dimensions. Unreadable records count as missing.
    fn find(&self, keys: &[CacheKey], dimensions: usize) -> CacheLookup {
        // Every change of the file is a transaction, which a panic rolls back.
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = CacheLookup { rows: vec![None; keys.len()], damaged: 0 };
        for (key, row) in keys.iter().zip(&mut found.rows) {
            let kept = file::read(&file, key, &TextRecord::lengths(dimensions), |record| {
                record.and_then(|bytes| TextRecord::read(key, bytes, dimensions))
            });
            match kept {
                Ok(None) => {}
                Ok(Some(Some(kept))) => *row = Some(kept),
                Ok(Some(None)) => found.damaged += 1,
                Err(error) if is_damaged(&error) => {
                    self.damaged.store(true, Ordering::Relaxed);
                    found.damaged += 1;
                }
                Err(error) => {
                    // A disk that fails, or a lock that is not given: asking again for every text would take minutes.
                    tracing::warn!(%error, "the vector cache cannot be read; texts are embedded instead");
                    break;
                }
            }
        }
        found
    }

    /// Stores records, and drops the oldest if there are too many.
    fn keep(&self, records: &[(CacheKey, Vec<u8>)]) -> rusqlite::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let begin_anew = self.damaged.swap(false, Ordering::Relaxed);
        let written = if begin_anew { file::reset(&mut file) } else { Ok(()) }
            .and_then(|()| file::write(&mut file, records, self.most));
        match written {
            Err(error) if is_damaged(&error) && !begin_anew => {
                file::reset(&mut file)?;
                file::write(&mut file, records, self.most)
            }
            written => written,
        }
    }
}
