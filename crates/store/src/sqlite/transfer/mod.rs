//! A whole store as lines of JSON, and a store from such lines.
//!
//! ```text
//! {"format":"nightfold-store","version":1,"store_format":5,"model":"…","last_run":3,"rows":{"npc":1,…}}
//! {"npc":{"npc":"Mara","version":42,"purged":null}}
//! {"night":{"npc":"Mara","seq":1,…}}
//! …
//! {"sha256":"…"}
//! ```
//!
//! The first line says how many rows of which table follow, the last one the SHA-256 of all bytes before it. Rows are what
//! the tables hold: entries in every state, vectors to the bit, edges, themes, what nights did and what takes them
//! back, and what was deleted for good. So what was exported, imported and exported again is the same, byte for byte.

mod cell;
mod error;
mod export;
mod import;
mod line;

use std::collections::BTreeMap;

use nightfold_memory::ModelId;
use serde::{Deserialize, Serialize};

pub use self::error::{ExportError, ImportError, ImportProblem};
pub(super) use self::{
    export::export,
    import::{import, of_store},
};

const FORMAT: &str = "nightfold-store";
const VERSION: u32 = 1;
/// The oldest format of a store whose export is still read.
const OLDEST: i64 = 4;

/// Which of these lines there are.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    version: u32,
    store_format: i64,
    model: Option<ModelId>,
    last_run: u64,
    rows: BTreeMap<String, u64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Footer {
    sha256: String,
}

/// How a line of an export writes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A string.
    Text,
    /// A time of the game: a string where it is a date, a whole number where it is seconds.
    Time,
    /// A string that holds JSON.
    Json,
    /// A whole number that fits into 64 bits with a sign.
    Whole,
    /// `true` or `false`.
    Flag,
    /// A real number, as the string of the shortest digits that read back as the same.
    Real,
    /// A unit vector, as a string: the hex of its little-endian `f32`s.
    Vector,
}

/// A value that every line of a table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name in the line.
    pub name: &'static str,
    /// How it is written.
    pub shape: Shape,
    /// Whether it may be `null`.
    pub optional: bool,
    /// The format of a store from which on its lines have it.
    pub since: i64,
}

impl Column {
    const fn of<T: cell::Cell>(name: &'static str) -> Self {
        Self { name, shape: T::SHAPE, optional: T::OPTIONAL, since: OLDEST }
    }

    const fn since(self, since: i64) -> Self {
        Self { since, ..self }
    }
}

/// The formats of a store whose exports are read, the newest first: that is the one written.
pub fn exported_formats() -> impl Iterator<Item = i64> {
    (OLDEST..=super::format::newest(super::schema::STEPS)).rev()
}

/// The tables of an export in their order, each with the columns of its lines in theirs: enough to write the same rows in
/// another format, and the same lines from that. Lines of an older format lack the columns that are newer.
pub fn exported_tables() -> impl Iterator<Item = (&'static str, &'static [Column])> {
    line::TABLES.iter().map(|table| (table.name, table.columns))
}

/// What an export wrote, or an import read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Transferred {
    /// How many NPCs.
    pub npcs: u64,
    /// How many nights of them.
    pub nights: u64,
    /// How many memories, in every state.
    pub memories: u64,
}

impl Transferred {
    fn of(rows: &BTreeMap<String, u64>) -> Self {
        let of = |table: &str| rows.get(table).copied().unwrap_or_default();
        Self { npcs: of("npc"), nights: of("night"), memories: of("memory") }
    }
}

/// What an import may read, and of which model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOptions {
    /// Longest line, in bytes.
    pub max_line_bytes: usize,
    /// Most lines.
    pub max_lines: u64,
    /// The model that the vectors must be of, where there are any; any one when absent.
    pub model: Option<ModelId>,
}

fn hex(digest: impl AsRef<[u8]>) -> String {
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}
