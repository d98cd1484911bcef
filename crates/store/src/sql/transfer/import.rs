//! Filling a store from lines. Everything runs in the caller's transaction, which is rolled back after an
//! error.

use std::{
    collections::BTreeMap,
    io::{BufRead, Read as _},
    ops::ControlFlow,
};

use nightfold_memory::soundness::VectorLength;
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::{
    super::{Database, DatabaseFault, FORMAT as STORE_FORMAT, query_value, value::params},
    FORMAT, Footer, Header, ImportError, ImportOptions, ImportProblem, TransferCounts, VERSION,
    error::LONGEST_LINE,
    hex, rules,
    table::{RowFault, TABLES, Table},
};

/// Reader of the lines of a file, with bounded length.
struct LineReader<'a> {
    reader: &'a mut dyn BufRead,
    options: &'a ImportOptions,
    /// The last line read, without its line end.
    text: Vec<u8>,
    number: u64,
    /// Checksum of all lines before the last one read.
    sum: Sha256,
}

impl LineReader<'_> {
    fn error_at(&self, column: usize, problem: ImportProblem) -> ImportError {
        ImportError { line: self.number.max(1), column: column.max(1), problem }
    }

    /// Names the line at which the store fails.
    fn stored<T>(&self, done: Result<T, DatabaseFault>) -> Result<T, ImportError> {
        done.map_err(|fault| self.error_at(1, ImportProblem::Store(fault.into())))
    }

    /// Returns the error of a field, at the column of its name.
    fn row_error(&self, RowFault { field, source }: RowFault) -> ImportError {
        let name = format!("\"{field}\":");
        let place = self.text.windows(name.len()).position(|text| text == name.as_bytes());
        self.error_at(place.map_or(1, |place| place + 1), ImportProblem::Field { field, source })
    }

    /// Reads the next line; returns false at the end. A last line without a line end was cut short.
    fn read_line(&mut self) -> Result<bool, ImportError> {
        if self.number > 0 {
            self.sum.update(&self.text);
            self.sum.update(b"\n");
        }
        self.text.clear();
        self.number += 1;
        let limit = LONGEST_LINE as u64 + 1;
        let read = (&mut *self.reader).take(limit).read_until(b'\n', &mut self.text);
        read.map_err(|error| self.error_at(1, ImportProblem::Read(error)))?;
        if self.text.is_empty() {
            return Ok(false);
        }
        match self.text.pop_if(|last| *last == b'\n') {
            Some(_) => Ok(true),
            None if self.text.len() > LONGEST_LINE => {
                Err(self.error_at(LONGEST_LINE, ImportProblem::LineTooLong))
            }
            None => Err(self.error_at(self.text.len(), ImportProblem::CutShort)),
        }
    }

    fn parse_line<'a, T: Deserialize<'a>>(&'a self) -> Result<T, ImportError> {
        serde_json::from_slice(&self.text).map_err(|error| {
            let text = error.to_string();
            // The message ends in "at line 1 column 7"; line and column are reported separately.
            let message = text.rsplit_once(" at line ").map_or(&*text, |(message, _)| message);
            self.error_at(error.column(), ImportProblem::Json(message.to_owned()))
        })
    }
}

