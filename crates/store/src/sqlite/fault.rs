//! Failures of reading or writing a store file.

use nightfold_memory::StoreError;
use rusqlite::{Connection, ErrorCode, ffi};

/// Error of a write to a store that is open for reading only.
#[derive(Debug, thiserror::Error)]
#[error("the store is open for reading only")]
struct ReadOnly(#[source] rusqlite::Error);

/// Error of reading a page that does not have its sum.
#[derive(Debug, thiserror::Error)]
#[error(
    "a page of the file is damaged: it is not as it was written; restore a backup, or what `check` finds undamaged"
)]
struct DamagedPage(#[source] rusqlite::Error);

/// Error of a write for which the disk has no room.
#[derive(Debug, thiserror::Error)]
#[error(
    "the disk may be full: make room and run it again; meanwhile `list`, `check` and `export` read, and `backup` to another disk"
)]
struct DiskFull(#[source] rusqlite::Error);

/// True if the disk has no room, for the file itself or for what its readers and writers share beside it.
pub(super) fn is_disk_full(error: &rusqlite::Error) -> bool {
    let shared = [ffi::SQLITE_IOERR_SHMOPEN, ffi::SQLITE_IOERR_SHMSIZE];
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
        || error.sqlite_extended_error_code().is_some_and(|code| shared.contains(&code))
}

/// Returns an error of SQLite, with what to do about it if that is known.
fn explained(error: rusqlite::Error) -> Box<dyn std::error::Error + Send + Sync> {
    match error {
        _ if is_damaged_page(&error) => DamagedPage(error).into(),
        _ if is_disk_full(&error) => DiskFull(error).into(),
        _ => error.into(),
    }
}

/// True if a page does not have its sum.
pub(super) fn is_damaged_page(error: &rusqlite::Error) -> bool {
    error.sqlite_extended_error_code() == Some(ffi::SQLITE_IOERR_DATA)
}

/// Converts an error of SQLite into an error of the port.
pub(super) fn to_store_error(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(Box::new(error)),
        Some(ErrorCode::ReadOnly) => StoreError::backend(ReadOnly(error)),
        _ => StoreError::Backend(explained(error)),
    }
}

/// Failure of SQLite at a file.
#[derive(Debug, thiserror::Error)]
#[error("{file}")]
struct FileFault {
    file: String,
    source: Box<dyn std::error::Error + Send + Sync>,
}

/// Converts an error of SQLite into an error of the port that names the file, which is `None` in memory.
pub(super) fn fault_of(file: Option<&str>, error: rusqlite::Error) -> StoreError {
    let says_enough = matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::ReadOnly)
    );
    match file.filter(|_| !says_enough) {
        Some(file) => {
            let source = explained(error);
            StoreError::backend(FileFault { file: file.to_owned(), source })
        }
        None => to_store_error(error),
    }
}

/// Returns the path of a database; `None` for one in memory.
pub(super) fn file_of(connection: &Connection) -> Option<&str> {
    connection.path().filter(|path| !path.is_empty())
}
