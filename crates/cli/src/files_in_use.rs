//! Files of a call that its outputs must not replace: what it reads or writes itself, and databases.

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use crate::{args::Common, choices::LanguageChoice, config, vectors};

/// First bytes of every SQLite database.
const DATABASE: &[u8] = b"SQLite format 3\0";

/// Ends of the names of the files that SQLite keeps beside a database.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Files that a call reads or writes, and that none of its outputs may replace.
#[derive(Debug, Clone, Default)]
pub(crate) struct FilesInUse {
    /// Files, and folders with files that are read.
    paths: Vec<PathBuf>,
}

/// Reason why an output may not have a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OutputConflict {
    #[error("this call reads or writes that file already")]
    InUse,
    #[error("it is a database, such as a store, and no output replaces one")]
    Database,
    /// The name is that of a file that SQLite keeps beside this database.
    #[error("files of this name belong to the database {}", .0.display())]
    Beside(PathBuf),
}

impl FilesInUse {
    /// Returns the files that every command may read or write: the configuration and the vector cache.
    pub(crate) fn of(common: &Common) -> Self {
        let config = config::file(common).map(Path::to_owned);
        Self { paths: config.into_iter().chain(vectors::file(common)).collect() }
    }

    /// Adds files, and folders with files that are read.
    #[must_use]
    pub(crate) fn and<P: Into<PathBuf>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.paths.extend(paths.into_iter().map(Into::into));
        self
    }

    /// Adds the files of recorded answers.
    #[must_use]
    pub(crate) fn and_language(self, language: &LanguageChoice, record: Option<&PathBuf>) -> Self {
        let model = match language {
            LanguageChoice::Recorded(file) => Some(file),
            LanguageChoice::Rules | LanguageChoice::Server(_) => None,
        };
        self.and(model.into_iter().chain(record))
    }

    /// Returns the reason why an output may not be written to a path, if there is one.
    ///
    /// Files are compared by what they are and not by their names, so that links of either kind are seen.
    pub(crate) fn conflict(&self, target: &Path) -> Option<OutputConflict> {
        if self.paths.iter().any(|path| is_same(path, target) || is_read_of(path, target)) {
            return Some(OutputConflict::InUse);
        }
        if is_database(target) {
            return Some(OutputConflict::Database);
        }
        // What a link leads to has the name that counts.
        let whole = whole(target);
        let name = whole.file_name()?.to_str()?;
        let database =
            COMPANIONS.iter().find_map(|end| name.strip_suffix(end)).filter(|name| !name.is_empty())?;
        let database = whole.with_file_name(database);
        let is_one = is_database(&database) || self.paths.iter().any(|path| is_same(path, &database));
        is_one.then_some(OutputConflict::Beside(database))
    }
}

/// True if both paths lead to the same file, or will once it is made.
fn is_same(a: &Path, b: &Path) -> bool {
    match (identity(a), identity(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => whole(a) == whole(b),
        _ => false,
    }
}

/// Device and number of the file that a path leads to.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

/// Path of a file without links.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// Returns a path without links, as far as there is something.
fn whole(path: &Path) -> PathBuf {
    if let Ok(whole) = path.canonicalize() {
        return whole;
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (absolute.parent().and_then(|folder| folder.canonicalize().ok()), absolute.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => absolute,
    }
}

/// True if a file exists below a folder that is read as a whole. What lies in the folder itself is no part of a save.
fn is_read_of(folder: &Path, target: &Path) -> bool {
    let (Ok(folder), Ok(target)) = (folder.canonicalize(), target.canonicalize()) else { return false };
    folder.is_dir() && target.starts_with(&folder) && target.parent() != Some(&folder)
}

fn is_database(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut head = [0; DATABASE.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == DATABASE
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn in_use(paths: &[&Path]) -> FilesInUse {
        FilesInUse::default().and(paths.iter().copied())
    }

    #[test]
    fn files_of_a_store_that_is_not_made_yet_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("town.db");
        let files = in_use(&[&store]);
        let root = whole(folder.path());
        for name in ["town.db-wal", "town.db-shm", "town.db-journal"] {
            let taken = files.conflict(&folder.path().join(name));
            assert_eq!(taken, Some(OutputConflict::Beside(root.join("town.db"))), "{name}");
        }
        assert_eq!(files.conflict(&store), Some(OutputConflict::InUse));
        for name in ["plan.json", "town.db.json", "other.db-wal", "-wal"] {
            assert_eq!(files.conflict(&folder.path().join(name)), None, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_to_files_in_use_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["day.jsonl", "town.db"] {
            fs::write(path(name), "").unwrap();
        }
        fs::hard_link(path("day.jsonl"), path("hard.json")).unwrap();
        std::os::unix::fs::symlink("town.db", path("soft.json")).unwrap();
        std::os::unix::fs::symlink(".", path("here")).unwrap();
        let files = in_use(&[&path("day.jsonl"), &path("town.db")]);
        for name in ["hard.json", "soft.json", "here/day.jsonl"] {
            assert_eq!(files.conflict(&path(name)), Some(OutputConflict::InUse), "{name}");
        }
        assert!(matches!(files.conflict(&path("here/town.db-shm")), Some(OutputConflict::Beside(_))));
        assert_eq!(files.conflict(&path("here/plan.json")), None);
    }

    #[test]
    fn files_of_a_save_that_is_read_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("save/personas")).unwrap();
        for name in ["save/personas/nodes.json", "save/plan.json"] {
            fs::write(path(name), "").unwrap();
        }
        let files = in_use(&[&path("save")]);
        assert_eq!(files.conflict(&path("save/personas/nodes.json")), Some(OutputConflict::InUse));
        assert_eq!(files.conflict(&path("save/plan.json")), None);
        assert_eq!(files.conflict(&path("save/personas/new.json")), None);
    }
}
