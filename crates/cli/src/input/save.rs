//! A save folder of Generative Agents (Park et al. 2023) as memories: `personas/NAME/…/nodes.json` of every persona.
//!
//! A node is a memory of its persona under its own name (`node_12`), so that a later save of the same town says
//! the same of what was slept on already. Its `poignancy` is the importance; its `filling` names what a thought rests
//! on, and becomes `sources`. What was said in a chat stands in `filling` too, and is no source.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, Read as _},
    ops::Range,
    path::{Path, PathBuf},
};

use nightfold::memory::{GameTime, IdError, Importance, InputConfig, Kind, Memory, MemoryId, NpcId};
use serde::{Deserialize, de::IgnoredAny};

use super::{InputError, Problem, json_problem};
use crate::{output, show::count, terminal::clean};

/// What a save has one folder in for each persona.
const PERSONAS: &str = "personas";

/// Where a persona's folder has its memories.
const NODES: &str = "bootstrap_memory/associative_memory/nodes.json";

/// How many names of files a note lists.
const LISTED: usize = 8;

/// Why a folder cannot be used as a save.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SaveError {
    #[error("{} is a folder, but not a save: it has no folder `{PERSONAS}`", path.display())]
    NoPersonas { path: PathBuf },
    #[error("{}: the name of the folder is the persona's, and {source}", path.display())]
    Name { path: PathBuf, source: IdError },
    #[error("{}: the name of the folder is the persona's, and is not UTF-8", path.display())]
    NotUtf8 { path: PathBuf },
    #[error("{} is no file", path.display())]
    NoFile { path: PathBuf },
    #[error("{} is larger than {most} bytes (input.max_save_bytes)", path.display())]
    Large { path: PathBuf, most: usize },
    #[error("{} holds more than {most} files and folders (input.max_save_files)", path.display())]
    Many { path: PathBuf, most: usize },
}

