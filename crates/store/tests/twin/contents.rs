//! Contents of a store in memory, NPC by NPC, and how nights change them.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    AppliedNight, Fingerprint, LogLine, MemoryId, MemoryRecord, MemorySnapshot, ModelId, NpcId, NpcNight,
    Outcome, Purge, State, StoreError, Theme, ThemeHistory, ThemeId, ThemeNight, ThemePoint, Undone,
    effect::{Decision, Edge, Effect, PriorRows, PriorState, effect_of, without_vector},
};

#[derive(Debug, Default, Clone)]
pub(super) struct Contents {
    pub(super) model: Option<ModelId>,
    /// Highest run number that was ever returned.
    pub(super) last_run: u64,
    pub(super) last_seq: u64,
    pub(super) npcs: BTreeMap<NpcId, NpcContents>,
}

/// Contents of the store for one NPC.
#[derive(Debug, Default, Clone)]
pub(super) struct NpcContents {
    /// Version in force; 0 is the empty state.
    pub(super) version: u64,
    pub(super) rows: BTreeMap<MemoryId, MemoryRecord>,
    /// Edges, each with the version that added it.
    pub(super) edges: BTreeMap<Edge, u64>,
    /// Log lines, each with the version that wrote it, oldest first.
    pub(super) log: Vec<(u64, LogLine)>,
    /// Applied nights, oldest first.
    pub(super) nights: Vec<UndoableNight>,
    /// Themes, each with the version that saw it: oldest night first, by id within a night.
    pub(super) themes: Vec<(u64, ThemeNight)>,
    /// Number of nights, counted from the oldest, that can no longer be undone.
    pub(super) purged_nights: usize,
    /// Fingerprints of the purged entries.
    pub(super) tombstones: BTreeMap<MemoryId, Fingerprint>,
}

/// An applied night with the data that undoes it.
#[derive(Debug, Clone)]
pub(super) struct UndoableNight {
    /// Position among all nights of the store.
    pub(super) seq: u64,
    pub(super) applied: AppliedNight,
    pub(super) inserted: Vec<MemoryId>,
    pub(super) prior: Vec<MemoryRecord>,
    /// Removed edges, each with the version that had added it.
    pub(super) removed: Vec<(Edge, u64)>,
}

impl Contents {
    pub(super) fn apply(&mut self, run: u64, night: &NpcNight, version: u64) -> Result<Outcome, StoreError> {
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

    pub(super) fn undo(&mut self, npc: &NpcId) -> Result<Option<Undone>, StoreError> {
        let Some(mind) = self.npcs.get_mut(npc) else { return Ok(None) };
        mind.check_undoable(1)?;
        let undone = mind.undo_latest();
        self.remove_empty();
        Ok(undone)
    }

    pub(super) fn undo_run(&mut self, run: u64) -> Result<Vec<Undone>, StoreError> {
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

    /// Removes NPCs without a night, and the model if no vector is left.
    pub(super) fn remove_empty(&mut self) {
        self.npcs.retain(|_, mind| !mind.nights.is_empty());
        let vectors = self.npcs.values().flat_map(|m| m.rows.values()).any(|row| row.entry.vector.is_some());
        if !vectors && self.npcs.values().all(|mind| mind.themes.is_empty()) {
            self.model = None;
        }
    }
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
    pub(super) fn last_seen(&self) -> Vec<&Theme> {
        let mut known = BTreeSet::new();
        let nights = self.themes.chunk_by(|a, b| a.0 == b.0).rev().flatten();
        nights.map(|(_, seen)| &seen.theme).filter(|theme| known.insert(&theme.id)).collect()
    }

    pub(super) fn history(&self, theme: &Theme) -> ThemeHistory {
        let of_theme = self.themes.iter().filter(|(_, seen)| seen.theme.id == theme.id);
        let history = of_theme.filter_map(|(version, seen)| {
            let night = &self.nights.iter().find(|night| night.applied.version == *version)?.applied;
            let (members, importance) = (seen.members.clone(), seen.importance);
            Some(ThemePoint { night: night.night.clone(), at: night.at, members, importance })
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

    pub(super) fn write(&mut self, seq: u64, applied: AppliedNight, effect: Effect) {
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

    /// Returns [`StoreError::Purged`] if one of the latest `nights` nights can no longer be undone.
    pub(super) fn check_undoable(&self, nights: usize) -> Result<(), StoreError> {
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
    pub(super) fn purgeable_rows(&self, npc: &NpcId, keep: usize) -> (Purge, BTreeSet<MemoryId>) {
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

    pub(super) fn purge(&mut self, dead: &BTreeSet<MemoryId>, keep: usize) {
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
        self.purge_themes(old);
        self.purged_nights = self.purged_nights.max(old);
    }

    /// Removes what no snapshot of the last of the `old` oldest nights, or of a later night, has of themes.
    fn purge_themes(&mut self, old: usize) {
        let nights: BTreeSet<u64> = self.nights[..old].iter().map(|night| night.applied.version).collect();
        let until = self.themes.partition_point(|(version, _)| nights.contains(version));
        let mut known = BTreeSet::new();
        let last_first = self.themes[..until].chunk_by(|a, b| a.0 == b.0).rev().flatten();
        let latest = last_first.filter(|(_, seen)| known.insert(&seen.theme.id));
        let kept: BTreeSet<(u64, ThemeId)> = latest
            .take(MemorySnapshot::MAX_THEMES)
            .map(|(version, seen)| (*version, seen.theme.id.clone()))
            .collect();
        self.themes.retain(|(version, seen)| {
            !nights.contains(version) || kept.contains(&(*version, seen.theme.id.clone()))
        });
    }

    pub(super) fn undo_latest(&mut self) -> Option<Undone> {
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
