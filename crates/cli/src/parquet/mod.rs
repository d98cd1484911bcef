//! Parquet files: a store or its entries in columns, and memories from columns.

mod entries;
mod footer;
mod guard;
mod read;
mod schema;
mod store;
mod write;

use std::{
    fs::File,
    io::{self, Read as _, Seek as _},
};

use parquet::basic::Compression;

pub(crate) use self::{
    entries::EntryColumns,
    store::{StoreColumns, StoreLines},
};

/// What every Parquet file begins with.
const MAGIC: [u8; 4] = *b"PAR1";

/// Whether a file begins as Parquet does; it is read from its start afterwards.
///
/// # Errors
/// When it cannot be read. What cannot be wound back (a pipe) is no Parquet.
pub(crate) fn is_parquet(file: &mut File) -> io::Result<bool> {
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    let mut start = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start == MAGIC)
}

/// Why a Parquet file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}{problem}", row.map(|row| format!("row {row}: ")).unwrap_or_default())]
pub(crate) struct ParquetError {
    /// From 1; none when it is the file as a whole.
    pub(crate) row: Option<u64>,
    pub(crate) problem: ParquetProblem,
}

/// What is wrong with one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ParquetProblem {
    #[error("this is no whole Parquet file: {0}")]
    File(parquet::errors::ParquetError),
    #[error("this Parquet file holds no exported store")]
    NoStore,
    #[error("a list of {count} in the footer; at most {most} are allowed")]
    LongList { count: u64, most: u64 },
    #[error("this is no row of an exported store")]
    NoRow,
    #[error("the columns cannot be read: {0}")]
    Content(parquet::errors::ParquetError),
    #[error("the columns contradict themselves: {0}")]
    Contradiction(String),
    #[error("its columns are compressed with {0}; those of a store are not")]
    Compression(Compression),
    #[error("{bytes} bytes in a group of rows; at most {most} are allowed (transfer.max_group_bytes)")]
    LargeGroup { bytes: u64, most: u64 },
}

impl ParquetProblem {
    fn of_file(self) -> ParquetError {
        ParquetError { row: None, problem: self }
    }

    fn at(self, row: u64) -> ParquetError {
        ParquetError { row: Some(row), problem: self }
    }
}

#[cfg(test)]
mod tests;
