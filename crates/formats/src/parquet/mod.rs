//! Parquet files: an exported store in columns and back, and entries of long-term memory as a flat table.
//!
//! A store is written by [`StoreColumns`] from the lines of its export, and read by [`StoreLines`] as the same lines to the
//! byte. [`StoreLayout`] says which tables and columns the lines have, so that this module knows no database.

mod entries;
mod error;
mod footer;
mod guard;
mod layout;
mod read;
mod schema;
mod store;
mod write;

pub use self::{
    entries::EntryColumns,
    error::{ParquetError, ParquetProblem},
    layout::{ColumnLayout, ColumnType, StoreLayout, TableLayout},
    store::{StoreColumns, StoreLines},
};
