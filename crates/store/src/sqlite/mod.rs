//! The store in a SQLite file.

mod fault;
mod format;
mod open;
mod purge;
mod read;
mod rewind;
mod row;
mod schema;
mod theme;
mod transfer;
mod write;

use std::{
    io::{BufRead, Write},
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use nightfold_memory::{
    AppliedNight, GameTime, LogFilter, LogLine, MemoryId, MemoryReader, MemoryRecord, MemorySnapshot,
    MemoryStore, ModelId, NpcId, NpcNight, Outcome, Purge, RewindTarget, Rewound, SavePoint, SavePointName,
    StoreError, ThemeHistory, Undone, effect::versions,
};
use rusqlite::{Connection, TransactionBehavior};

use self::fault::{SqliteError, to_store_error};
pub use self::open::{Access, OpenError, StoreOptions};
pub use self::transfer::{
    Column, ExportError, ImportError, ImportOptions, ImportProblem, Shape, TransferCounts, exported_formats,
    exported_tables,
};

/// Long-term memory in one SQLite file, or in memory ([`SqliteStore::in_memory`]).
///
/// Any number of processes may have the file open; one of them writes at a time, and readers do not wait for
/// it. When [`apply`](MemoryStore::apply) returns, its nights are on the disk (`synchronous = FULL`). Each
/// call syncs once, so that about 64 nights in one call cost little more than one night.
///
/// Within a process, threads may share the store; their calls run one after the other.
#[derive(Debug)]
pub struct SqliteStore {
    file: Mutex<Connection>,
}

impl SqliteStore {
    /// Opens a store for reading and writing, and creates it if there is none.
    ///
    /// # Errors
    /// [`OpenError`] names the path and the cause.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(path, &StoreOptions::default())
    }

    /// Creates an empty store that is in memory alone: [`export`](Self::export) and [`import`](Self::import) carry it
    /// to another process.
    ///
    /// # Errors
    /// [`OpenError`] if there is no memory left.
    pub fn in_memory() -> Result<Self, OpenError> {
        Ok(Self { file: Mutex::new(open::open_in_memory(schema::STEPS)?) })
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
        let file = open::open(path.as_ref(), options, schema::STEPS)?;
        Ok(Self { file: Mutex::new(file) })
    }

    /// Returns the log of the night that made a version of an NPC, change by change; empty if there is no
    /// such night.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub fn night_log(&self, npc: &NpcId, version: u64) -> Result<Vec<LogLine>, StoreError> {
        self.read(|file| read::night_log(file, npc, version))
    }

    /// Writes the contents of the store, or those of one NPC, as lines of JSON, from which
    /// [`import`](Self::import) makes the same store. All lines show one state, even if another process
    /// writes meanwhile.
    ///
    /// # Errors
    /// [`ExportError`] if the store cannot be read or the lines cannot be written.
    pub fn export(&self, npc: Option<&NpcId>, out: &mut dyn Write) -> Result<TransferCounts, ExportError> {
        let mut file = self.file();
        let snapshot = file.transaction().map_err(to_store_error)?;
        transfer::export(&snapshot, npc, out)
    }

    /// Fills the store, which must be empty, with the lines of an [`export`](Self::export), in one
    /// transaction.
    ///
    /// # Errors
    /// [`ImportError`] names line and column; the store is then unchanged.
    pub fn import(
        &self,
        lines: &mut dyn BufRead,
        options: &ImportOptions,
    ) -> Result<TransferCounts, ImportError> {
        let mut file = self.file();
        let change = file
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(transfer::to_import_error)?;
        let read = transfer::import(&change, lines, options)?;
        change.commit().map_err(transfer::to_import_error)?;
        Ok(read)
    }

    /// Passes each entry of these NPCs, archived ones included, to `take`, in order and with its vector if
    /// the store has one. All entries show one state, even if another process writes meanwhile.
    ///
    /// # Errors
    /// Any error of `take`, or [`StoreError`] if the store cannot be read.
    pub fn each_entry<E: From<StoreError>>(
        &self,
        npcs: &[NpcId],
        mut take: impl FnMut(MemoryRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut file = self.file();
        let of_store = |error| E::from(to_store_error(error));
        let snapshot = file.transaction().map_err(of_store)?;
        npcs.iter().try_for_each(|npc| read::each_entry(&snapshot, npc, &mut take))
    }

    fn file(&self) -> MutexGuard<'_, Connection> {
        // A panic under the lock has dropped its transaction, which rolls it back.
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, ask: impl FnOnce(&Connection) -> Result<T, SqliteError>) -> Result<T, StoreError> {
        let mut file = self.file();
        let snapshot = file.transaction().map_err(to_store_error)?;
        Ok(ask(&snapshot)?)
    }

    /// Runs a query on one NPC by its key; returns nothing for an unknown NPC.
    fn read_npc<T>(
        &self,
        npc: &NpcId,
        ask: impl FnOnce(&Connection, i64) -> Result<Vec<T>, SqliteError>,
    ) -> Result<Vec<T>, StoreError> {
        self.read(|file| read::npc_row(file, npc)?.map_or(Ok(Vec::new()), |found| ask(file, found.key)))
    }

    /// Runs `change` in a transaction that holds the write lock from its start, so that the values it reads
    /// are still current when it writes.
    fn write<T>(&self, change: impl FnOnce(&Connection) -> Result<T, SqliteError>) -> Result<T, StoreError> {
        let mut file = self.file();
        let transaction =
            file.transaction_with_behavior(TransactionBehavior::Immediate).map_err(to_store_error)?;
        let done = change(&transaction)?;
        transaction.commit().map_err(to_store_error)?;
        Ok(done)
    }
}

