//! Packs: what is written is read, shard for shard, and what was changed since is not.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeSet,
    fs::File,
    io::{Seek as _, Write as _},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use nightfold_formats::{
    grouped::NpcSorter,
    jsonl::VectorRule,
    parquet::{
        PackError, PackNotes, PackProblem, PackReader, PackWriteError, PackWriter, ParquetProblem,
        RangeSource,
    },
};
use nightfold_memory::{Emotion, Kind, Memory, ModelId, NpcId, Shard, Vector, config::InputConfig};
use proptest::prelude::*;

const MOST: u64 = 1 << 24;

fn memory(npc: usize, n: usize, text: &str) -> Memory {
    let npc = NpcId::new(format!("npc {npc}")).unwrap();
    let at = if n.is_multiple_of(2) { "2026-03-01T06:00:00Z" } else { "86399" };
    let memory = Memory::new(npc, format!("m{n}").parse().unwrap(), at.parse().unwrap(), Kind::Chat, text);
    memory.with(|memory| {
        if n.is_multiple_of(3) {
            memory.importance = Some(serde_json::from_str("7").unwrap());
            memory.emotion = serde_json::from_str::<Emotion>(r#"{"valence":-0.1,"intensity":0.3}"#).ok();
            memory.place = Some("mill".to_owned());
        }
        if n.is_multiple_of(5) {
            memory.actors = vec!["Old Tom".to_owned(), String::new()];
            memory.npc_tags = Some(Vec::new());
            memory.sources = vec!["m0".parse().unwrap()];
            memory.pinned = true;
        }
        if n.is_multiple_of(7) {
            memory.vector = Some(Vector::new(vec![0.6, -0.8, -0.0]).unwrap());
        }
    })
}

fn model() -> ModelId {
    ModelId::new("m").unwrap()
}

fn written(memories: &[Memory], shards: u32, most: u64) -> Result<(Vec<u8>, PackNotes), PackWriteError> {
    let mut sorter = NpcSorter::by_place(&InputConfig::default());
    memories.iter().cloned().try_for_each(|memory| sorter.push(memory)).unwrap();
    let mut bytes = Vec::new();
    let mut pack = PackWriter::new(&mut bytes, shards, Some(model()), most)?;
    for group in sorter.finish().unwrap() {
        let (npc, memories) = group.unwrap();
        pack.push(&npc, &memories)?;
    }
    let notes = pack.finish()?;
    Ok((bytes, notes))
}

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    file
}

