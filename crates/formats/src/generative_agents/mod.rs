//! A save folder of Generative Agents (Park et al. 2023) as memories: `personas/NAME/…/nodes.json` of every persona.
//!
//! A node is a memory of its persona under its own name (`node_12`), so that a later save of the same town
//! repeats the memories of an earlier one under the same ids. Its `poignancy` is the importance; its
//! `filling` names the nodes a thought rests on, and becomes `sources`. The lines of a chat are in `filling`
//! too, but are not sources.
//!
//! ```
//! use nightfold_formats::generative_agents::{self, SaveError};
//! use nightfold_memory::config::InputConfig;
//!
//! let save = tempfile::tempdir()?;
//! let home = save.path().join("personas/Isabella Rodriguez/bootstrap_memory/associative_memory");
//! std::fs::create_dir_all(&home)?;
//! std::fs::write(
//!     home.join("nodes.json"),
//!     r#"{"node_1": {"type": "event", "created": "2023-02-13 08:00:00", "description": "the bed is unmade",
//!                    "poignancy": 1, "filling": null}}"#,
//! )?;
//!
//! let memories = generative_agents::read_save(save.path(), &InputConfig::default())?;
//! assert_eq!(memories[0].npc.as_str(), "Isabella Rodriguez");
//! assert_eq!(memories[0].text, "the bed is unmade");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod nodes;

use std::{
    collections::{BTreeMap, BTreeSet, btree_map},
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use nightfold_memory::{GameTime, Importance, Kind, Memory, MemoryId, NpcId, config::InputConfig};
use serde::Deserialize;

pub use self::error::SaveError;
use self::{
    error::PERSONAS,
    nodes::{NodeFault, NodesFile},
};
use crate::jsonl::{JsonLineError, LineProblem, check_bounds};

/// File of a persona's memories, in its folder.
const NODES: &str = "bootstrap_memory/associative_memory/nodes.json";

/// One node, as far as it is read.
#[derive(Debug, Deserialize)]
struct SaveNode {
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

/// Origin of a node. Real saves hold a single name where a list of one is meant.
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

/// Reads all memories of a save, by persona and then in the order of their file.
///
/// # Errors
/// The first [`SaveError`].
pub fn read_save(folder: &Path, limits: &InputConfig) -> Result<Vec<Memory>, SaveError> {
    SaveReader::open(folder, limits)?.collect()
}

/// Memories of a save, one by one: an iterator that ends after an error, unless only one node is bad
/// ([`SaveError::is_of_one_node`]).
#[derive(Debug)]
pub struct SaveReader<'a> {
    personas: btree_map::IntoIter<NpcId, PathBuf>,
    /// The persona whose file is being read.
    open: Option<(NpcId, NodesFile)>,
    limits: &'a InputConfig,
    unread: BTreeMap<String, usize>,
}

impl<'a> SaveReader<'a> {
    /// Lists the personas and files of a save.
    ///
    /// # Errors
    /// [`SaveError`] if the folder is not a save, cannot be read, or holds too many files.
    pub fn open(folder: &Path, limits: &'a InputConfig) -> Result<Self, SaveError> {
        let personas = personas(folder)?;
        let files: BTreeSet<PathBuf> = personas.values().map(|home| home.join(NODES)).collect();
        let unread = unread(folder, &files, limits.max_files)?;
        Ok(Self { personas: personas.into_iter(), open: None, limits, unread })
    }

    /// Returns the names of files that hold no memories and are not read, each with the number of files of that name.
    pub fn unread(&self) -> &BTreeMap<String, usize> {
        &self.unread
    }

    fn read_next(&mut self) -> Result<Option<Memory>, SaveError> {
        loop {
            if let Some((npc, nodes)) = &mut self.open
                && let Some(node) = nodes.next()
            {
                let memory = memory(npc, &node.id, nodes.json(&node)).and_then(|memory| {
                    check_bounds(&memory, self.limits).map_err(|p| NodeFault::Bounds(of_a_node(p)))?;
                    Ok(memory)
                });
                return memory.map(Some).map_err(|fault| nodes.wrong(&node, fault));
            }
            let Some((npc, home)) = self.personas.next() else { return Ok(None) };
            let path = home.join(NODES);
            let text = read_text(&path, self.limits.max_file_bytes)?;
            self.open = Some((npc, NodesFile::new(path, text)?));
        }
    }
}

impl Iterator for SaveReader<'_> {
    type Item = Result<Memory, SaveError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = self.read_next();
        if read.as_ref().is_err_and(|error| !error.is_of_one_node()) {
            (self.open, self.personas) = (None, BTreeMap::new().into_iter());
        }
        read.transpose()
    }
}

