//! Identifying a store file and its format, and migrating an older format.

use std::{
    fs,
    path::{Path, PathBuf},
};

use nightfold_memory::StoreError;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::{copy::copy, fault::to_store_error, open::connect_summed, opened_files::with_suffix};
use crate::OpenError;

/// Application id in the header of every store file: "NFLD".
const APPLICATION_ID: i64 = 0x4e46_4c44;

/// Migration steps: step `n` turns a file of format `n` into one of format `n + 1`; format 0 is an empty
/// file. A released step is never edited: a change of the format is a new step.
pub(super) const STEPS: &[&str] = &[include_str!("schema/1.sql")];

/// Returns the format that all steps together lead to.
pub(super) fn newest_format(steps: &[&str]) -> i64 {
    i64::try_from(steps.len()).unwrap_or(i64::MAX)
}

/// Returns the format of a store file, at most `known`; 0 for an empty file, from which a store can be made.
///
/// The file is only read.
///
/// # Errors
/// [`StoreError::Foreign`], [`StoreError::NoFormat`] and [`StoreError::NewerFormat`], within what is read.
pub(super) fn identify(file: &mut Connection, known: i64) -> rusqlite::Result<Result<i64, StoreError>> {
    // One read transaction, so that a store which another process is creating is seen complete or not at all.
    identify_within(&*file.transaction()?, known)
}

fn identify_within(file: &Connection, known: i64) -> rusqlite::Result<Result<i64, StoreError>> {
    let pragma = |name| file.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, format) = (pragma("application_id")?, pragma("user_version")?);
    let tables: i64 = file.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (application, format) {
        (0, 0) if tables == 0 => Ok(0),
        (APPLICATION_ID, 1..) if format <= known => Ok(format),
        (APPLICATION_ID, 1..) => Err(StoreError::NewerFormat { found: format, known }),
        (APPLICATION_ID, _) => Err(StoreError::NoFormat(format)),
        _ => Err(StoreError::Foreign(application)),
    })
}

/// Migrates a file to the newest format, by the steps it lacks and in one transaction. The file is first
/// copied to `FILE.v<format>.bak`. Two processes may do this at the same time: the second finds the migration
/// done.
///
/// # Errors
/// [`OpenError`]; the file is then unchanged.
pub(super) fn migrate(file: &mut Connection, path: &Path, steps: &[&str]) -> Result<(), OpenError> {
    let refused = |source: StoreError| OpenError::Refused { place: path.display().to_string(), source };
    let failed = |error| refused(to_store_error(error));
    let known = newest_format(steps);
    // The write lock is held from before the copy until the end: no night can be written in between.
    let change = file.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let found = identify_within(&change, known).map_err(failed)?.map_err(refused)?;
    if found == known {
        return Ok(());
    }
    if found > 0 {
        back_up(path, found)?;
    }
    for step in &steps[found as usize..] {
        change.execute_batch(step).map_err(failed)?;
    }
    change.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    change.pragma_update(None, "user_version", known).map_err(failed)?;
    change.commit().map_err(failed)
}

/// Copies the committed state of the file to an unused name.
fn back_up(path: &Path, format: i64) -> Result<(), OpenError> {
    let backup = free_backup_path(path, format);
    let part = with_suffix(&backup, ".part");
    // The connection that holds the write lock cannot be copied from.
    let reader = connect_summed(path, OpenFlags::SQLITE_OPEN_READ_ONLY);
    let copied = reader.map_err(Box::from).and_then(|reader| copy(&reader, Some(path), &part));
    copied.and_then(|()| Ok(fs::rename(&part, &backup)?)).map_err(|source| {
        // Half a copy is useless; if it cannot be removed, the next attempt removes it.
        let _ = fs::remove_file(&part);
        OpenError::Backup { path: path.to_owned(), backup, source }
    })
}

