//! Memories sorted by NPC in bounded memory: memories beyond the bound are sorted in runs on disk, which are merged.
//!
//! ```
//! use nightfold_formats::{grouped::NpcSorter, jsonl};
//! use nightfold_memory::config::InputConfig;
//!
//! let file: &[u8] = br#"{"id":"m-1","npc":"Tom","at":0,"kind":"event","text":"I woke up"}
//! {"id":"m-2","npc":"Mara","at":10,"kind":"event","text":"I lit the fire"}
//! {"id":"m-3","npc":"Tom","at":20,"kind":"event","text":"I ate"}
//! "#;
//! let limits = InputConfig::default();
//! let mut sorter = NpcSorter::new(&limits);
//! for memory in jsonl::MemoryLines::new("day.jsonl", file, &limits) {
//!     sorter.push(memory?)?;
//! }
//! let groups = sorter.finish()?.collect::<Result<Vec<_>, _>>()?;
//! let found: Vec<_> = groups.iter().map(|(npc, memories)| (npc.as_str(), memories.len())).collect();
//! assert_eq!(found, [("Mara", 1), ("Tom", 2)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    env,
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Seek, Write},
    iter::Peekable,
    mem,
    path::PathBuf,
    vec,
};

use nightfold_memory::{Memory, NpcId, Shard, config::InputConfig};

/// Maximum number of runs that are open at once; when it is reached, the runs are merged into one.
const RUNS: usize = 128;

/// Failure to write memories to disk or to read them back.
#[derive(Debug, thiserror::Error)]
#[error("cannot keep what exceeds input.held_bytes in the folder for temporary files, {}", folder.display())]
pub struct SpillError {
    /// Folder for temporary files.
    pub folder: PathBuf,
    /// Error of the system.
    pub source: io::Error,
}

impl SpillError {
    fn new(source: impl Into<io::Error>) -> Self {
        Self { folder: env::temp_dir(), source: source.into() }
    }
}

/// Order in which NPCs come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NpcOrder {
    Name,
    /// Order of their places among shards, so that the NPCs of each shard come together whatever the number of shards.
    Place,
}

impl NpcOrder {
    fn key(self, npc: &NpcId) -> u64 {
        match self {
            Self::Name => 0,
            Self::Place => Shard::hash(npc),
        }
    }
}

/// Takes memories in any order of NPCs.
#[derive(Debug)]
pub struct NpcSorter {
    order: NpcOrder,
    most_bytes: u64,
    held: Vec<Memory>,
    held_bytes: u64,
    runs: Vec<File>,
}

impl NpcSorter {
    /// Creates an empty value. `input.held_bytes` of the limits is the number of bytes held in memory.
    pub fn new(limits: &InputConfig) -> Self {
        Self::ordered(NpcOrder::Name, limits)
    }

    /// Creates an empty value that returns the NPCs in the order of their [places](Shard::hash), and by name where these are
    /// the same.
    pub fn by_place(limits: &InputConfig) -> Self {
        Self::ordered(NpcOrder::Place, limits)
    }

    fn ordered(order: NpcOrder, limits: &InputConfig) -> Self {
        Self { order, most_bytes: limits.held_bytes, held: Vec::new(), held_bytes: 0, runs: Vec::new() }
    }

    /// Takes a memory.
    ///
    /// # Errors
    /// [`SpillError`] if a run cannot be written to the folder for temporary files.
    pub fn push(&mut self, memory: Memory) -> Result<(), SpillError> {
        self.held_bytes += bytes(&memory);
        self.held.push(memory);
        if self.held_bytes > self.most_bytes {
            self.held_bytes = 0;
            let held = self.sorted();
            let run = written(held.into_iter().map(Ok))?;
            self.runs.push(run);
            if self.runs.len() == RUNS {
                let merged = MergedRuns::of(self.order, mem::take(&mut self.runs), Vec::new())?;
                self.runs.push(written(merged)?);
            }
        }
        Ok(())
    }

    /// Returns all memories by NPC, in order; those of one NPC are in the order in which they were pushed.
    ///
    /// # Errors
    /// [`SpillError`] if a run cannot be read back.
    pub fn finish(mut self) -> Result<NpcGroups, SpillError> {
        let held = self.sorted();
        Ok(NpcGroups(MergedRuns::of(self.order, self.runs, held)?.peekable()))
    }

    fn sorted(&mut self) -> Vec<Memory> {
        let mut held = mem::take(&mut self.held);
        match self.order {
            NpcOrder::Name => held.sort_by(|a, b| a.npc.cmp(&b.npc)),
            NpcOrder::Place => {
                held.sort_by_cached_key(|memory| (self.order.key(&memory.npc), memory.npc.clone()));
            }
        }
        held
    }
}

/// Estimates the bytes that a memory takes up.
fn bytes(memory: &Memory) -> u64 {
    let words = memory.actors.iter().chain(&memory.tags).chain(memory.npc_tags.iter().flatten());
    let lists = words.map(|word| word.len() + size_of::<String>()).sum::<usize>()
        + memory.sources.iter().map(|id| id.as_str().len() + size_of::<String>()).sum::<usize>();
    let vector = memory.vector.as_ref().map_or(0, |vector| size_of_val(vector.as_slice()));
    let names = memory.id.as_str().len() + memory.npc.as_str().len();
    (size_of::<Memory>() + memory.text.len() + names + lists + vector) as u64
}

/// Writes a file without a name, with a memory a line.
fn written(memories: impl Iterator<Item = Result<Memory, SpillError>>) -> Result<File, SpillError> {
    let mut out = BufWriter::new(tempfile::tempfile().map_err(SpillError::new)?);
    for memory in memories {
        serde_json::to_writer(&mut out, &memory?).map_err(SpillError::new)?;
        out.write_all(b"\n").map_err(SpillError::new)?;
    }
    let mut file = out.into_inner().map_err(|error| SpillError::new(error.into_error()))?;
    file.rewind().map_err(SpillError::new)?;
    Ok(file)
}

