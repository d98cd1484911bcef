//! Moving insights to the archive, so that it can be interrupted anywhere and gone on with.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};

use super::{ARCHIVE, EntryKind, FolderError, InsightFile, InsightFolder, MAX_FILES, dir::Dir};

/// How the names of folders in the archive begin.
const PREFIX: &str = "insights-dedup-";
/// How long a stamp may be.
const STAMP: usize = 32;

/// What [`InsightFolder::archive`] did.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Archived {
    /// The folder that the files are in now, within the folder of insights:
    /// `archive/insights-dedup-20261122T044455Z`. `None` if none was needed.
    pub folder: Option<PathBuf>,
    /// The names of the files that were moved, in the order they were chosen in. This is on the disk.
    pub moved: Vec<String>,
    /// The chosen files that are still where they were, and why.
    pub left: Vec<(String, Left)>,
    /// What in the archive can still be written, by path within the folder of insights: files of other users, files
    /// with a second name outside, or all on a file system that has no such bits. A folder that is named here counts as
    /// interrupted next time.
    pub writable: Vec<PathBuf>,
    /// Whether an interrupted run was found and finished. Then `folder` is the one it had begun.
    pub resumed: bool,
}

/// Why a chosen file was not moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Left {
    /// It was written since it was listed, so it may no longer be among the oldest.
    #[error("it was touched since it was listed")]
    Touched,
    /// It is gone: removed, renamed, or archived by another run.
    #[error("it is no longer there")]
    Vanished,
    /// Something else has its name now.
    #[error("it is {0} now")]
    Replaced(EntryKind),
    /// The folder in the archive, one that an interrupted run had begun, holds something of this name. The next call
    /// has a folder of its own.
    #[error("the archive holds another file of this name")]
    NameTaken,
    /// The system does not let it be moved.
    #[error("it cannot be moved")]
    Failed(#[source] io::Error),
}

/// A folder in the archive that is open for more.
struct Shelf {
    name: String,
    dir: Dir,
}

impl Shelf {
    /// Within the folder of insights.
    fn path(&self) -> PathBuf {
        within_archive(&self.name)
    }
}

fn within_archive(name: &str) -> PathBuf {
    Path::new(ARCHIVE).join(name)
}

impl InsightFolder {
    /// Moves chosen files of a listing of this folder to `archive/insights-dedup-<stamp>`, with names, contents and
    /// times kept, and takes their write bits and those of the new folder. With nothing to move, no folder is made.
    ///
    /// A run that was interrupted is finished first of all, even if nothing is chosen now: its folder takes the chosen
    /// files, whatever its stamp. If there are several, the first by name does, and the others are only finished.
    ///
    /// Each file is looked at again before it is moved. One that changed, and one that cannot be moved, stays and is
    /// told; the others are moved none the less. A file that is saved at the very instant between is moved as it is.
    ///
    /// # Errors
    /// [`FolderError::Stamp`] unless `stamp` is 1 to 32 of `0-9`, `A-Z`, `a-z` and `-`; [`FolderError::Locked`] while
    /// another call is at work, in this process or another; [`FolderError::InTheWay`] if a link or a file is where a
    /// folder of the archive should be; [`FolderError::Sync`] and others of the system. What was moved until then stays
    /// in the archive, and the next call finishes it.
    pub fn archive(&self, chosen: &[InsightFile], stamp: &str) -> Result<Archived, FolderError> {
        if !is_stamp(stamp, STAMP) {
            return Err(FolderError::Stamp { stamp: stamp.to_owned(), most: STAMP });
        }
        let path = || self.path.clone();
        let lock = self.dir.lock().map_err(|source| FolderError::Lock { path: path(), source })?;
        let _lock = lock.ok_or_else(|| FolderError::Locked { path: path() })?;

        let mut run = Run::begin(self)?;
        let mut done = Archived { resumed: !run.shelves.is_empty(), ..Archived::default() };
        for file in chosen {
            match run.shelve(file, stamp)? {
                None => done.moved.push(file.name().to_owned()),
                Some(why) => done.left.push((file.name().to_owned(), why)),
            }
        }
        run.finish(&mut done)?;
        Ok(done)
    }

    /// The folder in the archive that an interrupted run has left, the first by name, within the folder of insights;
    /// or that a run is just writing to. The next call of [`archive`](Self::archive) goes on with it.
    ///
    /// # Errors
    /// [`FolderError::InTheWay`] if the archive is a link or a file, [`FolderError::Read`], [`FolderError::TooMany`].
    pub fn unfinished(&self) -> Result<Option<PathBuf>, FolderError> {
        let Some(archive) = self.open_archive()? else { return Ok(None) };
        Ok(self.open_shelves(&archive)?.first().map(|name| within_archive(name)))
    }

    fn open_archive(&self) -> Result<Option<Dir>, FolderError> {
        Self::within(&self.dir, ARCHIVE, || self.at(ARCHIVE))
    }

    /// The names of the folders in the archive that are not closed, in order. What only has a name like them, a link
    /// to where someone put an older archive, is not ours.
    fn open_shelves(&self, archive: &Dir) -> Result<Vec<String>, FolderError> {
        let mut open = Vec::new();
        for name in Self::names(archive, &self.at(ARCHIVE), MAX_FILES)? {
            // With room for the number that tells folders of one stamp apart.
            let ours = |name: &str| name.strip_prefix(PREFIX).is_some_and(|rest| is_stamp(rest, STAMP + 11));
            let Some(name) = name.to_str().filter(|name| ours(name)) else { continue };
            let seen = archive
                .look(OsStr::new(name))
                .map_err(|source| FolderError::Read { path: self.at(within_archive(name)), source })?;
            if seen.is_some_and(|seen| seen.kind == EntryKind::Folder && seen.open) {
                open.push(name.to_owned());
            }
        }
        Ok(open)
    }

