//! Writing a store as lines.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use nightfold_memory::{ModelId, NpcId};
use rusqlite::Connection;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{
    super::{
        fault::{SqliteError, to_store_error},
        read::{self, query_one},
        row::Cells,
        schema::STEPS,
    },
    ExportError, FORMAT, Footer, Header, TransferCounts, VERSION, hex,
    line::{TABLES, Table},
};

/// Writer that adds everything it passes on to a checksum.
struct HashingWriter<'a> {
    out: &'a mut dyn Write,
    sum: Sha256,
}

impl Write for HashingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn write_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// Writes all NPCs, or one. Must be called in a transaction, so that all tables show one state.
pub(in super::super) fn export(
    file: &Connection,
    npc: Option<&NpcId>,
    out: &mut dyn Write,
) -> Result<TransferCounts, ExportError> {
    let of_store = |fault: SqliteError| ExportError::Store(fault.into());
    let mut rows = BTreeMap::new();
    for table in TABLES {
        rows.insert(table.name.to_owned(), count_rows(file, table, npc).map_err(of_store)?);
    }
    let header = Header {
        format: FORMAT.to_owned(),
        version: VERSION,
        store_format: super::super::format::newest_format(STEPS),
        model: model_of_vectors(file, &rows).map_err(of_store)?,
        last_run: last_run(file).map_err(of_store)?,
        rows,
    };
    let mut out = HashingWriter { out, sum: Sha256::new() };
    write_line(&mut out, &header)?;
    for table in TABLES {
        let mut statement = file.prepare(table.select).map_err(to_store_error)?;
        let mut found = statement.query([npc.map(NpcId::as_str)]).map_err(to_store_error)?;
        while let Some(row) = found.next().map_err(to_store_error)? {
            write_line(&mut out, &(table.read)(&mut Cells::of(row))?)?;
        }
    }
    let footer = Footer { sha256: hex(out.sum.finalize()) };
    write_line(&mut out.out, &footer)?;
    out.out.flush()?;
    Ok(TransferCounts::of(&header.rows))
}

fn count_rows(file: &Connection, table: &Table, npc: Option<&NpcId>) -> Result<u64, SqliteError> {
    let sql = format!("SELECT count(*) FROM ({})", table.select);
    Ok(file.query_row(&sql, [npc.map(NpcId::as_str)], |row| row.get(0))?)
}

/// Returns the model if there are vectors.
fn model_of_vectors(file: &Connection, rows: &BTreeMap<String, u64>) -> Result<Option<ModelId>, SqliteError> {
    let has = |table: &str| rows.get(table).is_some_and(|n| *n > 0);
    if has("vector") || has("theme") { read::model(file) } else { Ok(None) }
}

fn last_run(file: &Connection) -> Result<u64, SqliteError> {
    let run = query_one(file, "SELECT last_run FROM store", [], |cells| cells.get("number of the last run"))?;
    Ok(run.unwrap_or_default())
}
