//! Reading what users hand in, with errors that say where and what.

mod grouped;
mod pairs;
mod save;

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use nightfold::memory::{InputConfig, Memory};
pub(crate) use nightfold_scenario::line::{Problem, VectorRule};
use nightfold_scenario::line::{check, json_problem, parse};
use serde::Deserialize;

use self::save::SaveError;
pub(crate) use self::{
    grouped::{Grouped, Grouping, SpillError},
    pairs::{TextPair, pairs},
};
use crate::{
    args::{OnBadLine, Texts},
    error::{CliError, Exit, message},
    output,
    show::count,
    terminal::clean,
};

/// Why input cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    #[error("cannot read {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("{} is a folder; give a JSONL file", path.display())]
    Folder { path: PathBuf },
    #[error(transparent)]
    Save(#[from] SaveError),
    #[error("{} holds no memories; give one JSON object a line, or a save with personas", path.display())]
    Empty { path: PathBuf },
    #[error("{} holds no pairs; give one JSON object with `a` and `b` a line", path.display())]
    NoPairs { path: PathBuf },
    #[error("{}:{line}: {problem}", path.display())]
    Line { path: PathBuf, line: usize, problem: Problem },
}

impl From<InputError> for CliError {
    fn from(error: InputError) -> Self {
        let hint = match &error {
            InputError::Line { problem: Problem::LongLine { .. } | Problem::LongText { .. }, .. } => {
                Some("shorten it, or raise the limit with --set")
            }
            InputError::Save(SaveError::NoPersonas { .. }) => {
                Some("give a JSONL file, or the folder of a Generative Agents save")
            }
            InputError::Save(SaveError::Large { .. } | SaveError::Many { .. }) => {
                Some("raise the limit with --set")
            }
            InputError::Line { .. } => Some("mend the line, or pass it over with --on-bad-line skip"),
            _ => None,
        };
        let cli = Self::new(Exit::Input, error);
        match hint {
            Some(hint) => cli.hint(hint),
            None => cli,
        }
    }
}

/// Some editors put it before the first character of a file of UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Lines of a file, each with its number from 1, of bounded length.
struct Lines<R> {
    path: PathBuf,
    reader: R,
    most: usize,
    line: usize,
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, InputError> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    if path.is_dir() {
        return Err(InputError::Folder { path: path.to_owned() });
    }
    let file = File::open(path).map_err(|source| InputError::Open { path: path.to_owned(), source })?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
}

impl Lines<Box<dyn BufRead>> {
    fn open(path: &Path, most: usize) -> Result<Self, InputError> {
        Ok(Self { path: path.to_owned(), reader: open(path)?, most, line: 0 })
    }
}

impl<R: BufRead> Lines<R> {
    fn at(&self, problem: Problem) -> InputError {
        InputError::Line { path: self.path.clone(), line: self.line, problem }
    }

    /// The next line that is not empty. The outer error ends the file, the inner one this line alone.
    fn next(&mut self) -> Result<Option<Result<String, InputError>>, InputError> {
        loop {
            self.line += 1;
            let mut bytes = Vec::new();
            let read = self.read_line(&mut bytes);
            let read = read.map_err(|source| InputError::Open { path: self.path.clone(), source })?;
            if read == 0 {
                return Ok(None);
            }
            if self.line == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
                bytes.drain(..BYTE_ORDER_MARK.len());
            }
            if bytes.len() > self.most {
                return Ok(Some(Err(self.at(Problem::LongLine { most: self.most }))));
            }
            match String::from_utf8(bytes) {
                Ok(text) if text.trim().is_empty() => {}
                Ok(text) => return Ok(Some(Ok(text))),
                Err(error) => {
                    return Ok(Some(Err(self.at(Problem::Utf8 { at: error.utf8_error().valid_up_to() }))));
                }
            }
        }
    }

    /// Reads one line without its end; of one that is too long only as much as shows that.
    fn read_line(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let limit = (self.most + BYTE_ORDER_MARK.len() + "\r\n".len()) as u64;
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
}

impl<R: BufRead> Lines<R> {
    /// The memory of the next line that is not empty, as [`Lines::next`] gives it.
    fn memory(
        &mut self,
        limits: &InputConfig,
        vectors: &VectorRule<'_>,
    ) -> Result<Option<Result<Memory, InputError>>, InputError> {
        let Some(line) = self.next()? else { return Ok(None) };
        Ok(Some(line.and_then(|line| {
            let memory: Memory = parse(&line).map_err(|p| self.at(p))?;
            check(&memory, limits, vectors).map_err(|p| self.at(p))?;
            Ok(memory)
        })))
    }
}

/// Reads the memories of a text: one JSON object a line, or one JSON array of them, whose items count as lines then.
/// `name` is what errors call it.
pub(crate) fn memories_in(
    name: &str,
    text: &str,
    limits: &InputConfig,
    vectors: &VectorRule<'_>,
) -> Result<Vec<Memory>, InputError> {
    let array = text.trim_start().starts_with('[').then(|| array_lines(name, text)).transpose()?;
    let text = array.as_deref().unwrap_or(text);
    let mut lines =
        Lines { path: name.into(), reader: text.as_bytes(), most: limits.max_line_bytes, line: 0 };
    let mut memories = Vec::new();
    while let Some(memory) = lines.memory(limits, vectors)? {
        memories.push(memory?);
    }
    if memories.is_empty() { Err(InputError::Empty { path: name.into() }) } else { Ok(memories) }
}

