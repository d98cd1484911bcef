//! One file of nodes: a JSON object whose members are read one by one.

use std::{ops::Range, path::PathBuf};

use nightfold_memory::IdError;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::SaveError;
use crate::jsonl::{JsonError, JsonLineError, LineProblem};

/// Fault of one node, without its place in the file.
pub(super) enum NodeFault {
    Name(IdError),
    Bounds(LineProblem),
    Json(Box<serde_path_to_error::Error<serde_json::Error>>),
}

/// Members of the one object in a file, each with the place of its value: errors name that place, and reading can go on
/// after a bad node.
#[derive(Debug)]
pub(super) struct NodesFile {
    path: PathBuf,
    text: String,
    /// Number of bytes that were read.
    at: usize,
    begun: bool,
    /// Number of bytes whose lines were counted, so that every byte is scanned only once. The next two fields
    /// are the number of lines up to there and the start of the last of these lines.
    counted: usize,
    lines: usize,
    line_start: usize,
}

impl NodesFile {
    pub(super) fn new(path: PathBuf, mut text: String) -> Self {
        let marks = text.len() - text.trim_start_matches('\u{feff}').len();
        text.drain(..marks);
        Self { path, text, at: 0, begun: false, counted: 0, lines: 1, line_start: 0 }
    }

    /// Returns the next name, and the range of its value.
    pub(super) fn next(&mut self) -> Result<Option<(String, Range<usize>)>, SaveError> {
        if !self.begun {
            self.expect('{', "the file is one object of nodes by their names")?;
            self.begun = true;
            if self.peek() == Some('}') {
                return self.end();
            }
        } else if self.peek() == Some(',') {
            self.at += 1;
        } else {
            return self.end();
        }
        let (id, _) = self.value::<String>()?;
        self.expect(':', "a name is followed by `:` and a node")?;
        let (IgnoredAny, range) = self.value::<IgnoredAny>()?;
        Ok(Some((id, range)))
    }

    /// Returns the text of a value.
    pub(super) fn json(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    fn end<T>(&mut self) -> Result<Option<T>, SaveError> {
        self.expect('}', "after a node comes `,` or `}`")?;
        match self.peek() {
            None => Ok(None),
            Some(_) => Err(self.unexpected("nothing comes after the object of nodes")),
        }
    }

    /// Returns the text that is not read yet.
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips white space, and returns the character after it.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest().trim_start_matches([' ', '\t', '\r', '\n']);
        let (left, next) = (rest.len(), rest.chars().next());
        self.at = self.text.len() - left;
        next
    }

    fn expect(&mut self, wanted: char, rule: &'static str) -> Result<(), SaveError> {
        if self.peek() == Some(wanted) {
            self.at += wanted.len_utf8();
            return Ok(());
        }
        Err(self.unexpected(rule))
    }

    fn unexpected(&mut self, rule: &'static str) -> SaveError {
        let (line, column) = self.place(self.at);
        SaveError::Syntax { path: self.path.clone(), line, column, rule }
    }

    fn value<T: DeserializeOwned>(&mut self) -> Result<(T, Range<usize>), SaveError> {
        self.peek();
        let start = self.at;
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<T>();
        match values.next() {
            Some(Ok(value)) => {
                self.at = start + values.byte_offset();
                Ok((value, start..self.at))
            }
            Some(Err(error)) => Err(SaveError::File(self.misread(start, error, None))),
            None => Err(self.unexpected("the file ends before its object does")),
        }
    }

    /// Places the fault of the node `id`, which begins at `start`.
    pub(super) fn wrong(&mut self, start: usize, id: &str, fault: NodeFault) -> SaveError {
        match fault {
            NodeFault::Name(source) => {
                let (line, column) = self.place(start);
                SaveError::NodeName { path: self.path.clone(), line, column, source }
            }
            NodeFault::Bounds(problem) => {
                let (line, _) = self.place(start);
                SaveError::Node(self.line_error(line, problem))
            }
            NodeFault::Json(error) => {
                let path = error.path().to_string();
                let field = if path == "." { id.to_owned() } else { format!("{id}.{path}") };
                SaveError::Node(self.misread(start, error.into_inner(), Some(field)))
            }
        }
    }

    /// Places an error in a value that begins at `start`: the parser calls the value's first line line 1.
    fn misread(&mut self, start: usize, problem: serde_json::Error, field: Option<String>) -> JsonLineError {
        let (line, first) = self.place(start);
        let mut error = JsonError { field, ..problem.into() };
        let down = error.problem.line().saturating_sub(1);
        if error.problem.line() == 1 {
            error.column = first + error.column.saturating_sub(1);
        }
        self.line_error(line + down, error.into())
    }

    /// Returns line and column of a place, in bytes from 1, as `serde_json` counts.
    fn place(&mut self, at: usize) -> (usize, usize) {
        let at = at.max(self.counted);
        let passed = self.text.get(self.counted..at).unwrap_or_default();
        self.lines += passed.matches('\n').count();
        self.line_start = passed.rfind('\n').map_or(self.line_start, |end| self.counted + end + 1);
        self.counted = at;
        (self.lines, at - self.line_start + 1)
    }

    fn line_error(&self, line: usize, problem: LineProblem) -> JsonLineError {
        JsonLineError { file: self.path.clone(), line, problem }
    }
}
