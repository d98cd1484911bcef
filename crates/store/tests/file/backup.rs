//! Backups of a store file, its figures, and giving its free space back.

use std::{fs, path::PathBuf, thread};

use nightfold_memory::{MemoryReader as _, MemoryStore as _, SavePointName};
use nightfold_store::{BackupError, BackupOptions, DurableStore as _, SqliteStore};
use tempfile::TempDir;

use crate::{
    files, npc, rows, store_with_a_night,
    support::{Story, all_of, applied},
};

const REPLACING: BackupOptions = BackupOptions { overwrite: true, anyway: false };

fn store_with_a_save_point() -> (TempDir, PathBuf, SqliteStore) {
    let (folder, path) = store_with_a_night();
    let store = SqliteStore::open(&path).unwrap();
    store.save_point(&SavePointName::new("slot").unwrap()).unwrap();
    applied(&store, &Story::on(&store, "Mara", "two").store("c"));
    (folder, path, store)
}

#[test]
fn backup_is_the_same_store_with_its_save_points() {
    let (folder, path, store) = store_with_a_save_point();
    let to = folder.path().join("backup.db");
    let counts = SqliteStore::open_read_only(&path).unwrap().back_up(&to, BackupOptions::default()).unwrap();
    assert_eq!((counts.npcs, counts.nights, counts.memories), (1, 2, 3));
    let names = files(folder.path());
    assert_eq!(names, ["backup.db", "minds.db", "minds.db-shm", "minds.db-wal"], "nothing else is left");
    drop(store);
    assert_eq!(rows(&to), rows(&path));
    let backup = SqliteStore::open_existing(&to).unwrap();
    assert_eq!(backup.check(None, 9).unwrap().found, 0);
    assert_eq!(backup.save_points().unwrap().len(), 1);
    applied(&backup, &Story::on(&backup, "Mara", "three").store("d"));
}

#[test]
fn backup_replaces_a_file_only_on_request_and_with_it_what_readers_left() {
    let (folder, _, store) = store_with_a_save_point();
    let to = folder.path().join("backup.db");
    fs::write(&to, "of yesterday").unwrap();
    let refused = store.back_up(&to, BackupOptions::default()).unwrap_err();
    assert!(matches!(refused, BackupError::Exists(_)), "{refused}");
    assert_eq!(fs::read_to_string(&to).unwrap(), "of yesterday");
    store.back_up(&to, REPLACING).unwrap();
    assert_eq!(all_of(&SqliteStore::open_read_only(&to).unwrap()), all_of(&store));
    applied(&store, &Story::on(&store, "Mara", "three").store("d"));
    store.back_up(&to, REPLACING).unwrap();
    assert!(!folder.path().join("backup.db-wal").exists() && !folder.path().join("backup.db-shm").exists());
    assert_eq!(all_of(&SqliteStore::open_existing(&to).unwrap()), all_of(&store));
}

#[test]
fn backup_into_the_store_or_a_store_in_use_is_refused() {
    let (folder, path, store) = store_with_a_save_point();
    let before = all_of(&store);
    for options in [BackupOptions::default(), REPLACING] {
        let refused = store.back_up(&path, options).unwrap_err();
        assert!(matches!(refused, BackupError::Itself(_)), "{refused}");
        let refused = store.back_up(folder.path(), options).unwrap_err();
        assert!(matches!(refused, BackupError::Folder(_)), "{refused}");
        let refused = store.back_up(folder.path().join("none/backup.db"), options).unwrap_err();
        assert!(matches!(refused, BackupError::Write { .. }), "{refused}");
    }
    let other = folder.path().join("other.db");
    let in_use = SqliteStore::open(&other).unwrap();
    applied(&in_use, &Story::new("Tom", "one", 0).store("t"));
    let refused = store.back_up(&other, REPLACING).unwrap_err();
    assert!(matches!(refused, BackupError::InUse { .. }), "{refused}");
    assert_eq!(in_use.npcs().unwrap(), [npc("Tom")]);
    // The log of a store that is gone would be read into the backup.
    let to = folder.path().join("backup.db");
    fs::write(folder.path().join("backup.db-wal"), "frames").unwrap();
    let refused = store.back_up(&to, BackupOptions::default()).unwrap_err();
    assert!(matches!(refused, BackupError::InUse { .. }) && !to.exists(), "{refused}");
    // A name that SQLite takes for a file of the store, or of another database.
    for (name, of) in
        [("minds.db-wal", "minds.db"), ("minds.db-journal", "minds.db"), ("other.db-shm", "other.db")]
    {
        let refused = store.back_up(folder.path().join(name), REPLACING).unwrap_err();
        let BackupError::Beside { database, .. } = &refused else { panic!("{refused}") };
        assert_eq!(*database, folder.path().join(of));
    }
    assert_eq!(all_of(&store), before);
}

