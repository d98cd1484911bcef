//! The cache file: identification, creation, reads, writes and resets.

use std::{
    fs::{self, File},
    io::{self, Read},
    ops::RangeInclusive,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior, config::DbConfig};

use super::{
    CacheError,
    record::{CacheKey, VerdictRecord},
};

/// SQLite application id that distinguishes the file from other databases: `NFvc`.
const APPLICATION_ID: i32 = 0x4e46_7663;
/// Offset of the application id in a SQLite file, and the magic bytes of such a file.
const APPLICATION_ID_AT: usize = 68;
const MAGIC: &[u8] = b"SQLite format 3\0";
const FORMAT: i64 = 2;
/// The format without grammar: its verdicts are kept, its vectors are dropped.
const WITHOUT_GRAMMAR: i64 = 1;

/// Schema of the table. Row ids rise, so that the lowest are the oldest.
const TABLE: &str = "CREATE TABLE vectors (key BLOB NOT NULL UNIQUE, record BLOB NOT NULL)";

/// Maximum wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(2);

/// Opens or creates the file.
pub(super) fn open(path: &Path) -> Result<Connection, CacheError> {
    let failed =
        |source: Box<dyn std::error::Error + Send + Sync>| CacheError::File { path: path.to_owned(), source };
    // An absolute path is nothing but a path: SQLite has a meaning of its own for "" and ":memory:".
    let path = &std::path::absolute(path).map_err(|error| failed(error.into()))?;
    look(path)?;
    let flags =
        OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let prepared = Connection::open_with_flags(path, flags).and_then(|mut file| {
        set_up(&file)?;
        let mut whose = prepare(&mut file);
        if whose.as_ref().is_err_and(is_damaged) && is_ours(path) {
            tracing::warn!(path = %path.display(), "the vector cache is damaged; it is begun anew");
            reset(&mut file)?;
            whose = prepare(&mut file);
        }
        Ok((file, whose?))
    });
    match prepared {
        Ok((file, FileOwner::Ours)) => {
            log_ahead(&file).map_err(|error| failed(error.into()))?;
            Ok(file)
        }
        Ok((_, FileOwner::Foreign)) => Err(CacheError::Foreign { path: path.to_owned() }),
        Ok((_, FileOwner::Format(found))) => {
            Err(CacheError::Format { path: path.to_owned(), found, known: FORMAT })
        }
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            Err(CacheError::Foreign { path: path.to_owned() })
        }
        Err(error) => Err(failed(error.into())),
    }
}

/// Creates a database without a file.
pub(super) fn in_memory() -> Result<Connection, CacheError> {
    let made = Connection::open_in_memory().and_then(|mut file| {
        set_up(&file)?;
        prepare(&mut file)?;
        Ok(file)
    });
    made.map_err(|error| CacheError::File { path: "in memory".into(), source: error.into() })
}

/// Checks for a folder or a missing parent, which SQLite would only call "unable to open database file".
fn look(path: &Path) -> Result<(), CacheError> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(CacheError::Folder { path: path.to_owned() }),
        Ok(found) if !found.is_file() => Err(CacheError::NotAFile { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.parent() {
            Some(folder) if !folder.is_dir() => Err(CacheError::NoFolder { folder: folder.to_owned() }),
            _ => Ok(()),
        },
        // Whatever else is in the way, SQLite says.
        _ => Ok(()),
    }
}

fn set_up(file: &Connection) -> rusqlite::Result<()> {
    file.busy_timeout(PATIENCE)?;
    // A file from elsewhere may hold views and triggers; they must not do more than SQL can.
    file.pragma_update(None, "trusted_schema", false)?;
    file.pragma_update(None, "cell_size_check", true)
}

enum FileOwner {
    Ours,
    Foreign,
    /// A vector cache of another format version.
    Format(i64),
}

/// Identifies the file's owner, and creates the table if the file is new.
fn prepare(file: &mut Connection) -> rusqlite::Result<FileOwner> {
    // In one transaction: another process may create the table between two reads.
    let whose = {
        let read = file.transaction()?;
        identify(&read)?
    };
    match whose {
        None => create(file),
        Some(FileOwner::Format(WITHOUT_GRAMMAR)) => migrate(file),
        Some(whose) => Ok(whose),
    }
}

/// Drops the vectors of a file of [`WITHOUT_GRAMMAR`], which no key of this version finds, and keeps its verdicts.
fn migrate(file: &mut Connection) -> rusqlite::Result<FileOwner> {
    let change = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated it meanwhile.
    if let Some(FileOwner::Format(WITHOUT_GRAMMAR)) = identify(&change)? {
        let verdict = i64::try_from(VerdictRecord::LENGTH).unwrap_or(i64::MAX);
        change.execute("DELETE FROM vectors WHERE length(record) <> ?1", [verdict])?;
        change.pragma_update(None, "user_version", FORMAT)?;
        tracing::info!("the vector cache has no grammar yet; its texts are embedded again");
    }
    change.commit()?;
    identify(file).map(|whose| whose.unwrap_or(FileOwner::Foreign))
}

