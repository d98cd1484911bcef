//! NPCs whose memory a server shows.

use std::{collections::BTreeSet, path::Path};

use nightfold::memory::{
    AppliedNight, Erasure, LogFilter, LogLine, MemoryId, MemoryReader, MemoryRecord, MemorySnapshot, ModelId,
    NpcId, PersonNames, Purge, RewindTarget, Rewound, SavePoint, StoreError, ThemeHistory,
};
use nightfold_store::DurableStore;

use super::refusal::CallError;
use crate::{error::CliError, store};

/// NPCs that a server answers for, from its start to its end.
#[derive(Debug, Clone)]
pub(crate) enum Scope {
    /// All NPCs of the store, also those that come to it later.
    All,
    /// Only these NPCs.
    Only(BTreeSet<NpcId>),
}

impl Scope {
    pub(crate) fn has(&self, npc: &NpcId) -> bool {
        match self {
            Self::All => true,
            Self::Only(npcs) => npcs.contains(npc),
        }
    }

    /// # Errors
    /// The NPC is not in the scope; the error names it and those that are.
    pub(super) fn check(&self, npc: &NpcId) -> Result<(), CallError> {
        match self {
            Self::Only(npcs) if !npcs.contains(npc) => {
                Err(CallError::Scope { npc: npc.clone(), npcs: npcs.clone() })
            }
            _ => Ok(()),
        }
    }
}

/// Store as a server's clients see it: a [`MemoryReader`], which cannot write, without the NPCs out of
/// scope. Those have no
/// memory here, as if they had never existed.
pub(super) struct ScopedStore<'a> {
    store: Box<dyn DurableStore>,
    scope: &'a Scope,
}

impl<'a> ScopedStore<'a> {
    pub(super) fn open(path: &Path, scope: &'a Scope) -> Result<Self, CliError> {
        Ok(Self { store: store::read_only(path)?, scope })
    }

    /// Returns the log of one night, change by change.
    pub(super) fn night_log(&self, npc: &NpcId, version: u64) -> Result<Vec<LogLine>, StoreError> {
        self.of(npc, |store| store.night_log(npc, version))
    }

    fn of<T: Default>(
        &self,
        npc: &NpcId,
        ask: impl FnOnce(&dyn DurableStore) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.scope.has(npc) { ask(self.store.as_ref()) } else { Ok(T::default()) }
    }
}

