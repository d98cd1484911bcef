//! Errors of reading a Parquet file.

use parquet::basic::Compression;

/// A Parquet file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}{problem}", row.map(|row| format!("row {row}: ")).unwrap_or_default())]
pub struct ParquetError {
    /// Number of the row, from 1; none if the fault is one of the file as a whole.
    pub row: Option<u64>,
    /// The fault.
    pub problem: ParquetProblem,
}

/// A fault of a Parquet file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParquetProblem {
    /// The file is cut short, or no Parquet.
    #[error("this is no whole Parquet file: {0}")]
    File(parquet::errors::ParquetError),
    /// The file holds other columns than those of a store.
    #[error("this Parquet file holds no exported store")]
    NoStore,
    /// The file holds other columns than those of a pack.
    #[error("this Parquet file is no pack")]
    NoPack,
    /// A pack of another format.
    #[error("a pack of format {found}; this version reads format {known}")]
    PackFormat {
        /// Format of the file.
        found: u32,
        /// Format that this version reads.
        known: u32,
    },
    /// A list in the footer is longer than any file needs.
    #[error("a list of {count} in the footer; at most {most} are allowed")]
    LongList {
        /// Number of items, as the footer says.
        count: u64,
        /// Most that are allowed.
        most: u64,
    },
    /// A row that belongs to no table, or to two.
    #[error("this row is none that was written here")]
    NoRow,
    /// Columns that cannot be decoded.
    #[error("the columns cannot be read: {0}")]
    Content(parquet::errors::ParquetError),
    /// Columns on which the decoder panicked, with its message.
    #[error("the columns contradict themselves: {0}")]
    Contradiction(String),
    /// Columns that are compressed: their size when unpacked is not known.
    #[error("its columns are compressed with {0}; those that are read here are not")]
    Compression(Compression),
    /// More values than the bytes of the file can stand for.
    #[error("{values} values in a column; at most {most} are allowed in a file of its size")]
    ManyValues {
        /// Number that the file announces.
        values: u64,
        /// Most that are allowed.
        most: u64,
    },
    /// A footer that is longer than any file needs.
    #[error("a footer of {bytes} bytes; at most {most} are allowed")]
    LongFooter {
        /// Bytes of the footer.
        bytes: u64,
        /// Most that are allowed.
        most: u64,
    },
    /// The file is far away, and cannot be reached.
    #[error("the file cannot be read from where it is: {0}")]
    Unreachable(std::io::Error),
    /// A group of rows that is larger than allowed.
    #[error("{bytes} bytes in a group of rows; at most {most} are allowed (transfer.max_group_bytes)")]
    LargeGroup {
        /// Bytes of the group.
        bytes: u64,
        /// Most that are allowed.
        most: u64,
    },
}

impl ParquetProblem {
    pub(super) fn of_file(self) -> ParquetError {
        ParquetError { row: None, problem: self }
    }

    pub(super) fn at(self, row: u64) -> ParquetError {
        ParquetError { row: Some(row), problem: self }
    }
}
