//! Running again whenever something changes.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver},
    time::{Duration, SystemTime},
};

use notify_debouncer_mini::{new_debouncer, notify, notify::RecursiveMode};

use super::Desk;
use crate::{
    config,
    error::{CliError, Exit},
    output,
};

/// How deep a folder is looked into for what changed, as deep as days may lie below scenarios.
const DEPTH: usize = 8;

/// What wakes the loop.
enum Woken {
    Changed,
    Stopped,
}

/// Files with their size and time.
type Stamp = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

fn unwatched(error: notify::Error) -> CliError {
    CliError::new(Exit::Usage, error).hint("without --watch it runs once")
}

pub(super) fn run(desk: &mut Desk<'_>) -> Result<(), CliError> {
    // What is missing at the start is a slip, not something to wait for.
    super::find::scenarios(&desk.args.scenarios)?;
    let quiet = Duration::from_millis(config::load(desk.common)?.replay.debounce_ms);
    let (sender, woken) = mpsc::channel();
    let stop = sender.clone();
    // The second ^C of somebody in a hurry finds nobody listening, and ends the process.
    ctrlc::set_handler(move || {
        if stop.send(Woken::Stopped).is_err() {
            std::process::exit(0);
        }
    })
    .map_err(|error| CliError::new(Exit::Usage, error))?;
    let mut debouncer = new_debouncer(quiet, move |_| {
        // Who no longer listens has ended.
        let _ = sender.send(Woken::Changed);
    })
    .map_err(unwatched)?;
    for path in stories(desk) {
        debouncer.watcher().watch(&path, RecursiveMode::Recursive).map_err(unwatched)?;
    }
    let configured = desk.common.config.as_deref().map_or_else(|| PathBuf::from("."), folder);
    debouncer.watcher().watch(&configured, RecursiveMode::NonRecursive).map_err(unwatched)?;
    loop {
        let before = stamp(desk);
        if let Err(error) = desk.run_once() {
            if error.is_hung_up() {
                return Err(error);
            }
            error.print();
        }
        output::text("waiting for a change; ^C ends this\n")?;
        if !changed(desk, &before, &woken, quiet) {
            return output::text("\n");
        }
    }
}

/// Waits until something differs, and then until nothing does any more; false when it is to end.
fn changed(desk: &Desk<'_>, before: &Stamp, woken: &Receiver<Woken>, quiet: Duration) -> bool {
    // Reading wakes some watchers too: what counts is whether a file differs.
    let mut seen = loop {
        match woken.recv() {
            Ok(Woken::Changed) => {
                let now = stamp(desk);
                if now != *before {
                    break now;
                }
            }
            Ok(Woken::Stopped) | Err(_) => return false,
        }
    };
    // An editor empties a file before it writes it.
    loop {
        match woken.recv_timeout(quiet) {
            Ok(Woken::Stopped) => return false,
            Ok(Woken::Changed) | Err(_) => {
                let now = stamp(desk);
                if now == seen {
                    return true;
                }
                seen = now;
            }
        }
    }
}

/// A folder itself, or that of a file: files are replaced by editors, folders stay.
fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        _ if path.is_dir() => path.to_owned(),
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The folders of what is named.
fn stories(desk: &Desk<'_>) -> Vec<PathBuf> {
    desk.args.scenarios.iter().map(|path| folder(path)).collect()
}

/// How everything that counts is now.
fn stamp(desk: &Desk<'_>) -> Stamp {
    let mut stamp = Stamp::new();
    for path in stories(desk) {
        stamp_folder(&path, DEPTH, &mut stamp);
    }
    if let Some(file) = config::file(desk.common) {
        stamp_file(file, &mut stamp);
    }
    stamp
}

fn stamp_folder(folder: &Path, depth: usize, stamp: &mut Stamp) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() && depth > 0 => stamp_folder(&path, depth - 1, stamp),
            Ok(found) if found.is_dir() => {}
            _ => stamp_file(&path, stamp),
        }
    }
}

fn stamp_file(path: &Path, stamp: &mut Stamp) {
    if let Ok(found) = fs::metadata(path) {
        stamp.insert(path.to_owned(), (found.len(), found.modified().ok()));
    }
}
