//! Parquet files through `nightfold_formats`, with the columns of the store's export.

use std::{
    fs::File,
    io::{BufRead, Write},
};

use nightfold::memory::{NpcId, config::TransferConfig};
pub(crate) use nightfold_formats::parquet::ParquetError as ParquetReadError;
use nightfold_formats::parquet::{
    ColumnLayout, ColumnType, EntryColumns, ParquetProblem, StoreColumns, StoreLayout, StoreLines,
    TableLayout,
};
use nightfold_store::{
    Column, DurableStore, ExportError, Shape, TransferCounts, exported_formats, exported_tables,
};

use crate::{
    commands::import::{AGAIN, RAISE},
    error::Exit,
};

/// Writes a store, or one NPC of it, in columns.
pub(crate) fn export_store(
    store: &dyn DurableStore,
    npc: Option<&NpcId>,
    out: &mut (dyn Write + Send),
) -> Result<TransferCounts, ExportError> {
    store.export(npc, &mut StoreColumns::new(out, &layout())?)
}

/// Writes the entries of these NPCs as one flat table, and returns their number.
pub(crate) fn export_entries(
    store: &dyn DurableStore,
    npcs: &[NpcId],
    out: &mut (dyn Write + Send),
) -> Result<usize, ExportError> {
    let mut n = 0;
    let mut columns = EntryColumns::new(out)?;
    store.each_entry(npcs, &mut |memory| {
        n += 1;
        Ok(columns.push(&memory)?)
    })?;
    columns.finish()?;
    Ok(n)
}

/// Opens a file as the lines of the export that it holds.
pub(crate) fn lines(file: File, bounds: &TransferConfig) -> Result<Box<dyn BufRead>, ParquetReadError> {
    Ok(Box::new(StoreLines::open(file, &layout(), bounds.max_group_bytes)?))
}

/// Returns the exit code and hint of a file that is refused.
pub(crate) fn hint(error: &ParquetReadError) -> (Exit, &'static str) {
    let hint = match &error.problem {
        ParquetProblem::NoStore => "give a file that `nightfold export` wrote, without --entries",
        ParquetProblem::LargeGroup { .. } => RAISE,
        _ => AGAIN,
    };
    (Exit::Input, hint)
}

/// Lines of the store's export, as the formats' crate describes them.
fn layout() -> StoreLayout {
    let tables = exported_tables()
        .map(|(name, columns)| TableLayout { name, columns: columns.iter().map(column).collect() });
    StoreLayout { formats: exported_formats().collect(), tables: tables.collect() }
}

fn column(column: &Column) -> ColumnLayout {
    let holds = match column.shape {
        Shape::Text => ColumnType::Text,
        Shape::Time => ColumnType::Time,
        Shape::Json => ColumnType::Json,
        Shape::Whole => ColumnType::Whole,
        Shape::Flag => ColumnType::Flag,
        Shape::Real => ColumnType::Real,
        Shape::Vector => ColumnType::Vector,
    };
    ColumnLayout { name: column.name, holds, optional: column.optional, since: column.since }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::{error::CliError, stdio::HungUp};

    #[test]
    fn closed_output_is_recognised_through_the_parquet_writer() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(HungUp.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Err(HungUp.into())
            }
        }
        let error = EntryColumns::new(Closed).and_then(EntryColumns::finish).unwrap_err();
        assert!(CliError::from(error).is_hung_up());
    }
}
