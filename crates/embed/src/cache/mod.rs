//! Vectors that were computed once, kept for later runs: nobody has to embed a text twice.
//!
//! [`CachedEmbedder`] stands before any embedder and looks into a [`VectorCache`] first. The cache is a SQLite file, because
//! SQLite is what any number of processes may read and write at once, what a crash at any byte leaves whole, and what
//! finds a few vectors among many without reading them all; and because it is in the program already.
//!
//! What is kept is found by the SHA-256 of the text and of what decides its vector's bits, and carries a checksum. A cache
//! can lose a vector at any time, and nothing more: whatever is damaged, in one record or in the file, is embedded again and
//! counted. It is trusted to hold this user's vectors, as the model's files are: whoever may write it can give a text
//! another unit vector, but nothing else.

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
use record::{Kept, Key};

/// Vectors by what they were made of, in a file or in memory. At most so many are kept; the oldest give way.
#[derive(Debug)]
pub struct VectorCache {
    file: Mutex<Connection>,
    most: u64,
    /// What was read was no database any more: it is begun anew before anything is written.
    damaged: AtomicBool,
}

/// What was found of the vectors that were asked for.
struct Found {
    /// In the order of the keys.
    rows: Vec<Option<Kept>>,
    /// How many were there, but not as they were written.
    damaged: usize,
}

impl VectorCache {
    /// Opens or makes a cache of at most `most` vectors. One that is damaged is begun anew; a file that is none is left
    /// as it is.
    ///
    /// # Errors
    /// [`CacheError`] when the file is of another kind, of another format, or cannot be reached.
    pub fn open(path: &Path, most: u64) -> Result<Self, CacheError> {
        Ok(Self::of(file::open(path)?, most))
    }

    /// Where a user's cache lies if nobody says otherwise: beside the models that were fetched. `None` where the system has
    /// no folder for caches.
    pub fn usual_path() -> Option<PathBuf> {
        crate::provision::cache_folder().map(|folder| folder.join("vectors.db"))
    }

    /// A cache that lives as long as this value.
    ///
    /// # Errors
    /// [`CacheError`] when there is no memory for it.
    pub fn in_memory(most: u64) -> Result<Self, CacheError> {
        Ok(Self::of(file::in_memory()?, most))
    }

    fn of(file: Connection, most: u64) -> Self {
        Self { file: Mutex::new(file), most, damaged: AtomicBool::new(false) }
    }

    /// Looks for vectors of this many numbers. What cannot be read is not there.
    fn find(&self, keys: &[Key], dimensions: usize) -> Found {
        // Every change of the file is a transaction, which a panic rolls back.
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Found { rows: vec![None; keys.len()], damaged: 0 };
        for (key, row) in keys.iter().zip(&mut found.rows) {
            let kept = file::read(&file, key, Kept::length(dimensions), |record| {
                record.and_then(|bytes| Kept::read(key, bytes, dimensions))
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

    /// Keeps these, and drops the oldest where that makes too many.
    fn keep(&self, records: &[(Key, Vec<u8>)]) -> rusqlite::Result<()> {
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