/// The items of a JSON array, a line each.
fn array_lines(name: &str, text: &str) -> Result<String, InputError> {
    let wrong = |problem| InputError::Line { path: name.into(), line: 1, problem };
    let items: Vec<serde_json::Value> = parse(text).map_err(wrong)?;
    Ok(items.into_iter().map(|item| format!("{item}\n")).collect())
}

/// Reads the memories of all files and save folders into memory.
pub(crate) fn memories(
    paths: &[PathBuf],
    limits: &InputConfig,
    on_bad_line: OnBadLine,
    vectors: &VectorRule<'_>,
) -> Result<Vec<Memory>, CliError> {
    let mut memories = Vec::new();
    each_memory(paths, limits, on_bad_line, vectors, &mut |memory| {
        memories.push(memory);
        Ok(())
    })?;
    Ok(memories)
}

/// Reads the memories of all files and save folders one by one.
pub(crate) fn each_memory(
    paths: &[PathBuf],
    limits: &InputConfig,
    on_bad_line: OnBadLine,
    vectors: &VectorRule<'_>,
    each: &mut dyn FnMut(Memory) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let (mut given, mut skipped) = (0_usize, 0_usize);
    for path in paths {
        let before = given + skipped;
        let mut take = |memory: Result<Memory, InputError>| -> Result<(), CliError> {
            match (memory, on_bad_line) {
                (Ok(memory), _) => {
                    given += 1;
                    each(memory)?;
                }
                (Err(error), OnBadLine::Stop) => return Err(error.into()),
                (Err(error), OnBadLine::Skip) => {
                    output::note(&format!("warning: passed over {}\n", clean(&error.to_string())));
                    skipped += 1;
                }
            }
            Ok(())
        };
        if path.is_dir() {
            save::memories(path, limits, |memory| check(memory, limits, vectors), &mut take)?;
        } else {
            let mut lines = Lines::open(path, limits.max_line_bytes)?;
            while let Some(memory) = lines.memory(limits, vectors)? {
                take(memory)?;
            }
        }
        if given + skipped == before {
            return Err(InputError::Empty { path: path.clone() }.into());
        }
    }
    if given == 0 {
        let lines = count(skipped, "line was", "lines were");
        return Err(message(Exit::Input, format!("there is no memory: {lines} passed over")));
    }
    Ok(())
}

/// Reads the texts that a plumbing command works on, in order.
pub(crate) fn texts(from: &Texts, limits: &InputConfig) -> Result<Vec<String>, CliError> {
    #[derive(Deserialize)]
    struct Line {
        text: String,
    }
    let mut lines = Lines::open(&from.file, limits.max_line_bytes)?;
    let mut texts = Vec::new();
    while let Some(line) = lines.next()? {
        let line = line?;
        let text = if from.lines { line } else { parse::<Line>(&line).map_err(|p| lines.at(p))?.text };
        if text.len() > limits.max_text_bytes {
            let problem = Problem::LongText { field: "text", given: text.len(), most: limits.max_text_bytes };
            return Err(lines.at(problem).into());
        }
        texts.push(text);
    }
    if texts.is_empty() {
        return Err(InputError::Empty { path: from.file.clone() }.into());
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(line: &str) -> String {
        let limits = InputConfig { max_line_bytes: 1024, ..InputConfig::default() };
        let mut lines =
            Lines { path: "day.jsonl".into(), reader: line.as_bytes(), most: limits.max_line_bytes, line: 0 };
        let read = lines.next().unwrap().unwrap().and_then(|l| parse::<Memory>(&l).map_err(|p| lines.at(p)));
        read.unwrap_err().to_string()
    }

    #[test]
    fn a_bad_line_is_named_with_column_field_and_what_is_allowed() {
        let error = first(
            "\n{\"id\":\"a\",\"npc\":\"n\",\"at\":0,\"kind\":\"event\",\"text\":\"t\",\"importance\":11}",
        );
        assert!(error.starts_with("day.jsonl:2: column "), "{error}");
        assert!(
            error.contains("`importance`") && error.contains("11") && error.contains("1 to 10"),
            "{error}"
        );
        assert!(first("{\"id\":\"a\"").contains("EOF while parsing"));
        assert!(
            first("{\"id\":\"a\",\"at\":0,\"kind\":\"event\",\"text\":\"t\"}")
                .contains("missing field `npc`")
        );
        assert!(first("{\"id\":\"a\",\"npc\":\"n\",\"at\":NaN}").contains("field `at`"));
    }

    #[test]
    fn a_line_that_is_too_long_is_not_read_whole_and_the_next_is_fine() {
        let text = format!("{}\nok\n", "x".repeat(5_000));
        let mut lines = Lines { path: "f".into(), reader: text.as_bytes(), most: 1024, line: 0 };
        let error = lines.next().unwrap().unwrap().unwrap_err().to_string();
        assert!(error.contains("f:1: the line is longer than 1024 bytes"), "{error}");
        assert_eq!(lines.next().unwrap().unwrap().unwrap(), "ok");
    }

    #[test]
    fn a_byte_order_mark_at_the_start_is_no_part_of_the_first_line() {
        let longest = "x".repeat(1024);
        let text = format!("\u{feff}{longest}\r\n\u{feff}two\n");
        let mut lines = Lines { path: "f".into(), reader: text.as_bytes(), most: 1024, line: 0 };
        assert_eq!(lines.next().unwrap().unwrap().unwrap(), longest);
        assert_eq!(lines.next().unwrap().unwrap().unwrap(), "\u{feff}two");
        assert!(lines.next().unwrap().is_none());
    }
}
