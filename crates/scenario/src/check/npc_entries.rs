//! Entries of one NPC, and those that carry a given memory.

use std::collections::{BTreeMap, BTreeSet};

use nightfold::{
    RunError,
    consolidate::{RecallIndex, RecallQuery, review::count},
    english::Packs,
    pack_for_entries, recallable,
};
use nightfold_memory::{
    Change, Embedder, MemoryId, MemoryReader, MemoryRecord, MemorySnapshot, NpcId, NpcNight, RecordKind,
    State, StoreError, ValidConfig,
};

use crate::{reasons::quoted, scenario::ExpectedFate};

/// Result of a check.
pub(super) struct Finding {
    pub(super) holds: bool,
    /// State that was found.
    pub(super) how: String,
}

impl Finding {
    pub(super) fn new(holds: bool, how: impl Into<String>) -> Self {
        Self { holds, how: how.into() }
    }
}

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

    /// Checks the fate of a memory or entry.
    pub(super) fn check(
        &self,
        id: &MemoryId,
        fate: &ExpectedFate,
        nights: &[Vec<NpcNight>],
        recall: (&dyn Embedder, &ValidConfig),
    ) -> Result<Finding, RunError> {
        Ok(match fate {
            ExpectedFate::Kept => self.kept(id),
            ExpectedFate::Forgotten => Finding::new(self.carriers(id).is_empty(), self.describe_carriers(id)),
            ExpectedFate::Told { with } => self.told(id, with),
            ExpectedFate::Known => self.known(id, nights),
            ExpectedFate::Corroborated { times } => self.corroborated(id, *times),
            ExpectedFate::Superseded { by } => self.superseded(id, by.as_ref(), nights),
            ExpectedFate::Contested { by } => self.contested(id, by.as_ref()),
            ExpectedFate::Recalled { query, top, wanted } => {
                let found = self.recalled(id, query, *top, recall)?;
                Finding { holds: found.holds == *wanted, ..found }
            }
        })
    }

    fn kept(&self, id: &MemoryId) -> Finding {
        let words = self.words(id);
        let whole = self.entries.values().find(|m| {
            Self::is_active(m) && m.entry.form == RecordKind::Verbatim && words == Some(m.entry.text.trim())
        });
        let told = words.map_or("it has no words".to_owned(), quoted);
        let how = whole.map_or_else(
            || format!("{told}; {}", self.describe_carriers(id)),
            |memory| format!("its words stand in {}", memory.entry.id),
        );
        Finding::new(whole.is_some(), how)
    }

    /// Checks that one synthesis covers a memory, together with these.
    fn told(&self, id: &MemoryId, with: &[MemoryId]) -> Finding {
        let syntheses = |id| -> BTreeSet<&MemoryId> {
            let is_synthesis =
                |id: &MemoryId| self.entries.get(id).is_some_and(|m| m.entry.form == RecordKind::Synthesis);
            self.carriers(id).into_iter().filter(|id| is_synthesis(id)).collect()
        };
        let all = with.iter().fold(syntheses(id), |all, other| &all & &syntheses(other));
        let how = match all.first() {
            Some(by) => {
                let text = self.words(by).unwrap_or_default();
                format!("{by} tells {}: {}", if with.is_empty() { "it" } else { "them" }, quoted(text))
            }
            None if with.is_empty() => self.describe_carriers(id),
            None => "no active synthesis tells all of them".to_owned(),
        };
        Finding::new(!all.is_empty(), how)
    }

    fn known(&self, id: &MemoryId, nights: &[Vec<NpcNight>]) -> Finding {
        let confirmed = self
            .changes(nights)
            .find(|change| matches!(change, Change::Corroborate { .. }) && change.sources().contains(id));
        let stands = confirmed.is_some_and(|change| !self.carriers(change.id()).is_empty());
        let how = match confirmed {
            Some(change) if stands => format!("it confirmed {}", change.id()),
            Some(change) => format!("it confirmed {}, which is not active any more", change.id()),
            None => format!("it confirmed nothing; {}", self.describe_carriers(id)),
        };
        Finding::new(stands, how)
    }

    fn corroborated(&self, id: &MemoryId, times: u32) -> Finding {
        let carriers = self.carriers(id).into_iter().filter_map(|id| self.entries.get(id));
        let most = carriers.max_by_key(|memory| memory.corroborations);
        let times_of = |n: u32| count(n as usize, "time", "times");
        let how = match most {
            Some(MemoryRecord { entry, corroborations, .. }) if entry.id == *id => {
                format!("it was corroborated {}", times_of(*corroborations))
            }
            Some(MemoryRecord { entry, corroborations, .. }) => {
                format!("{}, which represents it, was corroborated {}", entry.id, times_of(*corroborations))
            }
            None => self.describe_carriers(id),
        };
        Finding::new(most.is_some_and(|m| m.corroborations >= times), how)
    }

    fn superseded(&self, id: &MemoryId, by: Option<&MemoryId>, nights: &[Vec<NpcNight>]) -> Finding {
        let is_ending = |change: &&Change| matches!(change, Change::Supersede { .. } | Change::End { .. });
        let replaced = self.changes(nights).filter(|c| is_ending(c) && c.id() == id).last();
        // A report stays, with a mark on what it tells.
        let gone = self.entries.get(id).is_some_and(|m| !Self::is_active(m) || !m.ended.is_empty());
        let as_expected = replaced.is_some_and(|change| by.is_none_or(|by| change.sources().contains(by)));
        let how = match replaced {
            Some(change) => {
                let by: Vec<&str> = change.sources().iter().map(MemoryId::as_str).collect();
                let ends = matches!(change, Change::End { .. });
                let how = if ends { "ended what it tells" } else { "took its place" };
                format!("{} {how}", by.join(" and "))
            }
            None => format!("nothing took its place; {}", self.describe_carriers(id)),
        };
        Finding::new(gone && as_expected, how)
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
        Finding::new(as_expected, how)
    }

    fn recalled(
        &self,
        id: &MemoryId,
        query: &str,
        top: usize,
        with: (&dyn Embedder, &ValidConfig),
    ) -> Result<Finding, RunError> {
        let (embedder, config) = with;
        let MemorySnapshot { entries, npc_tags, .. } = self.store.snapshot(&self.npc)?;
        let Some(now) = entries.iter().map(|m| m.touched_at).max() else {
            return Ok(Finding::new(false, "nothing is remembered"));
        };
        let mut settings = config.for_npc(&self.npc, &npc_tags).recall.clone();
        settings.limit = usize::MAX;
        let pack = pack_for_entries(&entries, &Packs, config)?;
        let vectors = embedder.embed(&[query])?.vectors;
        let query = RecallQuery::new(query, vectors.row(0), pack);
        let entries = recallable(self.store, &self.npc, entries, &settings)?;
        let index = RecallIndex::new(entries, pack);
        let found = index.recall(&query, now, &settings);
        let carriers = self.carriers(id);
        let place = found.iter().position(|r| carriers.contains(&r.memory.entry.id));
        let first = found.iter().take(top.min(3)).map(|r| &r.memory.entry);
        let first: Vec<String> = first.map(|entry| format!("{} {}", entry.id, quoted(&entry.text))).collect();
        let first = first.join(", then ");
        let how = match place {
            Some(place) => format!("it is number {} of {}; the first is {first}", place + 1, found.len()),
            None => format!("{}; recalled is {first}", self.describe_carriers(id)),
        };
        Ok(Finding::new(place.is_some_and(|place| place < top), how))
    }

    /// Describes the active entries that mention all of these words.
    pub(super) fn mentioning(&self, words: &[String], insight: bool) -> Vec<String> {
        let mentions = |text: &str| words.iter().all(|word| text.contains(&word.to_lowercase()));
        let found = self.active(insight).filter(|m| mentions(&m.entry.text.to_lowercase()));
        found.map(|m| format!("{} of {}: {}", m.entry.id, self.npc, quoted(&m.entry.text))).collect()
    }

    /// Returns the active entries, or the active reflections.
    pub(super) fn active(&self, insights: bool) -> impl Iterator<Item = &MemoryRecord> {
        let active = self.entries.values().filter(|m| Self::is_active(m));
        active.filter(move |m| !insights || m.entry.form == RecordKind::Reflection)
    }

    fn changes<'n>(&'n self, nights: &'n [Vec<NpcNight>]) -> impl Iterator<Item = &'n Change> {
        nights.iter().flatten().filter(|night| night.npc == self.npc).flat_map(|night| &night.changes)
    }
}
