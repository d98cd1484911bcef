//! Data files in memory.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};
use nightfold_formats::jsonl::parse;
use serde::de::DeserializeOwned;

/// Text of a file.
pub(crate) struct TextFile {
    path: PathBuf,
    text: String,
}

impl TextFile {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        Self::find(path)?.with_context(|| format!("there is no {}", path.display()))
    }

    /// Reads a file that may be missing.
    pub(crate) fn find(path: &Path) -> Result<Option<Self>> {
        match fs::read_to_string(path) {
            Ok(text) => Ok(Some(Self { path: path.to_owned(), text })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| path.display().to_string()),
        }
    }

    /// Creates a file from text that is part of the program.
    pub(crate) fn embedded(name: &str, text: &str) -> Self {
        Self { path: name.into(), text: text.to_owned() }
    }

    /// Returns the text without the mark that some editors put before its first character.
    fn text(&self) -> &str {
        self.text.strip_prefix('\u{feff}').unwrap_or(&self.text)
    }

    /// Returns the name of a line in messages.
    fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.path.display())
    }

    /// Returns the rows of a table with commas.
    pub(crate) fn table<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        let rows: Result<Vec<T>, _> =
            csv::Reader::from_reader(self.text().as_bytes()).deserialize().collect();
        rows.with_context(|| self.path.display().to_string())
    }

    /// Returns what `row` makes of the cells of each line of a table with tabs; empty lines and those that begin with `#`
    /// are skipped.
    pub(crate) fn cells<T>(&self, row: impl Fn(&[&str]) -> Option<T>) -> Result<Vec<T>> {
        let lines =
            (1..).zip(self.text().lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let read = |(at, line): (usize, &str)| {
            let cells: Vec<&str> = line.split('\t').collect();
            row(&cells).with_context(|| format!("{}: {line:?} is no row of this table", self.place(at)))
        };
        lines.map(read).collect()
    }

    /// Parses the whole file as one JSON value.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T> {
        parse(self.text()).map_err(|e| {
            let place = self.place(e.problem.line());
            anyhow::Error::new(e).context(place)
        })
    }

    /// Parses each line as a JSON value. Empty lines are skipped.
    pub(crate) fn lines<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        let lines = (1..).zip(self.text().lines()).filter(|(_, text)| !text.trim().is_empty());
        lines.map(|(at, text)| parse(text).with_context(|| self.place(at))).collect()
    }

    /// Parses each line as a JSON value; at least one.
    pub(crate) fn some_lines<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        let lines = self.lines()?;
        ensure!(!lines.is_empty(), "{}: nothing there is labelled", self.path.display());
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(result: Result<impl Sized>) -> String {
        format!("{:#}", result.map(|_| ()).unwrap_err())
    }

    #[test]
    fn missing_file_is_named() {
        let path = Path::new("nowhere/days.jsonl");
        assert!(TextFile::find(path).unwrap().is_none());
        assert_eq!(told(TextFile::read(path)), "there is no nowhere/days.jsonl");
    }

    #[test]
    fn empty_lines_and_byte_order_mark_are_skipped() {
        let file = TextFile::embedded("f", "\u{feff}1\r\n\n 2\n\n");
        assert_eq!(file.lines::<u8>().unwrap(), [1, 2]);
    }

    #[test]
    fn what_is_wrong_is_reported_with_line_column_and_field() {
        let file = |text| TextFile::embedded("f", text);
        for (error, said) in [
            (told(file("[1]\n[2,-3]").lines::<Vec<u8>>()), "f:2: column 5: field `[1]`:"),
            (told(file("[1,\n2,\n\"x\"]").json::<Vec<u8>>()), "f:3: "),
            (told(file("\n").some_lines::<u8>()), "f: nothing there is labelled"),
            (
                told(file("# a\n\nx\ty\nz").cells(|row| (row.len() == 2).then_some(()))),
                "f:4: \"z\" is no row",
            ),
            (told(file("a,b\n1,x\n").table::<(u8, u8)>()), "f: CSV deserialize error: record 1 (line: 2"),
        ] {
            assert!(error.starts_with(said), "{error}");
        }
    }
}
