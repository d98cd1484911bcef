//! The footer of a file, checked before the library reads it: the lengths that its lists announce.
//!
//! The library allocates memory for the number of row groups that a footer announces, and a crafted footer
//! may announce two thousand million. The footer is therefore read here first, field by field in the form of
//! this program's own files. A field of another kind is refused: the library reads a field by its number,
//! whatever kind the field states, and would find lists that were not checked.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use super::ParquetProblem;
use crate::magic::MAGIC;

/// Longest list in a footer: groups of rows are numbered in 16 bits.
pub(super) const MOST_LISTED: u64 = i16::MAX as u64;

/// Longest footer, in bytes: a group of rows takes some hundreds for each column.
pub(super) const LONGEST: u64 = 256 << 20;

/// Kind of a field, as Thrift's compact protocol writes it.
enum ThriftKind {
    Int16,
    Int32,
    Int64,
    Binary,
    List(&'static ThriftKind),
    /// Struct with its fields by number.
    Struct(&'static [(i16, ThriftKind)]),
}

use ThriftKind::{Binary, Int16, Int32, Int64, List, Struct};

const KEY_VALUE: ThriftKind = Struct(&[(1, Binary), (2, Binary)]);
const EMPTY: ThriftKind = Struct(&[]);
/// The variants that our columns have: text, list, JSON.
const LOGICAL_TYPE: ThriftKind = Struct(&[(1, EMPTY), (3, EMPTY), (12, EMPTY)]);
const COLUMN_ORDER: ThriftKind = Struct(&[(1, EMPTY)]);
const SCHEMA_ELEMENT: ThriftKind = Struct(&[
    (1, Int32),
    (2, Int32),
    (3, Int32),
    (4, Binary),
    (5, Int32),
    (6, Int32),
    (7, Int32),
    (8, Int32),
    (9, Int32),
    (10, LOGICAL_TYPE),
]);
const ENCODING_STATS: ThriftKind = Struct(&[(1, Int32), (2, Int32), (3, Int32)]);
const SIZE_STATISTICS: ThriftKind = Struct(&[(1, Int64), (2, List(&Int64)), (3, List(&Int64))]);
const COLUMN_METADATA: ThriftKind = Struct(&[
    (1, Int32),
    (2, List(&Int32)),
    (3, List(&Binary)),
    (4, Int32),
    (5, Int64),
    (6, Int64),
    (7, Int64),
    (8, List(&KEY_VALUE)),
    (9, Int64),
    (10, Int64),
    (11, Int64),
    (13, List(&ENCODING_STATS)),
    (14, Int64),
    (15, Int32),
    (16, SIZE_STATISTICS),
]);
const COLUMN_CHUNK: ThriftKind =
    Struct(&[(1, Binary), (2, Int64), (3, COLUMN_METADATA), (4, Int64), (5, Int32), (6, Int64), (7, Int32)]);
const ROW_GROUP: ThriftKind =
    Struct(&[(1, List(&COLUMN_CHUNK)), (2, Int64), (3, Int64), (5, Int64), (6, Int64), (7, Int16)]);
const FILE_METADATA: ThriftKind = Struct(&[
    (1, Int32),
    (2, List(&SCHEMA_ELEMENT)),
    (3, Int64),
    (4, List(&ROW_GROUP)),
    (5, List(&KEY_VALUE)),
    (6, Binary),
    (7, List(&COLUMN_ORDER)),
]);

impl ThriftKind {
    /// Returns the number of the kind in the headers of fields and lists.
    fn code(&self) -> u8 {
        match self {
            Int16 => 4,
            Int32 => 5,
            Int64 => 6,
            Binary => 8,
            List(_) => 9,
            Struct(_) => 12,
        }
    }
}

/// Checks the footer of a file that ends as Parquet does, and nothing of any other. The file is left where it was read to.
///
/// # Errors
/// [`ParquetProblem::LongList`] if a list is longer than any file needs, [`ParquetProblem::NoStore`] if the footer has
/// fields that our files have not, [`ParquetProblem::File`] if it ends too soon or cannot be read.
pub(super) fn check(file: &mut (impl Read + Seek)) -> Result<(), ParquetProblem> {
    let unread = |error: io::Error| ParquetProblem::File(error.into());
    let Some(bytes) = length(file).map_err(unread)? else { return Ok(()) };
    if bytes > LONGEST {
        return Err(ParquetProblem::LongFooter { bytes, most: LONGEST });
    }
    FooterReader(BufReader::new(file.take(bytes))).field(&FILE_METADATA)
}

/// Goes to the start of the footer and returns its length in bytes; none if the library will refuse the file.
fn length(file: &mut (impl Read + Seek)) -> io::Result<Option<u64>> {
    let Some(end) = file.seek(SeekFrom::End(0))?.checked_sub(8) else { return Ok(None) };
    file.seek(SeekFrom::Start(end))?;
    let mut tail = [0; 8];
    file.read_exact(&mut tail)?;
    let ([a, b, c, d], magic) = ([tail[0], tail[1], tail[2], tail[3]], [tail[4], tail[5], tail[6], tail[7]]);
    let bytes = u64::from(u32::from_le_bytes([a, b, c, d]));
    match end.checked_sub(bytes) {
        Some(start) if magic == MAGIC => {
            file.seek(SeekFrom::Start(start))?;
            Ok(Some(bytes))
        }
        _ => Ok(None),
    }
}

struct FooterReader<R>(R);

impl<R: BufRead> FooterReader<R> {
    fn field(&mut self, kind: &ThriftKind) -> Result<(), ParquetProblem> {
        match kind {
            Int16 | Int32 | Int64 => self.varint().map(drop),
            Binary => {
                let bytes = self.varint()?;
                let skipped = io::copy(&mut (&mut self.0).take(bytes), &mut io::sink());
                let skipped = skipped.map_err(|error| ParquetProblem::File(error.into()))?;
                if skipped == bytes { Ok(()) } else { Err(too_short()) }
            }
            List(of) => self.list(of),
            Struct(fields) => self.fields(fields),
        }
    }

    fn list(&mut self, of: &ThriftKind) -> Result<(), ParquetProblem> {
        let header = self.byte()?;
        if header == 0 {
            return Ok(());
        }
        let count = match header >> 4 {
            15 => self.varint()?,
            few => u64::from(few),
        };
        if count > MOST_LISTED {
            return Err(ParquetProblem::LongList { count, most: MOST_LISTED });
        }
        if header & 0x0f != of.code() {
            return Err(ParquetProblem::NoStore);
        }
        (0..count).try_for_each(|_| self.field(of))
    }

    fn fields(&mut self, fields: &[(i16, ThriftKind)]) -> Result<(), ParquetProblem> {
        let mut number = 0_i16;
        loop {
            let header = self.byte()?;
            if header == 0 {
                return Ok(());
            }
            number = match i16::from(header >> 4) {
                0 => self.zigzag()?,
                further => number.checked_add(further).ok_or(ParquetProblem::NoStore)?,
            };
            let field = fields.iter().find(|(of, kind)| *of == number && kind.code() == header & 0x0f);
            self.field(&field.ok_or(ParquetProblem::NoStore)?.1)?;
        }
    }

    fn byte(&mut self) -> Result<u8, ParquetProblem> {
        let byte = self.0.fill_buf().map_err(|error| ParquetProblem::File(error.into()))?.first().copied();
        self.0.consume(usize::from(byte.is_some()));
        byte.ok_or_else(too_short)
    }

    fn varint(&mut self) -> Result<u64, ParquetProblem> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ParquetProblem::NoStore)
    }

    fn zigzag(&mut self) -> Result<i16, ParquetProblem> {
        let value = u16::try_from(self.varint()?).map_err(|_| ParquetProblem::NoStore)?;
        #[expect(clippy::cast_possible_wrap, reason = "half of 16 bits fits")]
        let half = (value >> 1) as i16;
        Ok(if value & 1 == 0 { half } else { -half - 1 })
    }
}

fn too_short() -> ParquetProblem {
    ParquetProblem::File(parquet::errors::ParquetError::EOF("the footer ends too soon".to_owned()))
}