/// One node, as far as it is read.
#[derive(Debug, Deserialize)]
struct Node {
    #[serde(rename = "type")]
    kind: NodeKind,
    created: GameTime,
    description: String,
    poignancy: Option<Importance>,
    filling: Option<Filling>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum NodeKind {
    Event,
    Chat,
    Thought,
}

/// What stands behind a node. Real saves hold a single name where a list of one is meant.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "the filling is a list of node names, one node name, or a list of [speaker, line]"
)]
enum Filling {
    Evidence(Vec<MemoryId>),
    One(MemoryId),
    Said(#[expect(dead_code, reason = "it is looked at for its form alone")] Vec<Vec<String>>),
}

/// Hands every memory of the save to `take`, or what is wrong with it.
pub(super) fn memories<E: From<InputError>>(
    folder: &Path,
    limits: &InputConfig,
    check: impl Fn(&Memory) -> Result<(), Problem>,
    mut take: impl FnMut(Result<Memory, InputError>) -> Result<(), E>,
) -> Result<(), E> {
    let personas = personas(folder)?;
    let files: BTreeSet<PathBuf> = personas.values().map(|home| home.join(NODES)).collect();
    let others = others(folder, &files, limits.max_save_files)?;
    for (npc, home) in &personas {
        let path = &home.join(NODES);
        let text = read(path, limits.max_save_bytes)?;
        let mut nodes = Nodes::new(path, &text);
        while let Some((id, start, json)) = nodes.next()? {
            let memory = memory(npc, &id, json).and_then(|memory| {
                check(&memory).map_err(|problem| Wrong::Bounds(in_a_node(problem)))?;
                Ok(memory)
            });
            take(memory.map_err(|wrong| nodes.wrong(start, &id, wrong)))?;
        }
    }
    if let Some(note) = note(folder, &others) {
        output::note(&format!("note: {}\n", clean(&note)));
    }
    Ok(())
}

/// The personas of a save with their folders, by name.
fn personas(folder: &Path) -> Result<BTreeMap<NpcId, PathBuf>, InputError> {
    let homes = folder.join(PERSONAS);
    if !homes.is_dir() {
        return Err(SaveError::NoPersonas { path: folder.to_owned() }.into());
    }
    let mut personas = BTreeMap::new();
    for entry in entries(&homes)? {
        let path = entry.path();
        if path.is_dir() {
            let name = entry.file_name().into_string();
            let name = name.map_err(|_| SaveError::NotUtf8 { path: path.clone() })?;
            let npc = NpcId::new(name).map_err(|source| SaveError::Name { path: path.clone(), source })?;
            personas.insert(npc, path);
        }
    }
    Ok(personas)
}

fn entries(folder: &Path) -> Result<Vec<fs::DirEntry>, InputError> {
    let read = || fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>();
    read().map_err(|source| InputError::Open { path: folder.to_owned(), source })
}

/// How many files of which name are not read. Links are not followed: they count as files.
fn others(
    folder: &Path,
    read: &BTreeSet<PathBuf>,
    most: usize,
) -> Result<BTreeMap<String, usize>, InputError> {
    let (mut names, mut seen, mut folders) = (BTreeMap::new(), 0_usize, vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in entries(&next)? {
            seen += 1;
            if seen > most {
                return Err(SaveError::Many { path: folder.to_owned(), most }.into());
            }
            let path = entry.path();
            let kind = entry.file_type().map_err(|source| InputError::Open { path: path.clone(), source })?;
            if kind.is_dir() {
                folders.push(path);
            } else if !read.contains(&path) {
                *names.entry(entry.file_name().to_string_lossy().into_owned()).or_default() += 1;
            }
        }
    }
    Ok(names)
}

/// What to tell of the files that were not read.
fn note(folder: &Path, others: &BTreeMap<String, usize>) -> Option<String> {
    let files = count(others.values().sum(), "file", "files");
    let named: Vec<String> = others
        .iter()
        .take(LISTED)
        .map(|(name, n)| if *n == 1 { name.clone() } else { format!("{name} ({n})") })
        .collect();
    let more = others.len().saturating_sub(LISTED);
    let more = if more == 0 { String::new() } else { format!(" and {more} other names") };
    let told =
        format!("{}: passed over {files} without memories: {}{more}", folder.display(), named.join(", "));
    (!others.is_empty()).then_some(told)
}

fn read(path: &Path, most: usize) -> Result<String, InputError> {
    let open = |source| InputError::Open { path: path.to_owned(), source };
    // A pipe or a device would be waited for.
    if !fs::metadata(path).map_err(open)?.is_file() {
        return Err(SaveError::NoFile { path: path.to_owned() }.into());
    }
    let mut bytes = Vec::new();
    let limit = (most as u64).saturating_add(1);
    File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(open)?;
    if bytes.len() > most {
        return Err(SaveError::Large { path: path.to_owned(), most }.into());
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let lines: Vec<&[u8]> = valid.split(|&byte| byte == b'\n').collect();
        let at = lines.last().map_or(0, |last| last.len());
        InputError::Line { path: path.to_owned(), line: lines.len(), problem: Problem::Utf8 { at } }
    })
}

fn memory(npc: &NpcId, id: &str, json: &str) -> Result<Memory, Wrong> {
    let id = MemoryId::new(id).map_err(Wrong::Name)?;
    let mut reader = serde_json::Deserializer::from_str(json);
    let node: Node = serde_path_to_error::deserialize(&mut reader).map_err(|e| Wrong::Json(Box::new(e)))?;
    let sources = match node.filling {
        Some(Filling::Evidence(ids)) => ids,
        Some(Filling::One(id)) => vec![id],
        Some(Filling::Said(_)) | None => Vec::new(),
    };
    Ok(Memory {
        id,
        npc: npc.clone(),
        at: node.created,
        kind: match node.kind {
            NodeKind::Event => Kind::Event,
            NodeKind::Chat => Kind::Chat,
            NodeKind::Thought => Kind::Thought,
        },
        text: node.description,
        importance: node.poignancy,
        actors: Vec::new(),
        tags: Vec::new(),
        pinned: false,
        place: None,
        emotion: None,
        sources,
        vector: None,
    })
}

/// A problem of a memory, by the names that fields of a node have.
fn in_a_node(problem: Problem) -> Problem {
    match problem {
        Problem::LongText { given, most, .. } => Problem::LongText { field: "description", given, most },
        Problem::LongList { given, most, .. } => Problem::LongList { field: "filling", given, most },
        other => other,
    }
}

