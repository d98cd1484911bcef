//! Verification of files against their expected contents.

use std::{
    fs, io,
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
    let stamp = stamp(path, &expected.sha256);
    if stamp.is_some() && written_stamp(path) == stamp {
        return Ok(());
    }
    verify(path, expected, true, step)?;
    write(path, stamp);
    Ok(())
}

/// True if a file has not changed since its stamp was written for this content.
pub(super) fn is_stamped(path: &Path, content: &str) -> bool {
    stamp(path, content).is_some_and(|stamp| written_stamp(path) == Some(stamp))
}

/// Stamps a file as it is.
pub(super) fn write_stamp(path: &Path, content: &str) {
    write(path, stamp(path, content));
}

/// Writes a stamp. Without one the file is read or made again next time, and that is all.
fn write(path: &Path, stamp: Option<String>) {
    let path = stamp_path(path);
    if let Some(stamp) = stamp
        && let Err(error) = fs::write(&path, stamp)
    {
        tracing::debug!(path = %path.display(), %error, "verification cannot be remembered");
    }
}

fn written_stamp(path: &Path) -> Option<String> {
    fs::read_to_string(stamp_path(path)).ok()
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

/// Returns the stamp of a file as it is now, for a content; `None` on systems that tell no time of the last change.
#[cfg(unix)]
fn stamp(path: &Path, content: &str) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let found = fs::metadata(path).ok()?;
    let file = format!("{}:{}", found.dev(), found.ino());
    let (written, written_ns, changed, changed_ns) =
        (found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec());
    Some(format!(
        "{content} {} {file} {written}.{written_ns:09} {changed}.{changed_ns:09} {}\n",
        found.len(),
        path.display()
    ))
}

#[cfg(not(unix))]
fn stamp(_: &Path, _: &str) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use std::fs::Metadata;

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
