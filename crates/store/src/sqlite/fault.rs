//! Failures of reading or writing a store file.

use nightfold_memory::StoreError;
use rusqlite::ErrorCode;

/// A failure of a single night or row, or of the file as a whole.
#[derive(Debug)]
pub(super) enum Fault {
    /// Failure of one night or one row; everything before it stays valid.
    Own(StoreError),
    /// Failure of SQLite or the disk: the transaction is lost.
    File(rusqlite::Error),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Own(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::File(error)
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Own(error) => error,
            Fault::File(error) => of_file(error),
        }
    }
}

/// Error of a write to a store that is open for reading only.
#[derive(Debug, thiserror::Error)]
#[error("the store is open for reading only")]
struct ReadOnly(#[source] rusqlite::Error);

/// Converts an error of SQLite into an error of the port.
pub(super) fn of_file(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(Box::new(error)),
        Some(ErrorCode::ReadOnly) => StoreError::backend(ReadOnly(error)),
        _ => StoreError::backend(error),
    }
}
