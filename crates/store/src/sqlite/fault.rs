//! Failures of reading or writing a store file.

use nightfold_memory::StoreError;
use rusqlite::ErrorCode;

/// A failure of a single night or row, or of the file as a whole.
#[derive(Debug)]
pub(super) enum SqliteError {
    /// Failure of one night or one row; everything before it stays valid.
    Store(StoreError),
    /// Failure of SQLite or the disk: the transaction is lost.
    Sqlite(rusqlite::Error),
}

impl From<StoreError> for SqliteError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<rusqlite::Error> for SqliteError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<SqliteError> for StoreError {
    fn from(fault: SqliteError) -> Self {
        match fault {
            SqliteError::Store(error) => error,
            SqliteError::Sqlite(error) => to_store_error(error),
        }
    }
}

/// Error of a write to a store that is open for reading only.
#[derive(Debug, thiserror::Error)]
#[error("the store is open for reading only")]
struct ReadOnly(#[source] rusqlite::Error);

/// Converts an error of SQLite into an error of the port.
pub(super) fn to_store_error(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(Box::new(error)),
        Some(ErrorCode::ReadOnly) => StoreError::backend(ReadOnly(error)),
        _ => StoreError::backend(error),
    }
}
