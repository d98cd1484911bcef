//! Reading what users hand in, with errors that say where and what.

mod pairs;

use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use nightfold::memory::{Memory, config::InputConfig};
use nightfold_formats::{
    generative_agents::{SaveError, SaveReader},
    jsonl::{self, JsonLineError, JsonLines, JsonlError, LineProblem, MemoryLines, VectorRule},
};
use serde::Deserialize;

pub(crate) use self::pairs::{TextPair, pairs};
use crate::{
    args::{OnBadLine, Texts},
    error::{CliError, Exit, message},
    output,
    show::count,
    terminal::clean,
};

/// Number of names of files that a note lists.
const LISTED: usize = 8;

/// Input that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    #[error(transparent)]
    Jsonl(JsonlError),
    #[error(transparent)]
    Save(#[from] SaveError),
    #[error("{} holds no memories; give one JSON object a line, or a save with personas", path.display())]
    Empty { path: PathBuf },
    #[error("{} holds no pairs; give one JSON object with `a` and `b` a line", path.display())]
    NoPairs { path: PathBuf },
    #[error("{}:{line}: field `vector`: of an unnamed model; name it with --vector-model", path.display())]
    VectorOfNoModel { path: PathBuf, line: usize },
}

impl From<JsonlError> for InputError {
    fn from(error: JsonlError) -> Self {
        match error {
            JsonlError::Line(JsonLineError { file: path, line, problem: LineProblem::VectorOfNoModel }) => {
                Self::VectorOfNoModel { path, line }
            }
            other => Self::Jsonl(other),
        }
    }
}

impl InputError {
    /// True if only one line or node is bad: what comes after it can still be read.
    fn is_of_one_memory(&self) -> bool {
        match self {
            Self::Jsonl(error) => matches!(error, JsonlError::Line(_)),
            Self::Save(error) => error.is_of_one_node(),
            Self::VectorOfNoModel { .. } => true,
            Self::Empty { .. } | Self::NoPairs { .. } => false,
        }
    }

    /// Returns the fault of the line that is bad, if it is one.
    fn line_problem(&self) -> Option<&LineProblem> {
        match self {
            Self::Jsonl(JsonlError::Line(error))
            | Self::Save(SaveError::Node(error) | SaveError::File(error)) => Some(&error.problem),
            _ => None,
        }
    }

    fn hint(&self) -> Option<&'static str> {
        match (self, self.line_problem()) {
            (_, Some(LineProblem::LongLine { .. } | LineProblem::LongText { .. })) => {
                Some("shorten it, or raise the limit with --set")
            }
            (Self::Save(SaveError::NoPersonas { .. }), _) => {
                Some("give a JSONL file, or the folder of a Generative Agents save")
            }
            (Self::Save(SaveError::Large { .. } | SaveError::Many { .. }), _) => {
                Some("raise the limit with --set")
            }
            (_, Some(_))
            | (
                Self::VectorOfNoModel { .. }
                | Self::Save(SaveError::Syntax { .. } | SaveError::NodeName { .. }),
                _,
            ) => Some("mend the line, or pass it over with --on-bad-line skip"),
            _ => None,
        }
    }
}

impl From<InputError> for CliError {
    fn from(error: InputError) -> Self {
        let hint = error.hint();
        let cli = Self::new(Exit::Input, error);
        match hint {
            Some(hint) => cli.hint(hint),
            None => cli,
        }
    }
}

impl From<JsonlError> for CliError {
    fn from(error: JsonlError) -> Self {
        InputError::from(error).into()
    }
}

impl From<SaveError> for CliError {
    fn from(error: SaveError) -> Self {
        InputError::from(error).into()
    }
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, JsonlError> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    Ok(Box::new(jsonl::open(path)?))
}

fn lines(path: &Path, limits: &InputConfig) -> Result<JsonLines<Box<dyn BufRead>>, JsonlError> {
    Ok(JsonLines::new(path, open(path)?, limits.max_line_bytes))
}

/// Reads the memories of a text: one JSON object per line, or one JSON array of objects, whose items count as
/// lines. `name` is the name of the text in errors.
#[cfg(feature = "mcp")]
pub(crate) fn memories_in(
    name: &str,
    text: &str,
    limits: &InputConfig,
    vectors: &VectorRule<'_>,
) -> Result<Vec<Memory>, InputError> {
    let memories = jsonl::read_text(name, text, limits, Some(*vectors))?;
    if memories.is_empty() { Err(InputError::Empty { path: name.into() }) } else { Ok(memories) }
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
            match memory {
                Ok(memory) => {
                    given += 1;
                    each(memory)?;
                }
                Err(error) if on_bad_line == OnBadLine::Skip && error.is_of_one_memory() => {
                    output::note(&format!("warning: skipped {}\n", clean(&error.to_string())));
                    skipped += 1;
                }
                Err(error) => return Err(error.into()),
            }
            Ok(())
        };
        if path.is_dir() {
            let mut save = SaveReader::open(path, limits)?;
            save.by_ref().try_for_each(|memory| take(memory.map_err(InputError::from)))?;
            if let Some(note) = unread_files(path, save.unread()) {
                output::note(&format!("note: {}\n", clean(&note)));
            }
        } else {
            let reader = MemoryLines::new(path, open(path)?, limits).with_vectors(*vectors);
            for memory in reader {
                take(memory.map_err(InputError::from))?;
            }
        }
        if given + skipped == before {
            return Err(InputError::Empty { path: path.clone() }.into());
        }
    }
    if given == 0 {
        let lines = count(skipped, "line was", "lines were");
        return Err(message(Exit::Input, format!("there is no memory: {lines} skipped")));
    }
    Ok(())
}

/// Returns a note on the files of a save that contain no memories; `None` if there are none.
fn unread_files(folder: &Path, unread: &BTreeMap<String, usize>) -> Option<String> {
    let files = count(unread.values().sum(), "file", "files");
    let named: Vec<String> = unread
        .iter()
        .take(LISTED)
        .map(|(name, n)| if *n == 1 { name.clone() } else { format!("{name} ({n})") })
        .collect();
    let more = unread.len().saturating_sub(LISTED);
    let more = if more == 0 { String::new() } else { format!(" and {more} other names") };
    let told = format!("{}: skipped {files} without memories: {}{more}", folder.display(), named.join(", "));
    (!unread.is_empty()).then_some(told)
}

/// Reads the texts that a plumbing command works on, in order.
pub(crate) fn texts(from: &Texts, limits: &InputConfig) -> Result<Vec<String>, CliError> {
    #[derive(Deserialize)]
    struct TextLine {
        text: String,
    }
    let mut lines = lines(&from.file, limits)?;
    let mut texts = Vec::new();
    loop {
        let next =
            if from.lines { lines.next() } else { lines.next_value().map(|l| l.map(|l: TextLine| l.text)) };
        let Some(text) = next.transpose()? else { break };
        let (given, most) = (text.len(), limits.max_text_bytes);
        if given > most {
            return Err(
                JsonlError::from(lines.error(LineProblem::LongText { field: "text", given, most })).into()
            );
        }
        texts.push(text);
    }
    if texts.is_empty() {
        return Err(InputError::Empty { path: from.file.clone() }.into());
    }
    Ok(texts)
}
