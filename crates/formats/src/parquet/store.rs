//! A whole store in columns: the lines of its export are written row for row, and reading returns the same
//! lines to the byte.
//!
//! The first and the last line, with the counts and the checksum, are stored as metadata of the file. An
//! import reads the lines as from any other file; their checksum shows if columns were changed or lost.

use std::{
    fmt::Write as _,
    fs::File,
    io::{self, BufRead, Read, Write},
    mem,
};

use parquet::{
    file::reader::{FileReader as _, SerializedFileReader},
    record::{Field as Found, ListAccessor as _, Row},
};
use serde_json::{Map, Value as Json};

use super::{
    ParquetError, ParquetProblem, footer,
    guard::guarded,
    layout::{ColumnType, StoreLayout, TableLayout},
    read::Rows,
    schema,
    write::{CellValue, Columns, Leaf},
};

const FIRST: &str = "nightfold.first_line";
const LAST: &str = "nightfold.last_line";

/// Writer that takes the lines of an export and writes them in columns. The last line, with the checksum, ends the file.
///
/// ```
/// use std::io::{Read as _, Write as _};
///
/// use nightfold_formats::parquet::{ColumnLayout, ColumnType, StoreColumns, StoreLayout, StoreLines, TableLayout};
///
/// let column = |name, holds| ColumnLayout { name, holds, optional: false, since: 1 };
/// let columns = vec![column("npc", ColumnType::Text), column("nights", ColumnType::Whole)];
/// let layout = StoreLayout { formats: vec![1], tables: vec![TableLayout { name: "minds", columns }] };
///
/// let lines = concat!(
///     "{\"format\":\"an export\"}\n",
///     "{\"minds\":{\"npc\":\"Mara\",\"nights\":3}}\n",
///     "{\"sha256\":\"of both lines\"}\n",
/// );
/// let mut columns = Vec::new();
/// StoreColumns::new(&mut columns, &layout)?.write_all(lines.as_bytes())?;
///
/// let mut file = tempfile::tempfile()?;
/// file.write_all(&columns)?;
/// let mut again = String::new();
/// StoreLines::open(file, &layout, 1 << 20)?.read_to_string(&mut again)?;
/// assert_eq!(again, lines);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StoreColumns<W: Write + Send> {
    columns: Option<Columns<W>>,
    tables: Vec<TableLayout>,
    /// Start of a line whose end is to come.
    line: Vec<u8>,
    is_first: bool,
}

impl<W: Write + Send> StoreColumns<W> {
    /// Begins a file for lines of the newest format of the layout.
    ///
    /// # Errors
    /// Those of `out`, and of a layout without formats or with names that no column can have. Writing fails where a line is
    /// not as the layout says.
    pub fn new(out: W, layout: &StoreLayout) -> io::Result<Self> {
        let format = *layout.formats.first().ok_or_else(not_ours)?;
        let tables = layout.of_format(format);
        let columns = tables.iter().flat_map(|table| &table.columns);
        let leaves = columns.map(|column| Leaf::new(column.into(), true)).collect();
        let columns = Columns::new(out, schema::of_store(&tables)?, leaves)?;
        Ok(Self { columns: Some(columns), tables, line: Vec::new(), is_first: true })
    }

    fn take(&mut self) -> io::Result<()> {
        let line = mem::take(&mut self.line);
        let Some(columns) = &mut self.columns else { return Err(not_ours()) };
        let text = String::from_utf8(line).map_err(io::Error::other)?;
        if mem::take(&mut self.is_first) {
            columns.note(FIRST, text);
            return Ok(());
        }
        if text.starts_with("{\"sha256\"") {
            columns.note(LAST, text);
            return self.columns.take().map_or(Ok(()), |columns| Ok(columns.finish()?));
        }
        let mut row: Map<String, Json> = serde_json::from_str(&text)?;
        let mut leaves = columns.leaves.iter_mut();
        for table in &self.tables {
            let mut found = row.remove(table.name);
            for field in &table.columns {
                // There are as many columns in the file as in all tables.
                let Some(leaf) = leaves.next() else { return Err(not_ours()) };
                let Some(row) = &mut found else {
                    leaf.absent();
                    continue;
                };
                let value =
                    row.get_mut(field.name).map(Json::take).and_then(|json| value_of(field.holds, json));
                columns.waiting += value.and_then(|value| leaf.push(value)).ok_or_else(not_ours)?;
            }
        }
        columns.end_row()?;
        Ok(())
    }
}

fn not_ours() -> io::Error {
    io::Error::other("the lines are not those of an export")
}

fn value_of(holds: ColumnType, json: Json) -> Option<CellValue> {
    Some(match (holds, json) {
        (_, Json::Null) => CellValue::Null,
        (ColumnType::Text | ColumnType::Json | ColumnType::Time, Json::String(text)) => CellValue::Text(text),
        (ColumnType::Time, Json::Number(seconds)) => CellValue::Text(seconds.as_i64()?.to_string()),
        (ColumnType::Whole, Json::Number(number)) => CellValue::Whole(number.as_i64()?),
        (ColumnType::Flag, Json::Bool(flag)) => CellValue::Flag(flag),
        (ColumnType::Real, Json::String(text)) => CellValue::Real(text.parse().ok()?),
        (ColumnType::Vector, Json::String(hex)) => CellValue::Vector(floats(&hex)?),
        _ => return None,
    })
}