/// Returns the file's owner; `None` if the file is empty.
fn identify(file: &Connection) -> rusqlite::Result<Option<FileOwner>> {
    let pragma = |name| file.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, format) = (pragma("application_id")?, pragma("user_version")?);
    // Exactly the table and the index of its keys: no view, no trigger, no other table.
    let (things, as_made): (i64, Option<i64>) =
        file.query_row("SELECT count(*), sum(sql = ?1) FROM sqlite_schema", [TABLE], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    Ok(match (application, format, things) {
        (0, 0, 0) => None,
        (id, FORMAT, 2) if id == i64::from(APPLICATION_ID) && as_made == Some(1) => Some(FileOwner::Ours),
        (id, WITHOUT_GRAMMAR, 2) if id == i64::from(APPLICATION_ID) && as_made == Some(1) => {
            Some(FileOwner::Format(WITHOUT_GRAMMAR))
        }
        (id, format, _)
            if id == i64::from(APPLICATION_ID) && ![FORMAT, WITHOUT_GRAMMAR].contains(&format) =>
        {
            Some(FileOwner::Format(format))
        }
        _ => Some(FileOwner::Foreign),
    })
}

fn create(file: &mut Connection) -> rusqlite::Result<FileOwner> {
    // Takes hold only in an empty file. Five records fill a page.
    file.pragma_update(None, "page_size", 8192)?;
    let change = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have made it meanwhile.
    if let Some(whose) = identify(&change)? {
        return Ok(whose);
    }
    change.execute_batch(TABLE)?;
    change.pragma_update(None, "application_id", APPLICATION_ID)?;
    change.pragma_update(None, "user_version", FORMAT)?;
    change.commit()?;
    Ok(FileOwner::Ours)
}

/// Switches to write-ahead logging: readers and a writer do not wait for each other, and a commit does not
/// wait for the disk: a power cut may lose the last vectors, never the file. The file remembers the mode; on
/// a file system that does not support it, the rollback journal stays.
fn log_ahead(file: &Connection) -> rusqlite::Result<()> {
    if file.is_readonly("main")? {
        return Ok(());
    }
    file.pragma_update(None, "synchronous", "NORMAL")?;
    let begun = Instant::now();
    loop {
        match file.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())) {
            // Changing the mode takes the whole file; SQLite does not always wait for it.
            Err(error) if is_busy(&error) && begun.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(5));
            }
            // The mode it has will do.
            Err(error) if is_busy(&error) => return Ok(()),
            done => return done,
        }
    }
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
pub(super) fn reset(file: &mut Connection) -> rusqlite::Result<()> {
    file.flush_prepared_statement_cache();
    file.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, true)?;
    let emptied = file.execute_batch("VACUUM");
    file.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, false)?;
    emptied?;
    prepare(file).map(drop)
}

/// Drops all records and rewrites the file; returns their number.
pub(super) fn clear(file: &Connection) -> rusqlite::Result<usize> {
    file.pragma_update(None, "secure_delete", true)?;
    file.flush_prepared_statement_cache();
    let dropped = file.execute("DELETE FROM vectors", [])?;
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
        "SELECT CASE WHEN length(record) BETWEEN ?2 AND ?3 THEN record END FROM vectors WHERE key = ?1",
    )?;
    statement
        .query_row((key.as_slice(), least, most), |row| Ok(take(row.get_ref(0)?.as_blob().ok())))
        .optional()
}

/// Writes records, and drops the oldest first if there would be more than `most`.
pub(super) fn write(
    file: &mut Connection,
    records: &[(CacheKey, Vec<u8>)],
    most: u64,
) -> rusqlite::Result<()> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let records = &records[records.len().saturating_sub(most)..];
    let room = i64::try_from(most - records.len()).unwrap_or(i64::MAX);
    let change = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let newest: Option<i64> = change.query_row("SELECT max(rowid) FROM vectors", [], |row| row.get(0))?;
    if let Some(newest) = newest {
        change.execute("DELETE FROM vectors WHERE rowid <= ?1", [newest.saturating_sub(room)])?;
    }
    {
        let mut insert = change.prepare_cached(
            "INSERT INTO vectors (key, record) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET record = excluded.record",
        )?;
        for (key, record) in records {
            insert.execute((key.as_slice(), record.as_slice()))?;
        }
    }
    change.commit()
}
