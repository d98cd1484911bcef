//! What one NPC remembers, and what stands for a memory in it.

use std::collections::{BTreeMap, BTreeSet};

use nightfold::consolidate::RecallIndex;
use nightfold_memory::{
    Change, MemoryId, MemoryReader, MemoryRecord, NpcId, NpcNight, RecordKind, State, StoreError, ValidConfig,
};

use super::Found;
use crate::words::quoted;

pub(super) struct Mind<'a> {
    store: &'a dyn MemoryReader,
    npc: NpcId,
    entries: BTreeMap<MemoryId, MemoryRecord>,
    /// From a memory to what was made of it.
    into: BTreeMap<MemoryId, Vec<MemoryId>>,
}

impl<'a> Mind<'a> {
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

    /// Active entries that stand for a memory: itself, what tells it, what it confirmed, and its very words. What is
    /// only concluded from it does not.
    fn standing<'s>(&'s self, id: &'s MemoryId) -> BTreeSet<&'s MemoryId> {
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

    /// What stands for it, in words.
    fn told_standing(&self, id: &MemoryId) -> String {
        let standing: Vec<String> = self
            .standing(id)
            .into_iter()
            .filter_map(|id| {
                let entry = &self.entries.get(id)?.entry;
                Some(format!("{id} ({}): {}", entry.form.as_str(), quoted(&entry.text)))
            })
            .collect();
        match standing.len() {
            0 => "nothing active stands for it".to_owned(),
            1 => format!("what stands for it is {}", standing[0]),
            n => format!("{n} entries stand for it, such as {}", standing[0]),
        }
    }

    pub(super) fn kept(&self, id: &MemoryId) -> Found {
        let words = self.words(id);
        let whole = self.entries.values().find(|m| {
            Self::is_active(m) && m.entry.form == RecordKind::Verbatim && words == Some(m.entry.text.trim())
        });
        let how = match whole {
            Some(memory) => format!("its words stand in {}", memory.entry.id),
            None => {
                format!("{}; {}", words.map_or("it has no words".to_owned(), quoted), self.told_standing(id))
            }
        };
        Found::new(whole.is_some(), how).about(std::slice::from_ref(id))
    }

    pub(super) fn forgotten(&self, id: &MemoryId) -> Found {
        Found::new(self.standing(id).is_empty(), self.told_standing(id)).about(std::slice::from_ref(id))
    }

    /// Whether one synthesis tells all of these.
    pub(super) fn told(&self, ids: &[MemoryId]) -> Found {
        let mut telling = ids.iter().map(|id| {
            let standing = self.standing(id).into_iter();
            let told = standing
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
            (None, [id]) => self.told_standing(id),
            (None, _) => "no active synthesis tells all of them".to_owned(),
        };
        Found::new(!all.is_empty(), how).about(ids)
    }

    pub(super) fn known(&self, id: &MemoryId, nights: &[Vec<NpcNight>]) -> Found {
        let confirmed = self
            .changes(nights)
            .find(|change| matches!(change, Change::Corroborate { .. }) && change.sources().contains(id));
        let standing = confirmed.is_some_and(|change| !self.standing(change.id()).is_empty());
        let how = match confirmed {
            Some(change) if standing => format!("it confirmed {}", change.id()),
            Some(change) => format!("it confirmed {}, which is not active any more", change.id()),
            None => format!("it confirmed nothing; {}", self.told_standing(id)),
        };
        Found::new(standing, how).about(std::slice::from_ref(id))
    }

    pub(super) fn corroborated(&self, id: &MemoryId, times: u32) -> Found {
        let entry = self.entries.get(id).filter(|m| Self::is_active(m));
        let how = match entry {
            Some(memory) => format!("it was said again {} times", memory.corroborations),
            None => "it is not active".to_owned(),
        };
        Found::new(entry.is_some_and(|m| m.corroborations >= times), how).about(std::slice::from_ref(id))
    }

    pub(super) fn superseded(&self, id: &MemoryId, by: Option<&MemoryId>, nights: &[Vec<NpcNight>]) -> Found {
        let replaced = self
            .changes(nights)
            .filter(|change| matches!(change, Change::Supersede { .. }) && change.id() == id)
            .last();
        let gone = self.entries.get(id).is_some_and(|m| !Self::is_active(m));
        let as_expected = replaced.is_some_and(|change| by.is_none_or(|by| change.sources().contains(by)));
        let how = match replaced {
            Some(change) => {
                let by: Vec<&str> = change.sources().iter().map(MemoryId::as_str).collect();
                format!("{} took its place", by.join(" and "))
            }
            None => format!("nothing took its place; {}", self.told_standing(id)),
        };
        let about: Vec<MemoryId> = std::iter::once(id).chain(by).cloned().collect();
        Found::new(gone && as_expected, how).about(&about)
    }

    pub(super) fn contested(&self, id: &MemoryId, by: Option<&MemoryId>) -> Found {
        let with = self.entries.get(id).map_or(&[][..], |memory| &memory.contested_with);
        let as_expected = by.map_or(!with.is_empty(), |by| with.contains(by));
        let names: Vec<&str> = with.iter().map(MemoryId::as_str).collect();
        let how = match self.entries.get(id).filter(|memory| Self::is_active(memory)) {
            Some(_) if with.is_empty() => "it is active, and nothing contests it".to_owned(),
            Some(_) => format!("it is contested with {}", names.join(" and ")),
            None => format!("it is not active; {}", self.told_standing(id)),
        };
        let about: Vec<MemoryId> = std::iter::once(id).chain(by).cloned().collect();
        Found::new(as_expected, how).about(&about)
    }

    pub(super) fn recalled(&self, id: &MemoryId, query: &[f32], top: usize, config: &ValidConfig) -> Found {
        let entries: Vec<MemoryRecord> =
            self.store.past(&self.npc).map(|past| past.entries).unwrap_or_default();
        let Some(now) = entries.iter().map(|m| m.touched_at).max() else {
            return Found::new(false, "nothing is remembered").about(std::slice::from_ref(id));
        };
        let mut settings = config.recall.clone();
        settings.limit = usize::MAX;
        let index = RecallIndex::new(entries);
        let found = index.recall(query, now, &settings);
        let standing = self.standing(id);
        let place = found.iter().position(|r| standing.contains(&r.memory.entry.id));
        let first: Vec<String> = found
            .iter()
            .take(top.min(3))
            .map(|r| format!("{} {}", r.memory.entry.id, quoted(&r.memory.entry.text)))
            .collect();
        let how = match place {
            Some(place) => format!(
                "it comes as number {} of {}; first comes {}",
                place + 1,
                found.len(),
                first.join(", then ")
            ),
            None => format!("{}; what comes to mind is {}", self.told_standing(id), first.join(", then ")),
        };
        Found::new(place.is_some_and(|place| place < top), how).about(std::slice::from_ref(id))
    }

    /// Active entries that mention all of these words, in words.
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

    /// How many entries are active.
    pub(super) fn active(&self, insights: bool) -> usize {
        let active = self.entries.values().filter(|m| Self::is_active(m));
        active.filter(|m| !insights || m.entry.form == RecordKind::Reflection).count()
    }

    fn changes<'n>(&'n self, nights: &'n [Vec<NpcNight>]) -> impl Iterator<Item = &'n Change> {
        nights.iter().flatten().filter(|night| night.npc == self.npc).flat_map(|night| &night.changes)
    }
}
