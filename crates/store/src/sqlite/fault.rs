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

/// True if a page does not have its sum.
pub(super) fn is_damaged_page(error: &rusqlite::Error) -> bool {
    error.sqlite_extended_error_code() == Some(ffi::SQLITE_IOERR_DATA)
}

/// Converts an error of SQLite into an error of the port.
pub(super) fn to_store_error(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(Box::new(error)),
        Some(ErrorCode::ReadOnly) => StoreError::backend(ReadOnly(error)),
        _ if is_damaged_page(&error) => StoreError::backend(DamagedPage(error)),
        _ => StoreError::backend(error),
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
            let damaged = is_damaged_page(&error);
            let source = if damaged { DamagedPage(error).into() } else { error.into() };
            StoreError::backend(FileFault { file: file.to_owned(), source })
        }
        None => to_store_error(error),
    }
}

/// Returns the path of a database; `None` for one in memory.
pub(super) fn file_of(connection: &Connection) -> Option<&str> {
    connection.path().filter(|path| !path.is_empty())
}
