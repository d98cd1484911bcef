//! Interrupted runs, and their completion by the next run.

use std::{fs, os::unix::fs::symlink};

use nightfold_store::folder::NotMoved;

use crate::place::{Place, STAMP, assert_closed, mode, names, set_mode};

#[test]
fn interrupted_run_is_continued() {
    let place = Place::with_insights(4);
    let shelf = place.unfinished_archive_folder("2025");
    for (n, rights) in [(1, 0o444), (2, 0o664)] {
        let name = format!("affect-tone-{n}.md");
        fs::rename(place.path().join(&name), shelf.join(&name)).unwrap();
        set_mode(&shelf.join(&name), rights);
    }
    assert_eq!(place.open().unfinished().unwrap(), Some("archive/insights-dedup-2025".into()));
    let archived = place.archive(&place.chosen(&["affect-tone-3.md"]), STAMP);
    assert!(archived.resumed);
    assert_eq!(archived.folder, Some("archive/insights-dedup-2025".into()));
    assert_eq!(archived.moved, ["affect-tone-3.md"]);
    assert_eq!(names(&shelf).len(), 3);
    assert_closed(&shelf);
    assert_eq!(place.open().unfinished().unwrap(), None);
    assert!(!place.archive_folder(STAMP).exists());
}

#[test]
fn interrupted_run_is_completed_with_an_empty_choice() {
    let place = Place::with_insights(1);
    let shelf = place.unfinished_archive_folder("2025");
    fs::write(shelf.join("affect-tone-0.md"), "moved before").unwrap();
    let archived = place.archive(&[], STAMP);
    assert!(archived.resumed && archived.moved.is_empty());
    assert_eq!(archived.folder, Some("archive/insights-dedup-2025".into()));
    assert_closed(&shelf);
    assert_eq!(place.list().insights.len(), 1);
}

#[test]
fn empty_interrupted_folder_is_removed() {
    let place = Place::with_insights(1);
    let shelf = place.unfinished_archive_folder("2025");
    let archived = place.archive(&[], STAMP);
    assert!(archived.resumed && archived.folder.is_none());
    assert!(!shelf.exists());
}

#[test]
fn several_interrupted_runs_are_completed_and_the_first_continued() {
    let place = Place::with_insights(1);
    for stamp in ["2025", "2023", "2024"] {
        fs::write(place.unfinished_archive_folder(stamp).join("affect-tone-0.md"), stamp).unwrap();
    }
    let archived = place.archive(&place.list().insights, STAMP);
    assert_eq!(archived.folder, Some("archive/insights-dedup-2023".into()));
    assert_eq!(names(&place.archive_folder("2023")).len(), 2);
    ["2023", "2024", "2025"].into_iter().for_each(|stamp| assert_closed(&place.archive_folder(stamp)));
}

#[test]
fn placeholders_of_an_interrupted_run_are_removed() {
    let place = Place::with_insights(2);
    let shelf = place.unfinished_archive_folder("2025");
    for n in 1..=2 {
        let kept = shelf.join(format!("affect-tone-{n}.md"));
        fs::write(&kept, "").unwrap();
        set_mode(&kept, 0);
    }
    let archived = place.archive(&place.chosen(&["affect-tone-1.md"]), STAMP);
    assert_eq!(archived.moved, ["affect-tone-1.md"]);
    assert_eq!(names(&shelf), ["affect-tone-1.md"], "the other goes: its file was not chosen again");
    assert_eq!(fs::read_to_string(shelf.join("affect-tone-1.md")).unwrap(), "tone 1");
    assert_eq!(place.list().insights.len(), 1);
}

#[test]
fn archived_file_is_never_overwritten() {
    let place = Place::with_insights(2);
    let shelf = place.unfinished_archive_folder("2025");
    // Empty, but not a placeholder: it can be read.
    fs::write(shelf.join("affect-tone-1.md"), "").unwrap();
    let archived = place.archive(&place.list().insights, STAMP);
    assert_eq!(archived.moved, ["affect-tone-2.md"]);
    assert!(matches!(&archived.not_moved[..], [(name, NotMoved::NameTaken)] if name == "affect-tone-1.md"));
    assert_eq!(fs::read_to_string(shelf.join("affect-tone-1.md")).unwrap(), "");
    // The next run has a folder of its own.
    let archived = place.archive(&place.list().insights, STAMP);
    assert_eq!((archived.moved.len(), archived.resumed), (1, false));
    assert_eq!(fs::read_to_string(place.archive_folder(STAMP).join("affect-tone-1.md")).unwrap(), "tone 1");
}

#[test]
fn foreign_entries_in_an_interrupted_archive_are_left_alone() {
    let (place, elsewhere) = (Place::with_insights(1), Place::with_insights(1));
    let shelf = place.unfinished_archive_folder("2025");
    let outside = elsewhere.path().join("affect-tone-1.md");
    symlink(&outside, shelf.join("link.md")).unwrap();
    fs::create_dir(shelf.join("folder")).unwrap();
    let rights = (mode(&outside), mode(&shelf.join("folder")));
    let archived = place.archive(&place.list().insights, STAMP);
    assert!(archived.writable.is_empty());
    assert_eq!((mode(&outside), mode(&shelf.join("folder"))), rights);
    assert_eq!(mode(&shelf.join("affect-tone-1.md")) & 0o222, 0);
    assert_eq!(mode(&shelf) & 0o222, 0);
}

#[test]
fn other_folders_in_the_archive_are_ignored() {
    let place = Place::with_insights(1);
    for name in ["notes", "insights-dedup-", "insights-dedup-2024.old", "insights-dedup-a b"] {
        fs::create_dir_all(place.path().join("archive").join(name)).unwrap();
    }
    assert_eq!(place.open().unfinished().unwrap(), None);
    let archived = place.archive(&place.list().insights, STAMP);
    assert!(!archived.resumed);
    assert_eq!(mode(&place.path().join("archive/notes")) & 0o200, 0o200);
}

#[test]
fn file_hard_linked_into_the_archive_keeps_both_names() {
    let place = Place::with_insights(1);
    let shelf = place.unfinished_archive_folder("2025");
    fs::hard_link(place.path().join("affect-tone-1.md"), shelf.join("affect-tone-1.md")).unwrap();
    let archived = place.archive(&place.list().insights, STAMP);
    assert!(matches!(archived.not_moved[..], [(_, NotMoved::NameTaken)]));
    assert_eq!(place.files().into_values().collect::<Vec<_>>(), ["tone 1", "tone 1"]);
    assert_eq!(mode(&place.path().join("affect-tone-1.md")) & 0o200, 0o200);
    assert_eq!(mode(&shelf) & 0o222, 0);
}
