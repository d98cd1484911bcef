//! File of recorded answers: JSONL, one line for each.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{File, OpenOptions, TryLockError},
    io::{BufReader, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{
    RecordError, TaskKey,
    line::{self, HEAD, LineError, TaskRecord},
};
use crate::lines::{LineRead, next_line};

/// Maximum length of a line of a record file, in bytes.
pub const MAX_RECORD_BYTES: usize = 16 * 1024 * 1024;
/// Maximum number of lines of a record file.
pub const MAX_RECORDS: usize = 1_000_000;

/// Contents of a record file.
#[derive(Debug)]
pub(super) struct RecordContents {
    pub(super) records: BTreeMap<TaskKey, TaskRecord>,
    pub(super) models: BTreeSet<String>,
    /// Number of bytes up to the end of its last complete line.
    whole: u64,
    end: FileEnd,
}

/// Ending of a record file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileEnd {
    /// The file ends with a newline.
    Whole,
    /// The last line is complete except for its newline.
    Open,
    /// The file ends in the middle of a line: the run that wrote the file was interrupted.
    Torn,
}

impl RecordContents {
    /// Reads a file from its beginning.
    pub(super) fn read(file: &File, path: &Path) -> Result<Self, RecordError> {
        let mut input = BufReader::new(file);
        let mut contents =
            Self { records: BTreeMap::new(), models: BTreeSet::new(), whole: 0, end: FileEnd::Whole };
        let mut bytes = Vec::new();
        for number in 1.. {
            let bad = |source| RecordError::Line { path: path.to_owned(), line: number, source };
            let read = next_line(&mut input, &mut bytes, MAX_RECORD_BYTES).map_err(io(path, "read"))?;
            if read != LineRead::End && number > MAX_RECORDS {
                return Err(RecordError::TooManyLines { path: path.to_owned(), most: MAX_RECORDS });
            }
            let line = match read {
                LineRead::End => break,
                LineRead::TooLong => return Err(bad(LineError::TooLong { most: MAX_RECORD_BYTES })),
                LineRead::Line | LineRead::Tail => line::read(&bytes),
            };
            match line {
                Ok((key, record)) => contents.take(key, record),
                Err(source) if read == LineRead::Tail && is_torn(&bytes) => {
                    tracing::warn!(
                        file = %path.display(), line = number, %source,
                        "the last line is half written, as by a run that was cut short; it is left out"
                    );
                    contents.end = FileEnd::Torn;
                    break;
                }
                Err(source) => return Err(bad(source)),
            }
            contents.whole += bytes.len() as u64 + u64::from(read == LineRead::Line);
            if read == LineRead::Tail {
                contents.end = FileEnd::Open;
            }
        }
        Ok(contents)
    }

    /// Adds a record. Of two answers to one task, as in concatenated files, the first is kept.
    fn take(&mut self, key: TaskKey, record: TaskRecord) {
        if !self.models.contains(&record.model) {
            self.models.insert(record.model.clone());
        }
        self.records.entry(key).or_insert(record);
    }
}

/// True if the bytes can be the beginning of an unfinished line: part of a record, or blocks that the file
/// system had not filled yet. Anything else is another program's file and must not be cut.
fn is_torn(bytes: &[u8]) -> bool {
    let begun = bytes.iter().rposition(|&b| b != 0).map_or(&[][..], |last| &bytes[..=last]);
    begun.starts_with(HEAD.as_bytes()) || HEAD.as_bytes().starts_with(begun)
}

pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> RecordError {
    move |source| RecordError::Io { path: path.to_owned(), doing, source }
}

/// Locked file. Dropping it unlocks explicitly: a child process that is being started holds a copy of every
/// handle, and with it the lock, even after this process closed the file.
#[derive(Debug)]
pub(super) struct LockedFile(pub(super) File);

