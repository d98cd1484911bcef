//! Opening a store file, step by step.

use std::{
    fs, io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use nightfold_memory::StoreError;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};

use super::{
    fault::{file_of, is_damaged_page, is_disk_full, to_store_error},
    format::{identify, migrate, newest_format},
    opened_files::{OpenedFiles, with_suffix},
    options::StoreOptions,
    page_sums,
};
use crate::{Access, OpenError};

/// Number of prepared statements that are cached; the store has about fifty.
const STATEMENT_CACHE_SIZE: usize = 64;

/// Size of the pages of a new file, in bytes. Smaller ones leave less room beside rows of a few hundred bytes.
const PAGE_BYTES: i64 = 4096;

/// Size of the write-ahead log, in bytes, at which it is checkpointed into the file: a little more than ten calls of 64
/// nights write.
const CHECKPOINT_BYTES: i64 = 32 << 20;

/// Opens a file; `steps` are all known migration steps.
pub(super) fn open(path: &Path, options: &StoreOptions, steps: &[&str]) -> Result<Connection, OpenError> {
    // An absolute path is nothing but a path: SQLite has a meaning of its own for "" and ":memory:".
    let path =
        &std::path::absolute(path).map_err(|source| OpenError::Io { path: path.to_owned(), source })?;
    check_path(path, options.access)?;
    let failed = |error| open_error(path, error);
    let mut file = connect(path, options).map_err(failed)?;
    if options.access == Access::ReadOnly {
        if is_half_written(&file) {
            roll_back(path, options).map_err(failed)?;
        }
        if is_immutable(&file, path) {
            file = connect_immutable(path).map_err(failed)?;
        }
    }
    prepare(&mut file, path, options, steps)?;
    Ok(file)
}

/// Notes the files of a store that has been opened, if it is open for writing.
pub(super) fn opened_files(
    path: &Path,
    access: Access,
    file: &Connection,
) -> Result<Option<OpenedFiles>, OpenError> {
    if access == Access::ReadOnly {
        return Ok(None);
    }
    // A log that was turned on just now is made by the next read.
    first_read(file).map_err(|e| open_error(path, e))?;
    let noted = std::path::absolute(path).and_then(|path| OpenedFiles::note(&path, file));
    noted.map(Some).map_err(|source| OpenError::Io { path: path.to_owned(), source })
}

/// Opens a database that is in memory alone.
pub(super) fn open_in_memory(steps: &[&str]) -> Result<Connection, OpenError> {
    let path = Path::new("memory");
    let options = StoreOptions { busy_timeout: Duration::ZERO, ..StoreOptions::default() };
    let opened = Connection::open_in_memory().and_then(|file| configure(file, options.busy_timeout));
    let mut file = opened.map_err(|error| open_error(path, error))?;
    prepare(&mut file, path, &options, steps)?;
    Ok(file)
}

/// Reports causes for which SQLite would only say "unable to open database file".
fn check_path(path: &Path, access: Access) -> Result<(), OpenError> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(OpenError::Folder(path.to_owned())),
        Ok(found) if !found.is_file() => Err(OpenError::NotAFile(path.to_owned())),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if access != Access::Create {
                return Err(OpenError::Missing(shown(path)));
            }
            match path.parent() {
                Some(folder) if !folder.is_dir() => Err(OpenError::NoFolder(folder.to_owned())),
                _ => Ok(()),
            }
        }
        Err(source) => Err(OpenError::Io { path: path.to_owned(), source }),
    }
}

fn connect(path: &Path, options: &StoreOptions) -> rusqlite::Result<Connection> {
    // The mutex around the connection makes SQLite's own superfluous.
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX
        | match options.access {
            Access::ReadOnly => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::Existing => OpenFlags::SQLITE_OPEN_READ_WRITE,
            Access::Create => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        };
    configure(connect_summed(path, flags)?, options.busy_timeout)
}

/// Opens a file whose pages have sums, or are to have.
pub(super) fn connect_summed(path: impl AsRef<Path>, flags: OpenFlags) -> rusqlite::Result<Connection> {
    page_sums::register()?;
    Connection::open_with_flags_and_vfs(path, flags, page_sums::VFS)
}

fn configure(file: Connection, busy_timeout: Duration) -> rusqlite::Result<Connection> {
    file.busy_timeout(busy_timeout)?;
    file.set_prepared_statement_cache_capacity(STATEMENT_CACHE_SIZE);
    // A file from elsewhere may hold views and triggers; they must not do more than SQL can.
    file.pragma_update(None, "trusted_schema", false)?;
    Ok(file)
}

/// True if a process died while it wrote to the file, so that only the journal beside it has the file as it was. There is
/// one where a store is just being made, and on file systems without write-ahead logging.
fn is_half_written(file: &Connection) -> bool {
    first_read(file)
        .is_err_and(|error| error.sqlite_extended_error_code() == Some(ffi::SQLITE_READONLY_ROLLBACK))
}

/// Rolls the journal of a process that died back; SQLite does so on a connection that may write.
fn roll_back(path: &Path, options: &StoreOptions) -> rusqlite::Result<()> {
    first_read(&connect(path, &StoreOptions { access: Access::Existing, ..options.clone() })?)
}

