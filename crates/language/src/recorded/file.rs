//! A file of recorded answers: JSONL, a line for each.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{File, OpenOptions, TryLockError},
    io::{BufReader, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{
    RecordError, TaskKey,
    line::{self, HEAD, Kept, LineError},
};
use crate::lines::{Read, next_line};

/// Longest line of a record file, in bytes.
pub const MAX_RECORD_BYTES: usize = 16 * 1024 * 1024;
/// Most lines of a record file.
pub const MAX_RECORDS: usize = 1_000_000;

/// What a record file holds.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) kept: BTreeMap<TaskKey, Kept>,
    pub(super) models: BTreeSet<String>,
    /// Bytes up to the end of its last whole line.
    whole: u64,
    end: End,
}

/// How a record file ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// With the end of a line.
    Whole,
    /// With a line that lacks nothing but its end.
    Open,
    /// In the middle of a line: the run that wrote it was cut short.
    Torn,
}

impl Contents {
    /// Reads a file from its beginning.
    pub(super) fn read(file: &File, path: &Path) -> Result<Self, RecordError> {
        let mut input = BufReader::new(file);
        let mut contents = Self { kept: BTreeMap::new(), models: BTreeSet::new(), whole: 0, end: End::Whole };
        let mut bytes = Vec::new();
        for number in 1.. {
            let bad = |source| RecordError::Line { path: path.to_owned(), line: number, source };
            let read = next_line(&mut input, &mut bytes, MAX_RECORD_BYTES).map_err(io(path, "read"))?;
            if read != Read::End && number > MAX_RECORDS {
                return Err(RecordError::TooManyLines { path: path.to_owned(), most: MAX_RECORDS });
            }
            let line = match read {
                Read::End => break,
                Read::TooLong => return Err(bad(LineError::TooLong { most: MAX_RECORD_BYTES })),
                Read::Line | Read::Tail => line::read(&bytes),
            };
            match line {
                Ok((key, kept)) => contents.take(key, kept),
                Err(source) if read == Read::Tail && torn(&bytes) => {
                    tracing::warn!(
                        file = %path.display(), line = number, %source,
                        "the last line is half written, as by a run that was cut short; it is left out"
                    );
                    contents.end = End::Torn;
                    break;
                }
                Err(source) => return Err(bad(source)),
            }
            contents.whole += bytes.len() as u64 + u64::from(read == Read::Line);
            if read == Read::Tail {
                contents.end = End::Open;
            }
        }
        Ok(contents)
    }

    /// Of two answers to one task, as from files that were put together, the first stays.
    fn take(&mut self, key: TaskKey, kept: Kept) {
        if !self.models.contains(&kept.model) {
            self.models.insert(kept.model.clone());
        }
        self.kept.entry(key).or_insert(kept);
    }
}

/// Whether bytes can be the beginning of a line that was never finished: of one, or blocks that the file system had
/// not filled yet. Anything else is somebody's file, and not to be cut.
fn torn(bytes: &[u8]) -> bool {
    let begun = bytes.iter().rposition(|&b| b != 0).map_or(&[][..], |last| &bytes[..=last]);
    begun.starts_with(HEAD.as_bytes()) || HEAD.as_bytes().starts_with(begun)
}

pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> RecordError {
    move |source| RecordError::Io { path: path.to_owned(), doing, source }
}

/// A file that is locked. It is let go of in so many words: a child process that is just being started holds a copy of
/// every handle, and with it the lock, though the file was closed here.
#[derive(Debug)]
pub(super) struct Locked(pub(super) File);

impl Locked {
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

impl Drop for Locked {
    fn drop(&mut self) {
        // Should it fail, closing the file does it.
        let _ = self.0.unlock();
    }
}

/// A file that answers are recorded to. It is locked as long as this lives, so that no two processes write to it.
///
/// Each answer is one line, appended and flushed to the disk as a whole. Should a run be cut short in the middle of
/// one, that line is cut off when the file is opened again, and the answer asked for again; all others are kept.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: Locked,
    kept: BTreeMap<TaskKey, Kept>,
    /// Bytes of whole lines.
    whole: u64,
    /// Whether a line could not be written, and what the file holds now is not known.
    broken: bool,
}

impl RecordFile {
    /// Opens a file, or begins one.
    ///
    /// # Errors
    /// [`RecordError`] when it cannot be opened or read, another process has it, or a line but a half written last one
    /// is no recorded answer.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, RecordError> {
        let path = path.into();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(io(&path, "opened"))?;
        let file = Locked::of(file, File::try_lock, &path)?;
        let contents = Contents::read(&file.0, &path)?;
        let mut record = Self { path, file, kept: contents.kept, whole: contents.whole, broken: false };
        match contents.end {
            End::Whole => {}
            End::Open => record.write(b"\n")?,
            End::Torn => record.cut().map_err(io(&record.path, "cut to its whole lines"))?,
        }
        if record.whole == 0 {
            record.sync_folder();
        }
        Ok(record)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many answers it holds.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether it holds the answer of this name.
    pub fn holds(&self, key: &TaskKey) -> bool {
        self.kept.contains_key(key)
    }

    pub(crate) fn get(&self, key: &TaskKey) -> Option<&Kept> {
        self.kept.get(key)
    }

    /// Whether nothing more can be written.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Appends an outcome, unless the file has one of that name. It is safe after the next [`sync`](Self::sync).
    pub(crate) fn append(&mut self, key: TaskKey, kept: Kept) -> Result<(), RecordError> {
        if self.broken {
            return Err(RecordError::Broken { path: self.path.clone() });
        }
        if self.holds(&key) {
            return Ok(());
        }
        let line = line::write(&key, &kept);
        if line.len() > MAX_RECORD_BYTES {
            let too_long = std::io::Error::other(LineError::TooLong { most: MAX_RECORD_BYTES });
            return Err(io(&self.path, "written")(too_long));
        }
        self.write(&line)?;
        self.kept.insert(key, kept);
        Ok(())
    }

    /// Appends an outcome and waits until it is on the disk.
    pub(super) fn keep(&mut self, key: TaskKey, kept: Kept) -> Result<(), RecordError> {
        self.append(key, kept)?;
        self.sync().inspect_err(|_| {
            self.kept.remove(&key);
        })
    }

    /// Waits until all that was appended is on the disk.
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

    /// Makes a file that was just begun outlive a power cut. What cannot be flushed so (not every system can flush a
    /// folder) is flushed with it by the system itself, later.
    fn sync_folder(&self) {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
            let _ = folder.sync_all();
        }
    }

    /// As if the disk were full.
    #[cfg(test)]
    pub(super) fn refuse_writes(&mut self) {
        self.file = Locked(File::open(&self.path).unwrap());
    }
}
