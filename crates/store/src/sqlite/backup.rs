//! A copy of a store file, made while others may write to it, and checked before it takes its name.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use nightfold_memory::StoreError;
use rusqlite::Connection;

#[cfg(unix)]
use super::opened_files::identity;
use super::{
    SqliteStore,
    copy::copy,
    fault::to_store_error,
    open::connect_immutable,
    opened_files::{sync_folder, with_suffix},
};
use crate::sql::{
    DatabaseFault, StoreCheck, StoreProblem, StoreSize, StoreStats, TransferCounts, stats, transfer::check,
};

/// Reason why a store was not backed up. No file has the name of the backup then, or the earlier one still has it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// There is a file of that name.
    #[error("{} is there already, and is not overwritten", .0.display())]
    Exists(PathBuf),
    /// The path leads to a folder.
    #[error("{} is a folder; a backup is one file", .0.display())]
    Folder(PathBuf),
    /// The backup would replace the store itself.
    #[error("{} is the store itself", .0.display())]
    Itself(PathBuf),
    /// The name is that of a file that SQLite keeps beside a database.
    #[error("files of the name {} belong to the database {}", path.display(), database.display())]
    Beside {
        /// Path of the backup.
        path: PathBuf,
        /// The database.
        database: PathBuf,
    },
    /// There is a write-ahead log of that name; it would be read into the backup.
    #[error("{} is in use as a store, or was when a process died: {} holds nights", path.display(), log.display())]
    InUse {
        /// The file.
        path: PathBuf,
        /// Its write-ahead log.
        log: PathBuf,
    },
    /// The store cannot be read.
    #[error("the store cannot be read")]
    Store(#[from] StoreError),
    /// The copy cannot be written.
    #[error("the backup {} cannot be written", path.display())]
    Write {
        /// Path of the backup.
        path: PathBuf,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The copy differs from the store, or the store is damaged: the copy was deleted.
    #[error("the copy that was made for {} is not sound: {problem}", path.display())]
    Unsound {
        /// Path of the backup.
        path: PathBuf,
        /// Description of the problem.
        problem: String,
    },
}

/// Permissions of a backup beside making a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BackupOptions {
    /// Replace a file of that name.
    pub overwrite: bool,
    /// Copy a store in which a [check](crate::DurableStore::check) finds problems.
    pub anyway: bool,
}

/// Returns the figures that a store and its copy must have in common.
fn figures(file: &Connection) -> Result<StoreStats, StoreError> {
    Ok(StoreStats { size: StoreSize::default(), ..stats::stats(file, usize::MAX)? })
}

impl SqliteStore {
    /// Copies the store to a file, with save points and shelved nights, in the state at the beginning of the call. Other
    /// processes may read and write meanwhile. The copy is written beside its place, checked as a store, compared with the
    /// store, and only then given its name: no damage replaces a good backup unless that is asked for.
    ///
    /// # Errors
    /// [`BackupError`]; [`BackupError::Exists`] if there is a file that may not be overwritten, [`BackupError::Unsound`] if
    /// the check finds problems.
    pub fn back_up(
        &self,
        to: impl AsRef<Path>,
        options: BackupOptions,
    ) -> Result<TransferCounts, BackupError> {
        let BackupOptions { overwrite, anyway } = options;
        let path = to.as_ref();
        let failed = |source: Box<dyn std::error::Error + Send + Sync>| BackupError::Write {
            path: path.to_owned(),
            source,
        };
        let mut file = self.file();
        let target = std::path::absolute(path).map_err(|error| failed(error.into()))?;
        let source = file.path().filter(|path| !path.is_empty()).map(PathBuf::from);
        may_be_written(path, &target, source.as_deref(), overwrite)?;
        let snapshot = file.transaction().map_err(to_store_error)?;
        // The transaction begins with this read, and the copy is of the same state.
        let contents = figures(&snapshot)?;
        let part = with_suffix(&target, ".part");
        let made = copy(&snapshot, source.as_deref(), &part)
            .map_err(failed)
            .and_then(|()| verify(path, &part, &contents, anyway))
            .and_then(|()| put_in_place(path, &part, &target, overwrite));
        // Half a copy is useless; if it cannot be removed, the next attempt removes it.
        let _ = fs::remove_file(&part);
        let StoreStats { npcs, nights, active, archived, .. } = contents;
        made.map(|()| TransferCounts { npcs, nights, memories: active + archived })
    }
}

