//! Moving files to the archive.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    os::unix::fs::symlink,
    path::Path,
    time::Duration,
};

use nightfold_store::folder::{InsightFile, Listing, NotMoved};

use crate::place::{Place, STAMP, assert_closed, at, mode, names, not_moved};

/// Returns all insights except the three most recently touched of each subject.
fn overflow(insights: &[InsightFile]) -> Vec<InsightFile> {
    let mut subjects: BTreeMap<String, Vec<&InsightFile>> = BTreeMap::new();
    for insight in insights {
        let subject: Vec<_> = insight.id().split('-').take(2).collect();
        subjects.entry(subject.join("-")).or_default().push(insight);
    }
    let newest_first = |mut of: Vec<&InsightFile>| {
        of.sort_by_key(|insight| std::cmp::Reverse(insight.touched()));
        of.into_iter().skip(3).cloned().collect::<Vec<_>>()
    };
    subjects.into_values().flat_map(newest_first).collect()
}

#[test]
fn capped_store_example_archives_the_overflow() {
    let place = Place::new();
    for (subject, count) in [("affect-substrate", 12), ("completion-narration", 10), ("concept-rotation", 3)]
    {
        (0..count).for_each(|n| {
            place.write(&format!("{subject}-{n}.md"), &format!("{subject}, version {n}"), n * 7 % 13);
        });
    }
    let before = place.files();
    let folder = place.open();
    let insights = folder.list().unwrap().insights;
    assert_eq!(insights.len(), 25);
    assert!(insights.is_sorted_by_key(InsightFile::name));
    assert_eq!((insights[0].id(), insights[0].touched()), ("affect-substrate-0", at(0)));

    let overflow = overflow(&insights);
    let archived = folder.archive(&overflow, STAMP).unwrap();
    assert_eq!(archived.folder, Some(format!("archive/insights-dedup-{STAMP}").into()));
    assert_eq!(archived.moved, overflow.iter().map(InsightFile::name).collect::<Vec<_>>());
    assert!(
        archived.not_moved.is_empty() && archived.writable.is_empty() && !archived.resumed,
        "{archived:?}"
    );
    assert_eq!(folder.unfinished().unwrap(), None);

    // Twelve, ten and three have become three of each; the others are in the archive as they were.
    let shelf = place.archive_folder(STAMP);
    let active: Vec<_> = folder.list().unwrap().insights.iter().map(|i| i.id().to_owned()).collect();
    assert_eq!(active.len(), 9);
    assert_eq!(names(&shelf).len(), 16);
    assert_closed(&shelf);
    let mut after = BTreeMap::new();
    for (path, content) in place.files() {
        after.insert(path.file_name().unwrap().into(), content);
    }
    assert_eq!(after, before);
    for insight in &overflow {
        assert_eq!(fs::metadata(shelf.join(insight.name())).unwrap().modified().unwrap(), insight.touched());
    }
    // What stays is not touched.
    assert!(active.iter().all(|id| mode(&place.path().join(format!("{id}.md"))) & 0o200 != 0));

    // Done is done.
    let again = folder.archive(&[], "later").unwrap();
    assert!(again.folder.is_none() && again.moved.is_empty() && !again.resumed);
    assert_eq!(names(&place.path().join("archive")).len(), 1);
}

#[test]
fn empty_folder_lists_and_archives_nothing() {
    let place = Place::new();
    assert_eq!(place.list(), Listing::default());
    let archived = place.archive(&[], STAMP);
    assert!(archived.folder.is_none() && !archived.resumed);
    assert!(names(place.path()).is_empty(), "no folder is made for nothing");
}

#[test]
fn links_in_the_archive_are_left_alone() {
    let (place, elsewhere) = (Place::with_insights(1), Place::new());
    fs::create_dir(place.path().join("archive")).unwrap();
    symlink(elsewhere.path(), place.archive_folder("2020")).unwrap();
    assert_eq!(place.open().unfinished().unwrap(), None);
    let archived = place.archive(&place.list().insights, STAMP);
    assert_eq!((archived.moved.len(), archived.resumed), (1, false));
    assert!(names(elsewhere.path()).is_empty());
}

#[test]
fn files_changed_since_the_listing_stay() {
    let place = Place::with_insights(6);
    let chosen = place.list().insights;
    let file = |n: u64| place.path().join(format!("affect-tone-{n}.md"));
    File::open(file(1)).unwrap().set_modified(at(1) + Duration::from_nanos(1)).unwrap();
    fs::remove_file(file(2)).unwrap();
    fs::remove_file(file(3)).unwrap();
    symlink(file(6), file(3)).unwrap();
    fs::remove_file(file(4)).unwrap();
    fs::create_dir(file(4)).unwrap();
    let archived = place.archive(&chosen, STAMP);
    assert_eq!(archived.moved, ["affect-tone-5.md", "affect-tone-6.md"]);
    assert_eq!(
        not_moved(&archived),
        [
            ("affect-tone-1.md", "it was touched since it was listed".to_owned()),
            ("affect-tone-2.md", "it is no longer there".to_owned()),
            ("affect-tone-3.md", "it is a link now".to_owned()),
            ("affect-tone-4.md", "it is a folder now".to_owned()),
        ]
    );
    assert_closed(&place.archive_folder(STAMP));
}

#[test]
fn no_folder_is_made_if_everything_stays() {
    let place = Place::with_insights(1);
    let chosen = place.list().insights;
    place.write("affect-tone-1.md", "written anew", 9);
    let archived = place.archive(&chosen, STAMP);
    assert!(archived.folder.is_none() && matches!(archived.not_moved[..], [(_, NotMoved::Touched)]));
    assert_eq!(names(place.path()), ["affect-tone-1.md"]);
}

#[test]
fn file_chosen_twice_is_moved_once() {
    let place = Place::with_insights(1);
    let chosen = [place.list().insights, place.list().insights].concat();
    let archived = place.archive(&chosen, STAMP);
    assert_eq!(archived.moved.len(), 1);
    assert!(matches!(archived.not_moved[..], [(_, NotMoved::Vanished)]));
}

#[test]
fn closed_archive_folder_is_not_reopened() {
    let place = Place::new();
    for (n, folder) in ["", "-2", "-3"].into_iter().enumerate() {
        place.write("affect-tone-1.md", &format!("version {n}"), 1);
        let archived = place.archive(&place.list().insights, STAMP);
        assert_eq!(archived.folder, Some(format!("archive/insights-dedup-{STAMP}{folder}").into()));
        assert!(!archived.resumed);
    }
    let contents: Vec<_> = place.files().into_values().collect();
    assert_eq!(contents, ["version 0", "version 1", "version 2"]);
    for folder in ["", "-2", "-3"] {
        assert_closed(&place.archive_folder(&format!("{STAMP}{folder}")));
    }
}

#[test]
fn hard_linked_file_keeps_its_permissions() {
    let (place, elsewhere) = (Place::with_insights(2), Place::new());
    let other = elsewhere.path().join("backup.md");
    fs::hard_link(place.path().join("affect-tone-1.md"), &other).unwrap();
    let rights = mode(&other);
    let archived = place.archive(&place.list().insights, STAMP);
    assert_eq!(archived.moved.len(), 2);
    let told = format!("archive/insights-dedup-{STAMP}/affect-tone-1.md");
    assert_eq!(archived.writable, [Path::new(&told)]);
    assert_eq!((mode(&other), fs::read_to_string(&other).unwrap().as_str()), (rights, "tone 1"));
    assert_eq!(mode(&place.archive_folder(STAMP)) & 0o222, 0, "the folder is closed none the less");
}
