//! A store in memory that shares no statement with those in databases: the oracle of their random histories.

mod contents;

use std::{
    collections::BTreeSet,
    ops::Bound,
    sync::{Mutex, MutexGuard, PoisonError},
};

use nightfold_memory::{
    AppliedNight, Erasure, Fingerprint, GameTime, LogFilter, LogLine, MemoryId, MemoryReader, MemoryRecord,
    MemorySnapshot, MemoryStore, ModelId, NpcId, NpcNight, Outcome, PersonNames, Purge, RecordKind,
    RewindTarget, Rewound, SavePoint, SavePointName, State, StoreError, ThemeHistory, Undone,
    effect::{PriorRows, versions, without_vector},
};

use self::contents::{Contents, NpcContents};

/// Rewinding and erasing are checked case by case, on the databases alone.
const NOT_IN_HISTORIES: &str = "random histories neither rewind nor erase";

/// Long-term memory in maps. It writes the same rows as the stores in databases, because all execute the same effect of a
/// night.
#[derive(Debug, Default)]
pub(crate) struct InMemoryStore {
    contents: Mutex<Contents>,
}

impl InMemoryStore {
    /// Creates an empty store, in which no NPC has a night.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        // Nothing can fail between the first and the last write of a night, so a panic elsewhere under the
        // lock leaves complete nights behind.
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryReader for InMemoryStore {
    fn model(&self) -> Result<Option<ModelId>, StoreError> {
        Ok(self.contents().model.clone())
    }

    fn snapshot(&self, npc: &NpcId) -> Result<MemorySnapshot, StoreError> {
        let contents = self.contents();
        let mut past = MemorySnapshot { model: contents.model.clone(), ..MemorySnapshot::empty() };
        if let Some(mind) = contents.npcs.get(npc) {
            past.version = mind.version;
            past.entries = mind.rows.values().filter(|row| row.state == State::Active).cloned().collect();
            past.known = mind
                .rows
                .iter()
                .map(|(id, row)| (id.clone(), Fingerprint::of(&row.entry.text, row.entry.at)))
                .chain(mind.tombstones.clone())
                .collect();
            past.last_night = mind.nights.last().map(|night| night.applied.at);
            let recalled = |row: &&MemoryRecord| row.is_faint() && row.recalled_at > past.last_night;
            past.add_recalled(mind.rows.values().filter(recalled).cloned().collect::<Vec<_>>());
            for row in mind.rows.values().filter(|row| row.entry.form == RecordKind::Verbatim) {
                past.importances[usize::from(row.entry.importance.get()) - 1] += 1;
            }
            past.npc_tags =
                mind.nights.last().map(|night| night.applied.npc_tags.clone()).unwrap_or_default();
            past.themes = mind.last_seen().into_iter().take(MemorySnapshot::MAX_THEMES).cloned().collect();
        }
        Ok(past)
    }

    fn nights(&self, npc: Option<&NpcId>) -> Result<Vec<AppliedNight>, StoreError> {
        let contents = self.contents();
        let minds = contents.npcs.iter().filter(|(name, _)| npc.is_none_or(|npc| npc == *name));
        let mut nights: Vec<_> = minds.flat_map(|(_, mind)| &mind.nights).collect();
        nights.sort_by_key(|night| night.seq);
        Ok(nights.into_iter().map(|night| night.applied.clone()).collect())
    }

    fn latest_night(&self, npc: &NpcId) -> Result<Option<AppliedNight>, StoreError> {
        Ok(self
            .contents()
            .npcs
            .get(npc)
            .and_then(|mind| mind.nights.last())
            .map(|night| night.applied.clone()))
    }

    fn has_version(&self, npc: &NpcId, version: u64) -> Result<bool, StoreError> {
        let contents = self.contents();
        let nights = contents.npcs.get(npc).into_iter().flat_map(|mind| &mind.nights);
        Ok(nights.into_iter().any(|night| night.applied.version == version))
    }

    fn purgeable(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError> {
        let contents = self.contents();
        let nobody = NpcContents::default();
        Ok(contents.npcs.get(npc).unwrap_or(&nobody).purgeable_rows(npc, keep).0)
    }

    fn erasable(&self, _: &NpcId, _: &PersonNames) -> Result<Option<Erasure>, StoreError> {
        unimplemented!("{NOT_IN_HISTORIES}")
    }

    fn owners(&self, id: &MemoryId) -> Result<Vec<NpcId>, StoreError> {
        let contents = self.contents();
        let owners = contents.npcs.iter().filter(|(_, mind)| mind.rows.contains_key(id));
        Ok(owners.map(|(npc, _)| npc.clone()).collect())
    }

    fn npcs(&self) -> Result<Vec<NpcId>, StoreError> {
        let contents = self.contents();
        Ok(contents.npcs.iter().filter(|(_, m)| !m.rows.is_empty()).map(|(npc, _)| npc.clone()).collect())
    }

    fn entries(&self, npc: &NpcId) -> Result<Vec<MemoryRecord>, StoreError> {
        let contents = self.contents();
        let rows = contents.npcs.get(npc).into_iter().flat_map(|mind| mind.rows.values());
        Ok(rows.map(without_vector).collect())
    }

    fn faint(&self, npc: &NpcId) -> Result<Vec<MemoryRecord>, StoreError> {
        let contents = self.contents();
        let rows = contents.npcs.get(npc).into_iter().flat_map(|mind| mind.rows.values());
        Ok(rows.filter(|record| record.is_faint()).cloned().collect())
    }

    fn entry(&self, npc: &NpcId, id: &MemoryId) -> Result<Option<MemoryRecord>, StoreError> {
        Ok(self.contents().npcs.get(npc).and_then(|mind| mind.rows.get(id)).cloned())
    }

    fn active_page(
        &self,
        npc: &NpcId,
        after: Option<&MemoryId>,
        most: usize,
    ) -> Result<Vec<MemoryRecord>, StoreError> {
        let contents = self.contents();
        let from = (after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded);
        let rows = contents.npcs.get(npc).into_iter().flat_map(|mind| mind.rows.range::<MemoryId, _>(from));
        let active = rows.map(|(_, row)| row).filter(|row| row.state == State::Active);
        Ok(active.take(most).map(without_vector).collect())
    }

    fn referring(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        let contents = self.contents();
        let Some(mind) = contents.npcs.get(npc) else { return Ok(Vec::new()) };
        let all: BTreeSet<_> = mind.derived(id)?.into_iter().chain(mind.predecessors(id)?).collect();
        Ok(all.into_iter().collect())
    }

    fn log(&self, npc: &NpcId, filter: LogFilter<'_>) -> Result<Vec<LogLine>, StoreError> {
        let contents = self.contents();
        let lines = contents.npcs.get(npc).into_iter().flat_map(|mind| &mind.log);
        Ok(lines.filter(|(_, line)| filter.selects(line)).map(|(_, line)| line.clone()).collect())
    }

    fn save_points(&self) -> Result<Vec<SavePoint>, StoreError> {
        unimplemented!("{NOT_IN_HISTORIES}")
    }

    fn rewindable(&self, _: Option<&NpcId>, _: &RewindTarget) -> Result<Vec<Rewound>, StoreError> {
        unimplemented!("{NOT_IN_HISTORIES}")
    }

    fn themes(&self, npc: &NpcId) -> Result<Vec<ThemeHistory>, StoreError> {
        let contents = self.contents();
        let Some(mind) = contents.npcs.get(npc) else { return Ok(Vec::new()) };
        Ok(mind.last_seen().into_iter().map(|theme| mind.history(theme)).collect())
    }

    fn sources(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        let contents = self.contents();
        let edges = contents.npcs.get(npc).into_iter().flat_map(|mind| mind.edges.keys());
        // Edges are sorted by the derived memory, then by the source.
        Ok(edges.filter(|e| e.derived == *id).map(|e| e.source.clone()).collect())
    }

    fn derived(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        let contents = self.contents();
        contents.npcs.get(npc).map_or(Ok(Vec::new()), |mind| PriorRows::derived(mind, id))
    }
}

impl MemoryStore for InMemoryStore {
    fn begin_run(&self) -> Result<u64, StoreError> {
        let mut contents = self.contents();
        contents.last_run += 1;
        Ok(contents.last_run)
    }

    fn apply(&self, run: u64, nights: &[NpcNight]) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        let versions = versions(nights)?;
        let mut contents = self.contents();
        Ok(nights.iter().zip(versions).map(|(night, version)| contents.apply(run, night, version)).collect())
    }

    fn touch(&self, npc: &NpcId, ids: &[MemoryId], at: GameTime) -> Result<usize, StoreError> {
        let mut contents = self.contents();
        let Some(mind) = contents.npcs.get_mut(npc) else { return Ok(0) };
        let mut noted = 0;
        for id in ids {
            if let Some(row) = mind.rows.get_mut(id) {
                row.recalls += 1;
                row.recalled_at = Some(at);
                noted += 1;
            }
        }
        Ok(noted)
    }

    fn undo(&self, npc: &NpcId) -> Result<Option<Undone>, StoreError> {
        self.contents().undo(npc)
    }

    fn undo_run(&self, run: u64) -> Result<Vec<Undone>, StoreError> {
        self.contents().undo_run(run)
    }

    fn save_point(&self, _: &SavePointName) -> Result<SavePoint, StoreError> {
        unimplemented!("{NOT_IN_HISTORIES}")
    }

    fn forget_save_point(&self, _: &SavePointName) -> Result<bool, StoreError> {
        unimplemented!("{NOT_IN_HISTORIES}")
    }

    fn rewind(&self, _: Option<&NpcId>, _: &RewindTarget) -> Result<Vec<Rewound>, StoreError> {
        unimplemented!("{NOT_IN_HISTORIES}")
    }

    fn purge(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError> {
        let mut contents = self.contents();
        let nobody = NpcContents::default();
        let (purge, dead) = contents.npcs.get(npc).unwrap_or(&nobody).purgeable_rows(npc, keep);
        if let Some(mind) = contents.npcs.get_mut(npc).filter(|_| !purge.is_empty()) {
            mind.purge(&dead, keep);
            contents.remove_empty();
        }
        Ok(purge)
    }

    fn erase(&self, _: u64, _: &NpcId, _: &PersonNames) -> Result<Option<Erasure>, StoreError> {
        unimplemented!("{NOT_IN_HISTORIES}")
    }
}
