//! The in-memory counterpart of the SQLite store.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
    sync::{Mutex, MutexGuard, PoisonError},
};

use nightfold_memory::{
    AppliedNight, Fingerprint, GameTime, LogFilter, LogLine, MemoryId, MemoryReader, MemoryRecord,
    MemorySnapshot, MemoryStore, ModelId, NpcId, NpcNight, Outcome, Purge, RewindTarget, Rewound, SavePoint,
    SavePointName, State, StoreError, Theme, ThemeHistory, ThemeId, ThemeNight, ThemePoint, Undone,
    effect::{
        Decision, Edge, Effect, PriorRows, PriorState, RewindPath, ShelvedNight, effect_of, rewind_path,
        versions, without_vector,
    },
};

/// Long-term memory that ends with the process, for tests and for replaying scenarios.
///
/// It writes the same rows as the SQLite store, because both execute the same effect of a night.
#[derive(Debug, Default)]
pub struct InMemoryStore {
    contents: Mutex<Contents>,
}

impl InMemoryStore {
    /// Creates an empty store, in which no NPC has a night.
    pub fn new() -> Self {
        Self::default()
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        // Nothing can fail between the first and the last write of a night, so a panic elsewhere under the
        // lock leaves complete nights behind.
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Default)]
struct Contents {
    model: Option<ModelId>,
    /// Highest run number that was ever returned.
    last_run: u64,
    last_seq: u64,
    npcs: BTreeMap<NpcId, NpcContents>,
    /// Nights that rewinds have shelved, by NPC and version.
    shelved: BTreeMap<NpcId, BTreeMap<u64, ShelvedNight>>,
    /// Version of each NPC at each save point.
    save_points: BTreeMap<SavePointName, BTreeMap<NpcId, u64>>,
}

/// Contents of the store for one NPC.
#[derive(Debug, Default)]
struct NpcContents {
    /// Version in force; 0 is the empty state.
    version: u64,
    rows: BTreeMap<MemoryId, MemoryRecord>,
    /// Edges, each with the version that added it.
    edges: BTreeMap<Edge, u64>,
    /// Log lines, each with the version that wrote it, oldest first.
    log: Vec<(u64, LogLine)>,
    /// Applied nights, oldest first.
    nights: Vec<UndoableNight>,
    /// Themes, each with the version that saw it: oldest night first, by id within a night.
    themes: Vec<(u64, ThemeNight)>,
    /// Number of nights, counted from the oldest, that can no longer be undone.
    purged_nights: usize,
    /// Fingerprints of the purged entries.
    tombstones: BTreeMap<MemoryId, Fingerprint>,
}

/// An applied night with the data that undoes it.
#[derive(Debug)]
struct UndoableNight {
    /// Position among all nights of the store.
    seq: u64,
    applied: AppliedNight,
    inserted: Vec<MemoryId>,
    prior: Vec<MemoryRecord>,
    /// Removed edges, each with the version that had added it.
    removed: Vec<(Edge, u64)>,
}

impl Contents {
    fn apply(&mut self, run: u64, night: &NpcNight, version: u64) -> Result<Outcome, StoreError> {
        let mind = self.npcs.get(&night.npc);
        let before = PriorState {
            version: mind.map_or(0, |m| m.version),
            applied: mind.is_some_and(|m| m.nights.iter().any(|n| n.applied.version == version)),
            model: self.model.clone(),
        };
        let nobody = NpcContents::default();
        match effect_of(night, before, mind.unwrap_or(&nobody))? {
            Decision::Nothing(outcome) => Ok(outcome),
            Decision::Write(effect) => {
                if effect.has_vectors() {
                    self.model = Some(night.model.clone());
                }
                self.last_run = self.last_run.max(run);
                self.last_seq += 1;
                let mind = self.npcs.entry(night.npc.clone()).or_default();
                let applied = AppliedNight::new(night, run, version);
                mind.write(self.last_seq, applied, effect);
                Ok(Outcome::Applied { version })
            }
        }
    }

    fn undo(&mut self, npc: &NpcId) -> Result<Option<Undone>, StoreError> {
        let Some(mind) = self.npcs.get_mut(npc) else { return Ok(None) };
        mind.check_undoable(1)?;
        let undone = mind.undo_latest();
        self.remove_empty();
        Ok(undone)
    }

    fn undo_run(&mut self, run: u64) -> Result<Vec<Undone>, StoreError> {
        let mut undone = Vec::new();
        for mind in self.npcs.values() {
            mind.check_undoable(
                mind.nights.iter().rev().take_while(|night| night.applied.run == run).count(),
            )?;
        }
        for mind in self.npcs.values_mut() {
            while mind.nights.last().is_some_and(|night| night.applied.run == run) {
                undone.extend(mind.undo_latest());
            }
        }
        self.remove_empty();
        Ok(undone)
    }

