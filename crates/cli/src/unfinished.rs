//! Temporary files beside the outputs of calls, and removal of those that killed calls left behind.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
};

use tempfile::NamedTempFile;

/// First characters of the names of temporary files; `RANDOM` letters and digits follow.
const PREFIX: &str = ".nightfold-";

const RANDOM: usize = 6;

/// Makes a temporary file in a folder, with the permissions of any new file, and locks it until it is put in place.
pub(crate) fn create(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(PREFIX)
        .rand_bytes(RANDOM)
        // Made by ourselves: errors of `tempfile` would name the temporary file.
        .make_in(folder, |path| {
            let file = File::create_new(path)?;
            // Another call may be sweeping the file, or have swept it, before it was locked. Then another one is made. A
            // file system may know no locks: what is left there stays.
            let is_swept = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            if is_swept || path.symlink_metadata().is_err() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            Ok(file)
        })
}

/// Removes the temporary files of calls that were killed: those in the folder that nobody holds. What cannot be
/// removed stays.
pub(crate) fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(random) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        let is_ours = random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
        // A link or a pipe is never made.
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_abandoned(&entry.path());
        }
    }
}

fn remove_abandoned(path: &Path) {
    // Some file systems lock only what is open for writing.
    let Ok(file) = File::options().write(true).open(path) else { return };
    if file.try_lock().is_err() {
        return;
    }
    match fs::remove_file(path) {
        Ok(()) => tracing::info!(path = %path.display(), "removed what a killed call left"),
        Err(error) => tracing::debug!(path = %path.display(), %error, "what a killed call left stays"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_begin_together_do_not_remove_each_others_files() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for n in 0..50 {
                        sweep(folder.path());
                        let file = create(folder.path()).unwrap();
                        file.persist(folder.path().join(format!("{n}"))).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 50);
    }
}
