//! Columns of a file, and the types of their values.

use std::sync::Arc;

use parquet::{
    errors::Result,
    schema::{parser::parse_message_type, types::TypePtr},
};

use super::layout::{ColumnLayout, ColumnType, TableLayout};

/// Type of a column.
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

impl From<ColumnType> for Holds {
    fn from(holds: ColumnType) -> Self {
        match holds {
            // Dates, and seconds in digits: one column holds either.
            ColumnType::Text | ColumnType::Time => Self::Text,
            ColumnType::Json => Self::Json,
            ColumnType::Whole => Self::Whole,
            ColumnType::Flag => Self::Flag,
            ColumnType::Real => Self::Real,
            ColumnType::Vector => Self::Vector,
        }
    }
}

/// A column, independent of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) holds: Holds,
    pub(super) optional: bool,
}

impl From<&ColumnLayout> for Field {
    fn from(column: &ColumnLayout) -> Self {
        Self { name: column.name, holds: column.holds.into(), optional: column.optional }
    }
}

impl Field {
    /// Returns the declaration in the schema language of Parquet.
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

/// Returns the schema of a store: a row has the group of its table, and no other.
pub(super) fn of_store(tables: &[TableLayout]) -> Result<TypePtr> {
    let mut groups = String::new();
    for table in tables {
        let fields: String = table.columns.iter().map(|column| Field::from(column).declared()).collect();
        groups.push_str(&format!("optional group {} {{ {fields} }}\n", table.name));
    }
    parsed("store", &groups)
}

/// Parses the declarations of the fields of a message.
pub(super) fn parsed(name: &str, fields: &str) -> Result<TypePtr> {
    parse_message_type(&format!("message {name} {{ {fields} }}")).map(Arc::new)
}
