//! Memories NPC by NPC, however many there are: what memory does not hold is sorted in runs on the disk, which are merged.

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

use nightfold::memory::{InputConfig, Memory, NpcId};

use crate::error::{CliError, Exit};

/// The most runs that are open at once; when there are as many, they are made one.
const RUNS: usize = 128;

/// The disk does not take or give back what memory does not hold.
#[derive(Debug, thiserror::Error)]
#[error("cannot keep what exceeds input.held_bytes in the folder for temporary files, {}", folder.display())]
pub(crate) struct SpillError {
    folder: PathBuf,
    source: io::Error,
}

impl SpillError {
    fn new(source: impl Into<io::Error>) -> Self {
        Self { folder: env::temp_dir(), source: source.into() }
    }
}

impl From<SpillError> for CliError {
    fn from(error: SpillError) -> Self {
        Self::new(Exit::Usage, error)
            .hint("make room there, name another folder in TMPDIR, or raise input.held_bytes")
    }
}

/// Takes memories as they come.
pub(crate) struct Grouping {
    most_bytes: u64,
    held: Vec<Memory>,
    held_bytes: u64,
    runs: Vec<File>,
}

impl Grouping {
    pub(crate) fn new(limits: &InputConfig) -> Self {
        Self { most_bytes: limits.held_bytes, held: Vec::new(), held_bytes: 0, runs: Vec::new() }
    }

    pub(crate) fn push(&mut self, memory: Memory) -> Result<(), SpillError> {
        self.held_bytes += bytes(&memory);
        self.held.push(memory);
        if self.held_bytes > self.most_bytes {
            self.held_bytes = 0;
            let held = self.sorted();
            let run = written(held.into_iter().map(Ok))?;
            self.runs.push(run);
            if self.runs.len() == RUNS {
                let merged = Merged::of(mem::take(&mut self.runs), Vec::new())?;
                self.runs.push(written(merged)?);
            }
        }
        Ok(())
    }

    /// All memories, in the order of their NPCs' names and for each as they came.
    pub(crate) fn finish(mut self) -> Result<Grouped, SpillError> {
        let held = self.sorted();
        Ok(Grouped(Merged::of(self.runs, held)?.peekable()))
    }

    fn sorted(&mut self) -> Vec<Memory> {
        let mut held = mem::take(&mut self.held);
        held.sort_by(|a, b| a.npc.cmp(&b.npc));
        held
    }
}

/// About how much memory one takes.
fn bytes(memory: &Memory) -> u64 {
    let lists = memory.actors.iter().chain(&memory.tags).map(String::len).sum::<usize>()
        + memory.sources.iter().map(|id| id.as_str().len()).sum::<usize>()
        + (memory.actors.len() + memory.tags.len() + memory.sources.len()) * size_of::<String>();
    let vector = memory.vector.as_ref().map_or(0, |vector| size_of_val(vector.as_slice()));
    let names = memory.id.as_str().len() + memory.npc.as_str().len();
    (size_of::<Memory>() + memory.text.len() + names + lists + vector) as u64
}

/// A file that nobody else sees, with a memory a line.
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
enum Run {
    File(BufReader<File>),
    Held(vec::IntoIter<Memory>),
}

impl Run {
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

/// Runs as one: by NPC, and what one run holds of an NPC before what a later one does.
struct Merged {
    runs: Vec<Run>,
    /// The next memory of each run that has one.
    heads: Vec<Option<Memory>>,
    order: BinaryHeap<Reverse<(NpcId, usize)>>,
}

impl Merged {
    fn of(files: Vec<File>, held: Vec<Memory>) -> Result<Self, SpillError> {
        let mut runs: Vec<Run> = files.into_iter().map(|file| Run::File(BufReader::new(file))).collect();
        runs.push(Run::Held(held.into_iter()));
        let mut merged = Self { heads: vec![None; runs.len()], runs, order: BinaryHeap::new() };
        (0..merged.runs.len()).try_for_each(|run| merged.advance(run))?;
        Ok(merged)
    }

    fn advance(&mut self, run: usize) -> Result<(), SpillError> {
        self.heads[run] = self.runs[run].next()?;
        self.order.extend(self.heads[run].as_ref().map(|memory| Reverse((memory.npc.clone(), run))));
        Ok(())
    }
}

impl Iterator for Merged {
    type Item = Result<Memory, SpillError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((_, run)) = self.order.pop()?;
        let memory = self.heads[run].take()?;
        Some(self.advance(run).map(|()| memory))
    }
}

/// One NPC after the other, with all its memories.
pub(crate) struct Grouped(Peekable<Merged>);

impl Iterator for Grouped {
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

    use nightfold::memory::{GameTime, Vector};
    use proptest::prelude::*;

    use super::*;

    fn memory(n: usize, npc: &str, text: &str) -> Memory {
        let dated = n.is_multiple_of(2);
        let at: GameTime =
            if dated { "2026-03-01T06:00:00Z".parse().unwrap() } else { "86399".parse().unwrap() };
        let mut memory: Memory = serde_json::from_value(serde_json::json!({
            "id": format!("m{n}"), "npc": npc, "at": at, "kind": "event", "text": text, "tags": ["a", "b"]
        }))
        .unwrap();
        let rest = (1.0_f32 - 0.1 * 0.1 - 1.0 / 9.0).sqrt();
        memory.vector =
            n.is_multiple_of(3).then(|| Vector::new(vec![0.1, f32::MIN_POSITIVE, -1.0 / 3.0, rest]).unwrap());
        memory
    }

    fn grouped(memories: &[Memory], held_bytes: u64) -> Vec<(NpcId, Vec<Memory>)> {
        let mut grouping = Grouping::new(&InputConfig { held_bytes, ..InputConfig::default() });
        memories.iter().cloned().try_for_each(|memory| grouping.push(memory)).unwrap();
        grouping.finish().unwrap().collect::<Result<_, _>>().unwrap()
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof!["\\PC{0,40}", Just("\n\"\u{1b}[2J".to_owned())]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

        #[test]
        fn on_the_disk_or_in_memory_every_npc_has_its_memories_as_they_came(
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
            prop_assert_eq!(grouped(&memories, held_bytes), expected.into_iter().collect::<Vec<_>>());
        }
    }
}
