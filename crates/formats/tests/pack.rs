//! Packs: what is written is read, shard for shard, and what was changed since is not.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeSet, fs, path::Path};

use nightfold_formats::{
    grouped::NpcSorter,
    jsonl::VectorRule,
    pack::{NewPack, Pack, PackError, PackNotes, PackWriteError},
};
use nightfold_memory::{Kind, Memory, ModelId, NpcId, Shard, Vector, config::InputConfig};
use proptest::prelude::*;

fn memory(npc: usize, n: usize, text: &str) -> Memory {
    let npc = NpcId::new(format!("npc {npc}")).unwrap();
    let at = if n.is_multiple_of(2) { "2026-03-01T06:00:00Z" } else { "86399" };
    let memory = Memory::new(npc, format!("m{n}").parse().unwrap(), at.parse().unwrap(), Kind::Chat, text);
    memory.with(|memory| {
        if n.is_multiple_of(7) {
            memory.vector = Some(Vector::new(vec![0.6, -0.8, -0.0]).unwrap());
        }
    })
}

fn written(folder: &Path, memories: &[Memory], shards: u32) -> Result<PackNotes, PackWriteError> {
    let mut sorter = NpcSorter::by_place(&InputConfig::default());
    memories.iter().cloned().try_for_each(|memory| sorter.push(memory)).unwrap();
    let model = ModelId::new("m").unwrap();
    NewPack::prepare(folder)?.write(sorter.finish().unwrap(), shards, Some(model))
}

fn read(pack: &Pack, shard: u32) -> Result<Vec<Memory>, PackError> {
    let (limits, model) = (InputConfig::default(), ModelId::new("m").unwrap());
    let rule = VectorRule { given: Some("m"), model: &model, dimensions: 3 };
    pack.memories(shard, &limits, Some(rule))?.collect()
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
        let folder = tempfile::tempdir().unwrap();
        let notes = written(folder.path(), &memories, shards).unwrap();
        let pack = Pack::open(folder.path()).unwrap();
        prop_assert_eq!(pack.notes(), &notes);
        prop_assert_eq!(notes.memories(), memories.len() as u64);
        for index in 0..shards {
            let found = read(&pack, index).unwrap();
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
    fn changed_byte_of_a_shard_is_an_error(at in any::<prop::sample::Index>(), by in 1..=255_u8) {
        let folder = tempfile::tempdir().unwrap();
        let memories: Vec<Memory> = (0..60).map(|n| memory(n % 12, n, "I fed the hens at the mill.")).collect();
        written(folder.path(), &memories, 1).unwrap();
        let file = folder.path().join("shard-00000.jsonl");
        let mut bytes = fs::read(&file).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= by;
        fs::write(file, bytes).unwrap();
        let found = read(&Pack::open(folder.path()).unwrap(), 0);
        prop_assert!(matches!(found, Err(PackError::Changed { .. })), "{:?}", found);
    }
}

#[test]
fn only_an_empty_folder_or_a_begun_pack_is_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let day = folder.path().join("day");
    let memories: Vec<Memory> = (0..9).map(|n| memory(n, n, "I fed the hens.")).collect();
    let notes = written(&day, &memories, 5).unwrap();
    assert!(matches!(written(&day, &memories, 5), Err(PackWriteError::NotEmpty { .. })));
    fs::remove_file(day.join("pack.json")).unwrap();
    assert!(matches!(Pack::open(&day), Err(PackError::Read { .. })));
    assert_eq!(written(&day, &memories, 5).unwrap(), notes);
    for shards in [0, 100_001] {
        let refused = written(&folder.path().join("other"), &memories, shards);
        assert!(matches!(refused, Err(PackWriteError::Shards { .. })));
    }
}

#[test]
fn npc_in_the_shard_of_another_program_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let memories: Vec<Memory> = (0..9).map(|n| memory(n, n, "I fed the hens.")).collect();
    let mut notes = written(folder.path(), &memories, 2).unwrap();
    let name = |shard: u32| folder.path().join(format!("shard-0000{shard}.jsonl"));
    fs::copy(name(0), name(1)).unwrap();
    notes.shards[1] = notes.shards[0].clone();
    fs::write(folder.path().join("pack.json"), serde_json::to_vec(&notes).unwrap()).unwrap();
    let error = read(&Pack::open(folder.path()).unwrap(), 1).unwrap_err();
    assert!(error.to_string().ends_with("belongs to another shard"), "{error}");
}