#[test]
fn damaged_store_replaces_no_good_backup_unless_told_to() {
    let (folder, path, store) = store_with_a_save_point();
    let to = folder.path().join("backup.db");
    store.back_up(&to, BackupOptions::default()).unwrap();
    let good = all_of(&SqliteStore::open_read_only(&to).unwrap());
    drop(store);
    // A row that SQLite finds well-formed, and a check of the store does not.
    let file = crate::as_the_store_does(&path).unwrap();
    file.execute("UPDATE memory SET importance = 40 WHERE id = 'c'", []).unwrap();
    drop(file);
    let store = SqliteStore::open_read_only(&path).unwrap();
    assert!(store.check(None, 9).unwrap().found > 0);
    let refused = store.back_up(&to, REPLACING).unwrap_err();
    assert!(matches!(&refused, BackupError::Unsound { problem, .. } if problem.contains('c')), "{refused}");
    assert_eq!(all_of(&SqliteStore::open_read_only(&to).unwrap()), good);
    store.back_up(&to, BackupOptions { anyway: true, ..REPLACING }).unwrap();
    assert!(SqliteStore::open_read_only(&to).unwrap().check(None, 9).unwrap().found > 0);
}

#[test]
#[cfg(unix)]
fn backup_is_readable_by_those_who_may_read_the_store() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, path, store) = store_with_a_save_point();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let to = folder.path().join("backup.db");
    store.back_up(&to, BackupOptions::default()).unwrap();
    assert_eq!(fs::metadata(&to).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn backups_while_others_write_are_states_that_once_were() {
    let (folder, path, store) = store_with_a_save_point();
    let reader = SqliteStore::open_read_only(&path).unwrap();
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for night in 0..40 {
                applied(&store, &Story::on(&store, "Tom", &format!("n{night}")).store(&format!("m{night}")));
            }
        });
        let mut last = 0;
        for n in 0.. {
            let ended = writer.is_finished();
            let to = folder.path().join(format!("backup{n}.db"));
            reader.back_up(&to, BackupOptions::default()).unwrap();
            let backup = SqliteStore::open_read_only(&to).unwrap();
            assert_eq!(backup.check(None, 9).unwrap().found, 0);
            let nights = backup.nights(Some(&npc("Tom"))).unwrap().len();
            assert!(nights >= last, "a later backup has no fewer nights");
            last = nights;
            if ended {
                break;
            }
        }
        assert_eq!(last, 40);
    });
}

#[test]
fn figures_count_what_is_there() {
    let (_folder, path, store) = store_with_a_save_point();
    applied(&store, &Story::new("Tom", "one", 0).store("t"));
    let stats = store.stats(1).unwrap();
    assert_eq!((stats.npcs, stats.nights, stats.active, stats.archived), (2, 3, 3, 1));
    assert_eq!((stats.vectors, stats.shelved, stats.purged), (3, 0, 0));
    assert_eq!(stats.log_lines, 4);
    assert!(stats.size.bytes >= fs::metadata(&path).unwrap().len() && stats.size.log_bytes > Some(0));
    let [mara] = stats.biggest.as_slice() else { panic!("{stats:?}") };
    assert_eq!((&mara.npc, mara.nights, mara.active, mara.archived), (&npc("Mara"), 2, 2, 1));
    assert!(mara.bytes > 0);
}

#[test]
fn vacuum_gives_free_space_back_and_changes_nothing() {
    let (_folder, path) = store_with_a_night();
    let store = SqliteStore::open(&path).unwrap();
    let run = store.begin_run().unwrap();
    for night in 0..30 {
        let of = format!("npc {night}");
        let story = (0..20).fold(Story::new(&of, "one", 0), |story, n| story.store(&format!("m{n}")));
        assert!(store.apply(run, &[story.0]).unwrap()[0].is_ok());
    }
    store.undo_run(run).unwrap();
    let before = store.stats(0).unwrap().size;
    assert!(before.free_bytes > Some(0), "{before:?}");
    let held = rows(&path);
    store.vacuum().unwrap();
    let after = store.stats(0).unwrap().size;
    assert_eq!((after.free_bytes, after.log_bytes), (Some(0), Some(0)));
    assert!(after.bytes < before.bytes + before.log_bytes.unwrap(), "{before:?} {after:?}");
    assert_eq!(rows(&path), held);
    assert!(SqliteStore::open_read_only(&path).unwrap().vacuum().is_err(), "a reader writes nothing");
}
