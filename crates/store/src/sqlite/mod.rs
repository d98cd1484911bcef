//! The store in a SQLite file.

mod backup;
mod connection;
mod copy;
mod fault;
mod format;
mod open;
mod opened_files;
mod options;
mod page_sums;
mod rewrite;
#[cfg(test)]
mod tests;

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use nightfold_memory::{NpcNight, Outcome, PersonNames, StoreError};
use rusqlite::{Connection, TransactionBehavior};

pub use self::{
    backup::{BackupError, BackupOptions},
    options::StoreOptions,
};
use self::{
    fault::{fault_of, file_of},
    opened_files::OpenedFiles,
};
use crate::sql::{
    ChangeScope, Database, DatabaseFault, Idempotency, PhysicalErase, apply, durable_store, erasure,
};
use crate::{Access, OpenError};

/// Long-term memory in one SQLite file, or in memory ([`SqliteStore::in_memory`]).
///
/// Any number of processes may have the file open; one of them writes at a time, and readers do not wait for
/// it. When [`apply`](nightfold_memory::MemoryStore::apply) returns, its nights are on the disk (`synchronous = FULL`). Each
/// call syncs once, so that about 64 nights in one call cost little more than one night.
///
/// Within a process, threads may share the store; their calls run one after the other.
///
/// A write fails with [`StoreError::Displaced`] if the file was deleted, moved or replaced since it was opened: nobody
/// would find what was written.
#[derive(Debug)]
pub struct SqliteStore {
    file: Mutex<Connection>,
    /// Files that a write must still reach; none for a store that is only read or in memory alone.
    opened: Option<OpenedFiles>,
}

impl SqliteStore {
    /// Opens a store for reading and writing, and creates it if there is none.
    ///
    /// # Errors
    /// [`OpenError`] names the path and the cause.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(path, &StoreOptions::default())
    }

    /// Creates an empty store that is in memory alone: [`export`](crate::DurableStore::export) and [`import`](crate::DurableStore::import) carry it
    /// to another process.
    ///
    /// # Errors
    /// [`StoreError`] if there is no memory left.
    pub fn in_memory() -> Result<Self, StoreError> {
        let file = open::open_in_memory(format::STEPS).map_err(StoreError::backend)?;
        Ok(Self { file: Mutex::new(file), opened: None })
    }

    /// Opens an existing store for reading and writing.
    ///
    /// # Errors
    /// The errors of [`SqliteStore::open`]; [`OpenError::Missing`] if there is no store.
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(path, &StoreOptions { access: Access::Existing, ..StoreOptions::default() })
    }

    /// Opens an existing store for reading only; every write fails.
    ///
    /// # Errors
    /// The errors of [`SqliteStore::open_existing`]; [`OpenError::OlderFormat`] if the file would have to be
    /// migrated.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(path, &StoreOptions { access: Access::ReadOnly, ..StoreOptions::default() })
    }

    /// Opens a store with the given options.
    ///
    /// # Errors
    /// [`OpenError`] names the path and the cause.
    pub fn open_with(path: impl AsRef<Path>, options: &StoreOptions) -> Result<Self, OpenError> {
        let file = open::open(path.as_ref(), options, format::STEPS)?;
        let opened = open::opened_files(path.as_ref(), options.access, &file)?;
        Ok(Self { file: Mutex::new(file), opened })
    }

    /// Gives back to the disk what the file has free, and folds the write-ahead log into it. Nothing that is stored changes;
    /// the file is written anew, for which the disk needs as much room again. While another process reads, the log stays as
    /// large as it is.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written; [`StoreError::Locked`] if another process writes longer than
    /// [`StoreOptions::busy_timeout`].
    pub fn vacuum(&self) -> Result<(), StoreError> {
        let file = self.file();
        self.is_in_place()?;
        let failed = |error| fault_of(file_of(&file), error);
        file.execute_batch("VACUUM").map_err(failed)?;
        file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(failed)?;
        self.is_in_place()
    }

    fn is_in_place(&self) -> Result<(), StoreError> {
        self.opened.as_ref().map_or(Ok(()), OpenedFiles::check)
    }

    fn file(&self) -> MutexGuard<'_, Connection> {
        // A panic under the lock has dropped its transaction, which rolls it back.
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, ask: impl Fn(&dyn Database) -> Result<T, DatabaseFault>) -> Result<T, StoreError> {
        self.read_once(|db| Ok(ask(db)?))
    }

    fn read_once<T, E: From<StoreError>>(
        &self,
        ask: impl FnOnce(&dyn Database) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut file = self.file();
        let path = file_of(&file).map(str::to_owned);
        let snapshot = file.transaction().map_err(|error| fault_of(path.as_deref(), error))?;
        ask(&*snapshot)
    }

    fn write<T>(
        &self,
        _: ChangeScope<'_>,
        _: Idempotency,
        change: impl Fn(&dyn Database) -> Result<T, DatabaseFault>,
    ) -> Result<T, StoreError> {
        self.write_once(|db| Ok(change(db)?))
    }

    /// Runs `change` in a transaction that holds the write lock from its start, so that the values it reads
    /// are still current when it writes. The files must be in their place before and after the commit.
    fn write_once<T, E: From<StoreError>>(
        &self,
        change: impl FnOnce(&dyn Database) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut file = self.file();
        let path = file_of(&file).map(str::to_owned);
        let failed = |error| fault_of(path.as_deref(), error);
        let transaction = file.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let done = change(&*transaction)?;
        self.is_in_place()?;
        transaction.commit().map_err(failed)?;
        self.is_in_place()?;
        Ok(done)
    }

    fn rewrite_without(&self, person: &PersonNames) -> Result<PhysicalErase, StoreError> {
        let save_points = self.write(ChangeScope::All, Idempotency::Idempotent, |db| {
            erasure::forget_named_save_points(db, person)
        })?;
        let file = self.file();
        rewrite::rewrite(&file).map_err(|error| fault_of(file_of(&file), error))?;
        Ok(PhysicalErase { save_points, cached: 0, not_rewritten: None })
    }

    fn apply_nights(
        &self,
        run: u64,
        nights: &[NpcNight],
        versions: &[u64],
    ) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        self.write(ChangeScope::All, Idempotency::Idempotent, |db| {
            apply::apply_nights(db, run, nights, versions, false)
        })
    }
}

durable_store!(SqliteStore);