    /// Returns the way of one NPC to a state, or those of all.
    fn paths(
        &self,
        npc: Option<&NpcId>,
        to: &RewindTarget,
    ) -> Result<Vec<(NpcId, u64, RewindPath)>, StoreError> {
        let all: BTreeSet<NpcId> = match npc {
            Some(npc) => BTreeSet::from([npc.clone()]),
            None => self.npcs.keys().chain(self.shelved.keys()).cloned().collect(),
        };
        let mut paths = Vec::new();
        for npc in all {
            let (version, path) = self.path(&npc, to)?;
            if path != RewindPath::default() {
                paths.push((npc, version, path));
            }
        }
        Ok(paths)
    }

    /// Returns the version that an NPC is to have, and the way there.
    fn path(&self, npc: &NpcId, to: &RewindTarget) -> Result<(u64, RewindPath), StoreError> {
        let nobody = NpcContents::default();
        let mind = self.npcs.get(npc).unwrap_or(&nobody);
        let in_force: Vec<u64> = mind.nights.iter().map(|night| night.applied.version).collect();
        let version = match to {
            RewindTarget::At(at) => {
                let until = mind.nights.iter().take_while(|night| night.applied.at <= *at);
                until.last().map_or(0, |night| night.applied.version)
            }
            RewindTarget::SavePoint(name) => {
                let point = self.save_points.get(name);
                let point = point.ok_or_else(|| StoreError::NoSavePoint { name: name.clone() })?;
                point.get(npc).copied().unwrap_or(0)
            }
        };
        let shelved = self.shelved.get(npc).into_iter().flatten();
        let shelved = shelved.map(|(version, night)| (*version, night.applied.base_version)).collect();
        let path = rewind_path(&in_force, &shelved, version)
            .ok_or_else(|| StoreError::Unreachable { npc: npc.clone(), version })?;
        mind.check_undoable(path.back)?;
        Ok((version, path))
    }

    fn rewind(&mut self, npc: &NpcId, path: RewindPath) {
        let RewindPath { back, forward } = path;
        let mind = self.npcs.entry(npc.clone()).or_default();
        let shelved = self.shelved.entry(npc.clone()).or_default();
        for _ in 0..back {
            if let Some(night) = mind.latest(self.model.as_ref()) {
                shelved.insert(night.applied.version, night);
            }
            mind.undo_latest();
        }
        let again: Vec<ShelvedNight> = forward.iter().filter_map(|version| shelved.remove(version)).collect();
        for ShelvedNight { applied, model, effect } in again {
            if effect.has_vectors() {
                self.model = model.or_else(|| self.model.take());
            }
            self.last_seq += 1;
            mind.write(self.last_seq, applied, effect);
        }
    }

    /// Removes NPCs without a night, and the model if no vector is left.
    fn remove_empty(&mut self) {
        self.npcs.retain(|_, mind| !mind.nights.is_empty());
        let vectors = self.npcs.values().flat_map(|m| m.rows.values()).any(|row| row.entry.vector.is_some());
        if !vectors && self.npcs.values().all(|mind| mind.themes.is_empty()) {
            self.model = None;
        }
    }
}

fn rewound((npc, version, path): &(NpcId, u64, RewindPath)) -> Rewound {
    Rewound { npc: npc.clone(), back: path.back, forward: path.forward.len(), version: *version }
}

impl PriorRows for NpcContents {
    type Error = StoreError;

    fn row(&self, id: &MemoryId) -> Result<Option<MemoryRecord>, StoreError> {
        Ok(self.rows.get(id).map(without_vector))
    }

    fn purged(&self, id: &MemoryId) -> Result<bool, StoreError> {
        Ok(self.tombstones.contains_key(id))
    }

    fn has_vector(&self, id: &MemoryId) -> Result<bool, StoreError> {
        Ok(self.rows.get(id).is_some_and(|row| row.entry.vector.is_some()))
    }

    fn derived(&self, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        // Edges are sorted by the derived memory.
        Ok(self.edges.keys().filter(|e| e.source == *id).map(|e| e.derived.clone()).collect())
    }

    fn predecessors(&self, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        let rows = self.rows.values().filter(|row| row.superseded_by.as_ref() == Some(id));
        Ok(rows.map(|row| row.entry.id.clone()).collect())
    }

