//! Rewriting a store file, so that nothing of deleted rows is left in it.

use rusqlite::{Connection, ffi};

/// Rewrites the file from its rows, and empties the write-ahead log, which holds pages as they were before.
///
/// # Errors
/// `SQLITE_BUSY` if another process reads or writes the file.
pub(super) fn rewrite(file: &Connection) -> rusqlite::Result<()> {
    // Pages that are given up meanwhile are overwritten with zeros.
    file.pragma_update(None, "secure_delete", true)?;
    file.flush_prepared_statement_cache();
    file.execute_batch("VACUUM")?;
    let busy: i64 = file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy != 0 {
        let reason = "another process reads the write-ahead log".to_owned();
        return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), Some(reason)));
    }
    Ok(())
}
