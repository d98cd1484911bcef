//! Folders of insight files and their archive: listing, moving, and what must never happen.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs::{self, File},
    os::unix::{ffi::OsStrExt as _, fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
    sync::Barrier,
    thread,
    time::{Duration, SystemTime},
};

use nightfold_store::folder::{
    Archived, FolderError, InsightFile, InsightFolder, Listing, MoveError, SkipReason,
};
use tempfile::TempDir;

const STAMP: &str = "20261122T044455Z";

/// A folder of insights for one test.
struct Insights(TempDir);

impl Insights {
    /// Makes a folder with insights `affect-tone-1.md` to `-n.md`, the first touched first.
    fn new(n: u64) -> Self {
        let insights = Self(tempfile::tempdir().unwrap());
        (1..=n).for_each(|n| insights.write(&format!("affect-tone-{n}.md"), &format!("tone {n}"), n));
        insights
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn archive_folder(&self, stamp: &str) -> PathBuf {
        self.path().join(format!("archive/insights-dedup-{stamp}"))
    }

    fn write(&self, name: &str, content: &str, touched: u64) {
        let path = self.path().join(name);
        let _ = fs::remove_file(&path);
        fs::write(&path, content).unwrap();
        File::open(&path).unwrap().set_modified(at(touched)).unwrap();
    }

    fn list(&self) -> Listing {
        InsightFolder::open(self.path()).unwrap().list().unwrap()
    }

    fn archive(&self, chosen: &[InsightFile], stamp: &str) -> Archived {
        InsightFolder::open(self.path()).unwrap().archive(chosen, stamp).unwrap()
    }

    fn refused(&self, stamp: &str) -> FolderError {
        InsightFolder::open(self.path()).unwrap().archive(&self.list().insights, stamp).unwrap_err()
    }

    /// Returns every insight at any depth with its content, by path; links are not followed.
    fn files(&self) -> BTreeMap<PathBuf, String> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_file() && entry.file_name() != ".lock" {
                    let path = entry.path().strip_prefix(self.path()).unwrap().to_owned();
                    files.insert(path, fs::read_to_string(entry.path()).unwrap());
                }
            }
        }
        files
    }
}

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000 + seconds, 123_456_789)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn only_regular_files_of_text_are_insights() {
    let (insights, elsewhere) = (Insights::new(2), Insights::new(1));
    let path = insights.path();
    symlink(elsewhere.path().join("affect-tone-1.md"), path.join("affect-tone-3.md")).unwrap();
    symlink("nowhere", path.join("broken.md")).unwrap();
    fs::create_dir(path.join("drafts")).unwrap();
    fs::create_dir(path.join("archive")).unwrap();
    let _socket = UnixListener::bind(path.join("socket.md")).unwrap();
    insights.write(".hidden.md", "", 1);
    insights.write("image.md", "\0", 1);
    insights.write("two\nlines.md", "", 1);
    fs::write(path.join(OsStr::from_bytes(b"affect-\xff.md")), "kept").unwrap();
    let listing = insights.list();
    let found: Vec<_> = listing.insights.iter().map(InsightFile::name).collect();
    assert_eq!(found, ["affect-tone-1.md", "affect-tone-2.md"]);
    assert_eq!((listing.insights[0].id(), listing.insights[0].touched()), ("affect-tone-1", at(1)));
    let skipped: Vec<_> = listing.skipped.iter().map(|p| (p.name.as_str(), p.reason)).collect();
    assert_eq!(
        skipped,
        [
            ("affect-tone-3.md", SkipReason::NotAFile),
            ("affect-\u{fffd}.md", SkipReason::Name),
            ("broken.md", SkipReason::NotAFile),
            ("drafts", SkipReason::NotAFile),
            ("image.md", SkipReason::NotText),
            ("socket.md", SkipReason::NotAFile),
            ("two\u{fffd}lines.md", SkipReason::Name),
        ]
    );
}

#[test]
fn unopenable_paths_are_refused() {
    let insights = Insights::new(1);
    for path in ["no", "affect-tone-1.md"] {
        let refused = InsightFolder::open(&insights.path().join(path)).unwrap_err();
        assert!(matches!(refused, FolderError::NoFolder(_)), "{refused}");
    }
    let looped = insights.path().join("loop");
    symlink(&looped, &looped).unwrap();
    let looped = InsightFolder::open(&looped).unwrap_err();
    assert!(matches!(looped, FolderError::Io { .. }), "{looped}");
}

#[test]
fn chosen_files_move_as_they_are_and_are_write_protected() {
    let insights = Insights::new(5);
    let chosen = insights.list().insights[..3].to_vec();
    let archived = insights.archive(&chosen, STAMP);
    assert_eq!(archived.folder, Some(format!("archive/insights-dedup-{STAMP}").into()));
    assert_eq!(archived.moved, ["affect-tone-1.md", "affect-tone-2.md", "affect-tone-3.md"]);
    assert!(archived.not_moved.is_empty());
    for (n, insight) in (1..).zip(&chosen) {
        let moved = insights.archive_folder(STAMP).join(insight.name());
        assert_eq!(fs::read_to_string(&moved).unwrap(), format!("tone {n}"));
        let found = fs::metadata(&moved).unwrap();
        assert_eq!(found.modified().unwrap(), at(n));
        assert!(found.permissions().readonly());
    }
    let left = insights.list().insights;
    assert_eq!(left.len(), 2);
    assert!(!fs::metadata(insights.path().join(left[0].name())).unwrap().permissions().readonly());
}