impl MemoryReader for ScopedStore<'_> {
    fn model(&self) -> Result<Option<ModelId>, StoreError> {
        self.store.model()
    }

    fn snapshot(&self, npc: &NpcId) -> Result<MemorySnapshot, StoreError> {
        if self.scope.has(npc) { self.store.snapshot(npc) } else { Ok(MemorySnapshot::empty()) }
    }

    fn nights(&self, npc: Option<&NpcId>) -> Result<Vec<AppliedNight>, StoreError> {
        let mut nights = self.store.nights(npc)?;
        nights.retain(|night| self.scope.has(&night.npc));
        Ok(nights)
    }

    fn latest_night(&self, npc: &NpcId) -> Result<Option<AppliedNight>, StoreError> {
        self.of(npc, |store| store.latest_night(npc))
    }

    fn has_version(&self, npc: &NpcId, version: u64) -> Result<bool, StoreError> {
        self.of(npc, |store| store.has_version(npc, version))
    }

    fn purgeable(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError> {
        if self.scope.has(npc) {
            return self.store.purgeable(npc, keep);
        }
        Ok(Purge { npc: npc.clone(), entries: 0, until: None, nights: 0 })
    }

    fn erasable(&self, npc: &NpcId, person: &PersonNames) -> Result<Option<Erasure>, StoreError> {
        self.of(npc, |store| store.erasable(npc, person))
    }

    fn owners(&self, id: &MemoryId) -> Result<Vec<NpcId>, StoreError> {
        let mut owners = self.store.owners(id)?;
        owners.retain(|npc| self.scope.has(npc));
        Ok(owners)
    }

    fn npcs(&self) -> Result<Vec<NpcId>, StoreError> {
        let mut npcs = self.store.npcs()?;
        npcs.retain(|npc| self.scope.has(npc));
        Ok(npcs)
    }

    fn entries(&self, npc: &NpcId) -> Result<Vec<MemoryRecord>, StoreError> {
        self.of(npc, |store| store.entries(npc))
    }

    fn entry(&self, npc: &NpcId, id: &MemoryId) -> Result<Option<MemoryRecord>, StoreError> {
        self.of(npc, |store| store.entry(npc, id))
    }

    fn active_page(
        &self,
        npc: &NpcId,
        after: Option<&MemoryId>,
        most: usize,
    ) -> Result<Vec<MemoryRecord>, StoreError> {
        self.of(npc, |store| store.active_page(npc, after, most))
    }

    fn referring(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.of(npc, |store| store.referring(npc, id))
    }

    fn log(&self, npc: &NpcId, filter: LogFilter<'_>) -> Result<Vec<LogLine>, StoreError> {
        self.of(npc, |store| store.log(npc, filter))
    }

    /// Save points are of the whole town: a client with a part of it sees none.
    fn save_points(&self) -> Result<Vec<SavePoint>, StoreError> {
        match self.scope {
            Scope::All => self.store.save_points(),
            Scope::Only(_) => Ok(Vec::new()),
        }
    }

    fn rewindable(&self, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<Rewound>, StoreError> {
        let mut rewound = self.store.rewindable(npc, to)?;
        rewound.retain(|rewound| self.scope.has(&rewound.npc));
        Ok(rewound)
    }

    fn themes(&self, npc: &NpcId) -> Result<Vec<ThemeHistory>, StoreError> {
        self.of(npc, |store| store.themes(npc))
    }

    fn sources(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.of(npc, |store| store.sources(npc, id))
    }

    fn derived(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.of(npc, |store| store.derived(npc, id))
    }
}

#[cfg(test)]
mod tests {
    use nightfold::memory::{MemoryStore, NpcNight};
    use serde_json::json;

    use super::*;

    fn npc(name: &str) -> NpcId {
        NpcId::new(name).unwrap()
    }

    fn night(npc: &str, id: &str) -> NpcNight {
        serde_json::from_value(json!({
            "npc": npc, "night": "day-0", "at": 9, "base_version": 0, "model": "m",
            "memories": [{"id": id, "npc": npc, "at": 1, "kind": "event", "text": "It rained", "importance": 2}],
            "changes": [{"do": "prune", "id": id, "sources": [],
                         "reason": {"rule": "unimportant-incoherent", "values": {"cohesion": 0.12}}}],
            "report": {"memories": 1, "distinct": 1, "kept": 0, "stored": 0, "pruned": 1, "chunked": 0,
                       "syntheses": 0, "corroborated": 0, "superseded": 0, "reflections": 0, "loose": 1,
                       "clusters": [], "reduction": 1.0, "raw_reduction": 1.0, "important_kept": 0,
                       "important": 0, "storage_budget": 1,
                       "tokens": {"budget": 5000, "estimate": 0, "spent": 0},
                       "input": {"blank": 0, "without_importance": 0, "repeated_rows": 0, "renamed_ids": 0,
                                 "mixed_importance": 0, "equal_times": 0, "already_slept_on": 0,
                                 "truncated_texts": 0}}
        }))
        .unwrap()
    }

    /// Makes a store with a night each of Mara and Tom.
    fn town() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("town.db");
        let store = nightfold_store::SqliteStore::open(&path).unwrap();
        let nights = [night("Mara", "m-1"), night("Tom", "t-1")];
        assert!(store.apply(store.begin_run().unwrap(), &nights).unwrap().iter().all(Result::is_ok));
        (folder, path)
    }

    #[test]
    fn npcs_out_of_scope_are_invisible() {
        let (_folder, path) = town();
        let scope = Scope::Only([npc("Mara")].into());
        let store = ScopedStore::open(&path, &scope).unwrap();
        let (tom, id) = (npc("Tom"), MemoryId::new("t-1").unwrap());
        assert_eq!(store.npcs().unwrap(), [npc("Mara")]);
        assert!(store.nights(None).unwrap().iter().all(|night| night.npc == npc("Mara")));
        assert!(store.nights(Some(&tom)).unwrap().is_empty());
        assert!(store.owners(&id).unwrap().is_empty());
        assert_eq!(store.snapshot(&tom).unwrap(), MemorySnapshot::empty());
        assert!(store.entries(&tom).unwrap().is_empty() && store.entry(&tom, &id).unwrap().is_none());
        assert!(store.active_page(&tom, None, 9).unwrap().is_empty());
        assert!(
            store.log(&tom, LogFilter::Entry(&id)).unwrap().is_empty()
                && store.themes(&tom).unwrap().is_empty()
        );
        assert!(store.sources(&tom, &id).unwrap().is_empty() && store.derived(&tom, &id).unwrap().is_empty());
        assert!(store.referring(&tom, &id).unwrap().is_empty());
        assert_eq!(store.purgeable(&tom, 0).unwrap().entries, 0);
        let all = ScopedStore::open(&path, &Scope::All).unwrap();
        let version = all.nights(Some(&tom)).unwrap()[0].version;
        assert!(store.night_log(&tom, version).unwrap().is_empty());
        // The same is there for those who may see it.
        assert_eq!(all.night_log(&tom, version).unwrap()[0].verb, "prune");
        assert_eq!(all.owners(&id).unwrap(), std::slice::from_ref(&tom));
        assert_eq!(all.entries(&tom).unwrap().len(), 1);
    }
}