    /// Why a file must stay, if it must.
    fn must_stay(&self, file: &InsightFile) -> Option<Left> {
        match self.dir.look(OsStr::new(file.name())) {
            Err(error) => Some(Left::Failed(error)),
            Ok(None) => Some(Left::Vanished),
            Ok(Some(seen)) if seen.kind != EntryKind::File => Some(Left::Replaced(seen.kind)),
            Ok(Some(seen)) if seen.touched != file.touched() => Some(Left::Touched),
            Ok(Some(_)) => None,
        }
    }
}

/// Whether `text` is 1 to `most` of the characters that stamps are made of.
fn is_stamp(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// One call of [`InsightFolder::archive`].
struct Run<'a> {
    folder: &'a InsightFolder,
    archive: Option<Dir>,
    /// The first takes the files.
    shelves: Vec<Shelf>,
}

impl<'a> Run<'a> {
    /// Takes up what interrupted runs have left.
    fn begin(folder: &'a InsightFolder) -> Result<Self, FolderError> {
        let mut run = Self { folder, archive: folder.open_archive()?, shelves: Vec::new() };
        let Some(archive) = &run.archive else { return Ok(run) };
        for name in folder.open_shelves(archive)? {
            let Some(dir) = InsightFolder::within(archive, &name, || folder.at(within_archive(&name)))?
            else {
                continue;
            };
            let shelf = Shelf { name, dir };
            run.clear(&shelf)?;
            run.shelves.push(shelf);
        }
        Ok(run)
    }

    /// Removes what an interrupted run had only kept names free with: empty files without any rights.
    fn clear(&self, shelf: &Shelf) -> Result<(), FolderError> {
        let path = self.folder.at(shelf.path());
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

    /// Moves a file to the archive, or says why it stays.
    fn shelve(&mut self, file: &InsightFile, stamp: &str) -> Result<Option<Left>, FolderError> {
        if let Some(why) = self.folder.must_stay(file) {
            return Ok(Some(why));
        }
        if self.shelves.is_empty() {
            self.make_shelf(stamp)?;
        }
        Ok(match self.folder.dir.rename_into(file.name(), &self.shelves[0].dir) {
            Ok(()) => None,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Some(Left::NameTaken),
            Err(error) => Some(Left::Failed(error)),
        })
    }

    fn make_shelf(&mut self, stamp: &str) -> Result<(), FolderError> {
        let folder = self.folder;
        let failed = |path: &Path, source| FolderError::Write { path: folder.at(path), source };
        let archive = match self.archive.take() {
            Some(archive) => archive,
            None => folder.dir.make_folder(ARCHIVE).map_err(|source| failed(ARCHIVE.as_ref(), source))?,
        };
        let archive = self.archive.insert(archive);
        let mut name = format!("{PREFIX}{stamp}");
        let mut number = 1_u32;
        loop {
            match archive.make_folder(&name) {
                Ok(dir) => break self.shelves.push(Shelf { name, dir }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    // A closed folder keeps its name to itself; anything else there is not of our making.
                    InsightFolder::within(archive, &name, || folder.at(within_archive(&name)))?;
                    number += 1;
                    name = format!("{PREFIX}{stamp}-{number}");
                }
                Err(source) => return Err(failed(&within_archive(&name), source)),
            }
        }
        Ok(())
    }

    /// Closes the folders in the archive.
    fn finish(self, done: &mut Archived) -> Result<(), FolderError> {
        let Some(archive) = &self.archive else { return Ok(()) };
        for (at, shelf) in self.shelves.iter().enumerate() {
            let kept = self.close(archive, shelf, &mut done.writable)?;
            if at == 0 && kept {
                done.folder = Some(shelf.path());
            }
        }
        Ok(())
    }

    /// Closes a folder in the archive, or removes it if nothing is in it; gives whether it is there.
    fn close(&self, archive: &Dir, shelf: &Shelf, writable: &mut Vec<PathBuf>) -> Result<bool, FolderError> {
        let folder = self.folder;
        let sync = |dir: &Dir, path: &Path| {
            dir.sync().map_err(|source| FolderError::Sync { path: path.to_owned(), source })
        };
        let path = shelf.path();
        let (shelf_path, archive_path) = (folder.at(&path), folder.at(ARCHIVE));
        let names = InsightFolder::names(&shelf.dir, &shelf_path, MAX_FILES)?;
        if names.is_empty() && archive.remove_empty_folder(&shelf.name).is_ok() {
            sync(archive, &archive_path)?;
            return Ok(false);
        }
        for name in names {
            // What else someone may have put here is none of ours.
            let unprotected = match shelf.dir.look(&name) {
                Ok(seen) => seen.is_some_and(|seen| seen.kind == EntryKind::File && seen.writable),
                Err(_) => true,
            };
            if unprotected && !shelf.dir.protect(&name).unwrap_or(false) {
                writable.push(path.join(name));
            }
        }
        // Closed means done: it must not come to the disk before the rest.
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
