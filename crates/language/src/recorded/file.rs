//! File of recorded answers: JSON lines.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{RecordError, answer::RecordLine};

/// Maximum length of a line of a record file, in bytes.
pub(super) const MAX_RECORD_BYTES: usize = 16 * 1024 * 1024;

/// Beginning of every line: it distinguishes a line that was half written during a power cut from a file of
/// another program.
const HEAD: &[u8] = b"{\"key\":\"";

/// Contents of a record file.
#[derive(Debug)]
pub(super) struct RecordLines {
    pub(super) lines: Vec<RecordLine>,
    /// Number of bytes up to the end of the last whole line.
    whole: u64,
    /// False if the last whole line lacks its newline.
    ended: bool,
}

impl RecordLines {
    /// Reads a file, but for a torn last line.
    pub(super) fn read(path: &Path) -> Result<Self, RecordError> {
        Self::of(&File::open(path).map_err(io_error(path, "opened"))?, path)
    }

    fn of(file: &File, path: &Path) -> Result<Self, RecordError> {
        let mut input = BufReader::new(file);
        let mut read = Self { lines: Vec::new(), whole: 0, ended: true };
        for line in 1.. {
            let mut bytes = Vec::new();
            let most = MAX_RECORD_BYTES as u64 + 1;
            let length =
                input.by_ref().take(most).read_until(b'\n', &mut bytes).map_err(io_error(path, "read"))?;
            if length == 0 {
                break;
            }
            let ended = bytes.last() == Some(&b'\n');
            if !ended && length > MAX_RECORD_BYTES {
                return Err(RecordError::LongLine { path: path.to_owned(), line });
            }
            match serde_json::from_slice(&bytes) {
                Ok(record) => read.lines.push(record),
                Err(source) if !ended && is_torn(&bytes) => {
                    tracing::warn!(
                        file = %path.display(), line, %source,
                        "the last line is half written, as by a run that was cut short; it is left out"
                    );
                    break;
                }
                Err(source) => return Err(RecordError::Line { path: path.to_owned(), line, source }),
            }
            read.whole += length as u64;
            read.ended = ended;
        }
        Ok(read)
    }
}

/// True if the bytes can be the beginning of an unfinished line: part of a record, or blocks that the file
/// system had not filled yet. Anything else is another program's file and must not be cut.
fn is_torn(bytes: &[u8]) -> bool {
    let begun = bytes.iter().rposition(|&b| b != 0).map_or(&[][..], |last| &bytes[..=last]);
    begun.starts_with(HEAD) || HEAD.starts_with(begun)
}

fn io_error(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> RecordError {
    move |source| RecordError::Io { path: path.to_owned(), doing, source }
}

/// File to which answers are recorded. It stays locked as long as this value lives, so that no two processes
/// write to it.
///
/// Each answer is one line, appended and flushed to the disk as a whole. If a run is interrupted within a
/// line, that line is cut off when the file is opened again, and the answer is asked for again; all other
/// lines are kept.
#[derive(Debug)]
pub(super) struct RecordFile {
    path: PathBuf,
    file: File,
    /// Number of bytes of whole lines.
    whole: u64,
    /// True if a line could not be written; the contents of the file are then unknown.
    broken: bool,
}

impl RecordFile {
    /// Opens a file, and reads it; creates it if it does not exist.
    pub(super) fn open(path: &Path) -> Result<(Self, Vec<RecordLine>), RecordError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(io_error(path, "opened"))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => RecordError::Locked { path: path.to_owned() },
            TryLockError::Error(source) => io_error(path, "locked")(source),
        })?;
        let mut record = Self { path: path.to_owned(), file, whole: 0, broken: false };
        let RecordLines { lines, whole, ended } = RecordLines::of(&record.file, path)?;
        record.whole = whole;
        record.file.set_len(whole).map_err(io_error(path, "cut to its whole lines"))?;
        if !ended {
            record.write(b"\n")?;
        }
        if whole == 0 {
            record.sync_folder();
        }
        Ok((record, lines))
    }

    /// Checks that an earlier answer could be written.
    pub(super) fn check_writable(&self) -> Result<(), RecordError> {
        if self.broken { Err(RecordError::Broken { path: self.path.clone() }) } else { Ok(()) }
    }

    /// Appends a line, and waits until it is on the disk.
    pub(super) fn append(&mut self, line: &RecordLine) -> Result<(), RecordError> {
        self.check_writable()?;
        let mut bytes = serde_json::to_vec(line).expect("texts and numbers are JSON");
        bytes.push(b'\n');
        self.write(&bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), RecordError> {
        let Self { file, whole, .. } = self;
        let mut write = || {
            file.seek(SeekFrom::Start(*whole))?;
            file.write_all(bytes)?;
            file.sync_data()
        };
        if let Err(source) = write() {
            self.broken = true;
            // Should that fail too, the half line is cut off when the file is opened again.
            let _ = self.file.set_len(self.whole);
            return Err(io_error(&self.path, "written")(source));
        }
        self.whole += bytes.len() as u64;
        Ok(())
    }

    /// Makes a newly created file survive a power cut. Not every system can flush a folder; those that cannot
    /// flush it later themselves.
    fn sync_folder(&self) {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
            let _ = folder.sync_all();
        }
    }
}

impl Drop for RecordFile {
    /// Unlocks: a child process that is being started holds a copy of every handle, and with it the lock, even after
    /// this process closed the file.
    fn drop(&mut self) {
        // Should it fail, closing the file does it.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
impl RecordFile {
    /// Makes writes fail, as on a full disk.
    pub(super) fn refuse_writes(&mut self) {
        self.file = File::open(&self.path).unwrap();
    }
}
