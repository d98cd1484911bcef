//! The file that was opened as a store, by its identity: a write is worth nothing if the path leads elsewhere meanwhile.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use nightfold_memory::StoreError;
use rusqlite::Connection;

/// Appends text to the file name of a path.
pub(super) fn with_suffix(path: &Path, addition: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(addition);
    name.into()
}

/// Identity of a file, however it is named. An open file keeps its own, so that no other file can have it.
#[cfg(unix)]
type FileIdentity = (u64, u64);

/// Returns the identity of the file that a path leads to.
#[cfg(unix)]
pub(super) fn identity(path: &Path) -> io::Result<FileIdentity> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
}

/// Elsewhere an open file can be neither deleted nor replaced, so that it is enough if there is one.
#[cfg(not(unix))]
type FileIdentity = ();

#[cfg(not(unix))]
pub(super) fn identity(path: &Path) -> io::Result<FileIdentity> {
    fs::metadata(path).map(drop)
}

/// Syncs the folder of a new file, so that the name of the file is on the disk.
#[cfg(unix)]
pub(super) fn sync_folder(file: &Path) -> io::Result<()> {
    file.parent().map_or(Ok(()), |folder| fs::File::open(folder)?.sync_all())
}

/// Elsewhere a folder cannot be written by itself.
#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The files of a store that is open for writing, as they were when it was opened.
#[derive(Debug)]
pub(super) struct OpenedFiles {
    path: PathBuf,
    file: FileIdentity,
    /// The write-ahead log, if the store has one. It stays the same file as long as the store is open.
    log: Option<(PathBuf, FileIdentity)>,
}

impl OpenedFiles {
    /// Notes the files of a connection that has been opened under `path`.
    pub(super) fn note(path: &Path, connection: &Connection) -> io::Result<Self> {
        let file = identity(path)?;
        // SQLite keeps the log beside the file that a link leads to.
        let log = connection.path().map(|path| with_suffix(Path::new(path), "-wal"));
        let log = log.and_then(|log| identity(&log).ok().map(|found| (log, found)));
        Ok(Self { path: path.to_owned(), file, log })
    }

    /// Checks that the paths still lead to these files.
    ///
    /// # Errors
    /// [`StoreError::Displaced`] says what is there instead.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let found = match identity(&self.path) {
            Ok(found) if found != self.file => "another file is there now",
            Ok(_) => match self.log.as_ref().map(|(log, known)| (identity(log), known)) {
                Some((Ok(found), known)) if found != *known => "its write-ahead log (-wal) was replaced",
                Some((Err(_), _)) => "its write-ahead log (-wal) is gone",
                _ => return Ok(()),
            },
            Err(_) => "no file is there any more",
        };
        Err(StoreError::Displaced { path: self.path.clone(), found })
    }
}
