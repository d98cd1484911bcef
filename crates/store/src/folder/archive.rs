//! Moving insights to the archive; an interrupted run can be completed by the next one.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};

use super::{ARCHIVE, EntryKind, FolderError, InsightFile, InsightFolder, MAX_FILES, dir::Dir};

/// Beginning of the names of folders in the archive.
const PREFIX: &str = "insights-dedup-";
/// Longest stamp, in bytes.
const MAX_STAMP_LEN: usize = 32;

/// Result of [`InsightFolder::archive`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Archived {
    /// Folder that the files were moved to, relative to the folder of insights:
    /// `archive/insights-dedup-20261122T044455Z`. `None` if none was needed.
    pub folder: Option<PathBuf>,
    /// Names of the moved files, in the order in which they were chosen. The moves are synced to the disk.
    pub moved: Vec<String>,
    /// Chosen files that were not moved, each with the reason.
    pub not_moved: Vec<(String, NotMoved)>,
    /// Paths in the archive that are still writable, relative to the folder of insights: files of other
    /// users, files with a second name elsewhere, or everything on a file system without permission bits. The
    /// next call treats a folder that is listed here as interrupted.
    pub writable: Vec<PathBuf>,
    /// True if an interrupted run was found and completed; `folder` is then the folder of that run.
    pub resumed: bool,
}

/// Reason why a chosen file was not moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotMoved {
    /// The file was written after it was listed, so it may no longer be among the oldest.
    #[error("it was touched since it was listed")]
    Touched,
    /// The file no longer exists: it was removed, renamed, or archived by another run.
    #[error("it is no longer there")]
    Vanished,
    /// Something other than a regular file has the name now.
    #[error("it is {0} now")]
    Replaced(EntryKind),
    /// The folder in the archive, begun by an interrupted run, already has an entry of this name. The next
    /// call uses a new folder.
    #[error("the archive holds another file of this name")]
    NameTaken,
    /// The system refuses the move.
    #[error("it cannot be moved")]
    Failed(#[source] io::Error),
}

/// A folder in the archive that accepts files.
struct ArchiveFolder {
    name: String,
    dir: Dir,
}

impl ArchiveFolder {
    /// Path relative to the folder of insights.
    fn path(&self) -> PathBuf {
        path_in_archive(&self.name)
    }
}

fn path_in_archive(name: &str) -> PathBuf {
    Path::new(ARCHIVE).join(name)
}

impl InsightFolder {
    /// Moves chosen files of a listing of this folder to `archive/insights-dedup-<stamp>`, keeps their names,
    /// contents and times, and removes the write bits of the files and of the new folder. If nothing is to be
    /// moved, no folder is made.
    ///
    /// An interrupted run is completed first, even if nothing is chosen now: its folder takes the chosen
    /// files, whatever its stamp. If there are several such folders, the first by name takes the files, and
    /// the remaining ones are only completed.
    ///
    /// Each file is checked again before it is moved. A file that changed or cannot be moved stays and is
    /// reported; the remaining files are still moved. A file that is saved between the check and the move is
    /// moved as it is then.
    ///
    /// # Errors
    /// [`FolderError::Stamp`] unless `stamp` is 1 to 32 of `0-9`, `A-Z`, `a-z` and `-`;
    /// [`FolderError::Locked`] while another call is archiving, in this process or another;
    /// [`FolderError::InTheWay`] if a link or a file has the name of a folder of the archive;
    /// [`FolderError::Sync`] and other errors of the system. Files that were moved before the error stay in
    /// the archive, and the next call completes the run.
    pub fn archive(&self, chosen: &[InsightFile], stamp: &str) -> Result<Archived, FolderError> {
        if !is_stamp(stamp, MAX_STAMP_LEN) {
            return Err(FolderError::Stamp { stamp: stamp.to_owned(), most: MAX_STAMP_LEN });
        }
        let path = || self.path.clone();
        let lock = self.dir.lock().map_err(|source| FolderError::Lock { path: path(), source })?;
        let _lock = lock.ok_or_else(|| FolderError::Locked { path: path() })?;

        let mut run = ArchiveRun::begin(self)?;
        let mut done = Archived { resumed: !run.folders.is_empty(), ..Archived::default() };
        for file in chosen {
            match run.move_to_archive(file, stamp)? {
                None => done.moved.push(file.name().to_owned()),
                Some(why) => done.not_moved.push((file.name().to_owned(), why)),
            }
        }
        run.finish(&mut done)?;
        Ok(done)
    }