/// Reads from a file; a connection alone does not.
fn first_read(file: &Connection) -> rusqlite::Result<()> {
    file.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

/// True if even a reader cannot create the small files that it shares with a writer, and no writer has nights in them:
/// on a read-only disk, or on a full one.
fn is_immutable(file: &Connection, path: &Path) -> bool {
    let protected = first_read(file).is_err_and(|error| {
        let code = error.sqlite_error_code();
        let has_no_room = matches!(code, Some(ErrorCode::SystemIoFailure | ErrorCode::DiskFull));
        has_no_room && !is_damaged_page(&error)
            || matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
    });
    // A reader that failed has left an empty log.
    protected && fs::metadata(with_suffix(path, "-wal")).map_or(true, |log| log.len() == 0)
}

/// Opens a file that no process writes to, and creates no other file.
pub(super) fn connect_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let escaped = path.as_os_str().as_encoded_bytes().iter().map(|&byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    let name = format!("file:{}?immutable=1", escaped.collect::<String>());
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    configure(connect_summed(name, flags)?, Duration::ZERO)
}

fn prepare(
    file: &mut Connection,
    path: &Path,
    options: &StoreOptions,
    steps: &[&str],
) -> Result<(), OpenError> {
    let failed = |error| open_error(path, error);
    let known = newest_format(steps);
    let found = identify(file, known)
        .map_err(failed)?
        .map_err(|source| OpenError::Refused { place: shown(path), source })?;
    if found == 0 && options.access != Access::Create {
        return Err(OpenError::Missing(shown(path)));
    }
    if found > 0 && file_of(file).is_some() && !page_sums::has_sums(file).map_err(failed)? {
        let source = StoreError::backend(page_sums::NoSums);
        return Err(OpenError::Refused { place: shown(path), source });
    }
    if options.access == Access::ReadOnly {
        return if found < known {
            Err(OpenError::OlderFormat { place: shown(path), found, known })
        } else {
            Ok(())
        };
    }
    // For a protected file, SQLite silently grants reading when writing is asked for.
    if file.is_readonly("main").map_err(failed)? {
        return Err(OpenError::WriteProtected(path.to_owned()));
    }
    if found < known {
        // Has an effect only in an empty file.
        file.pragma_update(None, "page_size", PAGE_BYTES).map_err(failed)?;
        page_sums::reserve(file).map_err(failed)?;
        // Steps may rebuild tables that others refer to.
        file.pragma_update(None, "foreign_keys", false).map_err(failed)?;
        migrate(file, path, steps)?;
    }
    enable_wal(file, options.busy_timeout).map_err(failed)?;
    file.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    let page_bytes: i64 = file.pragma_query_value(None, "page_size", |row| row.get(0)).map_err(failed)?;
    file.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_BYTES / page_bytes.max(1)).map_err(failed)?;
    file.pragma_update(None, "foreign_keys", true).map_err(failed)?;
    // What a process wrote that died before it could sync is read as written, though no disk may have it yet.
    match fold_log(file) {
        // Whoever only reads, or makes room, needs no room.
        Err(error) if is_disk_full(&error) => Ok(()),
        done => done.map_err(failed),
    }
}

/// Writes what the log of a file holds into the file, and both to the disk, as far as no reader is in the way.
pub(super) fn fold_log(file: &Connection) -> rusqlite::Result<()> {
    file.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}

/// Turns on write-ahead logging; the file keeps the mode. On a file system without support for it, the
/// rollback journal stays: as safe, but slower.
fn enable_wal(file: &Connection, patience: Duration) -> rusqlite::Result<()> {
    let begun = Instant::now();
    loop {
        // Changing the mode takes the whole file; SQLite does not always wait for it.
        match file.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())) {
            Err(error) if is_busy(&error) && begun.elapsed() < patience => {
                thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn open_error(path: &Path, error: rusqlite::Error) -> OpenError {
    if error.sqlite_error_code() == Some(ErrorCode::CannotOpen)
        && !path.exists()
        && let Some(folder) = path.parent()
    {
        return OpenError::WriteProtected(folder.to_owned());
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => OpenError::NotADatabase(path.to_owned()),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => OpenError::WriteProtected(path.to_owned()),
        _ => OpenError::Refused { place: shown(path), source: to_store_error(error) },
    }
}

/// Returns the place of a store as errors show it.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reader_sees_nothing_of_what_a_dead_writer_left_half_written() {
        let folder = tempfile::tempdir().unwrap();
        let (live, dead) = (folder.path().join("live.db"), folder.path().join("dead.db"));
        let steps = ["CREATE TABLE t (x)"];
        let file = open(&live, &StoreOptions::default(), &steps).unwrap();
        file.pragma_update_and_check(None, "journal_mode", "delete", |_| Ok(())).unwrap();
        file.execute("INSERT INTO t VALUES ('whole')", []).unwrap();
        // What exceeds the cache is written before the transaction ends.
        file.pragma_update(None, "cache_size", 1).unwrap();
        file.execute_batch(
            "BEGIN; UPDATE t SET x = 'half';
             WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 50)
             INSERT INTO t SELECT hex(randomblob(4000)) FROM n",
        )
        .unwrap();
        for end in ["", "-journal"] {
            fs::copy(with_suffix(&live, end), with_suffix(&dead, end)).unwrap();
        }
        assert_ne!(fs::metadata(&dead).unwrap().len(), 0, "pages were written");

        let read = open(&dead, &StoreOptions { access: Access::ReadOnly, ..StoreOptions::default() }, &steps);
        let texts =
            read.unwrap().query_row("SELECT group_concat(x) FROM t", [], |row| row.get::<_, String>(0));
        assert_eq!(texts.unwrap(), "whole");
        assert!(!with_suffix(&dead, "-journal").exists());
    }

    #[test]
    fn immutable_file_opens_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("100% sure? #1 \u{e4}.db");
        drop(open(&path, &StoreOptions::default(), &["CREATE TABLE t (x)"]).unwrap());
        let file = connect_immutable(&path).unwrap();
        assert_eq!(file.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0)).unwrap(), 0);
        assert!(!with_suffix(&path, "-shm").exists(), "nothing is made beside it");
        assert!(file.execute("INSERT INTO t VALUES (1)", []).is_err());
    }
}
