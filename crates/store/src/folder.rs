//! A folder of insight files, and the archive within it (the cluster-capped insight store).
//!
//! [`InsightFolder::list`] lists the folder. The caller decides which files are too many, from their ids and
//! times. [`InsightFolder::archive`] moves the chosen files, under their own names, to a new folder
//! `archive/insights-dedup-<stamp>/` within the folder, and write-protects them there.
//!
//! A file is moved in one step, and no file is replaced. Names are taken from the listing of the folder alone, links are
//! neither listed nor written through, and one call at a time archives. A call that is cut short has moved some of the
//! files; the next one moves the rest.

use std::{
    ffi::OsStr,
    fs::{self, DirEntry, File, TryLockError},
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Name of the folder, within a folder of insights, that holds the archived ones.
const ARCHIVE: &str = "archive";
/// Name of the file in the archive that a call locks while it moves files.
const LOCK: &str = ".lock";
/// Longest stamp, in bytes.
const MAX_STAMP_LEN: usize = 32;
/// Number of bytes at the beginning of a file that are checked for being text.
const TEXT_PROBE_BYTES: u64 = 1024;

/// Error of reading a folder of insights or of writing its archive. Each insight is complete after it, at its old place or
/// in the archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// There is no folder at the path.
    #[error("there is no folder at {}", .0.display())]
    NoFolder(PathBuf),
    /// The stamp cannot be part of a folder's name.
    #[error("{stamp:?} cannot stamp an archive: 1 to {most} of the characters 0-9, A-Z, a-z and - can")]
    Stamp {
        /// The given stamp.
        stamp: String,
        /// Longest stamp, in bytes.
        most: usize,
    },
    /// The archive is a file or a link.
    #[error("{} is no folder, as the archive has to be", .0.display())]
    InTheWay(PathBuf),
    /// Another call is archiving in the folder.
    #[error("{} is being archived by another run", .0.display())]
    Locked(PathBuf),
    /// A file or folder cannot be read, made or locked.
    #[error("{} cannot be read or written", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> FolderError + Copy {
    move |source| FolderError::Io { path: path.to_owned(), source }
}

/// An insight file as it was listed. Its name is a single path component without control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsightFile {
    name: String,
    touched: SystemTime,
}

impl InsightFile {
    /// Name of the file: `affect-substrate-3.md`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Id of the insight, the name without its last extension: `affect-substrate-3`. Two files that differ
    /// only in the extension have the same id.
    pub fn id(&self) -> &str {
        Path::new(&self.name).file_stem().and_then(OsStr::to_str).unwrap_or(&self.name)
    }

    /// Time of the last write to the content (mtime), at the precision of the file system.
    pub fn touched(&self) -> SystemTime {
        self.touched
    }
}

/// Contents of a folder of insights.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The insight files, by name.
    pub insights: Vec<InsightFile>,
    /// Entries that are not insight files, by name. The archive and names that begin with a dot are left out.
    pub skipped: Vec<SkippedEntry>,
}

/// An entry of the folder that is not an insight file. It is never changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedEntry {
    /// The name; characters that cannot be shown are replaced by `\u{fffd}`.
    pub name: String,
    /// Reason why it is not an insight file.
    pub reason: SkipReason,
}

/// Reason why an entry is not an insight file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkipReason {
    /// The entry is a folder, a link or a device.
    #[error("it is not a file")]
    NotAFile,
    /// The name is not UTF-8, or holds a control character: a line break, an escape.
    #[error("its name is not UTF-8, or holds control characters")]
    Name,
    /// The beginning of the file contains a zero byte, as in a database or an image.
    #[error("it is no text")]
    NotText,
    /// The file cannot be read.
    #[error("it cannot be read")]
    Unreadable,
}

/// Result of [`InsightFolder::archive`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Archived {
    /// Folder that the files were moved to, relative to the folder of insights:
    /// `archive/insights-dedup-20261122T044455Z`. `None` if nothing was moved.
    pub folder: Option<PathBuf>,
    /// Names of the moved files, in the order in which they were chosen.
    pub moved: Vec<String>,
    /// Chosen files that were not moved, each with the reason.
    pub not_moved: Vec<(String, MoveError)>,
}

