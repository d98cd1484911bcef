//! Promises about the contents of the store, checked on the twin after each step that changed it.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_ecs::memory::{MemoryId, MemoryReader, MemoryRecord, NpcId, State};
use nightfold_store::SqliteStore;

use crate::store::Expected;

/// Versions that were seen.
#[derive(Default)]
pub(crate) struct Versions {
    /// States of each NPC by their versions.
    states: BTreeMap<(NpcId, u64), String>,
    /// Version of each NPC at the last look.
    last: BTreeMap<NpcId, u64>,
}

/// Asserts that each NPC's memory is what its version says, whole and without references to nothing.
pub(crate) fn check(expected: &mut Expected, versions: &mut Versions) {
    // A version outlasts a purge, which takes away what is archived.
    let thinned = std::mem::take(&mut expected.thinned);
    versions.states.retain(|(npc, _), _| !thinned.contains(npc));
    versions.last.retain(|npc, _| !thinned.contains(npc));
    let Expected { twin, of_night, deleted, .. } = &*expected;
    for npc in twin.npcs().unwrap() {
        let entries: BTreeMap<MemoryId, MemoryRecord> =
            twin.entries(&npc).unwrap().into_iter().map(|entry| (entry.entry.id.clone(), entry)).collect();
        let version = same_version_is_same_state(twin, &npc, &entries, &mut versions.states);
        if versions.last.insert(npc.clone(), version) == Some(version) {
            continue;
        }
        for night in twin.nights(Some(&npc)).unwrap() {
            let of_night = of_night.get(&(npc.clone(), night.version));
            let lost = of_night.into_iter().flatten().find(|id| {
                !entries.contains_key(id) && !deleted.contains(&(npc.clone(), MemoryId::clone(id)))
            });
            assert_eq!(lost, None, "I3: night {} of {npc} is in force and lacks a memory", night.night);
        }
        let is_deleted = |id: &MemoryId| deleted.contains(&(npc.clone(), id.clone()));
        nothing_dangles(twin, &npc, &entries, is_deleted);
    }
}

fn same_version_is_same_state(
    twin: &SqliteStore,
    npc: &NpcId,
    entries: &BTreeMap<MemoryId, MemoryRecord>,
    states: &mut BTreeMap<(NpcId, u64), String>,
) -> u64 {
    let mut snapshot = twin.snapshot(npc).unwrap();
    // Recalls by day are no part of a state.
    let without = |entry: &mut MemoryRecord| (entry.recalls, entry.recalled_at) = (0, None);
    snapshot.entries.iter_mut().for_each(without);
    snapshot.recalled.clear();
    let mut entries: Vec<MemoryRecord> = entries.values().cloned().collect();
    entries.iter_mut().for_each(without);
    let shown = format!("{snapshot:?}\n{entries:?}\n{:?}", twin.themes(npc).unwrap());
    let before = states.entry((npc.clone(), snapshot.version)).or_insert_with(|| shown.clone());
    let differs = before.split(", ").zip(shown.split(", ")).find(|(a, b)| a != b);
    assert_eq!(differs, None, "I3: {npc} was otherwise at version {}", snapshot.version);
    assert_eq!(before.len(), shown.len(), "I3: {npc} had another length at version {}", snapshot.version);
    snapshot.version
}

/// Asserts that every reference leads to an entry, and that marks of a contest are mutual.
fn nothing_dangles(
    twin: &SqliteStore,
    npc: &NpcId,
    entries: &BTreeMap<MemoryId, MemoryRecord>,
    is_deleted: impl Fn(&MemoryId) -> bool,
) {
    // The game names sources that the store has never seen.
    let is_there = |id: &MemoryId| entries.contains_key(id) || is_deleted(id) || id.as_str().starts_with('d');
    let vectors: BTreeSet<MemoryId> = twin
        .snapshot(npc)
        .unwrap()
        .entries
        .into_iter()
        .filter(|entry| entry.entry.vector.is_some())
        .map(|entry| entry.entry.id)
        .collect();
    for (id, memory) in entries {
        for source in &memory.entry.sources {
            assert!(is_there(source), "I5: {id} of {npc} rests on {source}, which is not there");
            let edge = source == id || twin.derived(npc, source).unwrap().contains(id);
            assert!(edge, "I5: nothing leads from {source} to {id}, which rests on it");
        }
        for derived in twin.derived(npc, id).unwrap() {
            assert!(entries.contains_key(&derived), "I5: {derived}, derived from {id}, is not there");
        }
        if let Some(successor) = &memory.superseded_by {
            assert!(is_there(successor), "I5: {id} is succeeded by {successor}, which is not there");
            if memory.archived_by.as_deref() == Some("status-repeat") {
                let referring = twin.referring(npc, id).unwrap();
                let resting = referring.iter().find(|other| {
                    *other != successor
                        && entries.get(other).is_some_and(|other| other.state == State::Active)
                });
                assert_eq!(resting, None, "I5: it rests on {id}, for which {successor} stands");
            }
        }
        for other in &memory.contested_with {
            let other = &entries[other];
            let mutual = other.contested_with.contains(id) && other.state == State::Active;
            assert!(mutual, "I5: {} knows nothing of its contest with {id}", other.entry.id);
        }
        let active = memory.state == State::Active;
        assert_eq!(active, memory.archived_by.is_none(), "I5: {id} is active, or a rule has archived it");
        assert_eq!(active, vectors.contains(id), "I5: {id} is active if it has a vector");
        assert!(active || memory.contested_with.is_empty(), "I5: {id} is archived and contested");
    }
}
