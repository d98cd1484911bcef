//! Erasing a person from the contents of a store in memory.

use std::collections::BTreeMap;

use nightfold_memory::{
    Erasure, Fingerprint, NpcId, PersonNames, StoreError,
    effect::{ErasureEffect, LogPlace, NpcHistory, RecordHistory, ThemeState, erasure_of, without_vector},
};

use super::contents::{Contents, NpcContents, UndoableNight};

impl Contents {
    /// Returns what an erasure would write.
    pub(super) fn erasure(
        &self,
        run: u64,
        npc: &NpcId,
        person: &PersonNames,
    ) -> Result<Option<ErasureEffect>, StoreError> {
        let shelved = self.shelved.get(npc);
        let is_there = self.npcs.contains_key(npc)
            || shelved.is_some_and(|shelved| !shelved.is_empty())
            || self.save_points.values().any(|versions| versions.contains_key(npc));
        if !is_there {
            return Ok(None);
        }
        let nobody = NpcContents::default();
        let mut history = self.npcs.get(npc).unwrap_or(&nobody).history_of_all(npc, person);
        for night in shelved.into_iter().flat_map(|shelved| shelved.values()) {
            history.open_nights += 1;
            let night = serde_json::to_string(night).map_err(StoreError::backend)?;
            history.named_elsewhere |= person.are_in(&night);
        }
        erasure_of(&history, person, run).map_err(StoreError::backend)
    }

    pub(super) fn erase(
        &mut self,
        run: u64,
        npc: &NpcId,
        person: &PersonNames,
    ) -> Result<Option<Erasure>, StoreError> {
        let Some(effect) = self.erasure(run, npc, person)? else { return Ok(None) };
        self.shelved.remove(npc);
        let erasure = effect.erasure.clone();
        if erasure.whole {
            self.npcs.remove(npc);
            for versions in self.save_points.values_mut() {
                versions.remove(npc);
            }
        } else if let Some(mind) = self.npcs.get_mut(npc) {
            // A save point of the state in force goes along; earlier states cannot be reached any more.
            if let Some(night) = &effect.night {
                let saved = self.save_points.values_mut().filter_map(|versions| versions.get_mut(npc));
                saved
                    .filter(|version| **version == mind.version)
                    .for_each(|version| *version = night.version);
            }
            self.last_seq += 1;
            mind.erase(effect, self.last_seq);
        }
        self.last_run = self.last_run.max(run);
        self.remove_empty();
        Ok(Some(erasure))
    }
}

impl NpcContents {
    /// Returns the places of the log lines, in order: each is numbered within its night.
    fn log_places(&self) -> Vec<LogPlace> {
        let mut places: Vec<LogPlace> = Vec::with_capacity(self.log.len());
        for (version, _) in &self.log {
            let ord = places.last().filter(|(last, _)| last == version).map_or(0, |(_, ord)| ord + 1);
            places.push((*version, ord));
        }
        places
    }

    fn history_of_all(&self, npc: &NpcId, person: &PersonNames) -> NpcHistory {
        let wrote =
            self.nights.iter().flat_map(|night| night.inserted.iter().map(|id| (id, night.applied.version)));
        let wrote: BTreeMap<_, _> = wrote.collect();
        let records = self.rows.iter().map(|(id, row)| RecordHistory {
            record: without_vector(row),
            version: wrote.get(id).copied().unwrap_or_default(),
            has_vector: row.entry.vector.is_some(),
        });
        let themes = self.themes.iter().map(|(version, seen)| {
            let terms = seen.theme.recent.iter().flat_map(|seen| &seen.terms);
            let words = seen.theme.words.iter().chain(terms).cloned().collect();
            ThemeState { id: seen.theme.id.clone(), version: *version, words }
        });
        let prior = self.nights.iter().flat_map(|night| &night.prior);
        let named_elsewhere = prior.into_iter().any(|row| {
            let texts = row.entry.tags.iter().map(String::as_str).chain([row.entry.id.as_str()]);
            texts.into_iter().any(|text| person.are_in(text))
        });
        NpcHistory {
            npc: npc.clone(),
            version: self.version,
            nights: self.nights.iter().map(|night| night.applied.clone()).collect(),
            open_nights: self.nights.len().saturating_sub(self.purged_nights),
            records: records.collect(),
            edges: self.edges.keys().cloned().collect(),
            log: self.log_places().into_iter().zip(self.log.iter().map(|(_, line)| line.clone())).collect(),
            themes: themes.collect(),
            gone: self.tombstones.keys().cloned().collect(),
            named_elsewhere,
        }
    }

    fn erase(&mut self, effect: ErasureEffect, seq: u64) {
        for (id, kept) in effect.deleted {
            if let Some(row) = self.rows.remove(&id) {
                self.tombstones.insert(kept, Fingerprint::of(&row.entry.text, row.entry.at));
            }
        }
        for (id, kept) in effect.renamed {
            if let Some(known) = self.tombstones.remove(&id) {
                self.tombstones.insert(kept, known);
            }
        }
        for mut row in effect.updated {
            if let Some(before) = self.rows.remove(&row.entry.id) {
                row.entry.vector = before.entry.vector;
                self.rows.insert(row.entry.id.clone(), row);
            }
        }
        for edge in &effect.cut {
            self.edges.remove(edge);
        }
        let places = self.log_places();
        let log = std::mem::take(&mut self.log).into_iter().zip(places);
        self.log = log
            .filter_map(|((version, mut line), place)| match effect.log.get(&place) {
                Some(None) => None,
                Some(Some(reason)) => {
                    line.reason = reason.clone();
                    Some((version, line))
                }
                None => Some((version, line)),
            })
            .collect();
        self.themes.retain(|(version, seen)| !effect.themes.contains(&(*version, seen.theme.id.clone())));
        for night in &mut self.nights {
            night.inserted.retain(|id| self.rows.contains_key(id));
            (night.prior, night.removed) = (Vec::new(), Vec::new());
            if let Some(tags) = effect.npc_tags.get(&night.applied.version) {
                night.applied.npc_tags.clone_from(tags);
            }
        }
        if let Some(applied) = effect.night {
            self.version = applied.version;
            let (inserted, prior, removed) = (Vec::new(), Vec::new(), Vec::new());
            self.nights.push(UndoableNight { seq, applied, inserted, prior, removed });
        }
        self.purged_nights = self.nights.len();
    }
}
