//! Rows of a file, one after the other. The file is not trusted.

use std::{ops::Range, sync::Arc};

use parquet::{
    basic::Compression,
    file::{
        metadata::{ColumnChunkMetaData, RowGroupMetaData},
        reader::{FileReader, RowGroupReader},
    },
    record::{
        Row,
        reader::{ReaderIter, TreeBuilder},
    },
    schema::types::{SchemaDescPtr, SchemaDescriptor, TypePtr},
};

use super::{ParquetError, ParquetProblem, guard::guarded};

/// The rows of a file, group after group.
pub(super) struct Rows {
    file: Box<dyn FileReader>,
    schema: SchemaDescPtr,
    /// Numbers of the groups to be read next.
    groups: Range<usize>,
    /// Rows left of the group before.
    left: Option<ReaderIter>,
    /// Number of rows that were begun.
    number: u64,
    /// Number of bytes of the file.
    file_bytes: u64,
}

/// Most values of a column, and rows, for each byte of a file. Values that repeat take few bits, and in a crafted file none.
const VALUES_A_BYTE: u64 = 8;

/// Returns the range of a group in its file; panics where the file contradicts itself.
fn range_of(group: &RowGroupMetaData) -> Range<u64> {
    let ranges = || group.columns().iter().map(ColumnChunkMetaData::byte_range);
    let end = ranges().map(|(start, length)| start.saturating_add(length)).max();
    ranges().map(|(start, _)| start).min().unwrap_or_default()..end.unwrap_or_default()
}

impl Rows {
    /// Begins to read rows with the columns of `schema`, which the file must have. The file has `file_bytes` bytes; `most_bytes`
    /// bounds the columns of a group in all.
    pub(super) fn of(
        file: impl FileReader + 'static,
        schema: TypePtr,
        file_bytes: u64,
        most_bytes: u64,
    ) -> Result<Self, ParquetError> {
        for group in file.metadata().row_groups() {
            for column in group.columns() {
                // How large it is when unpacked is not known before.
                if column.compression() != Compression::UNCOMPRESSED {
                    return Err(ParquetProblem::Compression(column.compression()).of_file());
                }
            }
            let claimed = u64::try_from(group.total_byte_size()).unwrap_or(u64::MAX);
            let range = guarded(|| range_of(group)).map_err(ParquetProblem::of_file)?;
            let bytes = claimed.max(range.end.saturating_sub(range.start));
            if bytes > most_bytes {
                return Err(ParquetProblem::LargeGroup { bytes, most: most_bytes }.of_file());
            }
        }
        let schema = Arc::new(SchemaDescriptor::new(schema));
        let groups = 0..file.num_row_groups();
        Ok(Self { file: Box::new(file), schema, groups, left: None, number: 0, file_bytes })
    }

    /// Returns the number of groups of rows in the file.
    pub(super) fn group_count(&self) -> usize {
        self.file.num_row_groups()
    }

    /// Returns the range of a group, which lies within the file.
    pub(super) fn group_bytes(&self, group: usize) -> Result<Range<u64>, ParquetProblem> {
        let range = guarded(|| range_of(self.file.metadata().row_group(group)))?;
        if range.end > self.file_bytes {
            let told = format!("a group of rows ends at byte {} of {}", range.end, self.file_bytes);
            return Err(ParquetProblem::Content(parquet::errors::ParquetError::EOF(told)));
        }
        Ok(range)
    }

    /// Goes to the start of a group, to read it alone.
    pub(super) fn only(&mut self, group: usize) {
        (self.left, self.number, self.groups) = (None, 0, group..group + 1);
    }

    /// Returns the next row; nothing at the end of the file and after an error.
    pub(super) fn next(&mut self) -> Result<Option<Row>, ParquetError> {
        self.number += 1;
        let read = guarded(|| self.read()).and_then(|row| row);
        read.map_err(|problem| {
            (self.left, self.groups) = (None, 0..0);
            problem.at(self.number)
        })
    }

    fn read(&mut self) -> Result<Option<Row>, ParquetProblem> {
        loop {
            if let Some(row) = self.left.as_mut().and_then(Iterator::next) {
                return row.map(Some).map_err(ParquetProblem::Content);
            }
            let Some(group) = self.groups.next() else { return Ok(None) };
            self.group_bytes(group)?;
            let group = self.file.get_row_group(group).map_err(ParquetProblem::Content)?;
            self.check_values(&*group)?;
            let rows = TreeBuilder::new().as_iter(self.schema.clone(), &*group);
            self.left = Some(rows.map_err(ParquetProblem::Content)?);
        }
    }

    /// Checks the numbers of values that the pages of a group announce: the library makes room for all of a list.
    fn check_values(&self, group: &dyn RowGroupReader) -> Result<(), ParquetProblem> {
        let most = self.file_bytes.saturating_mul(VALUES_A_BYTE);
        let bounded = |values: u64| {
            if values > most { Err(ParquetProblem::ManyValues { values, most }) } else { Ok(()) }
        };
        bounded(u64::try_from(group.metadata().num_rows()).unwrap_or(u64::MAX))?;
        for column in 0..group.num_columns() {
            let mut pages = group.get_column_page_reader(column).map_err(ParquetProblem::Content)?;
            let mut values = 0_u64;
            while let Some(page) = pages.peek_next_page().map_err(ParquetProblem::Content)? {
                let levels = page.num_levels.or(page.num_rows).unwrap_or_default();
                values = values.saturating_add(u64::try_from(levels).unwrap_or(u64::MAX));
                bounded(values)?;
                pages.skip_next_page().map_err(ParquetProblem::Content)?;
            }
        }
        Ok(())
    }

    /// Returns the number of the row that was read last, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }
}
