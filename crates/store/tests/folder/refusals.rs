//! Refusals, after which nothing is moved: bad stamps, links in the way, two runs at the same time.

use std::{
    fs::{self, File},
    os::unix::fs::symlink,
    sync::Barrier,
    thread,
};

use nightfold_store::folder::{EntryKind, FolderError, NotMoved};

use crate::place::{Place, STAMP, assert_closed, mode, names};

#[test]
fn stamp_with_path_characters_is_refused() {
    let place = Place::with_insights(1);
    let chosen = place.list().insights;
    for stamp in ["", ".", "..", "../x", "a/b", "a b", "2026:11", "a\0", "ä", "a\n", &"9".repeat(33)] {
        let refused = place.refused(&chosen, stamp);
        assert!(matches!(&refused, FolderError::Stamp { stamp: told, .. } if told == stamp), "{refused}");
    }
    assert_eq!(names(place.path()), ["affect-tone-1.md"]);
    let longest = "9".repeat(32);
    assert_eq!(place.archive(&chosen, &longest).moved.len(), 1);
    assert_closed(&place.archive_folder(&longest));
}

#[test]
fn nothing_is_written_through_a_link() {
    for inner in [false, true] {
        let (place, elsewhere) = (Place::with_insights(2), Place::new());
        let link = if inner {
            fs::create_dir(place.path().join("archive")).unwrap();
            place.archive_folder(STAMP)
        } else {
            place.path().join("archive")
        };
        symlink(elsewhere.path(), &link).unwrap();
        let before = place.files();
        let refused = place.refused(&place.list().insights, STAMP);
        let told =
            matches!(&refused, FolderError::InTheWay { path, found: EntryKind::Link } if *path == link);
        assert!(told, "{refused}");
        assert_eq!(place.files(), before);
        assert!(names(elsewhere.path()).is_empty());
        assert_eq!(mode(elsewhere.path()) & 0o200, 0o200);
        assert_eq!(place.open().unfinished().is_err(), !inner);
    }
}

#[test]
fn archive_that_is_not_a_folder_is_refused() {
    let place = Place::with_insights(2);
    place.write("archive", "notes of mine", 1);
    let refused = place.refused(&place.list().insights, STAMP);
    assert!(matches!(refused, FolderError::InTheWay { found: EntryKind::File, .. }), "{refused}");
    assert_eq!(place.files().len(), 3);
}

#[test]
fn concurrent_run_is_refused() {
    let place = Place::with_insights(1);
    let chosen = place.list().insights;
    let other = File::open(place.path()).unwrap();
    other.lock().unwrap();
    let refused = place.refused(&chosen, STAMP);
    assert!(matches!(refused, FolderError::Locked { .. }), "{refused}");
    assert_eq!(names(place.path()), ["affect-tone-1.md"]);
    drop(other);
    assert_eq!(place.archive(&chosen, STAMP).moved.len(), 1);
}

#[test]
fn concurrent_runs_move_each_file_once() {
    const RUNS: usize = 8;
    let place = Place::with_insights(40);
    let before: Vec<_> = place.files().into_values().collect();
    let folder = place.open();
    let chosen = folder.list().unwrap().insights;
    let start = Barrier::new(RUNS);
    let run = |n: usize| {
        start.wait();
        loop {
            match folder.archive(&chosen, &format!("run-{n}")) {
                Err(FolderError::Locked { .. }) => thread::yield_now(),
                done => break done.unwrap(),
            }
        }
    };
    let runs: Vec<_> = thread::scope(|scope| {
        let runs: Vec<_> = (0..RUNS).map(|n| scope.spawn(move || run(n))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let mut moved: Vec<_> = runs.iter().filter(|done| !done.moved.is_empty()).collect();
    let first = moved.pop().unwrap();
    assert!(moved.is_empty(), "the first moves all");
    assert_eq!((first.moved.len(), first.resumed), (40, false));
    let others: Vec<_> = runs.iter().flat_map(|done| &done.not_moved).collect();
    assert!(
        others.len() == (RUNS - 1) * 40 && others.iter().all(|(_, why)| matches!(why, NotMoved::Vanished))
    );
    let mut after: Vec<_> = place.files().into_values().collect();
    after.sort();
    let mut before = before;
    before.sort();
    assert_eq!(after, before);
}
