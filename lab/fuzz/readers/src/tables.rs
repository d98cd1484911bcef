//! Parquet files: packs of memories, and stores in columns.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, Write as _},
    mem::{self, Discriminant},
};

use nightfold_formats::parquet::{
    ColumnLayout, ColumnType, PackProblem, PackReader, RangeSource, StoreColumns, StoreLayout, StoreLines,
    TableLayout,
};
use nightfold_memory::Memory;
use nightfold_store::{Column, DurableStore as _, Shape, SqliteStore, exported_formats, exported_tables};

use crate::{
    days::{check_accepted, limits},
    stores::import_and_export,
};

/// Bound on a shard and on a group of rows, in bytes.
const MOST_BYTES: u64 = 1 << 20;

fn file_of(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    file
}

/// A file that is read by ranges.
struct Ranges(Vec<u8>);

impl RangeSource for Ranges {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_range(&self, start: u64, length: usize) -> io::Result<bytes::Bytes> {
        let start = usize::try_from(start).map_err(io::Error::other)?;
        Ok(bytes::Bytes::copy_from_slice(&self.0[start..start + length]))
    }
}

/// Memories of each shard, and the kinds of problems among them.
type ReadShards = Vec<Vec<Result<Memory, Discriminant<PackProblem>>>>;

fn read_pack(pack: &mut PackReader) -> ReadShards {
    let limits = limits();
    let shards = pack.notes().shards.len();
    let mut read = ReadShards::new();
    for shard in 0..shards.min(16) {
        let memories: Vec<_> = pack.memories(shard, &limits, None).take(1_000).collect();
        memories.iter().flatten().for_each(|memory| check_accepted(memory, &limits));
        read.push(
            memories
                .into_iter()
                .map(|memory| memory.map_err(|error| mem::discriminant(&error.problem)))
                .collect(),
        );
    }
    read
}

/// A pack of memories: at hand, and read by ranges.
pub fn pack(bytes: &[u8]) {
    let near = PackReader::open(file_of(bytes), MOST_BYTES);
    let far = PackReader::open_ranges(Ranges(bytes.to_vec()), MOST_BYTES);
    match (near, far) {
        (Ok(mut near), Ok(mut far)) => {
            let read = read_pack(&mut near);
            assert_eq!(read_pack(&mut far), read, "a pack that is far away reads the same");
        }
        (Err(near), Err(far)) => assert_eq!(near.to_string(), far.to_string()),
        (near, far) => panic!("near: {:?}, far: {:?}", near.err(), far.err()),
    }
}

/// A store in columns, read as the lines of its export.
pub fn columns(bytes: &[u8]) {
    let Ok(lines) = StoreLines::open(file_of(bytes), &layout(), MOST_BYTES) else { return };
    let mut read = Vec::new();
    if lines.take(4 << 20).read_to_end(&mut read).is_ok() {
        import_and_export(&read);
    }
}

/// Returns a store in columns.
pub(crate) fn in_columns(store: &SqliteStore) -> Vec<u8> {
    let mut out = Vec::new();
    store.export(None, &mut StoreColumns::new(&mut out, &layout()).unwrap()).unwrap();
    out
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
