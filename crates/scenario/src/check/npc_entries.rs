//! Entries of one NPC, and those that carry a given memory.

use std::collections::{BTreeMap, BTreeSet};

use nightfold::{
    consolidate::{RecallIndex, RecallQuery},
    english::Packs,
    pack_for_entries,
};
use nightfold_memory::{
    Change, MemoryId, MemoryReader, MemoryRecord, MemorySnapshot, NpcId, NpcNight, RecordKind, State,
    StoreError, ValidConfig,
};

use super::Finding;
use crate::reasons::quoted;

pub(super) struct NpcEntries<'a> {
    store: &'a dyn MemoryReader,
    npc: NpcId,
    entries: BTreeMap<MemoryId, MemoryRecord>,
    /// Ids of the entries derived from each memory or entry.
    into: BTreeMap<MemoryId, Vec<MemoryId>>,
}

impl<'a> NpcEntries<'a> {
    pub(super) fn of(store: &'a dyn MemoryReader, npc: &NpcId) -> Result<Self, StoreError> {
        let entries: BTreeMap<_, _> =
            store.entries(npc)?.into_iter().map(|m| (m.entry.id.clone(), m)).collect();
        let mut into: BTreeMap<MemoryId, Vec<MemoryId>> = BTreeMap::new();
        for id in entries.keys() {
            for source in store.sources(npc, id)? {
                into.entry(source).or_default().push(id.clone());
            }
        }
        Ok(Self { store, npc: npc.clone(), entries, into })
    }

    fn is_active(memory: &MemoryRecord) -> bool {
        memory.state == State::Active
    }

    /// Returns the active entries that carry a memory: itself, its synthesis or summary, an entry that it
    /// corroborated, and entries with exactly its text. Reflections derived from it do not count.
    fn carriers<'s>(&'s self, id: &'s MemoryId) -> BTreeSet<&'s MemoryId> {
        let mut seen = BTreeSet::from([id]);
        let mut next = vec![id];
        while let Some(id) = next.pop() {
            for made in self.into.get(id).into_iter().flatten() {
                let insight = self.entries.get(made).is_none_or(|m| m.entry.form == RecordKind::Reflection);
                if !insight && seen.insert(made) {
                    next.push(made);
                }
            }
        }
        let words = self.words(id);
        let same = self.entries.values().filter(|m| words.is_some_and(|w| m.entry.text.trim() == w));
        seen.extend(same.map(|m| &m.entry.id));
        seen.retain(|id| self.entries.get(*id).is_some_and(Self::is_active));
        seen
    }

    fn words(&self, id: &MemoryId) -> Option<&str> {
        self.entries.get(id).map(|m| m.entry.text.trim()).filter(|text| !text.is_empty())
    }

    /// Describes the entries that carry a memory.
    fn describe_carriers(&self, id: &MemoryId) -> String {
        let carriers: Vec<String> = self
            .carriers(id)
            .into_iter()
            .filter_map(|id| {
                let entry = &self.entries.get(id)?.entry;
                Some(format!("{id} ({}): {}", entry.form.as_str(), quoted(&entry.text)))
            })
            .collect();
        match carriers.len() {
            0 => "nothing active stands for it".to_owned(),
            1 => format!("what stands for it is {}", carriers[0]),
            n => format!("{n} entries stand for it, such as {}", carriers[0]),
        }
    }

    pub(super) fn kept(&self, id: &MemoryId) -> Finding {
        let words = self.words(id);
        let whole = self.entries.values().find(|m| {
            Self::is_active(m) && m.entry.form == RecordKind::Verbatim && words == Some(m.entry.text.trim())
        });
        let how = match whole {
            Some(memory) => format!("its words stand in {}", memory.entry.id),
            None => {
                format!(
                    "{}; {}",
                    words.map_or("it has no words".to_owned(), quoted),
                    self.describe_carriers(id)
                )
            }
        };
        Finding::new(whole.is_some(), how).about(std::slice::from_ref(id))
    }

    pub(super) fn forgotten(&self, id: &MemoryId) -> Finding {
        Finding::new(self.carriers(id).is_empty(), self.describe_carriers(id)).about(std::slice::from_ref(id))
    }

    /// Checks that one synthesis covers all of these memories.
    pub(super) fn told(&self, ids: &[MemoryId]) -> Finding {
        let mut telling = ids.iter().map(|id| {
            let carriers = self.carriers(id).into_iter();
            let told = carriers
                .filter(|id| self.entries.get(*id).is_some_and(|m| m.entry.form == RecordKind::Synthesis));
            told.collect::<BTreeSet<_>>()
        });
        let first = telling.next().unwrap_or_default();
        let all = telling.fold(first, |all, these| &all & &these);
        let how = match (all.first(), ids) {
            (Some(by), _) => {
                let text = self.words(by).unwrap_or_default();
                format!("{by} tells {}: {}", if ids.len() == 1 { "it" } else { "them" }, quoted(text))
            }
            (None, [id]) => self.describe_carriers(id),
            (None, _) => "no active synthesis tells all of them".to_owned(),
        };
        Finding::new(!all.is_empty(), how).about(ids)
    }

    pub(super) fn known(&self, id: &MemoryId, nights: &[Vec<NpcNight>]) -> Finding {
        let confirmed = self
            .changes(nights)
            .find(|change| matches!(change, Change::Corroborate { .. }) && change.sources().contains(id));
        let stands = confirmed.is_some_and(|change| !self.carriers(change.id()).is_empty());
        let how = match confirmed {
            Some(change) if stands => format!("it confirmed {}", change.id()),
            Some(change) => format!("it confirmed {}, which is not active any more", change.id()),
            None => format!("it confirmed nothing; {}", self.describe_carriers(id)),
        };
        Finding::new(stands, how).about(std::slice::from_ref(id))
    }

