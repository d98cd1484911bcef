//! `--inbox`: a folder into which days are laid, and from which they are moved once they were slept on.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs::{self, File, FileType, Metadata},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use nightfold::memory::ValidConfig;
use nightfold_formats::irregular_file::irregular_kind;

use crate::{
    error::{CliError, Exit, chain},
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

/// Error of a folder of `--inbox` or `--done`.
#[derive(Debug, thiserror::Error)]
enum InboxError {
    #[error("{} of {option} is no folder", path.display())]
    NoFolder { option: &'static str, path: PathBuf },
    #[error("cannot read the inbox {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("--inbox and --done are the same folder, {}", path.display())]
    Same { path: PathBuf },
    #[error("files cannot be moved from {} to {}", from.display(), to.display())]
    NoWay { from: PathBuf, to: PathBuf, source: io::Error },
    #[error("{} slept on and not moved to {}", count(*files, "file was", "files were"), done.display())]
    NotMoved { files: usize, done: PathBuf },
}

impl From<InboxError> for CliError {
    fn from(error: InboxError) -> Self {
        let (exit, hint) = match &error {
            InboxError::NoFolder { .. } => (Exit::Usage, "make the folder first, or name another"),
            InboxError::Read { .. } => (Exit::Usage, "see to it that the folder may be read"),
            InboxError::Same { .. } => (Exit::Usage, "name another folder with --done"),
            InboxError::NoWay { source, .. } => {
                let refused = is_refusal(source) || source.kind() == io::ErrorKind::CrossesDevices;
                let exit = if refused { Exit::Usage } else { Exit::Output };
                (exit, "both folders must be on one file system, and writable; nothing was done")
            }
            InboxError::NotMoved { .. } => (
                Exit::Output,
                "the nights are written: the same command moves them, and skips what was slept on",
            ),
        };
        Self::new(exit, error).hint(hint)
    }
}

/// Files of days in an inbox, by name.
pub(super) struct Inbox {
    folder: PathBuf,
    done: PathBuf,
    files: BTreeMap<OsString, FileStamp>,
}

/// Properties of a file by which another one, or a change, is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Device and number, where files have these.
    identity: Option<(u64, u64)>,
}

impl FileStamp {
    fn of(found: &Metadata) -> Self {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt as _;
            Some((found.dev(), found.ino()))
        };
        #[cfg(not(unix))]
        let identity = None;
        Self { bytes: found.len(), modified: found.modified().ok(), identity }
    }
}

impl Inbox {
    /// Looks for the files of days in a folder, at most `input.max_inbox_files` of them. With `moves`, makes sure that they
    /// can be moved.
    pub(super) fn open(
        folder: &Path,
        done: &Path,
        config: &ValidConfig,
        moves: bool,
    ) -> Result<Self, CliError> {
        for (option, path) in [("--inbox", folder), ("--done", done)] {
            if !path.is_dir() {
                return Err(InboxError::NoFolder { option, path: path.to_owned() }.into());
            }
        }
        if folder.canonicalize().ok() == done.canonicalize().ok() {
            return Err(InboxError::Same { path: folder.to_owned() }.into());
        }
        if moves {
            try_move(folder, done).map_err(|source| InboxError::NoWay {
                from: folder.to_owned(),
                to: done.to_owned(),
                source,
            })?;
        }
        let read = |source| InboxError::Read { path: folder.to_owned(), source };
        let (mut files, mut left, mut later) = (BTreeMap::new(), LeftFiles::default(), 0);
        for entry in fs::read_dir(folder).map_err(read)? {
            let entry = entry.map_err(read)?;
            let (name, path) = (entry.file_name(), entry.path());
            if is_begun(&name) || path.canonicalize().ok() == done.canonicalize().ok() {
                continue;
            }
            // What another process takes away meanwhile is not there.
            let Ok(found) = path.symlink_metadata() else { continue };
            if let Some(why) = why_left(&path, &name, &found) {
                left.add(&name, why);
                continue;
            }
            files.insert(name, FileStamp::of(&found));
            if files.len() > config.input.max_inbox_files {
                files.pop_last();
                later += 1;
            }
        }
        left.tell();
        if later > 0 {
            let files = count(later, "file of the inbox waits", "files of the inbox wait");
            output::note(&format!("note: {files} for the next call (input.max_inbox_files)\n"));
        }
        Ok(Self { folder: folder.to_owned(), done: done.to_owned(), files })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Number of files.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns the paths of the files, by name.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.files.keys().map(|name| self.folder.join(name)).collect()
    }

