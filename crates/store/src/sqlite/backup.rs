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
use crate::sql::{Database as _, TransferCounts, query_all, transfer::TABLES};

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
    /// There is a write-ahead log of that name, which would be read into the backup.
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
    /// The copy is not what was copied, so it was thrown away.
    #[error("the copy that was made for {} is not sound: {problem}", path.display())]
    Unsound {
        /// Path of the backup.
        path: PathBuf,
        /// Description of the problem.
        problem: String,
    },
}

/// Contents that a store and its copy must have in common: the version of each NPC, and the number of rows of each table.
#[derive(Debug, PartialEq, Eq)]
struct Contents {
    versions: Vec<(String, u64)>,
    rows: Vec<(&'static str, u64)>,
}

impl Contents {
    fn of(file: &Connection) -> Result<Self, StoreError> {
        let versions = query_all(file, "SELECT name, version FROM npc ORDER BY name", &[], |cells| {
            Ok((cells.get("NPC name")?, cells.get("version of an NPC")?))
        })?;
        let count = |table: &'static str| {
            let sql = format!("SELECT count(*) FROM {table}");
            let n = file.query_row(&sql, [], |row| row.get(0)).map_err(to_store_error)?;
            Ok((table, n))
        };
        let tables = TABLES.iter().map(|table| table.name).chain(["shelved", "save_point", "saved_version"]);
        Ok(Self { versions, rows: tables.map(count).collect::<Result<_, StoreError>>()? })
    }

    fn counts(&self) -> TransferCounts {
        TransferCounts::of(&self.rows.iter().map(|(table, n)| ((*table).to_owned(), *n)).collect())
    }
}

impl SqliteStore {
    /// Copies the store to a file, with save points and shelved nights, in the state at the beginning of the call. Other
    /// processes may read and write meanwhile. The copy is written beside its place, read again and compared with the store,
    /// and only then given its name.
    ///
    /// # Errors
    /// [`BackupError`]; [`BackupError::Exists`] if there is a file and `overwrite` is false.
    pub fn back_up(&self, to: impl AsRef<Path>, overwrite: bool) -> Result<TransferCounts, BackupError> {
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
        let contents = Contents::of(&snapshot)?;
        let part = with_suffix(&target, ".part");
        let made = copy(&snapshot, source.as_deref(), &part)
            .map_err(failed)
            .and_then(|()| verify(path, &part, &contents))
            .and_then(|()| put_in_place(path, &part, &target, overwrite));
        // Half a copy is useless; if it cannot be removed, the next attempt removes it.
        let _ = fs::remove_file(&part);
        made.map(|()| contents.counts())
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

#[cfg(unix)]
fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(not(unix))]
fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Reads the copy from the disk, and compares it with what was copied.
fn verify(path: &Path, part: &Path, contents: &Contents) -> Result<(), BackupError> {
    let unsound = |problem: String| BackupError::Unsound { path: path.to_owned(), problem };
    let copy = connect_immutable(part).map_err(|error| unsound(error.to_string()))?;
    let problems = copy.integrity(1).map_err(|fault| unsound(StoreError::from(fault).to_string()))?;
    if let Some(problem) = problems.into_iter().next() {
        return Err(unsound(problem));
    }
    let found = Contents::of(&copy).map_err(|error| unsound(error.to_string()))?;
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
