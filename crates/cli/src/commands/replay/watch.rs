//! `replay --watch`: runs again when a file changes.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    time::{Duration, SystemTime},
};

use super::{find, session::ReplaySession};
use crate::{
    config,
    error::{CliError, Exit},
    output,
};

/// Depth to which a folder is searched for changes, as deep as days may lie below scenarios.
const DEPTH: usize = 8;

/// Size and modification time of files.
type FileStamps = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

pub(super) fn run(session: &mut ReplaySession<'_>) -> Result<(), CliError> {
    // What is missing at the start is a slip, not something to wait for.
    find::scenarios(&session.args.scenarios)?;
    let quiet = Duration::from_millis(config::load(session.common)?.replay.debounce_ms);
    let (stop, stopped) = mpsc::channel();
    // The second ^C of somebody in a hurry finds nobody listening, and ends the process.
    ctrlc::set_handler(move || {
        if stop.send(()).is_err() {
            std::process::exit(0);
        }
    })
    .map_err(|error| CliError::new(Exit::Usage, error))?;
    loop {
        let before = stamp(session);
        if let Err(error) = session.run_once() {
            if error.is_hung_up() {
                return Err(error);
            }
            error.print();
        }
        output::text("waiting for a change; ^C ends this\n")?;
        if !changed(session, &before, &stopped, quiet) {
            return output::text("\n");
        }
    }
}

/// Looks at the files from time to time until one differs and then none does any more, since an editor empties a file before it
/// writes it; returns false at ^C.
fn changed(
    session: &ReplaySession<'_>,
    before: &FileStamps,
    stopped: &Receiver<()>,
    quiet: Duration,
) -> bool {
    let mut seen = before.clone();
    while stopped.recv_timeout(quiet) == Err(RecvTimeoutError::Timeout) {
        let now = stamp(session);
        if now == seen && now != *before {
            return true;
        }
        seen = now;
    }
    false
}

/// Returns a folder itself, or the folder of a file: editors replace files, folders stay.
fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        _ if path.is_dir() => path.to_owned(),
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Returns the folders of the scenarios that the call names.
fn stories(session: &ReplaySession<'_>) -> Vec<PathBuf> {
    session.args.scenarios.iter().map(|path| folder(path)).collect()
}

/// Returns the present state of all watched files.
fn stamp(session: &ReplaySession<'_>) -> FileStamps {
    let mut stamp = FileStamps::new();
    for path in stories(session) {
        stamp_folder(&path, DEPTH, &mut stamp);
    }
    if let Some(file) = config::file(session.common) {
        stamp_file(file, &mut stamp);
    }
    stamp
}

fn stamp_folder(folder: &Path, depth: usize, stamp: &mut FileStamps) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() && depth > 0 => stamp_folder(&path, depth - 1, stamp),
            Ok(found) if found.is_dir() => {}
            _ => stamp_file(&path, stamp),
        }
    }
}

fn stamp_file(path: &Path, stamp: &mut FileStamps) {
    if let Ok(found) = fs::metadata(path) {
        stamp.insert(path.to_owned(), (found.len(), found.modified().ok()));
    }
}
