//! Models as the library that computes has optimised them once, in the user's cache beside what they were made from.
//!
//! Such a file is mapped and not read, so a process holds of it what it uses, and opens it several times as fast.

#![expect(unsafe_code, reason = "a file that another process may change is mapped")]

use std::{fs::File, io, path::Path};

use memmap2::Mmap;

use super::{
    fetch::{TEMPORARY, clear_temporary, rename_durably},
    verify,
};

/// Maps a prepared model, if it is what was made from this.
///
/// Its stamp names what it was made from, beside all that changes when a file is written.
pub(crate) fn mapped(path: &Path, made_from: &str) -> Option<Mmap> {
    if !verify::is_stamped(path, made_from) {
        return None;
    }
    // SAFETY: the cache is this user's own, and files in it are replaced by renaming others, never written again.
    let mapped = File::open(path).and_then(|file| unsafe { Mmap::map(&file) });
    mapped.inspect_err(|error| tracing::debug!(path = %path.display(), %error, "cannot be mapped")).ok()
}

/// Makes a prepared model: `make` writes it to the path that it is given. Killed at any moment, this leaves no incomplete
/// file under the final name.
///
/// # Errors
/// [`io::ErrorKind::WouldBlock`] if another process is writing to the cache, and all errors of doing so and of `make`.
/// Without the file, the model is opened as it was fetched, and takes longer.
pub(crate) fn prepare<T, E: std::error::Error + Send + Sync + 'static>(
    path: &Path,
    made_from: &str,
    make: impl FnOnce(&Path) -> Result<T, E>,
) -> io::Result<T> {
    let cache = path.parent().ok_or(io::ErrorKind::NotFound)?;
    let lock = File::options().create(true).append(true).open(cache.join(".lock"))?;
    lock.try_lock()?;
    clear_temporary(cache);
    let temporary = tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(cache)?;
    let ready = temporary.path().join("prepared.ort");
    let made = make(&ready).map_err(io::Error::other)?;
    verify::forget(path)?;
    rename_durably(&ready, path)?;
    verify::write_stamp(path, made_from);
    Ok(made)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn prepared_model_is_used_only_as_it_was_made() {
        let cache = tempfile::tempdir().unwrap();
        let path = cache.path().join("model.ort");
        let content = |made_from| mapped(&path, made_from).map(|map| map.to_vec());
        assert_eq!(content("build 1"), None);
        prepare(&path, "build 1", |to| fs::write(to, "one")).unwrap();
        assert_eq!((content("build 1").as_deref(), content("build 2")), (Some(&b"one"[..]), None));
        fs::write(&path, "two").unwrap();
        assert_eq!(content("build 1"), None);
        prepare(&path, "build 2", |to| fs::write(to, "three")).unwrap();
        assert_eq!(content("build 2").as_deref(), Some(&b"three"[..]));

        let failed = prepare(&path, "build 3", |to| {
            fs::write(to, "half").and(Err::<(), _>(io::Error::other("no room")))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no room");
        assert_eq!(content("build 2").as_deref(), Some(&b"three"[..]));
        let mut names: Vec<_> =
            fs::read_dir(cache.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".lock", "model.ort", "model.ort.stamp"]);
    }
}