    fn has_theme(&self, id: &ThemeId) -> Result<bool, StoreError> {
        Ok(self.themes.iter().any(|(_, seen)| seen.theme.id == *id))
    }
}

impl NpcContents {
    /// Returns each theme as of the last night that saw it: the most recently seen first, by id within a
    /// night.
    fn last_seen(&self) -> Vec<&Theme> {
        let mut known = BTreeSet::new();
        let nights = self.themes.chunk_by(|a, b| a.0 == b.0).rev().flatten();
        nights.map(|(_, seen)| &seen.theme).filter(|theme| known.insert(&theme.id)).collect()
    }

    fn history(&self, theme: &Theme) -> ThemeHistory {
        let of_theme = self.themes.iter().filter(|(_, seen)| seen.theme.id == theme.id);
        let history = of_theme.filter_map(|(version, seen)| {
            let night = &self.nights.iter().find(|night| night.applied.version == *version)?.applied;
            let (memories, importance) = (seen.tonight, seen.importance);
            Some(ThemePoint { night: night.night.clone(), at: night.at, memories, importance })
        });
        ThemeHistory {
            id: theme.id.clone(),
            words: theme.words.clone(),
            memories: theme.memories,
            nights: theme.nights,
            first_at: theme.first_at,
            last_at: theme.last_at,
            history: history.collect(),
        }
    }

    fn write(&mut self, seq: u64, applied: AppliedNight, effect: Effect) {
        let version = applied.version;
        let inserted = effect.inserted.iter().map(|row| row.entry.id.clone()).collect();
        self.rows.extend(effect.inserted.into_iter().map(|row| (row.entry.id.clone(), row)));
        let mut prior = Vec::with_capacity(effect.updated.len());
        for mut row in effect.updated {
            if let Some(before) = self.rows.remove(&row.entry.id) {
                row.entry.vector = row.entry.vector.or_else(|| before.entry.vector.clone());
                prior.push(before);
            }
            self.rows.insert(row.entry.id.clone(), row);
        }
        let removed = effect.removed.into_iter().filter_map(|edge| self.edges.remove_entry(&edge)).collect();
        for edge in effect.edges {
            self.edges.entry(edge).or_insert(version);
        }
        self.themes.extend(effect.themes.into_iter().map(|seen| (version, seen)));
        self.log.extend(effect.log.into_iter().map(|line| (version, line)));
        self.nights.push(UndoableNight { seq, applied, inserted, prior, removed });
        self.version = version;
    }

    /// Returns the latest night with everything that carries it out again.
    fn latest(&self, model: Option<&ModelId>) -> Option<ShelvedNight> {
        let UndoableNight { applied, inserted, prior, removed, .. } = self.nights.last()?;
        let version = applied.version;
        let updated = prior.iter().filter_map(|before| {
            let mut row = self.rows.get(&before.entry.id)?.clone();
            // A vector that was there before is not brought by this night.
            row.entry.vector = row.entry.vector.filter(|_| before.entry.vector.is_none());
            Some(row)
        });
        let edges = self.edges.iter().filter(|(_, added)| **added == version).map(|(edge, _)| edge.clone());
        let effect = Effect {
            inserted: inserted.iter().filter_map(|id| self.rows.get(id).cloned()).collect(),
            updated: updated.collect(),
            removed: removed.iter().map(|(edge, _)| edge.clone()).collect(),
            edges: edges.collect(),
            log: self.log.iter().filter(|(of, _)| *of == version).map(|(_, line)| line.clone()).collect(),
            themes: self
                .themes
                .iter()
                .filter(|(of, _)| *of == version)
                .map(|(_, seen)| seen.clone())
                .collect(),
        };
        Some(ShelvedNight { applied: applied.clone(), model: model.cloned(), effect })
    }

    /// Returns [`StoreError::Purged`] if one of the latest `nights` nights can no longer be undone.
    fn check_undoable(&self, nights: usize) -> Result<(), StoreError> {
        let last = self.nights.len().min(self.purged_nights).checked_sub(1);
        match last.filter(|_| nights > self.nights.len() - self.purged_nights).map(|last| &self.nights[last])
        {
            Some(UndoableNight { applied: AppliedNight { npc, night, .. }, .. }) => {
                Err(StoreError::Purged { npc: npc.clone(), night: night.clone() })
            }
            None => Ok(()),
        }
    }