    /// Moves the files that were slept on; `stays` says of a path why it is not one. Returns the number of files moved.
    ///
    /// # Errors
    /// Some could not be moved. The others are, all the same.
    pub(super) fn move_done(
        &self,
        mut stays: impl FnMut(&Path) -> Option<&'static str>,
    ) -> Result<usize, CliError> {
        let (mut moved, mut failed, mut left) = (0, 0, LeftFiles::default());
        for (name, stamp) in &self.files {
            let path = self.folder.join(name);
            let found = path.symlink_metadata().map(|found| FileStamp::of(&found));
            let changed = found.map_or(true, |found| found != *stamp);
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
        match failed {
            0 => Ok(moved),
            files => Err(InboxError::NotMoved { files, done: self.done.clone() }.into()),
        }
    }
}

/// Returns the reason for which a file is none of days; `None` if it is one.
fn why_left(path: &Path, name: &OsStr, found: &Metadata) -> Option<&'static str> {
    let kind: FileType = found.file_type();
    if kind.is_symlink() {
        return Some("it is a link");
    }
    if !kind.is_file() {
        return Some(match irregular_kind(path) {
            Some("a folder") => "it is a folder",
            _ => "it is no file",
        });
    }
    let name = name.to_string_lossy();
    match DAYS.iter().any(|end| name.ends_with(end)) {
        false => Some("its name does not end in .jsonl or .parquet"),
        true if found.len() == 0 => Some("it is empty"),
        true => None,
    }
}

/// True if a name says that the file is still being written.
fn is_begun(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') || BEGUN.iter().any(|end| name.ends_with(end))
}

/// Names of what stays in an inbox: the first are told one by one, the others are counted.
#[derive(Default)]
struct LeftFiles {
    lines: String,
    files: usize,
}

impl LeftFiles {
    fn add(&mut self, name: &OsStr, why: &str) {
        self.files += 1;
        if self.files <= TOLD {
            let name = name.to_string_lossy();
            self.lines.push_str(&format!("note: {} stays in the inbox: {why}\n", clean(&name)));
        }
    }

    fn tell(mut self) {
        if let more @ 1.. = self.files.saturating_sub(TOLD) {
            self.lines.push_str(&format!("note: so {}\n", count(more, "does another", "do others")));
        }
        if !self.lines.is_empty() {
            output::note(&self.lines);
        }
    }
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
///
/// The file gets its new name before it loses the old one: a link replaces nothing, whoever else moves files, and whenever
/// the call is killed, the next one finds the file and finishes.
fn move_to(path: &Path, folder: &Path, name: &OsStr) -> io::Result<PathBuf> {
    let mut tries = 0;
    loop {
        let target = folder.join(numbered(name, tries));
        match fs::hard_link(path, &target) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !is_one_file(path, &target) {
                    tries += 1;
                    continue;
                }
            }
            // Some file systems have no links.
            Err(_) => return rename_to(path, folder, name),
        }
        fs::remove_file(path).inspect_err(|_| {
            // The error that counts is that of moving.
            let _ = fs::remove_file(&target);
        })?;
        return Ok(target);
    }
}

/// True if two paths are names of one file, as a call leaves them that was killed while it moved the file.
fn is_one_file(one: &Path, other: &Path) -> bool {
    let identity =
        |path: &Path| path.symlink_metadata().ok().and_then(|found| FileStamp::of(&found).identity);
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

/// Moves a file where there are no links. A call that is killed in between leaves an empty file in the folder.
fn rename_to(path: &Path, folder: &Path, name: &OsStr) -> io::Result<PathBuf> {
    let mut tries = 0;
    // Made first, and only by us: what lies there is never replaced, whoever else moves files.
    let target = loop {
        let target = folder.join(numbered(name, tries));
        match File::create_new(&target) {
            Ok(_) => break target,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => tries += 1,
            Err(error) => return Err(error),
        }
    };
    fs::rename(path, &target).inspect_err(|_| {
        // The error that counts is that of moving.
        let _ = fs::remove_file(&target);
    })?;
    Ok(target)
}

/// Returns a name with a number before its last extension; 0 leaves it as it is.
fn numbered(name: &OsStr, number: u32) -> OsString {
    let path = Path::new(name);
    let (Some(stem), Some(extension), 1..) = (path.file_stem(), path.extension(), number) else {
        return name.to_owned();
    };
    let mut numbered = stem.to_owned();
    numbered.push(format!(".{number}."));
    numbered.push(extension);
    numbered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_that_is_there_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (inbox, done) = (folder.path().join("inbox"), folder.path().join("done"));
        for folder in [&inbox, &done] {
            fs::create_dir(folder).unwrap();
        }
        for (text, name) in [("a", "1.jsonl"), ("b", "1.1.jsonl"), ("c", "1.2.jsonl")] {
            fs::write(inbox.join("1.jsonl"), text).unwrap();
            let moved = move_to(&inbox.join("1.jsonl"), &done, OsStr::new("1.jsonl")).unwrap();
            assert_eq!((moved.clone(), fs::read_to_string(moved).unwrap()), (done.join(name), text.into()));
        }
    }

    #[test]
    fn days_are_known_by_whole_names() {
        for (name, begun) in [(".1.jsonl", true), ("1.jsonl.part", true), ("1.tmp", true), ("1.jsonl", false)]
        {
            assert_eq!(is_begun(OsStr::new(name)), begun, "{name}");
        }
    }
}
