//! A folder of insight files, and the archive within it (the cluster-capped insight store).
//!
//! [`InsightFolder::list`] lists the folder. The caller decides which files are too many, from their ids and
//! times. [`InsightFolder::archive`] moves the chosen files, under their own names, to
//! `archive/insights-dedup-<stamp>/` within the folder, and write-protects them there.
//!
//! Guarantees, also while other programs change the folder:
//! - **No file is lost.** A file is moved in one step and never replaces another; of a moved file only the
//!   write bits change.
//! - **Nothing outside the folder is changed.** All operations use descriptors of folders and plain names
//!   within them. No link below the folder is followed.
//! - **A run can be interrupted at any moment.** A folder of the archive is writable for its owner until all
//!   files are moved, write-protected and on the disk; then it is closed. A folder that is still writable was
//!   interrupted, and the next call continues it.
//!
//! The write bits only mark a folder as finished and remind people not to write there. They do not stop an
//! administrator.

mod archive;
// The only platform-dependent module: on anything but Unix `Dir` has no values, and opening a folder returns
// an error.
#[cfg(unix)]
mod dir;
#[cfg(not(unix))]
#[path = "no_dir.rs"]
mod dir;
mod entry;
mod error;
mod list;

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
};

pub use archive::{Archived, NotMoved};
pub use entry::EntryKind;
pub use error::FolderError;
pub use list::{InsightFile, Listing, SkipReason, SkippedEntry};

use dir::Dir;

/// Largest number of names in a folder; a folder with more is refused.
pub const MAX_FILES: usize = 1_000_000;

/// Name of the folder, within a folder of insights, that holds the archived ones.
const ARCHIVE: &str = "archive";

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
    /// Path as it was given, for messages.
    path: PathBuf,
    dir: Dir,
}

impl InsightFolder {
    /// Opens the folder at `path`. Afterwards this object refers to that folder even if it is renamed or
    /// `path` comes to lead elsewhere. `path` itself may be a link.
    ///
    /// # Errors
    /// [`FolderError::Missing`], [`FolderError::NotAFolder`], [`FolderError::Unsupported`], or
    /// [`FolderError::Read`] if the folder may not be read.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let dir = Dir::open(path).map_err(|source| {
            let path = path.to_owned();
            match source.kind() {
                io::ErrorKind::NotFound => FolderError::Missing { path },
                io::ErrorKind::NotADirectory => FolderError::NotAFolder { path },
                io::ErrorKind::Unsupported => FolderError::Unsupported { path },
                _ => FolderError::Read { path, source },
            }
        })?;
        Ok(Self { path: path.to_owned(), dir })
    }

    /// Returns the path of something in the folder, for messages.
    fn path_of(&self, within: impl AsRef<Path>) -> PathBuf {
        self.path.join(within)
    }

    /// Returns the names in `dir`, in order. `path` names the folder in errors.
    fn names(dir: &Dir, path: &Path, most: usize) -> Result<Vec<OsString>, FolderError> {
        let names = dir
            .names(most.saturating_add(1))
            .map_err(|source| FolderError::Read { path: path.to_owned(), source })?;
        if names.len() > most {
            return Err(FolderError::TooMany { path: path.to_owned(), most });
        }
        Ok(names)
    }

    /// Opens a folder within `dir`; `None` if nothing has this name. `path` names the folder in errors.
    fn open_within(
        dir: &Dir,
        name: &str,
        path: impl FnOnce() -> PathBuf,
    ) -> Result<Option<Dir>, FolderError> {
        dir.open_in(name).map(Some).or_else(|source| match dir.look(OsStr::new(name)) {
            Ok(None) => Ok(None),
            Ok(Some(seen)) if seen.kind != EntryKind::Folder => {
                Err(FolderError::InTheWay { path: path(), found: seen.kind })
            }
            Ok(Some(_)) => Err(FolderError::Read { path: path(), source }),
            Err(source) => Err(FolderError::Read { path: path(), source }),
        })
    }
}