/// Reason why a chosen file was not moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// The file was written after it was listed, so it may no longer be among the oldest.
    #[error("it was touched since it was listed")]
    Touched,
    /// No file has the name any more: it was removed, renamed, or archived by another run.
    #[error("it is no longer there")]
    Vanished,
    /// The system refuses the move, or to write-protect the moved file.
    #[error("it cannot be moved")]
    Failed(#[source] io::Error),
}

/// A folder of insight files.
///
/// ```
/// use std::cmp::Reverse;
///
/// use nightfold_store::folder::InsightFolder;
///
/// # let place = tempfile::tempdir()?;
/// # let path = place.path();
/// for n in 1..=5 {
///     std::fs::write(path.join(format!("affect-substrate-{n}.md")), "what I noticed")?;
/// }
///
/// let folder = InsightFolder::open(path)?;
/// let mut insights = folder.list()?.insights;
/// insights.sort_by_key(|insight| Reverse(insight.touched()));
///
/// let archived = folder.archive(&insights[3..], "20261122T044455Z")?;
/// assert_eq!(archived.moved.len(), 2);
/// assert_eq!(archived.folder, Some("archive/insights-dedup-20261122T044455Z".into()));
/// assert_eq!(folder.list()?.insights.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct InsightFolder {
    path: PathBuf,
}

impl InsightFolder {
    /// Opens the folder at `path`, which may itself be a link.
    ///
    /// # Errors
    /// [`FolderError::NoFolder`], or [`FolderError::Io`] if the path cannot be followed.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        match fs::canonicalize(path) {
            Ok(found) if found.is_dir() => Ok(Self { path: found }),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error(path)(error)),
            _ => Err(FolderError::NoFolder(path.to_owned())),
        }
    }

    /// Lists the regular files directly in the folder, and the skipped entries.
    ///
    /// # Errors
    /// [`FolderError::Io`].
    pub fn list(&self) -> Result<Listing, FolderError> {
        let failed = io_error(&self.path);
        let mut listing = Listing::default();
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if name == ARCHIVE || name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            match insight(&entry) {
                Ok(insight) => listing.insights.push(insight),
                Err(reason) => {
                    let name = name.to_string_lossy().replace(char::is_control, "\u{fffd}");
                    listing.skipped.push(SkippedEntry { name, reason });
                }
            }
        }
        listing.insights.sort_by(|a, b| a.name.cmp(&b.name));
        listing.skipped.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listing)
    }

    /// Moves chosen files of a listing of this folder to `archive/insights-dedup-<stamp>`, keeps their names,
    /// contents and times, and write-protects them. A stamp that is taken gets a number. If nothing is
    /// chosen, nothing is made.
    ///
    /// Each file is checked again before it is moved. A file that changed or cannot be moved stays and is
    /// reported; the remaining files are still moved.
    ///
    /// # Errors
    /// [`FolderError::Stamp`] unless `stamp` is 1 to 32 of `0-9`, `A-Z`, `a-z` and `-`;
    /// [`FolderError::Locked`] while another call is archiving, in this process or another;
    /// [`FolderError::InTheWay`] if a link or a file has the name of the archive; [`FolderError::Io`].
    pub fn archive(&self, chosen: &[InsightFile], stamp: &str) -> Result<Archived, FolderError> {
        let in_a_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if !(1..=MAX_STAMP_LEN).contains(&stamp.len()) || !stamp.bytes().all(in_a_name) {
            return Err(FolderError::Stamp { stamp: stamp.to_owned(), most: MAX_STAMP_LEN });
        }
        let mut done = Archived::default();
        if chosen.is_empty() {
            return Ok(done);
        }
        let archive = self.path.join(ARCHIVE);
        make_archive(&archive)?;
        let _lock = self.lock(&archive.join(LOCK))?;
        for file in chosen {
            match self.move_into_archive(file, stamp, &mut done.folder)? {
                None => done.moved.push(file.name.clone()),
                Some(reason) => done.not_moved.push((file.name.clone(), reason)),
            }
        }
        Ok(done)
    }

    /// Locks the archive until the file is dropped.
    fn lock(&self, path: &Path) -> Result<File, FolderError> {
        let file = File::options().create(true).append(true).open(path).map_err(io_error(path))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(FolderError::Locked(self.path.clone())),
            Err(TryLockError::Error(error)) => Err(io_error(path)(error)),
        }
    }

    /// Moves a file, or returns the reason why it stays. The first one that moves makes the folder.
    fn move_into_archive(
        &self,
        file: &InsightFile,
        stamp: &str,
        folder: &mut Option<PathBuf>,
    ) -> Result<Option<MoveError>, FolderError> {
        let path = self.path.join(&file.name);
        match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() => return Ok(Some(MoveError::Vanished)),
            Ok(found) if found.modified().ok() != Some(file.touched) => return Ok(Some(MoveError::Touched)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(MoveError::Vanished)),
            Err(error) => return Ok(Some(MoveError::Failed(error))),
        }
        let folder = match folder {
            Some(folder) => folder,
            None => folder.insert(self.make_folder(stamp)?),
        };
        // The folder is this call's own and holds each name once, so nothing is replaced.
        let target = self.path.join(folder).join(&file.name);
        Ok(fs::rename(&path, &target).and_then(|()| protect(&target)).err().map(MoveError::Failed))
    }

    /// Makes a new folder in the archive, and returns its path in the folder of insights.
    fn make_folder(&self, stamp: &str) -> Result<PathBuf, FolderError> {
        let numbered = (2_u32..).map(|number| format!("{stamp}-{number}"));
        for name in std::iter::once(stamp.to_owned()).chain(numbered) {
            let within = Path::new(ARCHIVE).join(format!("insights-dedup-{name}"));
            let path = self.path.join(&within);
            match fs::create_dir(&path) {
                Ok(()) => return Ok(within),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(io_error(&path)(error)),
            }
        }
        unreachable!("a folder does not hold four billion others")
    }
}

