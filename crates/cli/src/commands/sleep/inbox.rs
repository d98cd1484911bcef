//! `--inbox`: a folder of new days; files are moved out of it once they were slept on.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use nightfold::memory::ValidConfig;

use crate::{
    error::{CliError, Exit, chain, message},
    output::{self, is_refusal},
    plural::count,
    terminal::clean,
    unfinished,
};

/// Ends of the names of files of days.
const DAYS: [&str; 2] = [".jsonl", ".parquet"];

/// Ends of the names of files that are still being written.
const BEGUN: [&str; 2] = [".part", ".tmp"];

/// Number of things left in the inbox that are told one by one.
const TOLD: usize = 8;

/// Files of days in an inbox, by name.
pub(super) struct Inbox {
    folder: PathBuf,
    done: PathBuf,
    files: BTreeMap<OsString, FileStamp>,
}

/// Size and time of change of a file.
type FileStamp = (u64, Option<SystemTime>);

fn stamp(found: &Metadata) -> FileStamp {
    (found.len(), found.modified().ok())
}

impl Inbox {
    /// Looks for the files of days in a folder, at most `input.max_files` of them. With `moves`, makes sure that they
    /// can be moved.
    pub(super) fn open(
        folder: &Path,
        done: &Path,
        config: &ValidConfig,
        moves: bool,
    ) -> Result<Self, CliError> {
        for (option, path) in [("--inbox", folder), ("--done", done)] {
            if !path.is_dir() {
                return Err(message(Exit::Usage, format!("{} of {option} is no folder", path.display()))
                    .hint("make the folder first, or name another"));
            }
        }
        if folder.canonicalize().ok() == done.canonicalize().ok() {
            let text = format!("--inbox and --done are the same folder, {}", folder.display());
            return Err(message(Exit::Usage, text).hint("name another folder with --done"));
        }
        if moves {
            try_move(folder, done).map_err(|error| no_way(folder, done, error))?;
        }
        let failed = |source| {
            CliError::caused(Exit::Usage, format!("cannot read the inbox {}", folder.display()), source)
                .hint("see to it that the folder may be read")
        };
        let (mut files, mut left, mut later) = (BTreeMap::new(), LeftFiles::default(), 0);
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (name, path) = (entry.file_name(), entry.path());
            if is_begun(&name) || path.canonicalize().ok() == done.canonicalize().ok() {
                continue;
            }
            // What another process takes away meanwhile is not there.
            let Ok(found) = path.symlink_metadata() else { continue };
            if let Some(why) = why_left(&name, &found) {
                left.add(&name, why);
                continue;
            }
            files.insert(name, stamp(&found));
            if files.len() > config.input.max_files {
                files.pop_last();
                later += 1;
            }
        }
        left.tell();
        if later > 0 {
            let files = count(later, "file of the inbox waits", "files of the inbox wait");
            output::note(&format!("note: {files} for the next call (input.max_files)\n"));
        }
        Ok(Self { folder: folder.to_owned(), done: done.to_owned(), files })
    }

    /// Number of files.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns the paths of the files, by name.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.files.keys().map(|name| self.folder.join(name)).collect()
    }

    /// Moves the files that were slept on; `stays` says of a path why it is not one. Returns the number of files moved, and
    /// an error if some could not be moved.
    pub(super) fn move_done(
        &self,
        stays: impl Fn(&Path) -> Option<&'static str>,
    ) -> (usize, Result<(), CliError>) {
        let (mut moved, mut failed, mut left) = (0, 0, LeftFiles::default());
        for (name, known) in &self.files {
            let path = self.folder.join(name);
            let changed = path.symlink_metadata().map_or(true, |found| stamp(&found) != *known);
            let why = if changed { Some("it changed meanwhile") } else { stays(&path) };
            if let Some(why) = why {
                left.add(name, why);
                continue;
            }
            match move_to(&path, &self.done, name) {
                Ok(to) => {
                    moved += 1;
                    tracing::info!(file = %path.display(), to = %to.display(), "slept on, and moved");
                }
                Err(error) => {
                    failed += 1;
                    let path = path.display().to_string();
                    output::complain(&format!("error: cannot move {}: {}\n", clean(&path), chain(&error)));
                }
            }
        }
        left.tell();
        if failed == 0 {
            return (moved, Ok(()));
        }
        let files = count(failed, "file was", "files were");
        let text = format!("{files} slept on and not moved to {}", self.done.display());
        let error = message(Exit::Output, text)
            .hint("the nights are written: the same command moves them, and skips what was slept on");
        (moved, Err(error))
    }
}