    /// Returns the folder in the archive that an interrupted run left, or that a current run is writing to:
    /// the first by name, relative to the folder of insights. The next call of [`archive`](Self::archive)
    /// continues with it.
    ///
    /// # Errors
    /// [`FolderError::InTheWay`] if the archive is a link or a file, [`FolderError::Read`], [`FolderError::TooMany`].
    pub fn unfinished(&self) -> Result<Option<PathBuf>, FolderError> {
        let Some(archive) = self.open_archive()? else { return Ok(None) };
        Ok(self.unfinished_folders(&archive)?.first().map(|name| path_in_archive(name)))
    }

    fn open_archive(&self) -> Result<Option<Dir>, FolderError> {
        Self::open_within(&self.dir, ARCHIVE, || self.path_of(ARCHIVE))
    }

    /// Returns the names of the unfinished folders in the archive, in order. Anything but a folder is
    /// skipped, such as a link with a similar name to an older archive.
    fn unfinished_folders(&self, archive: &Dir) -> Result<Vec<String>, FolderError> {
        let mut open = Vec::new();
        for name in Self::names(archive, &self.path_of(ARCHIVE), MAX_FILES)? {
            // Leaves room for the number that tells folders of one stamp apart.
            let ours =
                |name: &str| name.strip_prefix(PREFIX).is_some_and(|rest| is_stamp(rest, MAX_STAMP_LEN + 11));
            let Some(name) = name.to_str().filter(|name| ours(name)) else { continue };
            let seen = archive
                .look(OsStr::new(name))
                .map_err(|source| FolderError::Read { path: self.path_of(path_in_archive(name)), source })?;
            if seen.is_some_and(|seen| seen.kind == EntryKind::Folder && seen.owner_writable) {
                open.push(name.to_owned());
            }
        }
        Ok(open)
    }

    /// Returns the reason why a file must stay, or `None` if it can be moved.
    fn reason_not_moved(&self, file: &InsightFile) -> Option<NotMoved> {
        match self.dir.look(OsStr::new(file.name())) {
            Err(error) => Some(NotMoved::Failed(error)),
            Ok(None) => Some(NotMoved::Vanished),
            Ok(Some(seen)) if seen.kind != EntryKind::File => Some(NotMoved::Replaced(seen.kind)),
            Ok(Some(seen)) if seen.touched != file.touched() => Some(NotMoved::Touched),
            Ok(Some(_)) => None,
        }
    }
}

/// True if `text` is 1 to `most` of the characters allowed in stamps.
fn is_stamp(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// One call of [`InsightFolder::archive`].
struct ArchiveRun<'a> {
    folder: &'a InsightFolder,
    archive: Option<Dir>,
    /// Unfinished folders of the archive; the first one takes the files.
    folders: Vec<ArchiveFolder>,
}

impl<'a> ArchiveRun<'a> {
    /// Opens the folders that interrupted runs left.
    fn begin(folder: &'a InsightFolder) -> Result<Self, FolderError> {
        let mut run = Self { folder, archive: folder.open_archive()?, folders: Vec::new() };
        let Some(archive) = &run.archive else { return Ok(run) };
        for name in folder.unfinished_folders(archive)? {
            let Some(dir) =
                InsightFolder::open_within(archive, &name, || folder.path_of(path_in_archive(&name)))?
            else {
                continue;
            };
            let shelf = ArchiveFolder { name, dir };
            run.remove_placeholders(&shelf)?;
            run.folders.push(shelf);
        }
        Ok(run)
    }

