//! Listing insights, and refusing paths that cannot be opened.

use std::{
    error::Error as _,
    fs,
    os::unix::{fs::symlink, net::UnixListener},
};

use nightfold_store::folder::{EntryKind, FolderError, InsightFile, InsightFolder, SkipReason};

use crate::place::{Place, STAMP, names};

#[test]
fn only_regular_files_are_insights() {
    let place = Place::with_insights(2);
    let elsewhere = Place::with_insights(1);
    let path = place.path();
    symlink(elsewhere.path().join("affect-tone-1.md"), path.join("affect-tone-3.md")).unwrap();
    symlink("nowhere", path.join("broken.md")).unwrap();
    fs::create_dir(path.join("drafts")).unwrap();
    fs::create_dir(path.join("archive")).unwrap();
    let _socket = UnixListener::bind(path.join("socket.md")).unwrap();
    place.write(".hidden.md", "", 1);
    place.write("two\nlines.md", "", 1);
    let listing = place.list();
    assert_eq!(
        listing.insights.iter().map(InsightFile::name).collect::<Vec<_>>(),
        ["affect-tone-1.md", "affect-tone-2.md"]
    );
    let passed: Vec<_> = listing.skipped.iter().map(|p| (p.name.as_str(), p.reason)).collect();
    assert_eq!(
        passed,
        [
            ("affect-tone-3.md", SkipReason::NotAFile(EntryKind::Link)),
            ("broken.md", SkipReason::NotAFile(EntryKind::Link)),
            ("drafts", SkipReason::NotAFile(EntryKind::Folder)),
            ("socket.md", SkipReason::NotAFile(EntryKind::Special)),
            ("two\u{fffd}lines.md", SkipReason::ControlCharacter),
        ]
    );
    assert_eq!(listing.skipped[0].reason.to_string(), "it is a link, not a file");
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_text_are_skipped() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let place = Place::with_insights(1);
    fs::write(place.path().join(OsStr::from_bytes(b"affect-\xff.md")), "kept").unwrap();
    let listing = place.list();
    assert_eq!(listing.insights.len(), 1);
    let passed = &listing.skipped[0];
    assert_eq!((passed.name.as_str(), passed.reason), ("affect-\u{fffd}.md", SkipReason::NotUtf8));
}

#[test]
fn unopenable_paths_have_distinct_errors() {
    let place = Place::with_insights(1);
    let missing = InsightFolder::open(&place.path().join("no")).unwrap_err();
    assert!(matches!(missing, FolderError::Missing { .. }), "{missing}");
    let file = InsightFolder::open(&place.path().join("affect-tone-1.md")).unwrap_err();
    assert!(matches!(file, FolderError::NotAFolder { .. }), "{file}");
    assert!(file.to_string().ends_with("affect-tone-1.md is not a folder"), "{file}");
    let looped = place.path().join("loop");
    symlink(&looped, &looped).unwrap();
    let looped = InsightFolder::open(&looped).unwrap_err();
    assert!(matches!(looped, FolderError::Read { .. }) && looped.source().is_some(), "{looped}");
}

#[test]
fn link_given_as_path_is_followed_once() {
    let (place, other) = (Place::with_insights(2), Place::with_insights(1));
    let named = Place::new();
    let link = named.path().join("insights");
    symlink(place.path(), &link).unwrap();
    let folder = InsightFolder::open(&link).unwrap();
    fs::remove_file(&link).unwrap();
    symlink(other.path(), &link).unwrap();
    let insights = folder.list().unwrap().insights;
    assert_eq!(insights.len(), 2);
    folder.archive(&insights, STAMP).unwrap();
    assert_eq!(names(&place.archive_folder(STAMP)).len(), 2);
    assert_eq!(names(other.path()), ["affect-tone-1.md"]);
}
