//! An output of the program, as `nightfold generate schema` lists it.

use schemars::{Schema, SchemaGenerator};

/// Output with its schema.
pub(crate) struct OutputSchema {
    /// Name of the schema.
    pub(crate) name: &'static str,
    /// Title of the schema.
    pub(crate) title: &'static str,
    /// Calls that print it or write it into a file.
    pub(crate) calls: &'static [&'static str],
    /// Maker of the schema; it notes the definitions that it refers to.
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
}
