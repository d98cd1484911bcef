//! NPCs whose memory a server shows.

use std::{collections::BTreeSet, path::Path};

use nightfold::memory::{AppliedNight, LogLine, MemoryId, MemoryReader, NpcId, StoreError};
use nightfold_store::DurableStore;

use super::refusal::CallError;
use crate::{error::CliError, npcs::listed, store};

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

/// Store as a server's clients see it: it is opened for reading only, and its reader is handed out for NPCs in scope alone.
pub(super) struct ScopedStore<'a> {
    store: Box<dyn DurableStore>,
    scope: &'a Scope,
}

impl<'a> ScopedStore<'a> {
    pub(super) fn open(path: &Path, scope: &'a Scope) -> Result<Self, CliError> {
        Ok(Self { store: store::read_only(path)?, scope })
    }

    /// Returns the reader for questions about these NPCs; all of them must be in the scope.
    pub(super) fn of<'n>(
        &self,
        npcs: impl IntoIterator<Item = &'n NpcId>,
    ) -> Result<&dyn MemoryReader, CallError> {
        npcs.into_iter().try_for_each(|npc| self.scope.check(npc))?;
        Ok(self.store.as_ref())
    }

    /// Returns the reader for questions about an NPC that is in the scope and in the store.
    pub(super) fn of_known(&self, npc: &NpcId) -> Result<&dyn MemoryReader, CliError> {
        let reader = self.of([npc])?;
        let known = self.npcs()?;
        if known.contains(npc) {
            return Ok(reader);
        }
        let known =
            if known.is_empty() { "it has nobody yet".into() } else { format!("it has {}", listed(&known)) };
        Err(CallError::Stranger { npc: npc.clone(), known }.into())
    }

    /// Returns the NPCs in scope.
    pub(super) fn npcs(&self) -> Result<Vec<NpcId>, StoreError> {
        let mut npcs = self.store.npcs()?;
        npcs.retain(|npc| self.scope.has(npc));
        Ok(npcs)
    }

    /// Returns the NPC in scope that has a memory of this id: `asked`, or the only one that has it.
    pub(super) fn owner(&self, id: &MemoryId, asked: Option<&NpcId>) -> Result<NpcId, CliError> {
        if let Some(npc) = asked {
            self.of_known(npc)?;
            return Ok(npc.clone());
        }
        let mut owners = self.store.owners(id)?;
        owners.retain(|npc| self.scope.has(npc));
        store::only_owner(id, &owners)
    }

    /// Returns the applied nights of an NPC in scope, or of all in scope.
    pub(super) fn nights(&self, npc: Option<&NpcId>) -> Result<Vec<AppliedNight>, StoreError> {
        let mut nights = self.store.nights(npc)?;
        nights.retain(|night| self.scope.has(&night.npc));
        Ok(nights)
    }

    /// Returns the log of a night of an NPC in scope, change by change.
    pub(super) fn night_log(&self, night: &AppliedNight) -> Result<Vec<LogLine>, CliError> {
        self.of([&night.npc])?;
        Ok(self.store.night_log(&night.npc, night.version)?)
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
                         "reason": {"rule": "unimportant-loose", "values": {"cohesion": 0.12}}}],
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
        assert!(store.of([&npc("Mara"), &tom]).is_err() && store.of_known(&tom).is_err());
        assert!(store.owner(&id, None).is_err() && store.owner(&id, Some(&tom)).is_err());
        let all = ScopedStore::open(&path, &Scope::All).unwrap();
        let night = &all.nights(Some(&tom)).unwrap()[0];
        assert!(store.night_log(night).is_err());
        // The same is there for those who may see it.
        assert_eq!(all.night_log(night).unwrap()[0].verb, "prune");
        assert_eq!(all.owner(&id, None).unwrap(), tom);
        assert_eq!(all.of_known(&tom).unwrap().entries(&tom).unwrap().len(), 1);
    }
}
