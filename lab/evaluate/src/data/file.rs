//! Data files in memory.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use nightfold_formats::jsonl::{JsonError, parse};
use serde::de::DeserializeOwned;

use super::DataError;

/// Text of a file.
pub(super) struct TextFile {
    pub(super) path: PathBuf,
    text: String,
}

impl TextFile {
    pub(super) fn read(dir: &Path, file: &str) -> Result<Self, DataError> {
        let path = dir.join(file);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Self { path, text }),
            Err(source) => Err(not_read(dir, file, source)),
        }
    }

    /// Reads a file that is named by its whole path.
    pub(super) fn at(path: &Path) -> Result<Self, DataError> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Self::read(path.parent().unwrap_or_else(|| Path::new("")), &name)
    }

    /// Creates a file from text that is part of the program.
    pub(super) fn embedded(name: &str, text: &str) -> Self {
        Self { path: name.into(), text: text.to_owned() }
    }

    /// Returns the text without the mark that some editors put before its first character.
    pub(super) fn text(&self) -> &str {
        self.text.strip_prefix('\u{feff}').unwrap_or(&self.text)
    }

    /// Returns the error of a line.
    pub(super) fn wrong(&self, line: usize, problem: impl Into<String>) -> DataError {
        DataError::Line { path: self.path.clone(), line, problem: problem.into() }
    }

    /// Returns the rows of a table with commas that has these columns among others.
    pub(super) fn table<T: DeserializeOwned>(&self, columns: &str) -> Result<Vec<T>, DataError> {
        let mut rows = csv::Reader::from_reader(self.text().as_bytes());
        let rows = rows.deserialize().map(|row| {
            row.map_err(|error: csv::Error| {
                let line = error.position().map_or(1, csv::Position::line) as usize;
                self.wrong(line, format!("not a row of `{columns}`: {error}"))
            })
        });
        rows.collect()
    }

    /// Parses the whole file as one JSON value.
    pub(super) fn json<T: DeserializeOwned>(&self) -> Result<T, DataError> {
        parse(self.text()).map_err(|source| self.json_error(source.problem.line(), source))
    }

    /// Parses each line as a JSON value; returns it with the number of its line, from 1. Empty lines are
    /// skipped.
    pub(super) fn jsonl<T: DeserializeOwned>(&self) -> Result<Vec<(usize, T)>, DataError> {
        let lines = (1..).zip(self.text().lines()).filter(|(_, text)| !text.trim().is_empty());
        lines
            .map(|(line, text)| {
                parse(text).map(|value| (line, value)).map_err(|source| self.json_error(line, source))
            })
            .collect()
    }

    fn json_error(&self, line: usize, source: JsonError) -> DataError {
        DataError::Json { path: self.path.clone(), line, source }
    }
}

/// Returns the error of a file or folder in `dir` that could not be read.
pub(super) fn not_read(dir: &Path, file: &str, source: io::Error) -> DataError {
    if source.kind() == io::ErrorKind::NotFound {
        DataError::Missing { dir: dir.to_owned(), file: file.to_owned() }
    } else {
        DataError::Open { path: dir.join(file), source }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::folder, *};

    fn told(result: Result<impl Sized, DataError>) -> String {
        let error = result.map(|_| ()).unwrap_err();
        match std::error::Error::source(&error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        }
    }

    #[test]
    fn missing_file_is_named_with_its_folder() {
        let dir = folder(&[]);
        let error = told(TextFile::read(dir.path(), "days/2.jsonl"));
        let expected =
            format!("there is no days/2.jsonl in {}; give the folder that holds it", dir.path().display());
        assert_eq!(error, expected);
    }

    #[test]
    fn empty_lines_and_byte_order_mark_are_skipped() {
        let file = TextFile::embedded("f", "\u{feff}1\r\n\n 2\n\n");
        assert_eq!(file.jsonl::<u8>().unwrap(), [(1, 1), (3, 2)]);
    }

    #[test]
    fn bad_json_is_reported_with_line_column_and_field() {
        let error = told(TextFile::embedded("f", "[1]\n[2,-3]").jsonl::<Vec<u8>>());
        assert!(error.contains("f:2: not the JSON that belongs there: column 5: field `[1]`:"), "{error}");
        let error = told(TextFile::embedded("f", "[1,\n2,\n\"x\"]").json::<Vec<u8>>());
        assert!(error.contains("f:3: ") && error.contains("field `[2]`: invalid type: string"), "{error}");
    }
}