/// Returns an entry as an insight file, or the reason why it is none.
fn insight(entry: &DirEntry) -> Result<InsightFile, SkipReason> {
    let name = entry.file_name().into_string().map_err(|_| SkipReason::Name)?;
    if name.contains(char::is_control) {
        return Err(SkipReason::Name);
    }
    // Of the entry itself: a link is not followed.
    let found = entry.metadata().map_err(|_| SkipReason::Unreadable)?;
    if !found.is_file() {
        return Err(SkipReason::NotAFile);
    }
    let mut beginning = Vec::new();
    let read =
        File::open(entry.path()).and_then(|file| file.take(TEXT_PROBE_BYTES).read_to_end(&mut beginning));
    let touched = read.and_then(|_| found.modified()).map_err(|_| SkipReason::Unreadable)?;
    if beginning.contains(&0) { Err(SkipReason::NotText) } else { Ok(InsightFile { name, touched }) }
}

fn make_archive(path: &Path) -> Result<(), FolderError> {
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(io_error(path)(error)),
        _ if fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) => Ok(()),
        _ => Err(FolderError::InTheWay(path.to_owned())),
    }
}

fn protect(path: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_readonly(true);
    fs::set_permissions(path, permissions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_is_the_name_without_its_last_extension() {
        let id =
            |name: &str| InsightFile { name: name.into(), touched: SystemTime::UNIX_EPOCH }.id().to_owned();
        assert_eq!(id("affect-substrate-3.md"), "affect-substrate-3");
        assert_eq!(id("affect-substrate-v1.2.md"), "affect-substrate-v1.2");
        assert_eq!(id("affect-substrate"), "affect-substrate");
        assert_eq!(id("a b\\c.md"), "a b\\c");
        assert_eq!(id("affect."), "affect");
    }
}
