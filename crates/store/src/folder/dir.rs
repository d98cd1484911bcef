//! A folder opened by descriptor. Names are resolved within it, and links are never followed.

use std::{
    ffi::{OsStr, OsString},
    fs::{File, Permissions, TryLockError},
    io::{self, Read as _},
    os::unix::{
        ffi::OsStrExt,
        fs::{MetadataExt, PermissionsExt},
    },
    path::Path,
    time::{Duration, SystemTime},
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, Stat},
    io::Errno,
};

use super::entry::{EntryKind, EntryStat};

const READ_FLAGS: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC);
const FOLDER_FLAGS: OFlags = READ_FLAGS.union(OFlags::DIRECTORY);
/// Permission bits for writing, of owner, group and others.
const WRITE_BITS: u32 = 0o222;

/// Number of bytes at the beginning of a file that are checked for being text.
const TEXT_PROBE_BYTES: u64 = 1024;

/// A folder that is open for reading.
#[derive(Debug)]
pub(super) struct Dir(File);

/// Exclusive lock for archiving in a folder, held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing unlocks too, except while another thread is starting a process, which holds a copy of the
        // descriptor.
        let _ = self.0.unlock();
    }
}

impl Dir {
    /// Opens a folder. Links in its path are followed.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(rustix::fs::open(path, FOLDER_FLAGS, Mode::empty())?.into()))
    }

    /// Opens a folder within this one; a link to a folder is refused.
    pub(super) fn open_in(&self, name: &str) -> io::Result<Self> {
        Ok(Self(rustix::fs::openat(&self.0, name, FOLDER_FLAGS | OFlags::NOFOLLOW, Mode::empty())?.into()))
    }

    /// Returns at most `most` names in the folder, in order.
    pub(super) fn names(&self, most: usize) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                if names.len() == most {
                    break;
                }
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        names.sort();
        // While other programs write to a folder, it may return an entry twice.
        names.dedup();
        Ok(names)
    }

    /// Returns the metadata of a name, or `None` if nothing has it.
    pub(super) fn look(&self, name: &OsStr) -> io::Result<Option<EntryStat>> {
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(entry_stat(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a folder that is writable for its owner. A name that is taken is an error.
    pub(super) fn make_folder(&self, name: &str) -> io::Result<Self> {
        rustix::fs::mkdirat(&self.0, name, Mode::RWXU | Mode::RWXG | Mode::RWXO)?;
        let made = self.open_in(name)?;
        // Undoes the user's umask if necessary: without this bit the folder would count as closed.
        let mode = made.0.metadata()?.mode();
        if mode & Mode::RWXU.as_raw_mode() != Mode::RWXU.as_raw_mode() {
            made.0.set_permissions(Permissions::from_mode((mode | Mode::RWXU.as_raw_mode()) & 0o7777))?;
        }
        Ok(made)
    }

    /// Removes an empty folder.
    pub(super) fn remove_empty_folder(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Removes a placeholder file.
    pub(super) fn remove_placeholder(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Moves a file to another folder under its own name, in one step. A name that is taken there is
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists).
    ///
    /// On file systems that cannot rename without replacing, the name is first reserved with a placeholder,
    /// an empty file without any permissions, and the rename replaces the placeholder. A crash in between
    /// leaves the placeholder, and the file at its old place. (Linking the file under the new name and
    /// unlinking the old name would need no placeholder; but if an editor saves the file in between, by
    /// renaming, the unlink would remove the new content.)
    pub(super) fn rename_into(&self, name: &str, to: &Self) -> io::Result<()> {
        match self.rename_without_replacing(name, to) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => self.rename_over_placeholder(name, to),
            done => Ok(done?),
        }
    }

    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    fn rename_without_replacing(&self, name: &str, to: &Self) -> rustix::io::Result<()> {
        rustix::fs::renameat_with(&self.0, name, &to.0, name, rustix::fs::RenameFlags::NOREPLACE)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    #[expect(clippy::unused_self, reason = "as on the systems that can")]
    fn rename_without_replacing(&self, _: &str, _: &Self) -> rustix::io::Result<()> {
        Err(Errno::NOSYS)
    }

    fn rename_over_placeholder(&self, name: &str, to: &Self) -> io::Result<()> {
        let reserve = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        drop(rustix::fs::openat(&to.0, name, reserve, Mode::empty())?);
        rustix::fs::renameat(&self.0, name, &to.0, name).map_err(|error| {
            // A placeholder that stays does no harm and is removed by the next run.
            if to.look(OsStr::new(name)).is_ok_and(|seen| seen.is_some_and(|seen| seen.placeholder)) {
                let _ = to.remove_placeholder(OsStr::new(name));
            }
            error.into()
        })
    }

    /// True if a file looks like text: its beginning holds no zero byte.
    pub(super) fn begins_as_text(&self, name: &OsStr) -> io::Result<bool> {
        // Without blocking, in case the name is a pipe by now.
        let flags = READ_FLAGS | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(rustix::fs::openat(&self.0, name, flags, Mode::empty())?);
        let mut beginning = Vec::new();
        file.take(TEXT_PROBE_BYTES).read_to_end(&mut beginning)?;
        Ok(!beginning.contains(&0))
    }

    /// Removes the write bits of a file; returns true if they are cleared afterwards. A file with several
    /// hard links keeps them, since they are shared by all its names.
    pub(super) fn protect(&self, name: &OsStr) -> io::Result<bool> {
        // Without blocking, in case the name is a pipe by now.
        let flags = READ_FLAGS | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(rustix::fs::openat(&self.0, name, flags, Mode::empty())?);
        let found = file.metadata()?;
        Ok(found.is_file() && found.nlink() == 1 && without_write_bits(&file)?)
    }

    /// Removes the write bits of the folder itself; returns true if they are cleared afterwards.
    pub(super) fn close(&self) -> io::Result<bool> {
        without_write_bits(&self.0)
    }

    /// Waits until the entries of the folder are synced to the disk. Returns at once on a file system that
    /// cannot sync folders.
    pub(super) fn sync(&self) -> io::Result<()> {
        match self.0.sync_all() {
            Err(error)
                if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) =>
            {
                Ok(())
            }
            done => done,
        }
    }

    /// Locks the folder for archiving; `None` if it is locked already.
    pub(super) fn lock(&self) -> io::Result<Option<Lock>> {
        // Opened anew, since a lock belongs to the open file, and two threads may share this one.
        let file = File::from(rustix::fs::openat(&self.0, ".", FOLDER_FLAGS, Mode::empty())?);
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Removes the write bits; returns true if they are cleared afterwards. Some file systems report success and
/// change nothing.
fn without_write_bits(file: &File) -> io::Result<bool> {
    let mode = file.metadata()?.mode() & 0o7777;
    if mode & WRITE_BITS == 0 {
        return Ok(true);
    }
    file.set_permissions(Permissions::from_mode(mode & !WRITE_BITS))?;
    Ok(file.metadata()?.mode() & WRITE_BITS == 0)
}

fn entry_stat(stat: &Stat) -> EntryStat {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Special,
    };
    let mode = Mode::from_raw_mode(stat.st_mode);
    EntryStat {
        kind,
        touched: system_time(stat.st_mtime, stat.st_mtime_nsec),
        owner_writable: mode.contains(Mode::WUSR),
        writable: mode.intersects(Mode::WUSR | Mode::WGRP | Mode::WOTH),
        placeholder: kind == EntryKind::File && stat.st_size == 0 && mode.is_empty(),
    }
}

/// Converts a file time, whose integer types differ between systems.
fn system_time(seconds: impl TryInto<i64>, nanoseconds: impl TryInto<u32>) -> SystemTime {
    let seconds = seconds.try_into().unwrap_or(0);
    let nanoseconds = Duration::from_nanos(nanoseconds.try_into().unwrap_or(0).into());
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let start = SystemTime::UNIX_EPOCH;
    let start = if seconds < 0 { start.checked_sub(whole) } else { start.checked_add(whole) };
    start.and_then(|start| start.checked_add(nanoseconds)).unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use tempfile::TempDir;

    use super::*;

    fn two_folders() -> (TempDir, PathBuf, PathBuf, Dir, Dir) {
        let place = tempfile::tempdir().unwrap();
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        fs::create_dir(&from).unwrap();
        fs::create_dir(&to).unwrap();
        let dirs = (Dir::open(&from).unwrap(), Dir::open(&to).unwrap());
        (place, from, to, dirs.0, dirs.1)
    }

    fn names(path: &Path) -> usize {
        fs::read_dir(path).unwrap().count()
    }

    type Rename = fn(&Dir, &str, &Dir) -> io::Result<()>;
    const BOTH_WAYS: [Rename; 2] = [Dir::rename_into, Dir::rename_over_placeholder];

    #[test]
    fn rename_moves_a_file_whole_and_never_replaces_another() {
        for rename in BOTH_WAYS {
            let (_place, from, to, source, target) = two_folders();
            fs::write(from.join("a.md"), "mine").unwrap();
            let touched = fs::metadata(from.join("a.md")).unwrap().modified().unwrap();
            rename(&source, "a.md", &target).unwrap();
            assert_eq!(fs::read_to_string(to.join("a.md")).unwrap(), "mine");
            assert_eq!(fs::metadata(to.join("a.md")).unwrap().modified().unwrap(), touched);
            assert_eq!((names(&from), names(&to)), (0, 1));

            fs::write(from.join("a.md"), "other").unwrap();
            let taken = rename(&source, "a.md", &target).unwrap_err();
            assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs::read_to_string(from.join("a.md")).unwrap(), "other");
            assert_eq!(fs::read_to_string(to.join("a.md")).unwrap(), "mine");
        }
    }

    #[test]
    fn failed_rename_leaves_no_placeholder() {
        for rename in BOTH_WAYS {
            let (_place, _, to, source, target) = two_folders();
            let gone = rename(&source, "a.md", &target).unwrap_err();
            assert_eq!(gone.kind(), io::ErrorKind::NotFound);
            assert_eq!(names(&to), 0);
        }
    }

    #[test]
    fn file_times_before_1970_are_converted() {
        let (second, half) = (Duration::from_secs(1), Duration::from_millis(500));
        assert_eq!(system_time(-2_i64, 500_000_000_u64), SystemTime::UNIX_EPOCH - second - half);
        assert_eq!(system_time(1_i32, 500_000_000_i64), SystemTime::UNIX_EPOCH + second + half);
        system_time(i64::MIN, 0_u32);
        system_time(i64::MAX, 999_999_999_u32);
    }
}
