//! `replay --watch`: runs again when a file changes.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver},
    time::{Duration, SystemTime},
};

use super::{find, session::ReplaySession};
use crate::{
    config,
    error::{CliError, Exit},
    logging, output,
};

/// Time between two looks at the files. An editor that empties a file before it writes it is done within one.
const PAUSE: Duration = Duration::from_millis(300);

/// Depth to which the folder of a scenario is searched for its files.
const DEPTH: usize = 8;

/// Size and modification time of files.
type FileStamps = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

pub(super) fn run(session: &mut ReplaySession<'_>) -> Result<(), CliError> {
    // What is missing at the start is a slip, not something to wait for.
    find::scenarios(&session.args.scenarios)?;
    let (stop, stopped) = mpsc::channel();
    // The second ^C of somebody in a hurry finds nobody listening, and ends the process.
    ctrlc::set_handler(move || {
        if stop.send(()).is_err() {
            std::process::exit(0);
        }
    })
    .map_err(|error| CliError::new(Exit::Usage, error))?;
    loop {
        let before = stamps(session);
        if let Err(error) = session.run_once() {
            if error.is_broken_pipe() {
                return Err(error);
            }
            logging::print_error(&error);
        }
        output::text("waiting for a change; ^C ends this\n")?;
        if !changes(session, before, &stopped) {
            return output::text("\n");
        }
    }
}

/// Waits until a file differs, and then until none does any more; returns false at ^C.
fn changes(session: &ReplaySession<'_>, before: FileStamps, stopped: &Receiver<()>) -> bool {
    let (mut seen, mut has_changed) = (before, false);
    while stopped.recv_timeout(PAUSE).is_err() {
        let now = stamps(session);
        match (now == seen, has_changed) {
            (true, true) => return true,
            (true, false) => {}
            (false, _) => (seen, has_changed) = (now, true),
        }
    }
    false
}

/// Returns the present state of the files of all scenarios, and of the configuration.
fn stamps(session: &ReplaySession<'_>) -> FileStamps {
    let mut stamps = FileStamps::new();
    for scenario in find::scenarios(&session.args.scenarios).unwrap_or_default() {
        stamp_folder(scenario.parent().unwrap_or(&scenario), DEPTH, &mut stamps);
    }
    if let Some(file) = config::file(session.common) {
        stamp_file(file, &mut stamps);
    }
    stamps
}

fn stamp_folder(folder: &Path, depth: usize, stamps: &mut FileStamps) {
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() && depth > 0 => stamp_folder(&path, depth - 1, stamps),
            Ok(found) if found.is_dir() => {}
            _ => stamp_file(&path, stamps),
        }
    }
}

fn stamp_file(path: &Path, stamps: &mut FileStamps) {
    if let Ok(found) = fs::metadata(path) {
        stamps.insert(path.to_owned(), (found.len(), found.modified().ok()));
    }
}
