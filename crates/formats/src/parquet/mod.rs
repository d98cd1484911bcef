//! Parquet files: an exported store in columns and back, entries of long-term memory as a flat table, packs of memories.
//!
//! A store is written by [`StoreColumns`] from the lines of its export, and read by [`StoreLines`] as the same lines to the
//! byte. [`StoreLayout`] says which tables and columns the lines have, so that this module knows no database. Memories that many
//! workers share come in packs, from a [`PackWriter`] to a [`PackReader`].

mod entries;
mod error;
mod footer;
mod guard;
mod layout;
mod pack;
mod ranges;
mod read;
mod schema;
mod store;
mod write;

pub use self::{
    entries::EntryColumns,
    error::{ParquetError, ParquetProblem},
    layout::{ColumnLayout, ColumnType, StoreLayout, TableLayout},
    pack::{
        MOST_SHARDS, PackError, PackNotes, PackProblem, PackReader, PackWriteError, PackWriter, ShardNotes,
    },
    ranges::RangeSource,
    store::{StoreColumns, StoreLines},
};
