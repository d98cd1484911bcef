//! Which columns a file has, and how values stand in them.

use std::sync::Arc;

use nightfold_store::{Column, Shape, exported_tables};
use parquet::{
    errors::Result,
    schema::{parser::parse_message_type, types::TypePtr},
};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Text,
    Json,
    Whole,
    Flag,
    Real,
    /// A list of numbers.
    Vector,
    /// A list of strings.
    Texts,
}

impl From<Shape> for Holds {
    fn from(shape: Shape) -> Self {
        match shape {
            // Dates, and seconds in digits: one column holds either.
            Shape::Text | Shape::Time => Self::Text,
            Shape::Json => Self::Json,
            Shape::Whole => Self::Whole,
            Shape::Flag => Self::Flag,
            Shape::Real => Self::Real,
            Shape::Vector => Self::Vector,
        }
    }
}

/// A column without the file it stands in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) holds: Holds,
    pub(super) optional: bool,
}

impl From<&Column> for Field {
    fn from(column: &Column) -> Self {
        Self { name: column.name, holds: column.shape.into(), optional: column.optional }
    }
}

impl Field {
    /// As the schema language of Parquet says it.
    pub(super) fn declared(&self) -> String {
        let Self { name, holds, optional } = self;
        let repetition = if *optional { "optional" } else { "required" };
        let list = |element: &str| {
            format!("{repetition} group {name} (LIST) {{ repeated group list {{ required {element}; }} }}\n")
        };
        match holds {
            Holds::Text => format!("{repetition} binary {name} (STRING);\n"),
            Holds::Json => format!("{repetition} binary {name} (JSON);\n"),
            Holds::Whole => format!("{repetition} int64 {name};\n"),
            Holds::Flag => format!("{repetition} boolean {name};\n"),
            Holds::Real => format!("{repetition} double {name};\n"),
            Holds::Vector => list("float element"),
            Holds::Texts => list("binary element (STRING)"),
        }
    }
}

/// The columns that lines of a table have in a format of the store.
pub(super) fn of_format(columns: &'static [Column], format: i64) -> impl Iterator<Item = &'static Column> {
    columns.iter().filter(move |column| column.since <= format)
}

/// A whole store of this format: of every row the group of its table is there, and no other.
pub(super) fn of_store(format: i64) -> Result<TypePtr> {
    let mut groups = String::new();
    for (table, columns) in exported_tables() {
        let fields: String =
            of_format(columns, format).map(|column| Field::from(column).declared()).collect();
        groups.push_str(&format!("optional group {table} {{ {fields} }}\n"));
    }
    parsed("store", &groups)
}

pub(super) fn parsed(name: &str, fields: &str) -> Result<TypePtr> {
    parse_message_type(&format!("message {name} {{ {fields} }}")).map(Arc::new)
}
