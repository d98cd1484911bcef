//! Files that are read by ranges, such as objects in a cloud.

use std::{
    io::{self, BufReader, Read, Seek, SeekFrom},
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use parquet::{
    errors::Result,
    file::reader::{ChunkReader, Length},
};

use super::footer;

/// A file of which any range can be read, though it is far away.
pub trait RangeSource: Send + Sync + 'static {
    /// Number of bytes of the file.
    fn size(&self) -> u64;

    /// Reads `length` bytes from `start` on, which are within the file.
    ///
    /// # Errors
    /// Those of reading.
    fn read_range(&self, start: u64, length: usize) -> io::Result<Bytes>;
}

/// Bytes that are read at once where the library reads byte by byte.
const READ_AT_ONCE: usize = 16 << 10;

/// Bytes at the end of a file that are read first: the footer of some hundred shards.
const USUAL_FOOTER: u64 = 256 << 10;

/// A source with the range of it that was loaded last. Whoever reads columns goes to and fro: a group of rows is loaded whole.
pub(super) struct LoadedRange {
    source: Box<dyn RangeSource>,
    loaded: Mutex<(u64, Bytes)>,
}

impl LoadedRange {
    /// Loads the end of the file: its footer, in one or two reads.
    pub(super) fn load_footer(&self) -> io::Result<()> {
        let size = self.source.size();
        self.load(size.saturating_sub(USUAL_FOOTER)..size)?;
        let Some(tail) = size.checked_sub(8).and_then(|start| self.loaded_from(start)) else { return Ok(()) };
        let bytes = tail.first_chunk().map_or(0, |length: &[u8; 4]| u64::from(u32::from_le_bytes(*length)));
        if bytes + 8 > USUAL_FOOTER && bytes <= footer::LONGEST {
            self.load(size.saturating_sub(bytes + 8)..size)?;
        }
        Ok(())
    }

    /// Loads a range, and forgets the one before.
    pub(super) fn load(&self, range: Range<u64>) -> io::Result<()> {
        let length = usize::try_from(range.end.saturating_sub(range.start)).map_err(io::Error::other)?;
        let bytes = if length == 0 { Bytes::new() } else { self.range(range.start, length)? };
        *self.loaded.lock().unwrap_or_else(PoisonError::into_inner) = (range.start, bytes);
        Ok(())
    }

    /// Returns what is loaded from a position on; none if the position is elsewhere.
    fn loaded_from(&self, start: u64) -> Option<Bytes> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let (from, bytes) = &*loaded;
        let at = usize::try_from(start.checked_sub(*from)?).ok()?;
        (at < bytes.len()).then(|| bytes.slice(at..))
    }

    /// Returns a range that is within the file, from what is loaded if it is all there.
    fn range(&self, start: u64, length: usize) -> io::Result<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.source.size()) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // A page may be empty, and no storage knows empty ranges.
        if length == 0 {
            return Ok(Bytes::new());
        }
        if let Some(there) = self.loaded_from(start)
            && there.len() >= length
        {
            return Ok(there.slice(..length));
        }
        let bytes = self.source.read_range(start, length)?;
        if bytes.len() == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

/// A position in a file that is read by ranges.
pub(super) struct RangeFile {
    file: Arc<LoadedRange>,
    at: u64,
}

impl RangeFile {
    pub(super) fn new(source: impl RangeSource) -> Self {
        let file = LoadedRange { source: Box::new(source), loaded: Mutex::default() };
        Self { file: Arc::new(file), at: 0 }
    }

    pub(super) fn file(&self) -> Arc<LoadedRange> {
        Arc::clone(&self.file)
    }
}

impl Length for RangeFile {
    fn len(&self) -> u64 {
        self.file.source.size()
    }
}

impl ChunkReader for RangeFile {
    type T = BufReader<Self>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let there = Self { file: self.file(), at: start };
        Ok(BufReader::with_capacity(READ_AT_ONCE, there))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        Ok(self.file.range(start, length)?)
    }
}

impl Read for RangeFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.len().saturating_sub(self.at);
        let length = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if length == 0 {
            return Ok(0);
        }
        let read = match self.file.loaded_from(self.at) {
            Some(there) => there.slice(..length.min(there.len())),
            None => self.file.range(self.at, length)?,
        };
        out[..read.len()].copy_from_slice(&read);
        self.at += read.len() as u64;
        Ok(read.len())
    }
}

impl Seek for RangeFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
