//! Memories of a day, and the names and times in them.

use std::{
    fmt::Display,
    io::{Seek as _, Write as _},
    str::FromStr,
};

use nightfold_formats::{
    generative_agents::SaveReader,
    grouped::NpcSorter,
    jsonl::{self, MemoryLines, VectorRule},
    parquet::RowLines,
};
use nightfold_memory::{
    GameTime, Memory, MemoryId, ModelId, NightLabel, NpcId, SavePointName, Shard, ThemeId,
    config::InputConfig,
};

use crate::scratch::with_files;

/// Bounds that short inputs reach.
pub(crate) fn limits() -> InputConfig {
    let mut limits = InputConfig::default();
    limits.max_line_bytes = 4_096;
    limits.max_text_bytes = 64;
    limits.max_list = 4;
    limits.held_bytes = 512;
    limits.max_file_bytes = 16_384;
    limits
}

/// Checks what must hold of every memory that a reader accepts.
pub(crate) fn check_accepted(memory: &Memory, limits: &InputConfig) {
    jsonl::check_bounds(memory, limits).expect("accepted memories are within the bounds");
    let written = serde_json::to_string(memory).unwrap();
    let again: Memory = serde_json::from_str(&written).expect("accepted memories can be written and read");
    assert_eq!(again, *memory);
}

/// Memories as lines or as one array: with and without vectors, and sorted by NPC in bounded memory.
pub fn memories(bytes: &[u8]) {
    let limits = limits();
    let model: ModelId = "two@1".parse().unwrap();
    let rule = VectorRule { given: Some("two@1"), model: &model, dimensions: 2 };
    for rule in [None, Some(rule)] {
        let lines = || {
            let lines = MemoryLines::new("day.jsonl", bytes, &limits);
            match rule {
                Some(rule) => lines.with_vectors(rule),
                None => lines,
            }
        };
        let read: Vec<_> = lines().collect();
        assert!(read.len() <= bytes.len() + 1, "every line gives one memory or one error");
        for memory in read.iter().flatten() {
            check_accepted(memory, &limits);
            assert!(rule.is_some() || memory.vector.is_none());
            assert!(memory.vector.as_ref().is_none_or(|vector| vector.as_slice().len() == 2));
        }
        let told = |read: &[Result<Memory, jsonl::JsonlError>]| -> Vec<_> {
            read.iter().map(|one| one.as_ref().map_err(ToString::to_string).cloned()).collect()
        };
        assert_eq!(told(&read), told(&lines().collect::<Vec<_>>()), "a second reading tells the same");
        if let Ok(text) = str::from_utf8(bytes)
            && let Ok(memories) = jsonl::read_text("day.jsonl", text, &limits, rule)
        {
            memories.iter().for_each(|memory| check_accepted(memory, &limits));
        }
        sort(read.into_iter().flatten().collect(), &limits);
    }
}

/// Memories as rows of a Parquet file.
pub fn rows(bytes: &[u8]) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    let Ok(rows) = RowLines::open(file) else { return };
    let limits = limits();
    for memory in MemoryLines::new("day.parquet", rows, &limits).take(1_000).flatten() {
        check_accepted(&memory, &limits);
    }
}

/// Sorts memories by NPC: none is lost, and each NPC comes once.
fn sort(memories: Vec<Memory>, limits: &InputConfig) {
    let mut sorter = NpcSorter::new(limits);
    let mut expected = std::collections::BTreeMap::<NpcId, Vec<Memory>>::new();
    for memory in memories {
        expected.entry(memory.npc.clone()).or_default().push(memory.clone());
        sorter.push(memory).unwrap();
    }
    let sorted: Vec<_> = sorter.finish().unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(sorted, expected.into_iter().collect::<Vec<_>>());
}

/// The file of one persona in a save of Generative Agents.
pub fn nodes(bytes: &[u8]) {
    const NODES: &str = "personas/Mara/bootstrap_memory/associative_memory/nodes.json";
    let limits = limits();
    with_files(&[(NODES, bytes)], |folder| {
        let read = || {
            let save = SaveReader::open(folder, &limits).expect("the folder is a save");
            save.map(|memory| memory.map_err(|error| error.to_string())).collect::<Vec<_>>()
        };
        let memories = read();
        assert!(memories.len() <= bytes.len() + 1);
        for memory in memories.iter().flatten() {
            assert_eq!(memory.npc.as_str(), "Mara");
            check_accepted(memory, &limits);
        }
        assert_eq!(memories, read(), "a second reading tells the same");
    });
}

/// Names, times and shards, as arguments and files have them.
pub fn names(bytes: &[u8]) {
    fn parses_as_it_displays<T: FromStr + Display + PartialEq + std::fmt::Debug>(text: &str)
    where
        T::Err: Display,
    {
        match text.parse::<T>() {
            Ok(name) => assert_eq!(name.to_string().parse::<T>().ok(), Some(name), "{text:?}"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let Ok(text) = str::from_utf8(bytes) else { return };
    parses_as_it_displays::<MemoryId>(text);
    parses_as_it_displays::<ModelId>(text);
    parses_as_it_displays::<NightLabel>(text);
    parses_as_it_displays::<NpcId>(text);
    parses_as_it_displays::<SavePointName>(text);
    parses_as_it_displays::<ThemeId>(text);
    parses_as_it_displays::<Shard>(text);
    parses_as_it_displays::<GameTime>(text);
    if let Ok(time) = text.parse::<GameTime>() {
        for turns_at in [0, 14_400, 86_399] {
            assert!(!time.night(turns_at).as_str().is_empty());
        }
    }
}