/// Checks that a backup may have this name, before anything is written.
fn may_be_written(
    path: &Path,
    target: &Path,
    source: Option<&Path>,
    overwrite: bool,
) -> Result<(), BackupError> {
    let path = path.to_owned();
    if target.is_dir() {
        return Err(BackupError::Folder(path));
    }
    if source.is_some_and(|source| is_same_file(source, target)) {
        return Err(BackupError::Itself(path));
    }
    if let Some(database) = database_of(target, source) {
        return Err(BackupError::Beside { path, database });
    }
    if target.exists() && !overwrite {
        // Both names are those of one file if a call was killed after it had put the backup in place.
        let part = with_suffix(target, ".part");
        if is_same_file(&part, target) {
            let _ = fs::remove_file(&part);
        }
        return Err(BackupError::Exists(path));
    }
    let log = with_suffix(target, "-wal");
    // Who only reads leaves an empty one.
    let holds_nights = fs::metadata(&log).is_ok_and(|found| found.len() > 0);
    if holds_nights { Err(BackupError::InUse { path, log }) } else { Ok(()) }
}

/// Returns the database beside which SQLite keeps a file of this name: the store itself, or another file that is there.
fn database_of(target: &Path, source: Option<&Path>) -> Option<PathBuf> {
    let name = target.file_name()?.to_str()?;
    let ends = ["-wal", "-shm", "-journal"];
    let database = ends.iter().find_map(|end| name.strip_suffix(end)).filter(|name| !name.is_empty())?;
    let database = target.with_file_name(database);
    let is_store = source.is_some_and(|source| is_same_file(source, &database));
    (is_store || database.is_file()).then_some(database)
}

#[cfg(unix)]
fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(not(unix))]
fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Reads the copy from the disk, checks it as a store unless that may be damaged, and compares it with the store.
fn verify(path: &Path, part: &Path, contents: &StoreStats, anyway: bool) -> Result<(), BackupError> {
    let unsound = |problem: String| BackupError::Unsound { path: path.to_owned(), problem };
    let failed = |fault: DatabaseFault| unsound(StoreError::from(fault).to_string());
    let copy = connect_immutable(part).map_err(|error| unsound(error.to_string()))?;
    if !anyway {
        let StoreCheck { found, problems, .. } = check(&copy, None, 1).map_err(failed)?;
        if let Some(StoreProblem { npc, id, problem }) = problems.into_iter().next() {
            let place: String = [npc, id].into_iter().flatten().map(|name| format!("{name}: ")).collect();
            let more = if found > 1 { format!(" (and {} more)", found - 1) } else { String::new() };
            return Err(unsound(format!("{place}{problem}{more}")));
        }
    }
    let found = figures(&copy).map_err(|error| unsound(error.to_string()))?;
    if found == *contents { Ok(()) } else { Err(unsound("it holds other nights than the store".to_owned())) }
}

fn put_in_place(path: &Path, part: &Path, target: &Path, overwrite: bool) -> Result<(), BackupError> {
    // The files of an earlier store of that name would be taken for the backup's. Who reads it still has them open.
    for of_an_earlier_store in ["-wal", "-shm"] {
        let _ = fs::remove_file(with_suffix(target, of_an_earlier_store));
    }
    let placed = if overwrite {
        fs::rename(part, target)
    } else {
        // Unlike a rename, a link replaces nothing that has come meanwhile; but not every file system has links.
        fs::hard_link(part, target)
            .or_else(|error| if target.exists() { Err(error) } else { fs::rename(part, target) })
    };
    match placed.and_then(|()| sync_folder(target)) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(BackupError::Exists(path.to_owned()))
        }
        Err(error) => Err(BackupError::Write { path: path.to_owned(), source: error.into() }),
    }
}
