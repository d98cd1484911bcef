//! Outputs of the program with their schemas, as `nightfold generate schema` lists them.

use schemars::{Schema, SchemaGenerator};

/// Blocks of three lines: the name of an output, its title, and the calls that print it or write it into a file.
const DESCRIPTIONS: &str = include_str!("../data/outputs.txt");

/// Maker of a schema; it notes the definitions that it refers to.
pub(crate) type SchemaMaker = fn(&mut SchemaGenerator) -> Schema;

/// Output with its schema.
pub(crate) struct OutputSchema {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Calls that print it or write it into a file.
    pub(crate) calls: Vec<&'static str>,
    pub(crate) schema: SchemaMaker,
}

impl OutputSchema {
    /// Returns the output of this name, if it is described.
    pub(crate) fn described(name: &'static str, schema: SchemaMaker) -> Option<Self> {
        let mut blocks = DESCRIPTIONS.split("\n\n").map(str::lines);
        let mut lines = blocks.find(|lines| lines.clone().next() == Some(name))?.skip(1);
        Some(Self { name, title: lines.next()?, calls: lines.next()?.split(", ").collect(), schema })
    }
}
