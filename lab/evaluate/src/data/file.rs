//! Data files in memory, of bounded size.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use nightfold_formats::jsonl::{JsonError, parse};
use serde::de::DeserializeOwned;

use super::DataError;

/// Size limit of a data file: 256 MiB. The largest known one has 2.4 MiB.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// Mark that some editors put before the first character of a UTF-8 file.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Text of a file in the user's folder.
pub(super) struct TextFile {
    pub(super) path: PathBuf,
    text: String,
}

impl TextFile {
    pub(super) fn read(dir: &Path, file: &str) -> Result<Self, DataError> {
        Self::read_at_most(dir, file, MAX_FILE_BYTES)
    }

    fn read_at_most(dir: &Path, file: &str, most: u64) -> Result<Self, DataError> {
        let path = dir.join(file);
        let found = fs::metadata(&path).map_err(|source| not_read(dir, file, source))?;
        if !found.is_file() {
            return Err(DataError::NoFile { path });
        }
        if found.len() > most {
            return Err(DataError::TooLarge { path, given: found.len(), most });
        }
        let bytes = fs::read(&path).map_err(|source| not_read(dir, file, source))?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { path, text }),
            Err(error) => {
                let source = error.utf8_error();
                let line = error.as_bytes()[..source.valid_up_to()].split(|&b| b == b'\n').count();
                Err(DataError::Utf8 { path, line, source })
            }
        }
    }

    /// Creates a file from text that is part of the program.
    pub(super) fn embedded(name: &str, text: &str) -> Self {
        Self { path: name.into(), text: text.to_owned() }
    }

    /// Returns the text without its byte order mark.
    pub(super) fn text(&self) -> &str {
        self.text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.text)
    }

    /// Returns the error of a row in a table with these columns.
    pub(super) fn csv_error(&self, columns: &'static str, source: csv::Error) -> DataError {
        let line = source.position().map_or(1, csv::Position::line);
        DataError::Csv { path: self.path.clone(), line, columns, source }
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

    fn read(content: &[u8]) -> Result<TextFile, DataError> {
        let dir = folder(&[]);
        fs::write(dir.path().join("f"), content).unwrap();
        TextFile::read_at_most(dir.path(), "f", 16)
    }

    fn told(result: Result<impl Sized, DataError>) -> String {
        let error = result.map(|_| ()).unwrap_err();
        match std::error::Error::source(&error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        }
    }

    #[test]
    fn too_large_file_is_refused_with_its_size_and_the_bound() {
        assert!(read(&[b'x'; 16]).is_ok());
        let error = told(read(&[b'x'; 17]));
        assert!(error.ends_with("f is 17 bytes large; at most 16 are read"), "{error}");
    }

    #[test]
    fn missing_file_is_named_with_its_folder() {
        let dir = folder(&[("days/1.jsonl", "")]);
        let error = told(TextFile::read(dir.path(), "days/2.jsonl"));
        let expected =
            format!("there is no days/2.jsonl in {}; give the folder that holds it", dir.path().display());
        assert_eq!(error, expected);
        let error = told(TextFile::read(dir.path(), "days"));
        assert!(error.ends_with("days is no file"), "{error}");
    }

    #[test]
    fn line_that_is_not_utf_8_is_named() {
        let error = told(read(b"a\nb\nc\xff\n"));
        assert!(error.contains("f:3: the line is not UTF-8: invalid utf-8 sequence"), "{error}");
    }

    #[test]
    fn empty_lines_and_byte_order_mark_are_skipped() {
        let file = read("\u{feff}1\r\n\n 2\n\n".as_bytes()).unwrap();
        assert_eq!(file.jsonl::<u8>().unwrap(), [(1, 1), (3, 2)]);
    }

    #[test]
    fn bad_json_is_reported_with_line_column_and_field() {
        let error = told(read(b"[1]\n[2,-3]").unwrap().jsonl::<Vec<u8>>());
        assert!(error.contains("f:2: not the JSON that belongs there: column 5: field `[1]`:"), "{error}");
        assert!(error.contains("`-3`") && !error.contains("at line"), "{error}");
        let error = told(read(b"[1,\n2,\n\"x\"]").unwrap().json::<Vec<u8>>());
        assert!(error.contains("f:3: ") && error.contains("field `[2]`: invalid type: string"), "{error}");
        let error = told(read(b"1 2").unwrap().jsonl::<u8>());
        assert!(error.contains("f:1: ") && error.contains("column 3: trailing characters"), "{error}");
    }
}