    pub(super) fn corroborated(&self, id: &MemoryId, times: u32) -> Finding {
        let carriers = self.carriers(id).into_iter().filter_map(|id| self.entries.get(id));
        let most = carriers.max_by_key(|memory| memory.corroborations);
        let how = match most {
            Some(MemoryRecord { entry, corroborations, .. }) if entry.id == *id => {
                format!("it was said again {corroborations} times")
            }
            Some(MemoryRecord { entry, corroborations, .. }) => {
                format!("{}, which stands for it, was said again {corroborations} times", entry.id)
            }
            None => self.describe_carriers(id),
        };
        Finding::new(most.is_some_and(|m| m.corroborations >= times), how).about(std::slice::from_ref(id))
    }

    pub(super) fn superseded(
        &self,
        id: &MemoryId,
        by: Option<&MemoryId>,
        nights: &[Vec<NpcNight>],
    ) -> Finding {
        let is_ending = |change: &&Change| matches!(change, Change::Supersede { .. } | Change::End { .. });
        let replaced = self.changes(nights).filter(|c| is_ending(c) && c.id() == id).last();
        // A report stays, with a mark on what it tells.
        let gone = self.entries.get(id).is_some_and(|m| !Self::is_active(m) || !m.ended.is_empty());
        let as_expected = replaced.is_some_and(|change| by.is_none_or(|by| change.sources().contains(by)));
        let how = match replaced {
            Some(change) => {
                let by: Vec<&str> = change.sources().iter().map(MemoryId::as_str).collect();
                let how = if matches!(change, Change::End { .. }) {
                    "ended what it tells"
                } else {
                    "took its place"
                };
                format!("{} {how}", by.join(" and "))
            }
            None => format!("nothing took its place; {}", self.describe_carriers(id)),
        };
        let about: Vec<MemoryId> = std::iter::once(id).chain(by).cloned().collect();
        Finding::new(gone && as_expected, how).about(&about)
    }

    pub(super) fn contested(&self, id: &MemoryId, by: Option<&MemoryId>) -> Finding {
        let with = self.entries.get(id).map_or(&[][..], |memory| &memory.contested_with);
        let as_expected = by.map_or(!with.is_empty(), |by| with.contains(by));
        let names: Vec<&str> = with.iter().map(MemoryId::as_str).collect();
        let how = match self.entries.get(id).filter(|memory| Self::is_active(memory)) {
            Some(_) if with.is_empty() => "it is active, and nothing contests it".to_owned(),
            Some(_) => format!("it is contested with {}", names.join(" and ")),
            None => format!("it is not active; {}", self.describe_carriers(id)),
        };
        let about: Vec<MemoryId> = std::iter::once(id).chain(by).cloned().collect();
        Finding::new(as_expected, how).about(&about)
    }

    pub(super) fn recalled(
        &self,
        id: &MemoryId,
        question: (&str, &[f32]),
        top: usize,
        config: &ValidConfig,
    ) -> Finding {
        let MemorySnapshot { entries, npc_tags, .. } =
            self.store.snapshot(&self.npc).unwrap_or_else(|_| MemorySnapshot::empty());
        let Some(now) = entries.iter().map(|m| m.touched_at).max() else {
            return Finding::new(false, "nothing is remembered").about(std::slice::from_ref(id));
        };
        let mut settings = config.for_npc(&self.npc, &npc_tags).recall.clone();
        settings.limit = usize::MAX;
        let pack = match pack_for_entries(&entries, &Packs, config) {
            Ok(pack) => pack,
            Err(error) => return Finding::new(false, error.to_string()),
        };
        let query = RecallQuery::new(question.0, question.1, pack);
        let found = RecallIndex::new(entries, pack);
        let found = found.recall(&query, now, &settings);
        let carriers = self.carriers(id);
        let place = found.iter().position(|r| carriers.contains(&r.memory.entry.id));
        let first: Vec<String> = found
            .iter()
            .take(top.min(3))
            .map(|r| format!("{} {}", r.memory.entry.id, quoted(&r.memory.entry.text)))
            .collect();
        let how = match place {
            Some(place) => format!(
                "it is number {} of {}; the first is {}",
                place + 1,
                found.len(),
                first.join(", then ")
            ),
            None => {
                format!("{}; recalled is {}", self.describe_carriers(id), first.join(", then "))
            }
        };
        Finding::new(place.is_some_and(|place| place < top), how).about(std::slice::from_ref(id))
    }

    /// Describes the active entries that mention all of these words.
    pub(super) fn mentioning(&self, words: &[String], insight: bool) -> Vec<String> {
        let active = self.entries.values().filter(|m| Self::is_active(m));
        active
            .filter(|m| !insight || m.entry.form == RecordKind::Reflection)
            .filter(|m| {
                let text = m.entry.text.to_lowercase();
                words.iter().all(|word| text.contains(&word.to_lowercase()))
            })
            .map(|m| format!("{} of {}: {}", m.entry.id, self.npc, quoted(&m.entry.text)))
            .collect()
    }

    /// Returns the number of active entries, or of active reflections.
    pub(super) fn active(&self, insights: bool) -> usize {
        let active = self.entries.values().filter(|m| Self::is_active(m));
        active.filter(|m| !insights || m.entry.form == RecordKind::Reflection).count()
    }

    fn changes<'n>(&'n self, nights: &'n [Vec<NpcNight>]) -> impl Iterator<Item = &'n Change> {
        nights.iter().flatten().filter(|night| night.npc == self.npc).flat_map(|night| &night.changes)
    }
}