/// Returns the reason for which a file is none of days; `None` if it is one.
fn why_left(name: &OsStr, found: &Metadata) -> Option<&'static str> {
    let (kind, name) = (found.file_type(), name.to_string_lossy());
    if kind.is_symlink() {
        Some("it is a link")
    } else if kind.is_dir() {
        Some("it is a folder")
    } else if !kind.is_file() {
        Some("it is no file")
    } else if !DAYS.iter().any(|end| name.ends_with(end)) {
        Some("its name does not end in .jsonl or .parquet")
    } else {
        (found.len() == 0).then_some("it is empty")
    }
}

/// True if a name says that the file is still being written.
fn is_begun(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') || BEGUN.iter().any(|end| name.ends_with(end))
}

/// Lines about what stays in an inbox: the first are told one by one, the others are counted.
#[derive(Default)]
struct LeftFiles(Vec<String>);

impl LeftFiles {
    fn add(&mut self, name: &OsStr, why: &str) {
        self.0.push(format!("note: {} stays in the inbox: {why}\n", clean(&name.to_string_lossy())));
    }

    fn tell(mut self) {
        if let more @ 1.. = self.0.len().saturating_sub(TOLD) {
            self.0.truncate(TOLD);
            self.0.push(format!("note: so {}\n", count(more, "does another", "do others")));
        }
        if !self.0.is_empty() {
            output::note(&self.0.concat());
        }
    }
}

fn no_way(from: &Path, to: &Path, source: io::Error) -> CliError {
    let is_refused = is_refusal(&source) || source.kind() == io::ErrorKind::CrossesDevices;
    let exit = if is_refused { Exit::Usage } else { Exit::Output };
    let text = format!("files cannot be moved from {} to {}", from.display(), to.display());
    CliError::caused(exit, text, source)
        .hint("both folders must be on one file system, and writable; nothing was done")
}

/// Moves a file of our own, so that a folder that takes none is known before anything is done.
fn try_move(from: &Path, to: &Path) -> io::Result<()> {
    unfinished::sweep(from);
    unfinished::sweep(to);
    let file = unfinished::create(from)?;
    let moved = to.join(file.path().file_name().unwrap_or_default());
    fs::rename(file.path(), &moved)?;
    fs::remove_file(moved)
}

/// Moves a file into a folder under its name, or one with a number if that is taken. Returns the new path.
fn move_to(path: &Path, folder: &Path, name: &OsStr) -> io::Result<PathBuf> {
    let mut number = 0;
    loop {
        let target = folder.join(numbered(name, number));
        match rename_to_new(path, &target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            done => return done.map(|()| target),
        }
    }
}

/// Renames a file, unless there is one of the new name: also one that another process moves there meanwhile, where the
/// system knows how.
fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::{
            fs::{CWD, RenameFlags, renameat_with},
            io::Errno,
        };
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS) => {}
            done => return Ok(done?),
        }
    }
    if to.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)
}

/// Returns a name with a number before its last extension; 0 leaves it as it is.
fn numbered(name: &OsStr, number: u32) -> PathBuf {
    let name = Path::new(name);
    match name.extension() {
        Some(extension) if number > 0 => {
            name.with_extension(format!("{number}.{}", extension.to_string_lossy()))
        }
        _ => name.to_owned(),
    }
}
