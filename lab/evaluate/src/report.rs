//! Results of suites: sections of rows, printed as tables or as JSON.

use serde_json::{Map, Value, json};

/// Result of a suite.
#[derive(Debug, Default)]
pub struct Report {
    pub(crate) sections: Vec<Section>,
    /// Tables that are shown with mistakes alone; JSON always has them.
    pub(crate) details: Vec<Section>,
    /// Mistakes in words, the worst first. Only those that are asked for are shown, and never in JSON.
    pub(crate) mistakes: Vec<String>,
    /// Figures that are below their line.
    pub(crate) shortfalls: Vec<String>,
}

/// Table of figures.
#[derive(Debug)]
pub(crate) struct Section {
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

/// Value in a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Text(String),
    Count(usize),
    /// Number with three decimals.
    Number(f64),
    /// Share, shown in percent.
    Share(f64),
    /// Part of a whole, both counted.
    Of(usize, usize),
    /// Least and greatest value.
    Between([f64; 2]),
}

/// Row of a table: anything that becomes a [`Cell`].
macro_rules! row {
    ($($cell:expr),* $(,)?) => { vec![$($crate::report::Cell::from($cell)),*] };
}
pub(crate) use row;

macro_rules! from {
    ($($type:ty, $cell:pat => $made:expr;)*) => {
        $(impl From<$type> for Cell { fn from($cell: $type) -> Self { $made } })*
    };
}

from! {
    &str, text => Self::Text(text.to_owned());
    &String, text => Self::Text(text.clone());
    String, text => Self::Text(text);
    usize, count => Self::Count(count);
    f64, number => Self::Number(number);
    [f64; 2], bounds => Self::Between(bounds);
    Option<f64>, number => number.map_or_else(|| Self::Text("-".to_owned()), Self::Number);
}

impl Cell {
    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Number(number) => format!("{number:.3}"),
            Self::Share(share) => format!("{:.1} %", 100.0 * share),
            Self::Of(part, all) => format!("{part} of {all}"),
            Self::Between([low, high]) => format!("{low:.3} to {high:.3}"),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Count(count) => (*count).into(),
            Self::Number(number) | Self::Share(number) => (*number).into(),
            Self::Of(part, all) => json!([part, all]),
            Self::Between(bounds) => json!(bounds),
        }
    }
}

impl Section {
    pub(crate) fn new<C: Into<String>>(
        title: impl Into<String>,
        columns: impl IntoIterator<Item = C>,
    ) -> Self {
        Self { title: title.into(), columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    fn table(&self) -> String {
        let rows: Vec<Vec<String>> = std::iter::once(self.columns.clone())
            .chain(self.rows.iter().map(|row| row.iter().map(Cell::shown).collect()))
            .collect();
        let width = |column: usize| {
            rows.iter().filter_map(|row| Some(row.get(column)?.chars().count())).max().unwrap_or(0)
        };
        let line = |row: &Vec<String>| {
            let cell = |(column, cell): (usize, &String)| match column {
                0 => format!("{cell:<0$}", width(0)),
                _ => format!("  {cell:>0$}", width(column)),
            };
            row.iter().enumerate().map(cell).collect::<String>().trim_end().to_owned() + "\n"
        };
        format!("{}\n{}\n", self.title, rows.iter().map(line).collect::<String>())
    }

    fn json(&self) -> Value {
        let row = |row: &Vec<Cell>| {
            self.columns
                .iter()
                .zip(row)
                .map(|(column, cell)| (column.clone(), cell.json()))
                .collect::<Map<_, _>>()
        };
        json!({"title": self.title, "rows": self.rows.iter().map(row).collect::<Vec<_>>()})
    }
}

impl Report {
    /// Returns the tables; and the details with up to `mistakes` of the mistakes, if any are asked for.
    pub fn tables(&self, mistakes: usize) -> String {
        let details = if mistakes > 0 { self.details.as_slice() } else { &[] };
        let tables = self.sections.iter().chain(details).map(Section::table);
        tables.chain(self.mistakes.iter().take(mistakes).map(|mistake| format!("{mistake}\n"))).collect()
    }

    /// Returns the figures, and what falls short.
    pub fn json(&self) -> Value {
        let sections: Vec<Value> = self.sections.iter().chain(&self.details).map(Section::json).collect();
        json!({"sections": sections, "shortfalls": self.shortfalls})
    }

    /// Returns the figures that are below their line, in words.
    pub fn shortfalls(&self) -> &[String] {
        &self.shortfalls
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_tables_and_json() {
        let mut section = Section::new("stores", ["what", "n", "share"]);
        section.row(row!["häher", 1_000, Cell::Share(0.5)]);
        section.row(row!["x", 2, Cell::Of(1, 3)]);
        let report = Report { sections: vec![section], mistakes: vec!["m".to_owned()], ..Report::default() };
        assert_eq!(
            report.tables(0),
            "stores\nwhat      n   share\nhäher  1000  50.0 %\nx         2  1 of 3\n\n"
        );
        assert!(report.tables(1).ends_with("\nm\n"));
        let rows =
            json!([{"what": "häher", "n": 1000, "share": 0.5}, {"what": "x", "n": 2, "share": [1, 3]}]);
        assert_eq!(report.json()["sections"][0]["rows"], rows);
    }
}
