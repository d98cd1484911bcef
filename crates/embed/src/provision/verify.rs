//! Verification of files against their expected contents.

use std::{
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use super::{
    checksum::FileContents,
    error::ProvisionError,
    progress::{FetchPhase, StepReporter},
};

/// Reads a file to its end and compares its contents.
///
/// # Errors
/// [`ProvisionError::Corrupt`] if its contents are wrong, [`ProvisionError::Io`] if it cannot be read.
pub(super) fn verify(
    path: &Path,
    expected: FileContents,
    in_cache: bool,
    step: StepReporter<'_>,
) -> Result<(), ProvisionError> {
    let found = FileContents::of_file(path, |done| step.at(FetchPhase::Verify, done, expected.size))
        .map_err(ProvisionError::io("read", path))?;
    if found == expected {
        return Ok(());
    }
    Err(ProvisionError::Corrupt { path: path.to_owned(), expected, found, in_cache })
}

/// Verifies a file in the cache, and remembers success in a stamp beside it: the file's checksum, size,
/// modification time and path. As long as the stamp fits, the file is not read again.
pub(super) fn verify_once(
    path: &Path,
    expected: FileContents,
    step: StepReporter<'_>,
) -> Result<(), ProvisionError> {
    // Before the file is read, so that a change during reading makes the stamp not fit.
    let stamp = fs::metadata(path).ok().and_then(|metadata| stamp(path, &metadata, expected));
    let stamp_path = stamp_path(path);
    if stamp.is_some() && fs::read_to_string(&stamp_path).ok() == stamp {
        return Ok(());
    }
    verify(path, expected, true, step)?;
    // Without a stamp the file is read again next time, and that is all.
    if let Some(stamp) = stamp
        && let Err(error) = fs::write(&stamp_path, stamp)
    {
        tracing::debug!(path = %stamp_path.display(), %error, "verification cannot be remembered");
    }
    Ok(())
}

/// Removes the stamp of a file, if it has one.
pub(super) fn forget(path: &Path) -> io::Result<()> {
    match fs::remove_file(stamp_path(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn stamp_path(path: &Path) -> PathBuf {
    path.with_added_extension("verified")
}

fn stamp(path: &Path, metadata: &Metadata, expected: FileContents) -> Option<String> {
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    Some(format!("{} {} {changed} {}\n", expected.sha256, metadata.len(), path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provision::progress::Progress;
    use std::cell::Cell;

    #[test]
    fn verified_file_is_read_again_only_if_it_changed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "good").unwrap();
        let expected = FileContents::of_file(&path, |_| {}).unwrap();
        let reads = Cell::new(0);
        let tell = |_: Progress<'_>| reads.set(reads.get() + 1);
        let step = StepReporter { tell: &tell, artefact: "file" };

        verify_once(&path, expected, step).unwrap();
        verify_once(&path, expected, step).unwrap();
        assert_eq!(reads.get(), 1);

        fs::write(&path, "evil").unwrap();
        let changed = fs::metadata(&path).unwrap().modified().unwrap() + std::time::Duration::from_nanos(1);
        fs::File::options().write(true).open(&path).unwrap().set_modified(changed).unwrap();
        let error = verify_once(&path, expected, step).unwrap_err();
        assert!(matches!(error, ProvisionError::Corrupt { in_cache: true, .. }), "{error}");
        assert_eq!(reads.get(), 2);

        fs::write(&path, "good").unwrap();
        forget(&path).unwrap();
        forget(&path).unwrap();
        verify_once(&path, expected, step).unwrap();
        assert_eq!(reads.get(), 3);
    }
}
