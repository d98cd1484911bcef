//! A folder of insights for one test, with helpers.

use std::{
    collections::BTreeMap,
    fs::{self, File, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use nightfold_store::folder::{Archived, FolderError, InsightFile, InsightFolder, Listing};
use tempfile::TempDir;

pub(crate) const STAMP: &str = "20261122T044455Z";

/// A folder of insights for one test.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Makes a folder with insights `affect-tone-1.md` to `-n.md`, the first touched first.
    pub(crate) fn with_insights(n: u64) -> Self {
        let place = Self::new();
        (1..=n).for_each(|n| place.write(&format!("affect-tone-{n}.md"), &format!("tone {n}"), n));
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the folder in the archive with this stamp.
    pub(crate) fn archive_folder(&self, stamp: &str) -> PathBuf {
        self.path().join(format!("archive/insights-dedup-{stamp}"))
    }

    /// Makes an unfinished folder in the archive, as an interrupted run leaves it.
    pub(crate) fn unfinished_archive_folder(&self, stamp: &str) -> PathBuf {
        fs::create_dir_all(self.archive_folder(stamp)).unwrap();
        set_mode(&self.archive_folder(stamp), 0o755);
        self.archive_folder(stamp)
    }

    pub(crate) fn write(&self, name: &str, content: &str, touched: u64) {
        let path = self.path().join(name);
        fs::write(&path, content).unwrap();
        File::open(&path).unwrap().set_modified(at(touched)).unwrap();
    }

    pub(crate) fn open(&self) -> InsightFolder {
        InsightFolder::open(self.path()).unwrap()
    }

    pub(crate) fn list(&self) -> Listing {
        self.open().list().unwrap()
    }

    /// Returns the listed insights of these names.
    pub(crate) fn chosen(&self, names: &[&str]) -> Vec<InsightFile> {
        let chosen: Vec<_> = self.list().insights.into_iter().filter(|i| names.contains(&i.name())).collect();
        assert_eq!(chosen.len(), names.len(), "all of {names:?} are there");
        chosen
    }

    pub(crate) fn archive(&self, chosen: &[InsightFile], stamp: &str) -> Archived {
        self.open().archive(chosen, stamp).unwrap()
    }

    pub(crate) fn refused(&self, chosen: &[InsightFile], stamp: &str) -> FolderError {
        self.open().archive(chosen, stamp).unwrap_err()
    }

    /// Returns every file at any depth with its content, by path; links are not followed.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, String> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_file() {
                    // A name that is kept free has no rights and no content.
                    let kept_free = mode(&entry.path()) == 0;
                    let content =
                        if kept_free { String::new() } else { fs::read_to_string(entry.path()).unwrap() };
                    let path = entry.path().strip_prefix(self.path()).unwrap().to_owned();
                    files.insert(path, content);
                }
            }
        }
        files
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Or a closed archive could not be removed.
        for shelf in fs::read_dir(self.path().join("archive")).into_iter().flatten().flatten() {
            if shelf.file_type().unwrap().is_dir() {
                set_mode(&shelf.path(), 0o755);
            }
        }
    }
}

pub(crate) fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000 + seconds, 123_456_789)
}

pub(crate) fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns the chosen files that were not moved, each with the reason.
pub(crate) fn not_moved(archived: &Archived) -> Vec<(&str, String)> {
    archived.not_moved.iter().map(|(name, why)| (name.as_str(), why.to_string())).collect()
}

/// Asserts that a folder of the archive is closed and that nothing in it is writable.
pub(crate) fn assert_closed(shelf: &Path) {
    assert_eq!(mode(shelf) & 0o222, 0, "{} is closed", shelf.display());
    for name in names(shelf) {
        assert_eq!(mode(&shelf.join(&name)) & 0o222, 0, "{name} is write-protected");
    }
}