#[test]
fn files_changed_since_the_listing_stay() {
    let insights = Insights::new(6);
    let chosen = [insights.list().insights, insights.list().insights[5..].to_vec()].concat();
    let file = |n: u64| insights.path().join(format!("affect-tone-{n}.md"));
    File::open(file(1)).unwrap().set_modified(at(1) + Duration::from_nanos(1)).unwrap();
    fs::remove_file(file(2)).unwrap();
    fs::remove_file(file(3)).unwrap();
    symlink(file(6), file(3)).unwrap();
    fs::remove_file(file(4)).unwrap();
    fs::create_dir(file(4)).unwrap();
    assert!(insights.archive(&[], STAMP).folder.is_none() && !insights.path().join("archive").exists());
    let archived = insights.archive(&chosen, STAMP);
    assert_eq!(archived.moved, ["affect-tone-5.md", "affect-tone-6.md"]);
    let stayed: Vec<_> =
        archived.not_moved.iter().map(|(name, why)| (name.as_str(), why.to_string())).collect();
    assert_eq!(
        stayed,
        [
            ("affect-tone-1.md", "it was touched since it was listed".to_owned()),
            ("affect-tone-2.md", "it is no longer there".to_owned()),
            ("affect-tone-3.md", "it is no longer there".to_owned()),
            ("affect-tone-4.md", "it is no longer there".to_owned()),
            ("affect-tone-6.md", "it is no longer there".to_owned()),
        ]
    );
}

#[test]
fn archived_file_is_never_overwritten() {
    let insights = Insights::new(0);
    for (n, folder) in ["", "-2", "-3"].into_iter().enumerate() {
        insights.write("affect-tone-1.md", &format!("version {n}"), 1);
        let archived = insights.archive(&insights.list().insights, STAMP);
        assert_eq!(archived.folder, Some(format!("archive/insights-dedup-{STAMP}{folder}").into()));
    }
    assert_eq!(insights.files().into_values().collect::<Vec<_>>(), ["version 0", "version 1", "version 2"]);
}

#[test]
fn stamp_with_path_characters_is_refused() {
    let insights = Insights::new(1);
    for stamp in ["", ".", "..", "../x", "a/b", "a b", "2026:11", "a\0", "ä", "a\n", &"9".repeat(33)] {
        let refused = insights.refused(stamp);
        assert!(matches!(&refused, FolderError::Stamp { stamp: told, .. } if told == stamp), "{refused}");
    }
    assert_eq!(names(insights.path()), ["affect-tone-1.md"]);
    assert_eq!(insights.archive(&insights.list().insights, &"9".repeat(32)).moved.len(), 1);
}

#[test]
fn nothing_is_written_through_a_link() {
    let (insights, elsewhere) = (Insights::new(2), Insights::new(0));
    let archive = insights.path().join("archive");
    symlink(elsewhere.path(), &archive).unwrap();
    let refused = insights.refused(STAMP);
    assert!(matches!(&refused, FolderError::InTheWay(_)), "{refused}");
    fs::remove_file(&archive).unwrap();
    insights.write("archive", "notes of mine", 1);
    assert!(matches!(insights.refused(STAMP), FolderError::InTheWay(_)));
    assert_eq!(insights.files().len(), 3);
    fs::remove_file(&archive).unwrap();
    // A link in the archive is a name that is taken.
    fs::create_dir(&archive).unwrap();
    symlink(elsewhere.path(), insights.archive_folder(STAMP)).unwrap();
    let archived = insights.archive(&insights.list().insights, STAMP);
    assert_eq!(archived.folder, Some(format!("archive/insights-dedup-{STAMP}-2").into()));
    assert!(names(elsewhere.path()).is_empty());
}

#[test]
fn concurrent_runs_move_each_file_once() {
    const RUNS: usize = 8;
    let insights = Insights::new(40);
    let before: BTreeSet<_> = insights.files().into_values().collect();
    let folder = InsightFolder::open(insights.path()).unwrap();
    let chosen = folder.list().unwrap().insights;
    let start = Barrier::new(RUNS);
    let run = |n: usize| {
        start.wait();
        loop {
            match folder.archive(&chosen, &format!("run-{n}")) {
                Err(FolderError::Locked(_)) => thread::yield_now(),
                done => break done.unwrap(),
            }
        }
    };
    let runs: Vec<_> = thread::scope(|scope| {
        let runs: Vec<_> = (0..RUNS).map(|n| scope.spawn(move || run(n))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let moved: Vec<_> = runs.iter().map(|done| done.moved.len()).filter(|moved| *moved > 0).collect();
    assert_eq!(moved, [40], "the first moves all");
    let others: Vec<_> = runs.iter().flat_map(|done| &done.not_moved).collect();
    assert!(
        others.len() == (RUNS - 1) * 40 && others.iter().all(|(_, why)| matches!(why, MoveError::Vanished))
    );
    assert_eq!(insights.files().into_values().collect::<BTreeSet<_>>(), before);
}