/// True if a folder has what makes it a save: a folder of personas.
pub fn is_save(folder: &Path) -> bool {
    folder.join(PERSONAS).is_dir()
}

/// Returns the personas of a save with their folders, by name.
fn personas(folder: &Path) -> Result<BTreeMap<NpcId, PathBuf>, SaveError> {
    let homes = folder.join(PERSONAS);
    if !homes.is_dir() {
        return Err(SaveError::NoPersonas { path: folder.to_owned() });
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

fn entries(folder: &Path) -> Result<Vec<fs::DirEntry>, SaveError> {
    let read = || fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>();
    read().map_err(|source| SaveError::Read { path: folder.to_owned(), source })
}

/// Counts the files that are not read, by name. Links are not followed: they count as files.
fn unread(
    folder: &Path,
    read: &BTreeSet<PathBuf>,
    most: usize,
) -> Result<BTreeMap<String, usize>, SaveError> {
    let (mut names, mut seen, mut folders) = (BTreeMap::new(), 0_usize, vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in entries(&next)? {
            seen += 1;
            if seen > most {
                return Err(SaveError::Many { path: folder.to_owned(), most });
            }
            let path = entry.path();
            let kind = entry.file_type().map_err(|source| SaveError::Read { path: path.clone(), source })?;
            if kind.is_dir() {
                folders.push(path);
            } else if !read.contains(&path) {
                *names.entry(entry.file_name().to_string_lossy().into_owned()).or_default() += 1;
            }
        }
    }
    Ok(names)
}

fn read_text(path: &Path, most: usize) -> Result<String, SaveError> {
    let of_file = |source| SaveError::Read { path: path.to_owned(), source };
    // A pipe or a device would be waited for.
    if !fs::metadata(path).map_err(of_file)?.is_file() {
        return Err(SaveError::NoFile { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    let limit = (most as u64).saturating_add(1);
    File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(of_file)?;
    if bytes.len() > most {
        return Err(SaveError::Large { path: path.to_owned(), most });
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let lines: Vec<&[u8]> = valid.split(|&byte| byte == b'\n').collect();
        let at = lines.last().map_or(0, |last| last.len());
        let problem = LineProblem::Utf8 { at };
        SaveError::File(JsonLineError { file: path.to_owned(), line: lines.len(), problem })
    })
}

fn memory(npc: &NpcId, id: &str, json: &str) -> Result<Memory, NodeFault> {
    let id = MemoryId::new(id).map_err(NodeFault::Name)?;
    let mut reader = serde_json::Deserializer::from_str(json);
    let node: SaveNode =
        serde_path_to_error::deserialize(&mut reader).map_err(|e| NodeFault::Json(Box::new(e)))?;
    let sources = match node.filling {
        Some(Filling::Evidence(ids)) => ids,
        Some(Filling::One(id)) => vec![id],
        Some(Filling::Said(_)) | None => Vec::new(),
    };
    Ok(Memory::new(
        npc.clone(),
        id,
        node.created,
        match node.kind {
            NodeKind::Event => Kind::Event,
            NodeKind::Chat => Kind::Chat,
            NodeKind::Thought => Kind::Thought,
        },
        node.description,
    )
    .with(|memory| {
        memory.importance = node.poignancy;
        memory.sources = sources;
    }))
}

/// Names the fields of a node where the bounds name those of a memory.
fn of_a_node(problem: LineProblem) -> LineProblem {
    match problem {
        LineProblem::LongText { given, most, .. } => {
            LineProblem::LongText { field: "description", given, most }
        }
        LineProblem::LongList { given, most, .. } => LineProblem::LongList { field: "filling", given, most },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A save with one persona, Ann, and these nodes.
    fn save(nodes: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(PERSONAS).join("Ann").join(NODES);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, nodes).unwrap();
        folder
    }

    fn node(description: &str) -> String {
        format!(r#"{{"type":"event","created":"2023-02-13 08:00:00","description":"{description}"}}"#)
    }

    #[test]
    fn reading_continues_after_a_bad_node_and_ends_at_a_bad_file() {
        let nodes = format!("{{\n\"a\":{},\n\"b\":{{\"type\":1}},\n\"c\":{}\n}}", node("x"), node("y"));
        let folder = save(&nodes);
        let limits = InputConfig::default();
        let mut reader = SaveReader::open(folder.path(), &limits).unwrap();
        assert_eq!(reader.next().unwrap().unwrap().id.as_str(), "a");
        let bad_node = reader.next().unwrap().unwrap_err();
        let SaveError::Node(error) = &bad_node else { panic!("{bad_node}") };
        assert_eq!((error.line, error.column(), error.field()), (3, Some(13), Some("b.type")));
        assert!(bad_node.is_of_one_node());
        assert_eq!(reader.next().unwrap().unwrap().id.as_str(), "c");
        assert!(reader.next().is_none());
        let folder = save(&nodes.replace("\n}", "\n!"));
        let mut reader = SaveReader::open(folder.path(), &limits).unwrap();
        let bad_file = reader.next().unwrap().unwrap_err();
        assert!(bad_file.to_string().ends_with("nodes.json:5: column 1: expected `,` or `}`"), "{bad_file}");
        assert!(!bad_file.is_of_one_node());
        assert!(reader.next().is_none());
    }

    #[test]
    fn files_without_memories_are_counted_by_name() {
        let folder = save("{}");
        for place in ["meta.json", "personas/meta.json", "personas/scratch.json"] {
            fs::write(folder.path().join(place), "").unwrap();
        }
        let limits = InputConfig::default();
        let reader = SaveReader::open(folder.path(), &limits).unwrap();
        let unread: Vec<_> = reader.unread().iter().map(|(name, n)| (name.as_str(), *n)).collect();
        assert_eq!(unread, [("meta.json", 2), ("scratch.json", 1)]);
        assert_eq!(reader.count(), 0);
        let limits = limits.with(|c| c.max_files = 3);
        assert!(matches!(SaveReader::open(folder.path(), &limits), Err(SaveError::Many { most: 3, .. })));
    }

    #[test]
    fn memory_bounds_apply_and_errors_name_the_node_fields() {
        let folder = save(&format!("\u{feff}{{\"a\":{}}}", node("four")));
        let limits = InputConfig::default().with(|c| c.max_text_bytes = 3);
        let error = read_save(folder.path(), &limits).unwrap_err().to_string();
        assert!(
            error.ends_with(":1: field `description`: 4 bytes; at most 3 are allowed (input.max_text_bytes)")
        );
        let limits = InputConfig::default().with(|c| c.max_file_bytes = 3);
        assert!(matches!(read_save(folder.path(), &limits), Err(SaveError::Large { most: 3, .. })));
        let other = tempfile::tempdir().unwrap();
        let error = read_save(other.path(), &limits).unwrap_err();
        assert!(matches!(error, SaveError::NoPersonas { .. }), "{error}");
    }
}
