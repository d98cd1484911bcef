//! Writing a store as lines.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    ops::ControlFlow,
};

use nightfold_memory::{NpcId, StoreError, soundness::VectorLength};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{
    super::{Database, FORMAT as STORE_FORMAT, Row, SqlValue, query_value, read},
    ExportError, FORMAT, Footer, Header, TransferCounts, VERSION, hex,
    table::{RowFault, TABLES, Table},
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
pub(crate) fn export(
    db: &dyn Database,
    npc: Option<&NpcId>,
    out: &mut dyn Write,
) -> Result<TransferCounts, ExportError> {
    let mut rows = BTreeMap::new();
    for table in TABLES {
        let sql = format!("SELECT count(*) FROM ({}) AS lines", table.select());
        rows.insert(table.name.to_owned(), query_value::<u64>(db, &sql, &[of(npc)], "count of rows")?);
    }
    let has_vectors = ["vector", "theme"].iter().any(|table| rows.get(*table).is_some_and(|n| *n > 0));
    let header = Header {
        format: FORMAT.to_owned(),
        version: VERSION,
        store_format: STORE_FORMAT,
        model: read::model(db)?.filter(|_| has_vectors),
        last_run: query_value(db, "SELECT last_run FROM store", &[], "number of the last run")?,
        rows,
    };
    let mut out = HashingWriter { out, sum: Sha256::new() };
    write_line(&mut out, &header)?;
    let mut length = VectorLength::default();
    for table in TABLES {
        let mut done: Result<(), ExportError> = Ok(());
        db.query(&table.select(), &[of(npc)], &mut |row| {
            done = match table.line(row, &mut length) {
                Ok(line) => out.write_all(&line).map_err(ExportError::from),
                Err(fault) => Err(damaged(table, row, fault).into()),
            };
            if done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        done?;
    }
    let footer = Footer { sha256: hex(out.sum.finalize()) };
    write_line(&mut out.out, &footer)?;
    out.out.flush()?;
    Ok(TransferCounts::of(&header.rows))
}

/// Returns the error of a row, which names it by its NPC and id.
fn damaged(table: &Table, row: &dyn Row, fault: RowFault) -> StoreError {
    let (npc, id) = place(table, row);
    let id = id.map_or_else(|| npc.clone(), |id| format!("{npc}: {id}"));
    StoreError::Damaged { what: fault.field, id, source: fault.source }
}

/// Returns the NPC of a row, and its id if it has one.
pub(super) fn place(table: &Table, row: &dyn Row) -> (String, Option<String>) {
    let text = |column| match row.value(column) {
        Ok(SqlValue::Text(text)) => text.into_owned(),
        _ => "a name that is damaged too".to_owned(),
    };
    let id = table.fields().position(|column| ["id", "derived"].contains(&column.name));
    (text(0), id.map(text))
}

/// Parameter of the queries of [`TABLES`].
pub(super) fn of(npc: Option<&NpcId>) -> SqlValue<'_> {
    npc.map(NpcId::as_str).into()
}