/// Memories in order of their NPCs.
#[derive(Debug)]
enum SortedRun {
    File(BufReader<File>),
    Held(vec::IntoIter<Memory>),
}

impl SortedRun {
    fn next(&mut self) -> Result<Option<Memory>, SpillError> {
        match self {
            Self::Held(memories) => Ok(memories.next()),
            Self::File(lines) => {
                let mut line = Vec::new();
                let read = lines.read_until(b'\n', &mut line).map_err(SpillError::new)?;
                if read == 0 {
                    return Ok(None);
                }
                serde_json::from_slice(&line).map(Some).map_err(SpillError::new)
            }
        }
    }
}

/// Runs as one: by NPC, and memories of one NPC in the order of the runs.
#[derive(Debug)]
struct MergedRuns {
    by: NpcOrder,
    runs: Vec<SortedRun>,
    /// The next memory of each run that has one.
    heads: Vec<Option<Memory>>,
    next: BinaryHeap<Reverse<(u64, NpcId, usize)>>,
}

impl MergedRuns {
    fn of(by: NpcOrder, files: Vec<File>, held: Vec<Memory>) -> Result<Self, SpillError> {
        let mut runs: Vec<SortedRun> =
            files.into_iter().map(|file| SortedRun::File(BufReader::new(file))).collect();
        runs.push(SortedRun::Held(held.into_iter()));
        let mut merged = Self { by, heads: vec![None; runs.len()], runs, next: BinaryHeap::new() };
        (0..merged.runs.len()).try_for_each(|run| merged.advance(run))?;
        Ok(merged)
    }

    fn advance(&mut self, run: usize) -> Result<(), SpillError> {
        self.heads[run] = self.runs[run].next()?;
        let by = self.by;
        let head = self.heads[run].as_ref();
        self.next.extend(head.map(|memory| Reverse((by.key(&memory.npc), memory.npc.clone(), run))));
        Ok(())
    }
}

impl Iterator for MergedRuns {
    type Item = Result<Memory, SpillError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((_, _, run)) = self.next.pop()?;
        let memory = self.heads[run].take()?;
        Some(self.advance(run).map(|()| memory))
    }
}

/// NPCs one after another, each with all its memories: an iterator.
#[derive(Debug)]
pub struct NpcGroups(Peekable<MergedRuns>);

impl Iterator for NpcGroups {
    type Item = Result<(NpcId, Vec<Memory>), SpillError>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = match self.0.next()? {
            Ok(memory) => memory,
            Err(error) => return Some(Err(error)),
        };
        let npc = first.npc.clone();
        let mut memories = vec![first];
        while let Some(next) = self.0.next_if(|next| next.as_ref().map_or(true, |m| m.npc == npc)) {
            match next {
                Ok(memory) => memories.push(memory),
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok((npc, memories)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use nightfold_memory::{GameTime, Vector};
    use proptest::prelude::*;

    use super::*;

    fn memory(n: usize, npc: &str, text: &str) -> Memory {
        let dated = n.is_multiple_of(2);
        let at: GameTime =
            if dated { "2026-03-01T06:00:00Z".parse().unwrap() } else { "86399".parse().unwrap() };
        let mut memory: Memory = serde_json::from_value(serde_json::json!({
            "id": format!("m{n}"), "npc": npc, "at": at, "kind": "event", "text": text, "tags": ["a", "b"], "npc_tags": ["c"]
        }))
        .unwrap();
        let rest = (1.0_f32 - 0.1 * 0.1 - 1.0 / 9.0).sqrt();
        memory.vector =
            n.is_multiple_of(3).then(|| Vector::new(vec![0.1, f32::MIN_POSITIVE, -1.0 / 3.0, rest]).unwrap());
        memory
    }

    fn grouped(
        sorter: fn(&InputConfig) -> NpcSorter,
        memories: &[Memory],
        held_bytes: u64,
    ) -> Vec<(NpcId, Vec<Memory>)> {
        let mut sorter = sorter(&InputConfig::default().with(|c| c.held_bytes = held_bytes));
        memories.iter().cloned().try_for_each(|memory| sorter.push(memory)).unwrap();
        sorter.finish().unwrap().collect::<Result<_, _>>().unwrap()
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof!["\\PC{0,40}", Just("\n\"\u{1b}[2J".to_owned())]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

        #[test]
        fn grouping_keeps_the_order_of_each_npc_on_disk_and_in_memory(
            lived in prop::collection::vec((0..7_u8, text()), 0..300),
            held_bytes in prop_oneof![Just(1), 1..20_000_u64, Just(u64::MAX)],
        ) {
            let memories: Vec<Memory> =
                lived.iter().enumerate().map(|(n, (npc, text))| memory(n, &format!("n{npc}"), text)).collect();
            let mut expected: BTreeMap<NpcId, Vec<Memory>> = BTreeMap::new();
            for memory in &memories {
                expected.entry(memory.npc.clone()).or_default().push(memory.clone());
            }
            // One byte holds nothing: every memory is a run, and there are more than may be open.
            prop_assert_eq!(grouped(NpcSorter::new, &memories, held_bytes), expected.clone().into_iter().collect::<Vec<_>>());
            let mut by_place: Vec<_> = expected.into_iter().collect();
            by_place.sort_by_key(|(npc, _)| Shard::hash(npc));
            prop_assert_eq!(grouped(NpcSorter::by_place, &memories, held_bytes), by_place);
        }
    }
}
