//! Failures of reading or writing a store file.

use nightfold_memory::StoreError;
use rusqlite::{Connection, ErrorCode};

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

/// Failure of SQLite at a file.
#[derive(Debug, thiserror::Error)]
#[error("{file}")]
struct FileFault {
    file: String,
    source: rusqlite::Error,
}

/// Converts an error of SQLite into an error of the port that names the file, as `None` for one in memory.
pub(super) fn fault_of(file: Option<&str>, error: rusqlite::Error) -> StoreError {
    match (to_store_error(error), file) {
        (StoreError::Backend(source), Some(file)) => match source.downcast() {
            Ok(source) => StoreError::backend(FileFault { file: file.to_owned(), source: *source }),
            Err(source) => StoreError::Backend(source),
        },
        (error, _) => error,
    }
}

/// Returns the path of a database, which one in memory has not.
pub(super) fn file_of(connection: &Connection) -> Option<&str> {
    connection.path().filter(|path| !path.is_empty())
}
