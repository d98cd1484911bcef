//! Failures while a store file is read or written.

use nightfold_memory::StoreError;
use rusqlite::ErrorCode;

/// Either of the night or row at hand, or of the file as a whole.
#[derive(Debug)]
pub(super) enum Fault {
    /// Of one night or one row: what came before it still holds.
    Own(StoreError),
    /// Of SQLite or the disk: the transaction is lost.
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

/// Something was to be written all the same.
#[derive(Debug, thiserror::Error)]
#[error("the store is open for reading only")]
struct ReadOnly(#[source] rusqlite::Error);

/// What SQLite reports, as the port names it.
pub(super) fn of_file(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(Box::new(error)),
        Some(ErrorCode::ReadOnly) => StoreError::backend(ReadOnly(error)),
        _ => StoreError::backend(error),
    }
}
