//! Rows of a file, one after the other. The file is not trusted.

use std::{fs::File, sync::Arc};

use parquet::{
    basic::Compression,
    errors::Result as ParquetResult,
    file::reader::{FileReader as _, SerializedFileReader},
    record::{
        Row,
        reader::{ReaderIter, TreeBuilder},
    },
    schema::types::{SchemaDescPtr, SchemaDescriptor, TypePtr},
};

use super::{ParquetError, ParquetProblem, guard::guarded};

/// The rows of a file, group after group.
pub(super) struct Rows {
    file: SerializedFileReader<File>,
    schema: SchemaDescPtr,
    /// Number of the group to be read next.
    group: usize,
    /// Rows left of the group before.
    left: Option<ReaderIter>,
    /// Number of rows that were begun.
    number: u64,
}

impl Rows {
    /// Begins to read rows with the columns of `schema`, which the file must have. `most_bytes` bounds the columns of a group
    /// in all.
    pub(super) fn of(
        file: SerializedFileReader<File>,
        schema: TypePtr,
        most_bytes: u64,
    ) -> Result<Self, ParquetError> {
        for group in file.metadata().row_groups() {
            for column in group.columns() {
                // What is not packed cannot unpack to more than the file has.
                if column.compression() != Compression::UNCOMPRESSED {
                    return Err(ParquetProblem::Compression(column.compression()).of_file());
                }
            }
            let bytes = u64::try_from(group.total_byte_size()).unwrap_or(u64::MAX);
            if bytes > most_bytes {
                return Err(ParquetProblem::LargeGroup { bytes, most: most_bytes }.of_file());
            }
        }
        let schema = Arc::new(SchemaDescriptor::new(schema));
        Ok(Self { file, schema, group: 0, left: None, number: 0 })
    }

    /// Returns the next row; nothing at the end of the file and after an error.
    pub(super) fn next(&mut self) -> Result<Option<Row>, ParquetError> {
        self.number += 1;
        let read = guarded(|| self.read()).and_then(|row| row.map_err(ParquetProblem::Content));
        read.map_err(|problem| {
            (self.left, self.group) = (None, self.file.num_row_groups());
            problem.at(self.number)
        })
    }

    fn read(&mut self) -> ParquetResult<Option<Row>> {
        loop {
            if let Some(row) = self.left.as_mut().and_then(Iterator::next) {
                return row.map(Some);
            }
            if self.group == self.file.num_row_groups() {
                return Ok(None);
            }
            let group = self.file.get_row_group(self.group)?;
            self.group += 1;
            self.left = Some(TreeBuilder::new().as_iter(self.schema.clone(), &*group)?);
        }
    }

    /// Returns the number of the row that was read last, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }
}
