//! Reading what users hand in, with errors that say where and what.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

#[cfg(feature = "parquet")]
use nightfold::memory::config::InputConfig;
use nightfold::memory::{Memory, Shard, ValidConfig};
#[cfg(feature = "parquet")]
use nightfold_formats::parquet::{ParquetError, RowLines};
use nightfold_formats::{
    generative_agents::{SaveError, SaveReader},
    is_parquet,
    jsonl::{self, JsonLineError, JsonlError, LineProblem, MemoryLines, VectorRule},
    pack::PackError,
};

#[cfg(not(feature = "parquet"))]
use crate::missing_feature::MissingFeature;
use crate::{
    args::OnBadLine,
    error::{CliError, Exit, message},
    output,
    packs::{self, InputPack},
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
    #[error(transparent)]
    Pack(PackError),
    #[cfg(feature = "parquet")]
    #[error("{}", path.display())]
    Parquet { path: PathBuf, source: ParquetError },
    #[cfg(not(feature = "parquet"))]
    #[error("{}", path.display())]
    Parquet { path: PathBuf, source: MissingFeature },
    #[error("{} holds no memories; give one JSON object a line, a save with personas, or a pack", path.display())]
    Empty { path: PathBuf },
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

impl From<PackError> for InputError {
    fn from(error: PackError) -> Self {
        match error {
            PackError::Line(error) => error.into(),
            error => Self::Pack(error),
        }
    }
}

impl InputError {
    /// True if only one line or node is bad: what comes after it can still be read.
    pub(crate) fn is_of_one_memory(&self) -> bool {
        match self {
            Self::Jsonl(error) => matches!(error, JsonlError::Line(_)),
            Self::Save(error) => error.is_of_one_node(),
            Self::VectorOfNoModel { .. } => true,
            Self::Pack(_) | Self::Parquet { .. } | Self::Empty { .. } => false,
        }
    }

    /// True if the input was not reached: it may be well.
    pub(crate) fn is_of_the_way(&self) -> bool {
        matches!(self, Self::Pack(PackError::Read { source, .. }) if source.kind() != io::ErrorKind::NotFound)
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
            (Self::Pack(error), _) => Some(packs::hint(error)),
            #[cfg(not(feature = "parquet"))]
            (Self::Parquet { source, .. }, _) => Some(source.hint),
            (_, Some(LineProblem::LongLine { .. } | LineProblem::LongText { .. })) => {
                Some("shorten it, or raise the limit with --set")
            }
            (Self::Save(SaveError::NoPersonas { .. }), _) => {
                Some("give a JSONL file, or the folder of a Generative Agents save")
            }
            (Self::Save(SaveError::Large { .. } | SaveError::Many { .. }), _) => {
                Some("raise the limit with --set")
            }
            (Self::Jsonl(JsonlError::NotAFile { .. } | JsonlError::Folder { .. }), _) => {
                Some("give a file; `-` reads standard input")
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
        let exit = match &error {
            #[cfg(not(feature = "parquet"))]
            InputError::Parquet { .. } => Exit::Usage,
            error if error.is_of_the_way() => Exit::Store,
            _ => Exit::Input,
        };
        let cli = Self::new(exit, error);
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

/// Opens a file of memories: the rows of a Parquet file are read as lines.
fn open_memories(path: &Path) -> Result<Box<dyn BufRead>, InputError> {
    // A pipe is opened once, by those who read lines, and they name what cannot be opened.
    let file = path.is_file().then(|| File::open(path).ok()).flatten();
    match file {
        Some(file) if is_parquet(&file).unwrap_or(false) => rows(path, file),
        _ => Ok(open(path)?),
    }
}

#[cfg(feature = "parquet")]
fn rows(path: &Path, file: File) -> Result<Box<dyn BufRead>, InputError> {
    let rows = RowLines::open(file);
    Ok(Box::new(rows.map_err(|source| InputError::Parquet { path: path.to_owned(), source })?))
}

#[cfg(not(feature = "parquet"))]
fn rows(path: &Path, _: File) -> Result<Box<dyn BufRead>, InputError> {
    Err(InputError::Parquet { path: path.to_owned(), source: MissingFeature::PARQUET })
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
    config: &ValidConfig,
    on_bad_line: OnBadLine,
    vectors: &VectorRule<'_>,
) -> Result<Vec<Memory>, CliError> {
    let mut memories = Vec::new();
    each_memory(paths, config, on_bad_line, vectors, None, &mut |memory| {
        memories.push(memory);
        Ok(())
    })?;
    Ok(memories)
}

/// Reads the memories of all files, save folders and packs one by one; with `shard` those of its NPCs alone. Returns the
/// paths of which a line was skipped.
pub(crate) fn each_memory(
    paths: &[PathBuf],
    config: &ValidConfig,
    on_bad_line: OnBadLine,
    vectors: &VectorRule<'_>,
    shard: Option<Shard>,
    each: &mut dyn FnMut(Memory) -> Result<(), CliError>,
) -> Result<Vec<PathBuf>, CliError> {
    let (mut given, mut skipped, mut read_of_a_part) = (0_usize, 0_usize, false);
    let mut damaged = Vec::new();
    for path in paths {
        let (before, skipped_before) = (given + skipped, skipped);
        let mut take = |memory: Result<Memory, InputError>| -> Result<(), CliError> {
            match memory {
                Ok(memory) => {
                    given += 1;
                    if shard.is_none_or(|shard| shard.has(&memory.npc)) {
                        each(memory)?;
                    }
                }
                Err(error) if on_bad_line == OnBadLine::Skip && error.is_of_one_memory() => {
                    output::note(&format!("warning: skipped {}\n", clean(&error.to_string())));
                    skipped += 1;
                }
                Err(error) => return Err(error.into()),
            }
            Ok(())
        };
        if let Some(pack) = InputPack::open(path)? {
            let shards = pack.shards();
            let parts = shard.and_then(|shard| shard.parts(shards)).unwrap_or(0..shards);
            pack.each_memory(parts, config, vectors, &mut take)?;
            // A part may have no NPC.
            read_of_a_part |= pack.memories() > 0 && shard.is_some();
        } else if path.is_dir() {
            let mut save = SaveReader::open(path, &config.input)?;
            save.by_ref().try_for_each(|memory| take(memory.map_err(InputError::from)))?;
            if let Some(note) = unread_files(path, save.unread()) {
                output::note(&format!("note: {}\n", clean(&note)));
            }
        } else {
            let reader = MemoryLines::new(path, open_memories(path)?, &config.input).with_vectors(*vectors);
            for memory in reader {
                take(memory.map_err(InputError::from))?;
            }
        }
        if given + skipped == before && !read_of_a_part {
            return Err(InputError::Empty { path: path.clone() }.into());
        }
        if skipped > skipped_before {
            damaged.push(path.clone());
        }
    }
    if given == 0 && !read_of_a_part {
        let lines = count(skipped, "line was", "lines were");
        return Err(message(Exit::Input, format!("there is no memory: {lines} skipped")));
    }
    Ok(damaged)
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
