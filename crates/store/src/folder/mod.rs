//! A folder of insight files, and the archive within it (the cluster-capped insight store).
//!
//! [`InsightFolder::list`] says what lies in the folder. Which files are too many is decided elsewhere, from their ids
//! and when they were touched. [`InsightFolder::archive`] moves the chosen ones, under their own names, to
//! `archive/insights-dedup-<stamp>/` within the folder, and write-protects them there.
//!
//! What holds, whatever else goes on in the folder:
//! - **Nothing is lost.** A file is moved in one step and never onto another; only the write bits of what was moved
//!   change.
//! - **Nothing outside is touched.** Everything goes by descriptors of folders and plain names within them. No link
//!   below the folder is followed.
//! - **Every instant may be the last.** A folder of the archive may be written by its owner until all is moved,
//!   write-protected and on the disk; then it is closed. One that is still open was interrupted, and the next call
//!   goes on with it.
//!
//! The bits are this mark and a hint to people. They do not stop an administrator.

mod archive;
// The one place that knows systems: everywhere but on Unix there is no `Dir`, and opening a folder says so.
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

pub use archive::{Archived, Left};
pub use entry::EntryKind;
pub use error::FolderError;
pub use list::{InsightFile, Listing, PassedOver, Unfit};

use dir::Dir;

/// How many names a folder may hold; one with more is refused.
pub const MAX_FILES: usize = 1_000_000;

/// The folder within a folder of insights that holds the archived ones.
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
    /// As it was named, for messages.
    path: PathBuf,
    dir: Dir,
}

impl InsightFolder {
    /// Opens the folder at `path`. From then on it is this very folder, though it be renamed or `path` come to lead
    /// elsewhere. `path` itself may be a link: it was named on purpose.
    ///
    /// # Errors
    /// [`FolderError::Missing`], [`FolderError::NotAFolder`], [`FolderError::Unsupported`], or
    /// [`FolderError::Read`] when it may not be read.
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

    /// The path of something in the folder, for messages.
    fn at(&self, within: impl AsRef<Path>) -> PathBuf {
        self.path.join(within)
    }

    /// The names in `dir`, in order. `path` is what errors call it.
    fn names(dir: &Dir, path: &Path, most: usize) -> Result<Vec<OsString>, FolderError> {
        let names = dir
            .names(most.saturating_add(1))
            .map_err(|source| FolderError::Read { path: path.to_owned(), source })?;
        if names.len() > most {
            return Err(FolderError::TooMany { path: path.to_owned(), most });
        }
        Ok(names)
    }

    /// Opens a folder within `dir`, unless nothing has this name. `path` is what errors call it.
    fn within(dir: &Dir, name: &str, path: impl FnOnce() -> PathBuf) -> Result<Option<Dir>, FolderError> {
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
