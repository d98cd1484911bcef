//! Export of a whole store as lines of JSON, and import from such lines.
//!
//! ```text
//! {"format":"nightfold-store","version":1,"store_format":1,"model":"…","last_run":3,"rows":{"npc":1,…}}
//! {"npc":{"npc":"Mara","version":42,"purged":null}}
//! {"night":{"npc":"Mara","seq":1,…}}
//! …
//! {"sha256":"…"}
//! ```
//!
//! The first line states the number of rows of each table, and the last one the SHA-256 of all bytes before
//! it. The rows are those of the tables: entries in every state, vectors to the bit, edges, themes, logs of
//! nights and the data that undoes them, and purged entries. Save points and nights that rewinds have shelved are not
//! among them: an export shows the state in force. Exporting, importing and exporting again returns
//! the same bytes.

mod check;
mod error;
mod export;
mod import;
mod rules;
mod table;

use std::collections::BTreeMap;

use nightfold_memory::ModelId;
use serde::{Deserialize, Serialize};

#[cfg(all(test, feature = "sqlite"))]
pub(crate) use self::table::TABLES;
pub(crate) use self::{check::check, export::export, import::import};
pub use self::{
    check::{StoreCheck, StoreProblem},
    error::{ExportError, ImportError, ImportProblem},
};

const FORMAT: &str = "nightfold-store";
const VERSION: u32 = 1;

/// First line of an export.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Header {
    /// Name of the format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = FORMAT)))]
    format: String,
    /// Version of the export.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    version: u32,
    /// Format of the store.
    store_format: i64,
    /// Model of the vectors; `null` without any.
    model: Option<ModelId>,
    /// Number of the last run that wrote to the store.
    last_run: u64,
    /// Number of rows that follow, by table.
    rows: BTreeMap<String, u64>,
}

/// Last line of an export.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Footer {
    /// SHA-256 of all bytes before this line, in hex.
    sha256: String,
}

/// Returns the schema of a line of an export: the first, that of a row, or the last.
#[cfg(feature = "schema")]
pub fn export_line_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let lines: Vec<schemars::Schema> = std::iter::once(generator.subschema_for::<Header>())
        .chain(table::line_schemas())
        .chain([generator.subschema_for::<Footer>()])
        .collect();
    schemars::json_schema!({ "oneOf": lines })
}

/// Counts of an export or import.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TransferCounts {
    /// Number of NPCs.
    pub npcs: u64,
    /// Number of their nights.
    pub nights: u64,
    /// Number of memories, in every state.
    pub memories: u64,
}

impl TransferCounts {
    pub(crate) fn of(rows: &BTreeMap<String, u64>) -> Self {
        let of = |table: &str| rows.get(table).copied().unwrap_or_default();
        Self { npcs: of("npc"), nights: of("night"), memories: of("memory") }
    }
}

/// The model that an import expects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Model that the vectors must be of, if there are any; `None` accepts any model.
    pub model: Option<ModelId>,
    /// Length of that model's vectors; `None` if it is not known. All vectors of a file have one length in any case.
    pub dimensions: Option<usize>,
}

fn hex(digest: impl AsRef<[u8]>) -> String {
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}
