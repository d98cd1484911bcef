//! The cache file: one table in SQLite.

use std::{
    fs::{self, File},
    io::Read,
    ops::RangeInclusive,
    path::Path,
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior, config::DbConfig};

use super::{CacheError, record::CacheKey};

/// SQLite application id that distinguishes the file from other databases: `NFvc`.
const APPLICATION_ID: i32 = 0x4e46_7663;
/// Offset of the application id in a SQLite file, and the magic bytes of such a file.
const APPLICATION_ID_AT: usize = 68;
const MAGIC: &[u8] = b"SQLite format 3\0";
const FORMAT: i32 = 1;

/// Maximum wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(2);

/// Opens or creates the file. A damaged cache is emptied.
pub(super) fn open(path: &Path) -> Result<Connection, CacheError> {
    let failed = |source: rusqlite::Error| match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => CacheError::Foreign { path: path.to_owned() },
        _ => CacheError::File { path: path.to_owned(), source },
    };
    // SQLite would wait for the writer of a pipe.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(CacheError::NotAFile { path: path.to_owned() });
    }
    // An absolute path is nothing but a path: SQLite has a meaning of its own for "" and ":memory:".
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let flags =
        OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut file = Connection::open_with_flags(absolute, flags).map_err(failed)?;
    let prepared = prepare(&mut file).or_else(|error| {
        if !is_damaged(&error) || !is_ours(path) {
            return Err(error);
        }
        tracing::warn!(path = %path.display(), "the vector cache is damaged; it is begun anew");
        reset(&mut file)
    });
    if prepared.map_err(failed)? { Ok(file) } else { Err(CacheError::Foreign { path: path.to_owned() }) }
}

/// Creates a database without a file.
pub(super) fn in_memory() -> Result<Connection, CacheError> {
    let made = Connection::open_in_memory().and_then(|mut file| prepare(&mut file).map(|_| file));
    made.map_err(|source| CacheError::File { path: "in memory".into(), source })
}

/// Creates the table if the file is empty. Returns false if it is a database of another kind.
fn prepare(file: &mut Connection) -> rusqlite::Result<bool> {
    file.busy_timeout(PATIENCE)?;
    if identify(file)?.is_none() {
        // Takes hold only in an empty file. Five records fill a page.
        file.pragma_update(None, "page_size", 8192)?;
        let change = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have made it meanwhile.
        if identify(&change)?.is_none() {
            // Row ids rise, so that the lowest are the oldest.
            change.execute_batch("CREATE TABLE records (key BLOB NOT NULL UNIQUE, record BLOB NOT NULL)")?;
            change.pragma_update(None, "application_id", APPLICATION_ID)?;
            change.pragma_update(None, "user_version", FORMAT)?;
            change.commit()?;
        }
    }
    if identify(file)? != Some(true) {
        return Ok(false);
    }
    if !file.is_readonly("main")? {
        // Readers and a writer do not wait for each other, and a commit does not wait for the disk: a power cut may
        // lose the last records, never the file. While others use the file, the mode that it has will do.
        file.pragma_update(None, "synchronous", "NORMAL")?;
        match file.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())) {
            Err(error) if is_busy(&error) => {}
            done => done?,
        }
    }
    Ok(true)
}

/// Returns true for a vector cache, false for another database, `None` for an empty one.
fn identify(file: &Connection) -> rusqlite::Result<Option<bool>> {
    // One statement reads one state of the file.
    let found = file.query_row(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
         FROM pragma_application_id, pragma_user_version",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?)),
    )?;
    Ok(if found == (0, 0, 0) { None } else { Some((found.0, found.1) == (APPLICATION_ID, FORMAT)) })
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// True if a file that SQLite cannot read was created by this module: nothing else is ever overwritten.
fn is_ours(path: &Path) -> bool {
    let mut head = [0; APPLICATION_ID_AT + 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head.starts_with(MAGIC) && head[APPLICATION_ID_AT..] == APPLICATION_ID.to_be_bytes()
}

/// True if the file, or the part of it that was read, is corrupt.
pub(super) fn is_damaged(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Empties a damaged file, as SQLite's documentation describes: under its locks, even if other processes have
/// the file open.
pub(super) fn reset(file: &mut Connection) -> rusqlite::Result<bool> {
    file.flush_prepared_statement_cache();
    file.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, true)?;
    let emptied = file.execute_batch("VACUUM");
    file.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, false)?;
    emptied?;
    prepare(file)
}

/// Drops all records and rewrites the file; returns their number.
pub(super) fn clear(file: &Connection) -> rusqlite::Result<usize> {
    file.pragma_update(None, "secure_delete", true)?;
    file.flush_prepared_statement_cache();
    let dropped = file.execute("DELETE FROM records", [])?;
    file.execute_batch("VACUUM")?;
    // The write-ahead log holds pages as they were before.
    let busy: i64 = file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy != 0 {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
        return Err(rusqlite::Error::SqliteFailure(code, Some("another process is using it".to_owned())));
    }
    Ok(dropped)
}

/// Reads the record under a key; passes it to `take` without copying it. `take` gets `None` if the record
/// has none of these lengths: nothing of a longer one is read.
pub(super) fn read<T>(
    file: &Connection,
    key: &CacheKey,
    lengths: &RangeInclusive<usize>,
    take: impl FnOnce(Option<&[u8]>) -> T,
) -> rusqlite::Result<Option<T>> {
    let [least, most] =
        [lengths.start(), lengths.end()].map(|&length| i64::try_from(length).unwrap_or(i64::MAX));
    let mut statement = file.prepare_cached(
        "SELECT CASE WHEN length(record) BETWEEN ?2 AND ?3 THEN record END FROM records WHERE key = ?1",
    )?;
    statement
        .query_row((key.as_slice(), least, most), |row| Ok(take(row.get_ref(0)?.as_blob().ok())))
        .optional()
}

/// Writes records, in place of damaged ones too, and drops the oldest first if there would be more than `most`.
pub(super) fn write(
    file: &mut Connection,
    records: &[(CacheKey, Vec<u8>)],
    most: u64,
) -> rusqlite::Result<()> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let records = &records[records.len().saturating_sub(most)..];
    let room = i64::try_from(most - records.len()).unwrap_or(i64::MAX);
    let change = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
    change.execute("DELETE FROM records WHERE rowid <= (SELECT max(rowid) FROM records) - ?1", [room])?;
    {
        let mut insert =
            change.prepare_cached("INSERT OR REPLACE INTO records (key, record) VALUES (?1, ?2)")?;
        for (key, record) in records {
            insert.execute((key.as_slice(), record.as_slice()))?;
        }
    }
    change.commit()
}