impl LockedFile {
    pub(super) fn of(
        file: File,
        lock: impl FnOnce(&File) -> Result<(), TryLockError>,
        path: &Path,
    ) -> Result<Self, RecordError> {
        match lock(&file) {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(RecordError::Locked { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => Err(io(path, "locked")(source)),
        }
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // Should it fail, closing the file does it.
        let _ = self.0.unlock();
    }
}

/// File to which answers are recorded. It stays locked as long as this value lives, so that no two processes
/// write to it.
///
/// Each answer is one line, appended and flushed to the disk as a whole. If a run is interrupted within a
/// line, that line is cut off when the file is opened again, and the answer is asked for again; all other
/// lines are kept.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: LockedFile,
    records: BTreeMap<TaskKey, TaskRecord>,
    /// Number of bytes of complete lines.
    whole: u64,
    /// True if a line could not be written; the contents of the file are then unknown.
    broken: bool,
}

impl RecordFile {
    /// Opens a file; creates it if it does not exist.
    ///
    /// # Errors
    /// [`RecordError`] if the file cannot be opened or read, another process uses it, or a line other than an
    /// unfinished last one is not a record.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, RecordError> {
        let path = path.into();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(io(&path, "opened"))?;
        let file = LockedFile::of(file, File::try_lock, &path)?;
        let contents = RecordContents::read(&file.0, &path)?;
        let mut record = Self { path, file, records: contents.records, whole: contents.whole, broken: false };
        match contents.end {
            FileEnd::Whole => {}
            FileEnd::Open => record.write(b"\n")?,
            FileEnd::Torn => record.cut().map_err(io(&record.path, "cut to its whole lines"))?,
        }
        if record.whole == 0 {
            record.sync_folder();
        }
        Ok(record)
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of answers.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// True if there are no answers.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// True if the file contains an answer with this key.
    pub fn holds(&self, key: &TaskKey) -> bool {
        self.records.contains_key(key)
    }

    pub(crate) fn get(&self, key: &TaskKey) -> Option<&TaskRecord> {
        self.records.get(key)
    }

    /// True if nothing more can be written.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Appends an outcome, unless the file has one with this key. It is durable after the next
    /// [`sync`](Self::sync).
    pub(crate) fn append(&mut self, key: TaskKey, record: TaskRecord) -> Result<(), RecordError> {
        if self.broken {
            return Err(RecordError::Broken { path: self.path.clone() });
        }
        if self.holds(&key) {
            return Ok(());
        }
        let line = line::write(&key, &record);
        if line.len() > MAX_RECORD_BYTES {
            let too_long = std::io::Error::other(LineError::TooLong { most: MAX_RECORD_BYTES });
            return Err(io(&self.path, "written")(too_long));
        }
        self.write(&line)?;
        self.records.insert(key, record);
        Ok(())
    }

    /// Appends an outcome and waits until it is on the disk.
    pub(super) fn append_durably(&mut self, key: TaskKey, record: TaskRecord) -> Result<(), RecordError> {
        self.append(key, record)?;
        self.sync().inspect_err(|_| {
            self.records.remove(&key);
        })
    }

    /// Waits until everything appended is on the disk.
    pub(crate) fn sync(&mut self) -> Result<(), RecordError> {
        self.file.0.sync_data().map_err(|source| {
            self.broken = true;
            io(&self.path, "flushed to the disk")(source)
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), RecordError> {
        let written =
            self.file.0.seek(SeekFrom::Start(self.whole)).and_then(|_| self.file.0.write_all(bytes));
        if let Err(source) = written {
            self.broken = true;
            // Should that fail too, the half line is cut off when the file is opened again.
            let _ = self.cut();
            return Err(io(&self.path, "written")(source));
        }
        self.whole += bytes.len() as u64;
        Ok(())
    }

    fn cut(&self) -> std::io::Result<()> {
        self.file.0.set_len(self.whole)?;
        self.file.0.sync_data()
    }

    /// Makes a newly created file survive a power cut. Not every system can flush a folder; those that cannot
    /// flush it later themselves.
    fn sync_folder(&self) {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
            let _ = folder.sync_all();
        }
    }

    /// Makes writes fail, as on a full disk.
    #[cfg(test)]
    pub(super) fn refuse_writes(&mut self) {
        self.file = LockedFile(File::open(&self.path).unwrap());
    }
}