/// Returns `FILE.v1.bak`, or a numbered name if an earlier backup has that one: backups are never
/// overwritten.
fn free_backup_path(path: &Path, format: i64) -> PathBuf {
    let first = with_suffix(path, &format!(".v{format}.bak"));
    let numbered = (2_u32..).map(|n| with_suffix(path, &format!(".v{format}.bak-{n}")));
    std::iter::once(first.clone()).chain(numbered).find(|name| !name.exists()).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Access,
        sqlite::{open::open, options::StoreOptions},
    };

    /// The first format.
    const FIRST: &[&str] = &[STEPS[0]];

    /// An invented later format.
    const NEXT: &[&str] = &[STEPS[0], "ALTER TABLE npc ADD COLUMN place TEXT; UPDATE npc SET place = 'home'"];

    fn writing() -> StoreOptions {
        StoreOptions::default()
    }

    fn reading() -> StoreOptions {
        StoreOptions { access: Access::ReadOnly, ..StoreOptions::default() }
    }

    /// Makes a store of format 1 with one NPC, Mara.
    fn store_of_format_1(folder: &Path) -> PathBuf {
        let path = folder.join("minds.db");
        let file = open(&path, &writing(), FIRST).unwrap();
        file.execute("INSERT INTO npc VALUES (1, 'Mara', 4, NULL)", []).unwrap();
        path
    }

    fn text(file: &Connection, sql: &str) -> rusqlite::Result<String> {
        file.query_row(sql, [], |row| row.get(0))
    }

    #[test]
    fn older_format_is_backed_up_and_migrated() {
        let folder = tempfile::tempdir().unwrap();
        let path = store_of_format_1(folder.path());
        let refused = open(&path, &reading(), NEXT).unwrap_err();
        assert!(matches!(refused, OpenError::OlderFormat { found: 1, known: 2, .. }), "{refused}");

        let file = open(&path, &writing(), NEXT).unwrap();
        assert_eq!(text(&file, "SELECT name || ' is at ' || place FROM npc").unwrap(), "Mara is at home");
        drop(open(&path, &reading(), NEXT).unwrap());
        let newer = open(&path, &writing(), FIRST).unwrap_err();
        assert!(matches!(
            newer,
            OpenError::Refused { source: StoreError::NewerFormat { found: 2, known: 1 }, .. }
        ));

        let backup = open(&with_suffix(&path, ".v1.bak"), &reading(), FIRST).unwrap();
        assert_eq!(text(&backup, "SELECT name FROM npc").unwrap(), "Mara");
        assert!(text(&backup, "SELECT place FROM npc").is_err());
    }

    #[test]
    fn backup_contains_the_write_ahead_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = store_of_format_1(folder.path());
        let other = open(&path, &writing(), FIRST).unwrap();
        other.execute("UPDATE npc SET name = 'Ana'", []).unwrap();
        drop(open(&path, &writing(), NEXT).unwrap());
        let backup = open(&with_suffix(&path, ".v1.bak"), &reading(), FIRST).unwrap();
        assert_eq!(text(&backup, "SELECT name FROM npc").unwrap(), "Ana");
    }

    #[test]
    fn failed_migration_leaves_the_file_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = store_of_format_1(folder.path());
        let broken = [STEPS[0], "DROP TABLE log; SELECT nonsense"];
        for _ in 0..2 {
            assert!(matches!(open(&path, &writing(), &broken), Err(OpenError::Refused { .. })));
        }
        let file = open(&path, &writing(), FIRST).unwrap();
        assert_eq!(text(&file, "SELECT name FROM npc").unwrap(), "Mara");
        assert_eq!(text(&file, "SELECT count(*) || '' FROM log").unwrap(), "0");
        // Each attempt has its backup.
        assert!(with_suffix(&path, ".v1.bak").is_file() && with_suffix(&path, ".v1.bak-2").is_file());
        assert!(!with_suffix(&path, ".v1.bak.part").exists());
    }

    #[test]
    fn failed_backup_prevents_migration() {
        let folder = tempfile::tempdir().unwrap();
        let path = store_of_format_1(folder.path());
        let in_the_way = with_suffix(&path, ".v1.bak.part");
        fs::create_dir(&in_the_way).unwrap();
        let refused = open(&path, &writing(), NEXT).unwrap_err();
        assert!(matches!(refused, OpenError::Backup { .. }), "{refused}");
        drop(open(&path, &writing(), FIRST).unwrap());
    }

    #[test]
    fn concurrent_migrations_run_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = store_of_format_1(folder.path());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| open(&path, &writing(), NEXT).unwrap());
            }
        });
        assert!(with_suffix(&path, ".v1.bak").is_file());
        assert!(!with_suffix(&path, ".v1.bak-2").exists());
    }
}