/// What is wrong with a node, before it is known where that stands.
enum Wrong {
    Name(IdError),
    Bounds(Problem),
    Json(Box<serde_path_to_error::Error<serde_json::Error>>),
}

/// The members of the one object in a file, each with where its value stands: an error speaks of that place, and one bad
/// node can be passed over.
struct Nodes<'a> {
    path: &'a Path,
    text: &'a str,
    /// What was read so far, in bytes.
    at: usize,
    begun: bool,
    /// Up to where lines were counted, how many, and where the last of them begins: every byte is looked at once.
    counted: usize,
    lines: usize,
    line_start: usize,
}

impl<'a> Nodes<'a> {
    fn new(path: &'a Path, text: &'a str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        Self { path, text, at: 0, begun: false, counted: 0, lines: 1, line_start: 0 }
    }

    /// The next name, where its value begins, and the value.
    fn next(&mut self) -> Result<Option<(String, usize, &'a str)>, InputError> {
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
        Ok(Some((id, range.start, self.text.get(range).unwrap_or_default())))
    }

    fn end<T>(&mut self) -> Result<Option<T>, InputError> {
        self.expect('}', "after a node comes `,` or `}`")?;
        match self.peek() {
            None => Ok(None),
            Some(_) => Err(self.unexpected("nothing comes after the object of nodes")),
        }
    }

    /// Returns what is not read yet.
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Passes over white space, and says what comes then.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest().trim_start_matches([' ', '\t', '\r', '\n']);
        self.at = self.text.len() - rest.len();
        rest.chars().next()
    }

    fn expect(&mut self, wanted: char, rule: &str) -> Result<(), InputError> {
        if self.peek() == Some(wanted) {
            self.at += wanted.len_utf8();
            return Ok(());
        }
        Err(self.unexpected(rule))
    }

    fn unexpected(&mut self, rule: &str) -> InputError {
        let (line, column) = self.place(self.at);
        self.error(line, Problem::Json { column, field: None, message: rule.to_owned() })
    }

    fn value<T: Deserialize<'a>>(&mut self) -> Result<(T, Range<usize>), InputError> {
        self.peek();
        let start = self.at;
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<T>();
        match values.next() {
            Some(Ok(value)) => {
                self.at = start + values.byte_offset();
                Ok((value, start..self.at))
            }
            Some(Err(error)) => Err(self.json(start, &error, None)),
            None => Err(self.unexpected("the file ends before its object does")),
        }
    }

    /// What is wrong with the node that begins at `start`.
    fn wrong(&mut self, start: usize, id: &str, wrong: Wrong) -> InputError {
        match wrong {
            Wrong::Name(error) => {
                let (line, column) = self.place(start);
                let message = format!("the name of the node {error}");
                self.error(line, Problem::Json { column, field: None, message })
            }
            Wrong::Bounds(problem) => {
                let (line, _) = self.place(start);
                self.error(line, problem)
            }
            Wrong::Json(error) => {
                let path = error.path().to_string();
                let field = if path == "." { id.to_owned() } else { format!("{id}.{path}") };
                self.json(start, error.inner(), Some(field))
            }
        }
    }

    /// An error in a value that begins at `start`: it speaks of the value's first line as line 1.
    fn json(&mut self, start: usize, error: &serde_json::Error, field: Option<String>) -> InputError {
        let (line, first) = self.place(start);
        let mut problem = json_problem(error, field);
        if let Problem::Json { column, .. } = &mut problem
            && error.line() == 1
        {
            *column = first + column.saturating_sub(1);
        }
        self.error(line + error.line().saturating_sub(1), problem)
    }

    /// Line and column of a place, in bytes from 1, as `serde_json` counts.
    fn place(&mut self, at: usize) -> (usize, usize) {
        let at = at.max(self.counted);
        let passed = self.text.get(self.counted..at).unwrap_or_default();
        self.lines += passed.matches('\n').count();
        self.line_start = passed.rfind('\n').map_or(self.line_start, |end| self.counted + end + 1);
        self.counted = at;
        (self.lines, at - self.line_start + 1)
    }

    fn error(&self, line: usize, problem: Problem) -> InputError {
        InputError::Line { path: self.path.to_owned(), line, problem }
    }
}
