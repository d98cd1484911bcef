//! Memories from Parquet files (feature `parquet`): a row is a memory, and a column the field of its name.
//!
//! Columns that hold nothing in a row are left out of its memory. A time may be a timestamp, a text or a whole number; lists and
//! the group `emotion` are as in JSON. Columns may be compressed with Snappy.
//!
//! The file is not trusted, and the library trusts it in two things, both seen to here: it makes room for all values that the
//! pages of a list announce, and it panics if a file contradicts itself.

use std::{
    any::Any,
    fs::File,
    io::{self, BufRead, Read},
    panic::{self, AssertUnwindSafe},
};

use parquet::{
    basic::Compression,
    errors::ParquetError as LibraryError,
    file::reader::{FileReader, SerializedFileReader},
    record::{Field, Row, reader::RowIter},
};
use serde_json::{Map, Value as Json};

/// A Parquet file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParquetError {
    /// The file is cut short or damaged, or no Parquet.
    #[error("this is no whole Parquet file: {0}")]
    File(LibraryError),
    /// The file contradicts itself, so that the decoder panicked.
    #[error("this Parquet file contradicts itself: {0}")]
    Contradiction(String),
    /// Columns in a compression that is not read.
    #[error("its columns are compressed with {0}; SNAPPY and UNCOMPRESSED are read")]
    Compression(Compression),
    /// More values than the bytes of the file can stand for.
    #[error("{values} values in a column; at most {most} are allowed in a file of its size")]
    ManyValues {
        /// Number that the file announces.
        values: u64,
        /// Most that are allowed.
        most: u64,
    },
    /// A value of a type that no field of a memory has.
    #[error("column `{column}` has values that no field of a memory has; bring them as text")]
    Column {
        /// Name of the column.
        column: String,
    },
}

impl From<LibraryError> for ParquetError {
    fn from(error: LibraryError) -> Self {
        Self::File(error)
    }
}

/// Most values of a column, and rows, for each byte of a file. Values that repeat take few bits, and in a crafted file none.
const VALUES_A_BYTE: u64 = 8;

/// The rows of a file as lines of JSON, for [`MemoryLines`](crate::jsonl::MemoryLines): line `n` is row `n`.
pub struct RowLines {
    rows: RowIter<'static>,
    line: Vec<u8>,
    read: usize,
}

impl RowLines {
    /// Opens a file.
    ///
    /// # Errors
    /// [`ParquetError`]. Reading fails with one too, as the inner error of an [`io::Error`].
    pub fn open(file: File) -> Result<Self, ParquetError> {
        let bytes = file.metadata().map_err(LibraryError::from)?.len();
        caught(|| {
            let file = SerializedFileReader::new(file)?;
            (0..file.num_row_groups()).try_for_each(|group| check_group(&file, group, bytes))?;
            let rows = RowIter::from_file_into(Box::new(file));
            Ok(Self { rows, line: Vec::new(), read: 0 })
        })
    }

    fn next(&mut self) -> Result<(), ParquetError> {
        self.line.clear();
        self.read = 0;
        if let Some(row) = caught(|| self.rows.next().transpose().map_err(ParquetError::from))? {
            self.line = object(row)?.to_string().into_bytes();
            self.line.push(b'\n');
        }
        Ok(())
    }
}

/// Checks the compression of a group of rows, and the numbers of values that its pages announce.
fn check_group(file: &impl FileReader, group: usize, file_bytes: u64) -> Result<(), ParquetError> {
    let group = file.get_row_group(group)?;
    let most = file_bytes.saturating_mul(VALUES_A_BYTE);
    let bounded =
        |values| if values > most { Err(ParquetError::ManyValues { values, most }) } else { Ok(()) };
    bounded(u64::try_from(group.metadata().num_rows()).unwrap_or(u64::MAX))?;
    for (column, about) in group.metadata().columns().iter().enumerate() {
        if !matches!(about.compression(), Compression::UNCOMPRESSED | Compression::SNAPPY) {
            return Err(ParquetError::Compression(about.compression()));
        }
        let (mut pages, mut values) = (group.get_column_page_reader(column)?, 0_u64);
        while let Some(page) = pages.peek_next_page()? {
            let levels = page.num_levels.or(page.num_rows).unwrap_or_default();
            values = values.saturating_add(u64::try_from(levels).unwrap_or(u64::MAX));
            bounded(values)?;
            pages.skip_next_page()?;
        }
    }
    Ok(())
}

/// Does the work, and returns a panic of the library as an error of the file.
fn caught<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    panic::catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(ParquetError::Contradiction(words(&*panic))))
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it cannot be read").to_owned()
}

/// Returns a row as JSON, without the columns that hold nothing in it.
fn object(row: Row) -> Result<Json, ParquetError> {
    let fields = row.into_columns().into_iter().filter(|(_, value)| !matches!(value, Field::Null));
    let fields = fields.map(|(column, value)| match json(value) {
        Some(value) => Ok((column, value)),
        None => Err(ParquetError::Column { column }),
    });
    Ok(Json::Object(fields.collect::<Result<Map<_, _>, _>>()?))
}

/// Returns a value as JSON; none if no field of a memory has such values.
fn json(value: Field) -> Option<Json> {
    let time = |time: Result<jiff::Timestamp, _>| Some(Json::String(time.ok()?.to_string()));
    Some(match value {
        Field::Null => Json::Null,
        Field::Bool(flag) => flag.into(),
        Field::Byte(number) => number.into(),
        Field::Short(number) => number.into(),
        Field::Int(number) => number.into(),
        Field::Long(number) => number.into(),
        Field::UByte(number) => number.into(),
        Field::UShort(number) => number.into(),
        Field::UInt(number) => number.into(),
        Field::ULong(number) => number.into(),
        Field::Float(number) => number.into(),
        Field::Double(number) => number.into(),
        Field::Str(text) => text.into(),
        Field::TimestampMillis(at) => return time(jiff::Timestamp::from_millisecond(at)),
        Field::TimestampMicros(at) => return time(jiff::Timestamp::from_microsecond(at)),
        Field::ListInternal(list) => list.elements().iter().cloned().map(json).collect::<Option<_>>()?,
        Field::Group(row) => object(row).ok()?,
        _ => return None,
    })
}

impl Read for RowLines {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for RowLines {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read == self.line.len() {
            self.next().map_err(io::Error::other)?;
        }
        Ok(&self.line[self.read..])
    }

    fn consume(&mut self, bytes: usize) {
        self.read = (self.read + bytes).min(self.line.len());
    }
}
