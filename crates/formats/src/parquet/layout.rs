//! Tables and columns of an exported store.

/// Type of a value in a line of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// A string.
    Text,
    /// A time of the game: a string that is a date, or a whole number of seconds.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnLayout {
    /// Name of the value in the line: letters, digits and underscores.
    pub name: &'static str,
    /// Type of the value.
    pub holds: ColumnType,
    /// True if it may be `null`.
    pub optional: bool,
    /// First format of the store whose lines have it.
    pub since: i64,
}

/// A table of an export: its lines are `{"name":{…}}`, with the columns in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableLayout {
    /// Name of the table: letters, digits and underscores.
    pub name: &'static str,
    /// The columns of its lines, in their order.
    pub columns: Vec<ColumnLayout>,
}

/// Lines of an exported store: enough to write their rows in columns, and the same lines from these.
///
/// An export begins with a line of counts and ends with a line `{"sha256":…}`; both are kept as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreLayout {
    /// Formats of the store, the newest first: that is the one written; all are read.
    pub formats: Vec<i64>,
    /// The tables, in the order of their groups of columns.
    pub tables: Vec<TableLayout>,
}

impl StoreLayout {
    /// Returns the tables with the columns that their lines have in a format of the store.
    pub(super) fn of_format(&self, format: i64) -> Vec<TableLayout> {
        let mut tables = self.tables.clone();
        for table in &mut tables {
            table.columns.retain(|column| column.since <= format);
        }
        tables
    }
}
