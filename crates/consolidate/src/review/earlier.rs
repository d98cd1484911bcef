//! Entries that an NPC has before a night and that the night refers to.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Change, Entry, GameTime, Memory, MemoryId, MemoryReader, NpcNight, StoreError};

use super::Extent;

/// Text and time of an entry that a night refers to and did not write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierEntry {
    /// Text of the entry.
    pub text: String,
    /// Game time of the entry, or of the first memory in it.
    pub at: GameTime,
}

impl From<&Entry> for EarlierEntry {
    fn from(entry: &Entry) -> Self {
        Self { text: entry.text.clone(), at: entry.at }
    }
}

impl From<&Memory> for EarlierEntry {
    fn from(memory: &Memory) -> Self {
        Self { text: memory.text.clone(), at: memory.at }
    }
}

/// Entries that an NPC has before a night, by id, as far as they are available.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EarlierEntries(BTreeMap<MemoryId, EarlierEntry>);

impl EarlierEntries {
    /// Returns no entries.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the entries that a night refers to from its NPC's store, as far as the store has them. Of a maintenance,
    /// which may change a million entries, only those that are shown at this extent are read.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub fn look_up(
        &mut self,
        night: &NpcNight,
        extent: Extent,
        store: &dyn MemoryReader,
    ) -> Result<(), StoreError> {
        for id in referenced(night, extent) {
            if !self.0.contains_key(&id)
                && let Some(record) = store.entry(&night.npc, &id)?
            {
                self.0.insert(id, EarlierEntry::from(&record.entry));
            }
        }
        Ok(())
    }

    /// Adds the entries that a night writes.
    pub fn remember(&mut self, night: &NpcNight) {
        let written = night.changes.iter().filter_map(Change::entry);
        self.0.extend(written.map(|entry| (entry.id.clone(), entry.into())));
    }

    /// Returns the entry of this id.
    pub fn get(&self, id: &MemoryId) -> Option<&EarlierEntry> {
        self.0.get(id)
    }

    pub(super) fn key(&self, id: &MemoryId) -> Option<&MemoryId> {
        self.0.get_key_value(id).map(|(id, _)| id)
    }
}

impl FromIterator<(MemoryId, EarlierEntry)> for EarlierEntries {
    fn from_iter<I: IntoIterator<Item = (MemoryId, EarlierEntry)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

/// Returns the ids of entries that a night refers to and did not write.
fn referenced(night: &NpcNight, extent: Extent) -> BTreeSet<MemoryId> {
    let mut of_verb: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ids = BTreeSet::new();
    for change in &night.changes {
        let before = of_verb.entry(change.verb()).or_default();
        *before += 1;
        let is_maintenance = night.memories.is_empty();
        if is_maintenance && *before > extent.changes(change.verb()) {
            continue;
        }
        let sources = if is_maintenance { extent.links() } else { usize::MAX };
        ids.extend(change.sources().iter().take(sources).chain([change.id()]).cloned());
        let compared = change.reason().compared();
        ids.extend(compared.into_iter().flat_map(|(a, b)| [a, b]).filter_map(|id| MemoryId::new(id).ok()));
    }
    let entries = night.changes.iter().filter_map(Change::entry).map(|entry| &entry.id);
    for id in night.memories.iter().map(|memory| &memory.id).chain(entries) {
        ids.remove(id);
    }
    ids
}