    /// Returns the entries that are archived and were already archived before the last `keep` nights.
    fn purgeable_rows(&self, npc: &NpcId, keep: usize) -> (Purge, BTreeSet<MemoryId>) {
        let old = self.nights.len().saturating_sub(keep);
        let later = &self.nights[old..];
        let was_active = |night: &UndoableNight, id: &MemoryId| {
            night.inserted.contains(id)
                || night.prior.iter().any(|row| row.entry.id == *id && row.state == State::Active)
        };
        let is_dead = |row: &&MemoryRecord| {
            row.state == State::Archived && !later.iter().any(|night| was_active(night, &row.entry.id))
        };
        let dead: BTreeSet<_> = match old {
            0 => BTreeSet::new(),
            _ => self.rows.values().filter(is_dead).map(|row| row.entry.id.clone()).collect(),
        };
        let purge = Purge {
            npc: npc.clone(),
            entries: dead.len(),
            until: old.checked_sub(1).map(|last| self.nights[last].applied.night.clone()),
            nights: old.saturating_sub(self.purged_nights),
        };
        (purge, dead)
    }

    fn purge(&mut self, dead: &BTreeSet<MemoryId>, keep: usize) {
        let old = self.nights.len().saturating_sub(keep);
        for id in dead {
            if let Some(row) = self.rows.remove(id) {
                self.tombstones.insert(id.clone(), Fingerprint::of(&row.entry.text, row.entry.at));
            }
        }
        for (n, night) in self.nights.iter_mut().enumerate() {
            night.prior.retain(|row| n >= old && !dead.contains(&row.entry.id));
            night.removed.retain(|(edge, _)| n >= old && !dead.contains(&edge.derived));
        }
        self.edges.retain(|edge, _| !dead.contains(&edge.derived));
        self.log.retain(|(_, line)| !dead.contains(&line.id));
        self.purged_nights = self.purged_nights.max(old);
    }

    fn undo_latest(&mut self) -> Option<Undone> {
        let UndoableNight { applied, inserted, prior, removed, .. } = self.nights.pop()?;
        for id in &inserted {
            self.rows.remove(id);
        }
        for mut row in prior {
            // Recalls made since that night are kept.
            if let Some(now) = self.rows.get(&row.entry.id) {
                (row.recalls, row.recalled_at) = (now.recalls, now.recalled_at);
            }
            self.rows.insert(row.entry.id.clone(), row);
        }
        self.edges.retain(|_, version| *version != applied.version);
        self.edges.extend(removed);
        self.log.retain(|(version, _)| *version != applied.version);
        self.themes.retain(|(version, _)| *version != applied.version);
        self.version = applied.base_version;
        Some(Undone { npc: applied.npc, night: applied.night, version: self.version })
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
            past.archived = mind.rows.values().filter(|row| row.is_restorable()).cloned().collect();
            past.sort_and_trim_archived();
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

    fn purgeable(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError> {
        let contents = self.contents();
        let nobody = NpcContents::default();
        Ok(contents.npcs.get(npc).unwrap_or(&nobody).purgeable_rows(npc, keep).0)
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
        let contents = self.contents();
        let points = contents.save_points.iter();
        Ok(points.map(|(name, npcs)| SavePoint { name: name.clone(), npcs: npcs.len() }).collect())
    }

    fn rewindable(&self, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<Rewound>, StoreError> {
        Ok(self.contents().paths(npc, to)?.iter().map(rewound).collect())
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

    fn save_point(&self, name: &SavePointName) -> Result<SavePoint, StoreError> {
        let mut contents = self.contents();
        let npcs: BTreeMap<NpcId, u64> =
            contents.npcs.iter().map(|(npc, mind)| (npc.clone(), mind.version)).collect();
        let point = SavePoint { name: name.clone(), npcs: npcs.len() };
        contents.save_points.insert(name.clone(), npcs);
        Ok(point)
    }

    fn forget_save_point(&self, name: &SavePointName) -> Result<bool, StoreError> {
        Ok(self.contents().save_points.remove(name).is_some())
    }

    fn rewind(&self, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<Rewound>, StoreError> {
        let mut contents = self.contents();
        // Every way is known before the first step, so that all go or none.
        let paths = contents.paths(npc, to)?;
        let rewound = paths.iter().map(rewound).collect();
        paths.into_iter().for_each(|(npc, _, path)| contents.rewind(&npc, path));
        contents.remove_empty();
        Ok(rewound)
    }

    fn purge(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError> {
        let mut contents = self.contents();
        let nobody = NpcContents::default();
        let (purge, dead) = contents.npcs.get(npc).unwrap_or(&nobody).purgeable_rows(npc, keep);
        if let Some(mind) = contents.npcs.get_mut(npc).filter(|_| !purge.is_empty()) {
            mind.purge(&dead, keep);
            contents.shelved.remove(npc);
            contents.remove_empty();
        }
        Ok(purge)
    }
}