/// Fills an empty store from lines.
pub(crate) fn import(
    db: &dyn Database,
    reader: &mut dyn BufRead,
    options: &ImportOptions,
) -> Result<TransferCounts, ImportError> {
    let mut lines = LineReader { reader, options, text: Vec::new(), number: 0, sum: Sha256::new() };
    let header = read_header(&mut lines)?;
    let is_empty = "SELECT NOT EXISTS (SELECT 1 FROM npc) AND NOT EXISTS (SELECT 1 FROM shelved) \
         AND NOT EXISTS (SELECT 1 FROM save_point)";
    if !lines.stored(query_value(db, is_empty, &[], "emptiness of the store"))? {
        return Err(lines.error_at(1, ImportProblem::NotEmpty));
    }
    let mut found = vec![0_u64; TABLES.len()];
    let mut keys: BTreeMap<String, i64> = BTreeMap::new();
    let inserts: Vec<String> = TABLES.iter().map(Table::insert).collect();
    let mut length = VectorLength(options.dimensions.filter(|_| options.model.is_some()));
    let footer = loop {
        if !lines.read_line()? {
            return Err(lines.error_at(1, ImportProblem::CutShort));
        }
        if lines.text.starts_with(br#"{"sha256""#) {
            break lines.parse_line::<Footer>()?;
        }
        let line: BTreeMap<String, BTreeMap<String, &RawValue>> = lines.parse_line()?;
        let table =
            line.keys().next().and_then(|name| TABLES.iter().position(|table| table.name == name.as_str()));
        let (Some(index), 1) = (table, line.len()) else {
            let problem = "a line has the row of one table".to_owned();
            return Err(lines.error_at(1, ImportProblem::Json(problem)));
        };
        let table = &TABLES[index];
        let mut row = table.params(&line[table.name]).map_err(|fault| lines.row_error(fault))?;
        table.check(&row, &mut length).map_err(|fault| lines.row_error(fault))?;
        found[index] += 1;
        // Only the table `npc` holds names; in every other one a key stands for the name.
        let name = Table::npc(&row).to_owned();
        if table.name == "npc" {
            let sql = format!("{} RETURNING key", inserts[index]);
            keys.insert(name, lines.stored(query_value(db, &sql, &row, "key of an NPC"))?);
        } else {
            let key = keys.get(&name).ok_or_else(|| lines.error_at(1, ImportProblem::UnknownNpc(name)))?;
            row[0] = (*key).into();
            lines.stored(db.execute(&inserts[index], &row))?;
        }
    };
    check_footer(&mut lines, &header, &found, footer)?;
    let mut inconsistent = None;
    lines.stored(rules::broken(db, None, |what, npc, id| {
        inconsistent = Some(ImportProblem::Inconsistent { what, whose: id.or(npc).unwrap_or_default() });
        ControlFlow::Break(())
    }))?;
    if let Some(problem) = inconsistent {
        return Err(lines.error_at(1, problem));
    }
    // Runs that were begun before keep their numbers.
    let sql = "UPDATE store SET model = ?1, last_run = CASE WHEN last_run > ?2 THEN last_run ELSE ?2 END";
    let header_values = params![header.model.map(|model| model.to_string()), header.last_run];
    lines.stored(db.execute(sql, &header_values))?;
    lines.stored(db.advance_sequence())?;
    Ok(TransferCounts::of(&header.rows))
}

fn read_header(lines: &mut LineReader<'_>) -> Result<Header, ImportError> {
    /// Fields that the first line has in every version.
    #[derive(serde::Deserialize)]
    struct AnyHeader {
        format: String,
        version: i64,
    }
    if !lines.read_line()? {
        return Err(lines.error_at(1, ImportProblem::CutShort));
    }
    let any: AnyHeader = lines.parse_line()?;
    if any.format != FORMAT {
        return Err(lines.error_at(1, ImportProblem::Foreign(any.format.chars().take(64).collect())));
    }
    let differs = |what, found, known| ImportProblem::Format { what, found, known };
    if any.version != i64::from(VERSION) {
        return Err(lines.error_at(1, differs("format of the export", any.version, VERSION.to_string())));
    }
    let header: Header = lines.parse_line()?;
    if header.store_format != STORE_FORMAT {
        let known = STORE_FORMAT.to_string();
        return Err(lines.error_at(1, differs("format of the store", header.store_format, known)));
    }
    if let (Some(found), Some(ours)) = (&header.model, &lines.options.model)
        && found != ours
    {
        return Err(lines.error_at(1, ImportProblem::Model { found: found.clone(), ours: ours.clone() }));
    }
    Ok(header)
}

/// Checks that no line is missing, changed, or added after the last one.
fn check_footer(
    lines: &mut LineReader<'_>,
    header: &Header,
    found: &[u64],
    footer: Footer,
) -> Result<(), ImportError> {
    let sum = hex(lines.sum.clone().finalize());
    if footer.sha256 != sum {
        return Err(lines.error_at(1, ImportProblem::Checksum { told: footer.sha256, found: sum }));
    }
    let found: BTreeMap<&str, u64> =
        TABLES.iter().map(|table| table.name).zip(found.iter().copied()).collect();
    let told = |table: &str| header.rows.get(table).copied().unwrap_or_default();
    if let Some((table, n)) = found.iter().find(|(table, n)| told(table) != **n) {
        let problem = ImportProblem::Count { table: (*table).to_owned(), told: told(table), found: *n };
        return Err(lines.error_at(1, problem));
    }
    if let Some((table, told)) = header.rows.iter().find(|(table, _)| !found.contains_key(table.as_str())) {
        return Err(lines.error_at(1, ImportProblem::Count { table: table.clone(), told: *told, found: 0 }));
    }
    if lines.read_line()? {
        let message = "nothing comes after the line with the checksum".to_owned();
        return Err(lines.error_at(1, ImportProblem::Json(message)));
    }
    Ok(())
}