impl MemoryReader for SqliteStore {
    fn model(&self) -> Result<Option<ModelId>, StoreError> {
        self.read(read::model)
    }

    fn snapshot(&self, npc: &NpcId) -> Result<MemorySnapshot, StoreError> {
        self.read(|file| read::snapshot(file, npc))
    }

    fn nights(&self, npc: Option<&NpcId>) -> Result<Vec<AppliedNight>, StoreError> {
        self.read(|file| read::nights(file, npc))
    }

    fn purgeable(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError> {
        self.read(|file| purge::purgeable(file, npc, keep))
    }

    fn owners(&self, id: &MemoryId) -> Result<Vec<NpcId>, StoreError> {
        self.read(|file| read::owners(file, id))
    }

    fn npcs(&self) -> Result<Vec<NpcId>, StoreError> {
        self.read(read::npcs)
    }

    fn entries(&self, npc: &NpcId) -> Result<Vec<MemoryRecord>, StoreError> {
        self.read(|file| read::entries(file, npc))
    }

    fn entry(&self, npc: &NpcId, id: &MemoryId) -> Result<Option<MemoryRecord>, StoreError> {
        self.read(|file| read::entry(file, npc, id))
    }

    fn active_page(
        &self,
        npc: &NpcId,
        after: Option<&MemoryId>,
        most: usize,
    ) -> Result<Vec<MemoryRecord>, StoreError> {
        self.read_npc(npc, |file, key| read::active_page(file, key, npc, after, most))
    }

    fn referring(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.read_npc(npc, |file, key| read::referring(file, key, id))
    }

    fn log(&self, npc: &NpcId, filter: LogFilter<'_>) -> Result<Vec<LogLine>, StoreError> {
        self.read(|file| read::log(file, npc, filter))
    }

    fn save_points(&self) -> Result<Vec<SavePoint>, StoreError> {
        self.read(rewind::save_points)
    }

    fn rewindable(&self, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<Rewound>, StoreError> {
        self.read(|file| rewind::rewindable(file, npc, to))
    }

    fn themes(&self, npc: &NpcId) -> Result<Vec<ThemeHistory>, StoreError> {
        self.read_npc(npc, theme::histories)
    }

    fn sources(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.read_npc(npc, |file, key| read::sources(file, key, id))
    }

    fn derived(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.read_npc(npc, |file, key| read::derived(file, key, id))
    }
}

impl MemoryStore for SqliteStore {
    fn begin_run(&self) -> Result<u64, StoreError> {
        self.write(write::begin_run)
    }

    /// Applies the nights of a call in one transaction.
    fn apply(&self, run: u64, nights: &[NpcNight]) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        // Fingerprints take time to compute, so they are computed before the file is locked.
        let versions = versions(nights)?;
        self.write(|file| {
            let apply =
                |(night, &version): (&NpcNight, &u64)| match write::apply_night(file, run, night, version) {
                    Ok(outcome) => Ok(Ok(outcome)),
                    Err(SqliteError::Store(error)) => Ok(Err(error)),
                    Err(error @ SqliteError::Sqlite(_)) => Err(error),
                };
            nights.iter().zip(&versions).map(apply).collect()
        })
    }

    fn touch(&self, npc: &NpcId, ids: &[MemoryId], at: GameTime) -> Result<usize, StoreError> {
        self.write(|file| write::touch(file, npc, ids, at))
    }

    fn undo(&self, npc: &NpcId) -> Result<Option<Undone>, StoreError> {
        self.write(|file| write::undo(file, npc))
    }

    fn undo_run(&self, run: u64) -> Result<Vec<Undone>, StoreError> {
        self.write(|file| write::undo_run(file, run))
    }

    fn save_point(&self, name: &SavePointName) -> Result<SavePoint, StoreError> {
        self.write(|file| rewind::save_point(file, name))
    }

    fn forget_save_point(&self, name: &SavePointName) -> Result<bool, StoreError> {
        self.write(|file| rewind::forget_save_point(file, name))
    }

    fn rewind(&self, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<Rewound>, StoreError> {
        self.write(|file| rewind::rewind(file, npc, to))
    }

    fn purge(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError> {
        self.write(|file| purge::purge(file, npc, keep))
    }
}