fn read(pack: &mut PackReader, shard: usize) -> Result<Vec<Memory>, PackError> {
    let (limits, model) = (InputConfig::default(), model());
    let rule = VectorRule { given: Some("m"), model: &model, dimensions: 3 };
    pack.memories(shard, &limits, Some(rule)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_memory_is_in_the_shard_of_its_npc_and_in_the_order_of_its_day(
        lived in prop::collection::vec((0..40_usize, "\\PC{0,30}"), 0..200),
        shards in 1..24_u32,
    ) {
        let memories: Vec<Memory> =
            lived.iter().enumerate().map(|(n, (npc, text))| memory(*npc, n, text)).collect();
        let (bytes, notes) = written(&memories, shards, MOST).unwrap();
        let mut pack = PackReader::open(file(&bytes), MOST).unwrap();
        prop_assert_eq!(pack.notes(), &notes);
        prop_assert_eq!(notes.memories(), memories.len() as u64);
        // In any order, and again.
        for index in (0..shards).rev().chain([0]) {
            let found = read(&mut pack, index as usize).unwrap();
            let shard = Shard::new(index, shards).unwrap();
            prop_assert_eq!(notes.shards[index as usize].memories, found.len() as u64);
            let npcs: BTreeSet<&NpcId> = found.iter().map(|memory| &memory.npc).collect();
            prop_assert_eq!(notes.shards[index as usize].npcs, npcs.len() as u64);
            for npc in memories.iter().map(|memory| &memory.npc).filter(|npc| shard.has(npc)) {
                let of = |memories: &[Memory]| memories.iter().filter(|m| m.npc == *npc).cloned().collect::<Vec<_>>();
                prop_assert_eq!(of(&found), of(&memories));
            }
        }
    }

    #[test]
    fn changed_bytes_are_an_error_or_change_nothing(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let memories: Vec<Memory> = (0..60).map(|n| memory(n % 12, n, "I fed the hens at the mill.")).collect();
        let (mut bytes, notes) = written(&memories, 4, MOST).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let Ok(mut pack) = PackReader::open(file(&bytes), MOST) else { return Ok(()) };
        let found: Result<Vec<_>, _> = (0..pack.notes().shards.len()).map(|shard| read(&mut pack, shard)).collect();
        if let (Ok(found), true) = (found, *pack.notes() == notes) {
            let found: BTreeSet<String> = found.iter().flatten().map(|m| serde_json::to_string(m).unwrap()).collect();
            let all: BTreeSet<String> = memories.iter().map(|m| serde_json::to_string(m).unwrap()).collect();
            prop_assert_eq!(found, all);
        }
    }
}

#[test]
fn same_memories_make_the_same_bytes_and_others_another_identity() {
    let memories: Vec<Memory> = (0..50).map(|n| memory(n % 9, n, "I swept the inn.")).collect();
    let (bytes, notes) = written(&memories, 8, MOST).unwrap();
    // Another order of the NPCs, with each one's day as it was.
    let mut by_npc = memories.clone();
    by_npc.sort_by(|a, b| b.npc.cmp(&a.npc));
    assert_eq!(written(&by_npc, 8, MOST).unwrap().0, bytes);
    assert_eq!(notes.identity().len(), 64);
    for (memories, shards) in [(&memories[1..], 8), (&memories[..], 4)] {
        assert_ne!(written(memories, shards, MOST).unwrap().1.identity(), notes.identity());
    }
}

#[test]
fn shard_without_npcs_is_read_as_empty() {
    let (bytes, notes) = written(&[memory(1, 1, "I woke.")], 5, MOST).unwrap();
    let mut pack = PackReader::open(file(&bytes), MOST).unwrap();
    let sizes: Vec<usize> = (0..5).map(|shard| read(&mut pack, shard).unwrap().len()).collect();
    assert_eq!(sizes.iter().sum::<usize>(), 1);
    assert_eq!(
        sizes.iter().map(|n| *n as u64).collect::<Vec<_>>(),
        notes.shards.iter().map(|s| s.memories).collect::<Vec<_>>()
    );
}

#[test]
fn shard_beyond_the_bound_is_refused_when_written_and_when_read() {
    let memories: Vec<Memory> = (0..500).map(|n| memory(n, n, "I fed the hens at the mill.")).collect();
    let error = written(&memories, 1, 4096).unwrap_err();
    assert_eq!(error.to_string(), "shard 0 of 1 exceeds 4096 bytes (transfer.max_group_bytes)");
    assert!(written(&memories, 0, MOST).unwrap_err().to_string().contains("1 to 32767"));
    let (bytes, _) = written(&memories, 1, MOST).unwrap();
    let error = PackReader::open(file(&bytes), 4096).err().unwrap();
    assert!(matches!(error.problem, ParquetProblem::LargeGroup { most: 4096, .. }), "{error}");
}

/// Bytes that are read by ranges, as from a cloud: those and the calls are counted.
#[derive(Clone)]
struct FarAway(Bytes, Arc<(AtomicUsize, AtomicUsize)>);

impl RangeSource for FarAway {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_range(&self, start: u64, length: usize) -> std::io::Result<Bytes> {
        assert!(length > 0, "no storage knows empty ranges");
        self.1.0.fetch_add(length, Ordering::Relaxed);
        self.1.1.fetch_add(1, Ordering::Relaxed);
        let start = usize::try_from(start).unwrap();
        Ok(self.0.slice(start..start + length))
    }
}

#[test]
fn of_a_pack_that_is_far_away_only_the_shards_that_are_asked_for_are_read() {
    let long = "I fed the hens. ".repeat(12);
    let memories: Vec<Memory> = (0..8000).map(|n| memory(n / 10, n, &format!("{long}{n}"))).collect();
    let (bytes, notes) = written(&memories, 300, MOST).unwrap();
    let source = FarAway(bytes.clone().into(), Arc::default());
    let count = Arc::clone(&source.1);
    let mut pack = PackReader::open_ranges(source.clone(), MOST).unwrap();
    let mut near = PackReader::open(file(&bytes), MOST).unwrap();
    for shard in [3, 9] {
        assert_eq!(read(&mut pack, shard).unwrap(), read(&mut near, shard).unwrap());
    }
    let (read_bytes, calls) = (count.0.load(Ordering::Relaxed), count.1.load(Ordering::Relaxed));
    assert!(read_bytes < bytes.len() / 2, "{read_bytes} of {}", bytes.len());
    // The footer, which is long, and each shard: no byte by byte.
    assert!(calls <= 5, "{calls} calls");
    assert_eq!(pack.notes(), &notes);
    let cut = FarAway(source.0.slice(..bytes.len() - 9), Arc::default());
    assert!(PackReader::open_ranges(cut, MOST).is_err());
    assert!(PackReader::open_ranges(FarAway(Bytes::new(), Arc::default()), MOST).is_err());
}

#[test]
fn npc_of_another_shard_is_refused() {
    let shard_of = |npc: &str| Shard::index_of(Shard::place(&NpcId::new(npc).unwrap()), 2) as usize;
    let (here, there) = ('a'..='z').map(|c| format!("npc {c}")).fold((None, None), |(here, there), npc| {
        if shard_of(&npc) == 0 { (Some(npc), there) } else { (here, Some(npc)) }
    });
    let (here, there) = (here.unwrap(), there.unwrap());
    let lived = memory(0, 1, "I woke.").with(|memory| memory.npc = NpcId::new(&*here).unwrap());
    let (mut bytes, _) = written(&[lived], 2, MOST).unwrap();
    let at = bytes.windows(5).position(|window| window == here.as_bytes()).unwrap();
    bytes[at..at + 5].copy_from_slice(there.as_bytes());
    let error = read(&mut PackReader::open(file(&bytes), MOST).unwrap(), 0).unwrap_err();
    assert_eq!(error.to_string(), format!("shard 0, row 1: {there} belongs to another shard"));
}

#[test]
fn notes_with_impossible_counts_add_up_without_a_panic() {
    let (_, mut notes) = written(&[memory(1, 1, "I woke.")], 2, MOST).unwrap();
    notes.shards.iter_mut().for_each(|shard| (shard.memories, shard.npcs) = (u64::MAX, u64::MAX));
    assert_eq!((notes.memories(), notes.npcs()), (u64::MAX, u64::MAX));
}

#[test]
fn npcs_out_of_order_are_refused() {
    let mut pack = PackWriter::new(Vec::new(), 4, None, MOST).unwrap();
    let one = memory(1, 1, "I woke.");
    pack.push(&one.npc, std::slice::from_ref(&one)).unwrap();
    let error = pack.push(&one.npc, std::slice::from_ref(&one)).unwrap_err();
    assert_eq!(error.to_string(), "npc 1 is out of the order of `NpcSorter::by_place`");
}

#[test]
fn memory_beyond_a_bound_is_named_with_its_shard_and_row() {
    let (bytes, _) = written(&[memory(1, 1, "I woke up."), memory(1, 7, "I ate.")], 1, MOST).unwrap();
    let mut pack = PackReader::open(file(&bytes), MOST).unwrap();
    let limits = InputConfig::default().with(|c| c.max_text_bytes = 8);
    let found: Vec<_> =
        pack.memories(0, &limits, None).map(|read| read.map_err(|error| error.to_string())).collect();
    assert_eq!(
        found.iter().map(|read| read.as_ref().unwrap_err().as_str()).collect::<Vec<_>>(),
        [
            "shard 0, row 1: field `text`: 10 bytes; at most 8 are allowed (input.max_text_bytes)",
            "shard 0, row 2: field `vector`: of an unnamed model; name it in `VectorRule::given`",
        ]
    );
}

#[test]
fn other_files_are_no_packs() {
    let (bytes, _) = written(&[memory(1, 1, "I woke up.")], 1, MOST).unwrap();
    for other in [&b"PAR1"[..], b"", &bytes[..bytes.len() / 2]] {
        assert!(PackReader::open(file(other), MOST).is_err());
    }
    let newer = String::from_utf8_lossy(&bytes).contains("{\"format\":1");
    assert!(newer, "the notes are in the footer as they are");
    let at = bytes.windows(11).position(|window| window == b"{\"format\":1").unwrap() + 10;
    let mut newer = bytes.clone();
    newer[at] = b'2';
    let error = PackReader::open(file(&newer), MOST).err().unwrap();
    assert_eq!(error.to_string(), "a pack of format 2; this version reads format 1");
}

#[test]
fn memories_that_were_changed_are_named_by_their_checksum() {
    let (mut bytes, _) = written(&[memory(1, 1, "I sold the horse.")], 1, MOST).unwrap();
    let at = bytes.windows(5).position(|window| window == b"horse").unwrap();
    bytes[at..at + 5].copy_from_slice(b"house");
    let mut pack = PackReader::open(file(&bytes), MOST).unwrap();
    let error = read(&mut pack, 0).unwrap_err();
    assert!(matches!(error.problem, PackProblem::Changed), "{error}");
    assert!(error.to_string().starts_with("shard 0: the memories"), "{error}");
}

#[test]
fn shard_that_cannot_be_reached_is_told_as_a_whole() {
    struct Gone(FarAway, AtomicUsize);
    impl RangeSource for Gone {
        fn size(&self) -> u64 {
            self.0.size()
        }

        fn read_range(&self, start: u64, length: usize) -> std::io::Result<Bytes> {
            // The footer is there, and then nothing.
            match self.1.fetch_add(1, Ordering::Relaxed) {
                0 | 1 => self.0.read_range(start, length),
                _ => Err(std::io::Error::other("the network is down")),
            }
        }
    }
    let long = "I fed the hens. ".repeat(12);
    let memories: Vec<Memory> = (0..8000).map(|n| memory(n / 10, n, &format!("{long}{n}"))).collect();
    let (bytes, _) = written(&memories, 300, MOST).unwrap();
    let gone = Gone(FarAway(bytes.into(), Arc::default()), AtomicUsize::new(0));
    let mut pack = PackReader::open_ranges(gone, MOST).unwrap();
    let error = read(&mut pack, 3).unwrap_err();
    assert!(matches!(error.problem, PackProblem::Read(_)), "{error}");
    assert_eq!(error.to_string(), "shard 3: the shard cannot be read");
}

#[test]
fn shard_that_ends_beyond_its_file_is_damaged_and_not_away() {
    let memories: Vec<Memory> = (0..2000).map(|n| memory(n / 10, n, "I fed the hens at the mill.")).collect();
    let (mut bytes, _) = written(&memories, 1, MOST).unwrap();
    bytes.drain(1_000..bytes.len() / 2);
    let far = FarAway(bytes.clone().into(), Arc::default());
    let packs = [PackReader::open_ranges(far, MOST), PackReader::open(file(&bytes), MOST)];
    for mut pack in packs.map(Result::unwrap) {
        let error = read(&mut pack, 0).unwrap_err();
        assert!(matches!(error.problem, PackProblem::Parquet(ParquetProblem::Content(_))), "{error}");
        assert!(error.to_string().contains("a group of rows ends at byte"), "{error}");
    }
}