fn floats(hex: &str) -> Option<Vec<f32>> {
    let (words, rest) = hex.as_bytes().as_chunks::<8>();
    let float = |word: &[u8; 8]| {
        let bits = u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok()?;
        // The hex is of little-endian bytes.
        Some(f32::from_bits(bits.swap_bytes()))
    };
    rest.is_empty().then(|| words.iter().map(float).collect())?
}

impl<W: Write + Send> Write for StoreColumns<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.line.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            self.take()?;
        }
        self.line.extend_from_slice(rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Lines of a store that is in columns: a reader of the same bytes as the export.
pub struct StoreLines {
    /// Rows, with the tables that they belong to.
    rows: Option<(Rows, Vec<TableLayout>)>,
    last: Option<String>,
    line: Vec<u8>,
    read: usize,
}

impl StoreLines {
    /// Begins to read a file, which is not trusted. `most_bytes` bounds a group of rows.
    ///
    /// # Errors
    /// [`ParquetError`] if the file holds no store. Reading fails with one too, as the inner error of an [`io::Error`].
    pub fn open(mut file: File, layout: &StoreLayout, most_bytes: u64) -> Result<Self, ParquetError> {
        footer::check(&mut file).map_err(ParquetProblem::of_file)?;
        let whole = |error| ParquetProblem::File(error).of_file();
        let file_bytes = file.metadata().map_err(|error| whole(error.into()))?.len();
        let file =
            guarded(|| SerializedFileReader::new(file)).map_err(ParquetProblem::of_file)?.map_err(whole)?;
        let about = file.metadata().file_metadata();
        let noted = |key: &str| {
            let notes = about.key_value_metadata()?;
            notes.iter().find(|note| note.key == key)?.value.clone()
        };
        let (Some(first), Some(last)) = (noted(FIRST), noted(LAST)) else {
            return Err(ParquetProblem::NoStore.of_file());
        };
        let mut ours = None;
        for format in &layout.formats {
            let tables = layout.of_format(*format);
            let schema = schema::of_store(&tables).map_err(whole)?;
            if *about.schema() == *schema {
                ours = Some((schema, tables));
                break;
            }
        }
        // A file of a version that is not read says so in its first line, before any row is read.
        let rows = match ours {
            Some((schema, tables)) => Some((Rows::of(file, schema, file_bytes, most_bytes)?, tables)),
            None => None,
        };
        Ok(Self { rows, last: Some(last), line: format!("{first}\n").into_bytes(), read: 0 })
    }

    fn next(&mut self) -> Result<(), ParquetError> {
        let line = match &mut self.rows {
            Some((rows, tables)) => match rows.next()? {
                Some(row) => {
                    Some(written(row, tables).ok_or_else(|| ParquetProblem::NoRow.at(rows.number()))?)
                }
                None => self.last.take(),
            },
            None => self.last.take(),
        };
        self.line = line.map(|line| format!("{line}\n").into_bytes()).unwrap_or_default();
        self.read = 0;
        Ok(())
    }
}

/// Returns a row as the line it was.
fn written(row: Row, tables: &[TableLayout]) -> Option<String> {
    let mut groups = row.into_columns().into_iter().zip(tables);
    let (table, group) = groups.find_map(|((_, found), table)| match found {
        Found::Group(group) => Some((table, group)),
        _ => None,
    })?;
    let mut line = format!("{{\"{}\":{{", table.name);
    for (i, ((_, found), column)) in group.into_columns().into_iter().zip(&table.columns).enumerate() {
        let comma = if i > 0 { "," } else { "" };
        write!(line, "{comma}\"{}\":", column.name).ok()?;
        value_written(&found, column.holds, &mut line)?;
    }
    line.push_str("}}");
    Some(line)
}

fn value_written(found: &Found, holds: ColumnType, line: &mut String) -> Option<()> {
    match found {
        Found::Null => line.push_str("null"),
        Found::Str(seconds) if holds == ColumnType::Time && is_number(seconds) => line.push_str(seconds),
        Found::Str(text) => line.push_str(&serde_json::to_string(text).ok()?),
        Found::Long(number) => write!(line, "{number}").ok()?,
        Found::Bool(flag) => write!(line, "{flag}").ok()?,
        Found::Double(number) => write!(line, "\"{number}\"").ok()?,
        Found::ListInternal(numbers) => {
            line.push('"');
            for i in 0..numbers.len() {
                let bits = numbers.get_float(i).ok()?.to_bits();
                write!(line, "{:08x}", bits.swap_bytes()).ok()?;
            }
            line.push('"');
        }
        _ => return None,
    }
    Some(())
}

/// True if the text is a whole number as JSON writes it.
fn is_number(text: &str) -> bool {
    text.parse::<i64>().is_ok_and(|number| number.to_string() == text)
}

impl Read for StoreLines {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for StoreLines {
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