    /// Removes the placeholders that an interrupted run left: empty files without any permissions.
    fn remove_placeholders(&self, shelf: &ArchiveFolder) -> Result<(), FolderError> {
        let path = self.folder.path_of(shelf.path());
        for name in InsightFolder::names(&shelf.dir, &path, MAX_FILES)? {
            let seen = shelf
                .dir
                .look(&name)
                .map_err(|source| FolderError::Read { path: path.join(&name), source })?;
            if seen.is_some_and(|seen| seen.placeholder) {
                shelf
                    .dir
                    .remove_placeholder(&name)
                    .map_err(|source| FolderError::Write { path: path.join(&name), source })?;
            }
        }
        Ok(())
    }

    /// Moves a file to the archive, or returns the reason why it stays.
    fn move_to_archive(&mut self, file: &InsightFile, stamp: &str) -> Result<Option<NotMoved>, FolderError> {
        if let Some(why) = self.folder.reason_not_moved(file) {
            return Ok(Some(why));
        }
        if self.folders.is_empty() {
            self.create_archive_folder(stamp)?;
        }
        Ok(match self.folder.dir.rename_into(file.name(), &self.folders[0].dir) {
            Ok(()) => None,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Some(NotMoved::NameTaken),
            Err(error) => Some(NotMoved::Failed(error)),
        })
    }

    fn create_archive_folder(&mut self, stamp: &str) -> Result<(), FolderError> {
        let folder = self.folder;
        let failed = |path: &Path, source| FolderError::Write { path: folder.path_of(path), source };
        let archive = match self.archive.take() {
            Some(archive) => archive,
            None => folder.dir.make_folder(ARCHIVE).map_err(|source| failed(ARCHIVE.as_ref(), source))?,
        };
        let archive = self.archive.insert(archive);
        let mut name = format!("{PREFIX}{stamp}");
        let mut number = 1_u32;
        loop {
            match archive.make_folder(&name) {
                Ok(dir) => break self.folders.push(ArchiveFolder { name, dir }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    // A closed folder keeps its name, and the next number is tried; anything else of this
                    // name is an error.
                    InsightFolder::open_within(archive, &name, || folder.path_of(path_in_archive(&name)))?;
                    number += 1;
                    name = format!("{PREFIX}{stamp}-{number}");
                }
                Err(source) => return Err(failed(&path_in_archive(&name), source)),
            }
        }
        Ok(())
    }

    /// Closes the folders in the archive.
    fn finish(self, done: &mut Archived) -> Result<(), FolderError> {
        let Some(archive) = &self.archive else { return Ok(()) };
        for (at, shelf) in self.folders.iter().enumerate() {
            let kept = self.close(archive, shelf, &mut done.writable)?;
            if at == 0 && kept {
                done.folder = Some(shelf.path());
            }
        }
        Ok(())
    }

    /// Closes a folder in the archive, or removes it if it is empty; returns true if the folder exists
    /// afterwards.
    fn close(
        &self,
        archive: &Dir,
        shelf: &ArchiveFolder,
        writable: &mut Vec<PathBuf>,
    ) -> Result<bool, FolderError> {
        let folder = self.folder;
        let sync = |dir: &Dir, path: &Path| {
            dir.sync().map_err(|source| FolderError::Sync { path: path.to_owned(), source })
        };
        let path = shelf.path();
        let (shelf_path, archive_path) = (folder.path_of(&path), folder.path_of(ARCHIVE));
        let names = InsightFolder::names(&shelf.dir, &shelf_path, MAX_FILES)?;
        if names.is_empty() && archive.remove_empty_folder(&shelf.name).is_ok() {
            sync(archive, &archive_path)?;
            return Ok(false);
        }
        for name in names {
            // Other entries that someone may have put here are left alone.
            let unprotected = match shelf.dir.look(&name) {
                Ok(seen) => seen.is_some_and(|seen| seen.kind == EntryKind::File && seen.writable),
                Err(_) => true,
            };
            if unprotected && !shelf.dir.protect(&name).unwrap_or(false) {
                writable.push(path.join(name));
            }
        }
        // A closed folder counts as done, so everything else must be on the disk first.
        sync(&shelf.dir, &shelf_path)?;
        sync(&folder.dir, &folder.path)?;
        sync(archive, &archive_path)?;
        if !shelf.dir.close().unwrap_or(false) {
            writable.push(path.clone());
        }
        sync(&shelf.dir, &shelf_path)?;
        Ok(true)
    }
}
