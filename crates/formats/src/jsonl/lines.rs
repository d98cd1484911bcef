//! Lines of a file, of bounded length, with their numbers.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _},
    path::{Path, PathBuf},
};

use serde::de::DeserializeOwned;

use super::{JsonLineError, JsonlError, LineProblem, parse, parse::parse_noting};
use crate::irregular_file::irregular_kind;

/// Some editors put it before the first character of a file of UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Opens a file to be read line by line.
///
/// # Errors
/// [`JsonlError::Folder`] if it is a folder, [`JsonlError::NotAFile`] if it is a pipe, a socket or a device that the process
/// would have to wait for, [`JsonlError::Read`] if it cannot be opened.
pub fn open(file: &Path) -> Result<BufReader<File>, JsonlError> {
    if file.is_dir() {
        return Err(JsonlError::Folder { file: file.to_owned() });
    }
    if let Some(kind) = irregular_kind(file) {
        return Err(JsonlError::NotAFile { file: file.to_owned(), kind });
    }
    let opened = File::open(file).map_err(|source| JsonlError::Read { file: file.to_owned(), source })?;
    Ok(BufReader::with_capacity(1 << 16, opened))
}

/// Lines of a reader that are not empty: an iterator that ends after an error of the reader, but not after a bad line.
///
/// A line that is too long is not held in memory. A byte order mark at the start and the ends of lines (`\n`
/// or `\r\n`) are not part of a line.
#[derive(Debug)]
pub struct JsonLines<R> {
    file: PathBuf,
    reader: R,
    most: usize,
    line: usize,
    is_done: bool,
}

impl<R: BufRead> JsonLines<R> {
    /// Begins to read lines of at most `max_line_bytes` bytes. Errors call the file `file`.
    pub fn new(file: impl Into<PathBuf>, reader: R, max_line_bytes: usize) -> Self {
        Self { file: file.into(), reader, most: max_line_bytes, line: 0, is_done: false }
    }

    /// Makes an error of a fault in the line that was read last.
    pub fn error(&self, problem: impl Into<LineProblem>) -> JsonLineError {
        JsonLineError { file: self.file.clone(), line: self.line, problem: problem.into() }
    }

    /// Reads the next line that is not empty as JSON.
    pub fn next_value<T: DeserializeOwned>(&mut self) -> Option<Result<T, JsonlError>> {
        let line = self.next()?;
        Some(line.and_then(|line| parse(&line).map_err(|error| self.error(error).into())))
    }

    /// Reads the next line that is not empty as JSON, and passes the path of each field that is not read to `ignored`,
    /// with the number of the line.
    pub(super) fn next_value_noting<T: DeserializeOwned>(
        &mut self,
        mut ignored: impl FnMut(usize, &str),
    ) -> Option<Result<T, JsonlError>> {
        let line = self.next()?;
        let number = self.line;
        Some(line.and_then(|line| {
            parse_noting(&line, |field| ignored(number, field)).map_err(|error| self.error(error).into())
        }))
    }

    /// Reads one line without its end. Of a line that is too long, only as many bytes are read as show that
    /// it is.
    fn read_line(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let limit = (self.most as u64).saturating_add((BYTE_ORDER_MARK.len() + "\r\n".len()) as u64);
        let mut read = self.reader.by_ref().take(limit).read_until(b'\n', bytes)?;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
        } else if bytes.len() > self.most {
            read += self.skip_line()?;
        }
        Ok(read)
    }

    fn skip_line(&mut self) -> io::Result<usize> {
        let mut skipped = 0;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(skipped);
            }
            let end = buffer.iter().position(|&b| b == b'\n');
            let used = end.map_or(buffer.len(), |at| at + 1);
            self.reader.consume(used);
            skipped += used;
            if end.is_some() {
                return Ok(skipped);
            }
        }
    }

    /// Returns the text of a line, or nothing for an empty line.
    fn checked(&self, mut bytes: Vec<u8>) -> Option<Result<String, LineProblem>> {
        if self.line == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        if bytes.len() > self.most {
            return Some(Err(LineProblem::LongLine { most: self.most }));
        }
        match String::from_utf8(bytes) {
            Ok(text) => (!text.trim().is_empty()).then_some(Ok(text)),
            Err(error) => Some(Err(LineProblem::Utf8 { at: error.utf8_error().valid_up_to() })),
        }
    }
}

impl<R: BufRead> Iterator for JsonLines<R> {
    type Item = Result<String, JsonlError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_done {
            self.line += 1;
            let mut bytes = Vec::new();
            match self.read_line(&mut bytes) {
                Ok(0) => self.is_done = true,
                Ok(_) => {
                    if let Some(line) = self.checked(bytes) {
                        return Some(line.map_err(|problem| self.error(problem).into()));
                    }
                }
                Err(source) => {
                    self.is_done = true;
                    return Some(Err(JsonlError::Read { file: self.file.clone(), source }));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn overlong_line_is_refused_and_the_next_is_read() {
        let text = format!("{}\nok\n", "x".repeat(5_000));
        let mut lines = JsonLines::new("f", text.as_bytes(), 1024);
        let error = lines.next().unwrap().unwrap_err().to_string();
        assert!(error.contains("f:1: the line is longer than 1024 bytes"), "{error}");
        assert_eq!(lines.next().unwrap().unwrap(), "ok");
    }

    #[test]
    fn leading_byte_order_mark_is_skipped() {
        let longest = "x".repeat(1024);
        let text = format!("\u{feff}{longest}\r\n\u{feff}two\n");
        let mut lines = JsonLines::new("f", text.as_bytes(), 1024);
        assert_eq!(lines.next().unwrap().unwrap(), longest);
        assert_eq!(lines.next().unwrap().unwrap(), "\u{feff}two");
        assert!(lines.next().is_none());
    }

    #[test]
    fn reading_ends_after_an_error_of_the_reader() {
        struct Broken;
        impl io::Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the cable is out"))
            }
        }
        let mut lines = JsonLines::new("f", BufReader::new(Broken), 1024);
        assert!(matches!(lines.next(), Some(Err(JsonlError::Read { .. }))));
        assert!(lines.next().is_none());
    }

    #[test]
    fn folder_and_missing_file_have_distinct_errors() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(open(folder.path()), Err(JsonlError::Folder { .. })));
        assert!(matches!(open(&folder.path().join("none")), Err(JsonlError::Read { .. })));
    }

    proptest! {
        #[test]
        fn any_bytes_are_lines_of_bounded_length_or_errors(
            bytes in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'x'), any::<u8>()], 0..400),
            most in 0_usize..40,
        ) {
            let most_lines = bytes.split(|byte| *byte == b'\n').count();
            let mut read = 0;
            for line in JsonLines::new("f", &*bytes, most) {
                read += 1;
                match line {
                    Ok(line) => prop_assert!(line.len() <= most && !line.contains('\n'), "{:?}", line),
                    Err(error) => prop_assert!(matches!(error, JsonlError::Line(_)), "{}", error),
                }
            }
            prop_assert!(read <= most_lines);
        }
    }
}
