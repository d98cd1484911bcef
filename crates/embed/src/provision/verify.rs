//! Verification of files against their expected contents.

use std::{
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
};

use super::{
    contents::FileContents,
    error::ProvisionError,
    progress::{FetchPhase, StepReporter},
};

/// Reads a file to its end and compares its contents.
///
/// # Errors
/// [`ProvisionError::Corrupt`] if its contents are wrong, [`ProvisionError::Io`] if it cannot be read.
pub(super) fn verify(
    path: &Path,
    expected: &FileContents,
    in_cache: bool,
    step: StepReporter<'_>,
) -> Result<(), ProvisionError> {
    let found = FileContents::of_file(path, |done| step.at(FetchPhase::Verify, done, expected.size))
        .map_err(ProvisionError::io("read", path))?;
    if found == *expected {
        return Ok(());
    }
    Err(ProvisionError::Corrupt { path: path.to_owned(), expected: expected.clone(), found, in_cache })
}

/// Verifies a file in the cache, and remembers success in a stamp beside it: the file's checksum, size, path, device and
/// number, and the times of its last write and last change to the nanosecond. As long as the stamp fits, the file is not
/// read again.
///
/// The time of the last change is the system's: a program can set back when a file was written, but not when it was changed.
/// A system that tells no such time gets no stamp: every process reads the file once.
pub(super) fn verify_once(
    path: &Path,
    expected: &FileContents,
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
    path.with_added_extension("stamp")
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems tell no time of the last change")]
fn stamp(path: &Path, found: &Metadata, expected: &FileContents) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let file = format!("{}:{}", found.dev(), found.ino());
    let (written, written_ns, changed, changed_ns) =
        (found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec());
    Some(format!(
        "{} {} {file} {written}.{written_ns:09} {changed}.{changed_ns:09} {}\n",
        expected.sha256,
        found.len(),
        path.display()
    ))
}

#[cfg(not(unix))]
fn stamp(_: &Path, _: &Metadata, _: &FileContents) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provision::progress::Progress;
    use std::cell::Cell;

    #[cfg(unix)]
    fn is_changed(before: &Metadata, now: &Metadata) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        (before.ctime(), before.ctime_nsec()) != (now.ctime(), now.ctime_nsec())
    }

    #[cfg(unix)]
    #[test]
    fn verified_file_is_read_again_only_if_it_changed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "good").unwrap();
        let expected = FileContents::of_file(&path, |_| {}).unwrap();
        let reads = Cell::new(0);
        let tell = |_: Progress<'_>| reads.set(reads.get() + 1);
        let step = StepReporter { tell: &tell, artefact: "file" };

        verify_once(&path, &expected, step).unwrap();
        verify_once(&path, &expected, step).unwrap();
        assert_eq!(reads.get(), 1);

        let written = fs::metadata(&path).unwrap().modified().unwrap();
        // A file system may tell times of the last change apart only after some milliseconds.
        let before = fs::metadata(&path).unwrap();
        while !is_changed(&before, &fs::metadata(&path).unwrap()) {
            fs::write(&path, "evil").unwrap();
            fs::File::options().write(true).open(&path).unwrap().set_modified(written).unwrap();
        }
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), written);
        let error = verify_once(&path, &expected, step).unwrap_err();
        assert!(matches!(error, ProvisionError::Corrupt { in_cache: true, .. }), "{error}");
        assert_eq!(reads.get(), 2);

        fs::write(&path, "good").unwrap();
        forget(&path).unwrap();
        forget(&path).unwrap();
        verify_once(&path, &expected, step).unwrap();
        assert_eq!(reads.get(), 3);
    }
}
