//! Rows to columns.

use std::{io::Write, sync::Arc};

use parquet::{
    data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int64Type},
    errors::Result,
    file::{
        metadata::KeyValue,
        properties::{EnabledStatistics, WriterProperties},
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::types::TypePtr,
};

use super::schema::{Field, Holds};

/// Bytes of values in a group of rows, which is held at once in writing and in reading.
const GROUP_BYTES: usize = 16 << 20;

/// A value of a row.
#[derive(Debug)]
pub(super) enum CellValue {
    Null,
    Text(String),
    Whole(i64),
    Flag(bool),
    Real(f64),
    Vector(Vec<f32>),
    Texts(Vec<String>),
}

/// The values of a column that are not written yet.
#[derive(Debug)]
enum Pending {
    Texts(Vec<ByteArray>),
    Wholes(Vec<i64>),
    Flags(Vec<bool>),
    Reals(Vec<f64>),
    Floats(Vec<f32>),
}

/// A column that is being written, as in Dremel (Melnik et al. 2010): its values, and for each position the
/// number of defined levels of the path (`present`) and whether the position continues a list (`repeats`).
#[derive(Debug)]
pub(super) struct Leaf {
    field: Field,
    /// Number of defined levels of the path if the row has the group of this column.
    base: i16,
    pending: Pending,
    present: Vec<i16>,
    repeats: Vec<i16>,
}

impl Leaf {
    pub(super) fn new(field: Field, in_group: bool) -> Self {
        let pending = match field.holds {
            Holds::Text | Holds::Json | Holds::Texts => Pending::Texts(Vec::new()),
            Holds::Whole => Pending::Wholes(Vec::new()),
            Holds::Flag => Pending::Flags(Vec::new()),
            Holds::Real => Pending::Reals(Vec::new()),
            Holds::Vector => Pending::Floats(Vec::new()),
        };
        let base = i16::from(in_group);
        Self { field, base, pending, present: Vec::new(), repeats: Vec::new() }
    }

    /// Writes a row that lacks the group of this column.
    pub(super) fn absent(&mut self) {
        self.place(0, 0);
    }

    fn place(&mut self, present: i16, repeats: i16) {
        self.present.push(present);
        self.repeats.push(repeats);
    }

    /// Writes a row's value and returns its bytes; none if the column is of another type.
    pub(super) fn push(&mut self, value: CellValue) -> Option<usize> {
        let here = self.base + i16::from(self.field.optional);
        match (value, &mut self.pending) {
            (CellValue::Null, _) if self.field.optional => {
                self.place(self.base, 0);
                return Some(0);
            }
            (CellValue::Text(text), Pending::Texts(texts)) if self.field.holds != Holds::Texts => {
                let size = text.len();
                texts.push(text.into_bytes().into());
                self.place(here, 0);
                return Some(size);
            }
            (CellValue::Whole(number), Pending::Wholes(numbers)) => numbers.push(number),
            (CellValue::Flag(flag), Pending::Flags(flags)) => flags.push(flag),
            (CellValue::Real(number), Pending::Reals(numbers)) => numbers.push(number),
            (CellValue::Vector(numbers), Pending::Floats(all)) => {
                let size = 4 * numbers.len();
                all.extend(&numbers);
                self.list(here, numbers.len());
                return Some(size);
            }
            (CellValue::Texts(texts), Pending::Texts(all)) if self.field.holds == Holds::Texts => {
                let size = texts.iter().map(|text| text.len() + 4).sum();
                let n = texts.len();
                all.extend(texts.into_iter().map(|text| ByteArray::from(text.into_bytes())));
                self.list(here, n);
                return Some(size);
            }
            _ => return None,
        }
        self.place(here, 0);
        Some(8)
    }

    fn list(&mut self, here: i16, items: usize) {
        if items == 0 {
            self.place(here, 0);
        }
        (0..items).for_each(|i| self.place(here + 1, i16::from(i > 0)));
    }

    fn write(&mut self, column: &mut SerializedColumnWriter<'_>) -> Result<()> {
        let (present, repeats) = (Some(&*self.present), Some(&*self.repeats));
        match &mut self.pending {
            Pending::Texts(values) => {
                column.typed::<ByteArrayType>().write_batch(values, present, repeats)?;
                values.clear();
            }
            Pending::Wholes(values) => {
                column.typed::<Int64Type>().write_batch(values, present, repeats)?;
                values.clear();
            }
            Pending::Flags(values) => {
                column.typed::<BoolType>().write_batch(values, present, repeats)?;
                values.clear();
            }
            Pending::Reals(values) => {
                column.typed::<DoubleType>().write_batch(values, present, repeats)?;
                values.clear();
            }
            Pending::Floats(values) => {
                column.typed::<FloatType>().write_batch(values, present, repeats)?;
                values.clear();
            }
        }
        self.present.clear();
        self.repeats.clear();
        Ok(())
    }
}

/// A file that is being written. Its bytes depend on the rows alone.
pub(super) struct Columns<W: Write + Send> {
    file: SerializedFileWriter<W>,
    pub(super) leaves: Vec<Leaf>,
    /// Bytes of the values that are not written yet.
    pub(super) waiting: usize,
}

impl<W: Write + Send> Columns<W> {
    pub(super) fn new(out: W, schema: TypePtr, leaves: Vec<Leaf>) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_created_by(concat!("nightfold ", env!("CARGO_PKG_VERSION")).to_owned())
            // Smallest and largest texts of a page serve nobody here, and would stand in the file twice.
            .set_statistics_enabled(EnabledStatistics::None)
            .build();
        let file = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
        Ok(Self { file, leaves, waiting: 0 })
    }

    /// Ends a row: called after every one, where groups may begin with any row.
    pub(super) fn end_row(&mut self) -> Result<()> {
        self.end_row_in_group();
        if self.waiting >= GROUP_BYTES { self.write_group() } else { Ok(()) }
    }

    /// Ends a row and no group.
    pub(super) fn end_row_in_group(&mut self) {
        // A row without values takes room too.
        self.waiting += 4 * self.leaves.len();
    }

    /// Writes the rows since the last group as a group, though there be none.
    pub(super) fn write_group(&mut self) -> Result<()> {
        let mut group = self.file.next_row_group()?;
        for leaf in &mut self.leaves {
            if let Some(mut column) = group.next_column()? {
                leaf.write(&mut column)?;
                column.close()?;
            }
        }
        group.close()?;
        self.waiting = 0;
        Ok(())
    }

    /// Adds a note on the file as a whole.
    pub(super) fn note(&mut self, key: &str, value: String) {
        self.file.append_key_value_metadata(KeyValue::new(key.to_owned(), value));
    }

    /// Writes the end of the file.
    pub(super) fn finish(mut self) -> Result<()> {
        if self.waiting > 0 {
            self.write_group()?;
        }
        self.file.close()?;
        Ok(())
    }
}
