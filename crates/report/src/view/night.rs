//! One night of one NPC.

use std::collections::BTreeMap;

use nightfold_consolidate::{DayMap, review::Before};
use nightfold_memory::{Change, ClusterReport, Entry, GameTime, Kind, Memory, MemoryId, NpcNight, Reason};
use serde::Serialize;

use super::fate::{FATES, Fate};
use crate::json::Shown;

/// Most sources of a change to older entries that are shown one by one: a summary of a year may have thousands.
const MOST_CITED: usize = 50;

/// One night of one NPC, ready to be drawn.
#[derive(Debug, Serialize)]
pub struct NightView {
    night: Shown,
    at: GameTime,
    /// Every memory of the day, in order of time.
    memories: Vec<MemoryView>,
    themes: Vec<ThemeView>,
    /// Syntheses, and summaries of old weeks and months.
    told: Vec<ToldView>,
    insights: Vec<InsightView>,
    /// What became of older entries.
    older: Vec<OlderView>,
    totals: Totals,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Shown>,
    /// The share of all differences that the map shows; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    mapped: Option<f64>,
}

#[derive(Debug, Serialize)]
struct MemoryView {
    id: Shown,
    at: GameTime,
    /// Left out of events, which most are.
    #[serde(skip_serializing_if = "is_event")]
    kind: Kind,
    text: Shown,
    #[serde(skip_serializing_if = "Option::is_none")]
    importance: Option<u8>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pinned: bool,
    fate: Fate,
    /// Its theme; left out of what is loose, folded or blank.
    #[serde(skip_serializing_if = "Option::is_none")]
    theme: Option<usize>,
    /// What says it instead: the memory it repeats, the entry that knew it or that took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<Cited>,
    /// The synthesis that tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    told: Option<usize>,
    /// Its place on the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    xy: Option<(f64, f64)>,
    why: Why,
}

#[derive(Debug, Serialize)]
struct ThemeView {
    name: Shown,
    size: usize,
    cohesion: f64,
    recurred: usize,
    budget: usize,
    kept: usize,
    tokens: usize,
    slots: usize,
    /// Its memories of the day, in order of time.
    members: Vec<usize>,
}

#[derive(Debug, Serialize)]
struct ToldView {
    id: Shown,
    /// One to three words for it; left out where nothing tells it apart.
    #[serde(skip_serializing_if = "Shown::is_empty")]
    name: Shown,
    text: Shown,
    importance: u8,
    cites: Vec<Cited>,
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
    why: Why,
}

#[derive(Debug, Serialize)]
struct InsightView {
    id: Shown,
    #[serde(skip_serializing_if = "Shown::is_empty")]
    name: Shown,
    text: Shown,
    kind: &'static str,
    cites: Vec<Cited>,
    why: Why,
}

/// A change of an entry of earlier nights.
#[derive(Debug, Serialize)]
struct OlderView {
    verb: &'static str,
    id: Shown,
    text: Shown,
    cites: Vec<Cited>,
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
    why: Why,
}

/// What something rests on: a memory of the day by its number, or an entry in its own words.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Cited {
    Memory(usize),
    Entry { id: Shown, text: Shown },
}

/// The rule that decided, and what it looked at.
#[derive(Debug, Clone, Default, Serialize)]
struct Why(&'static str, String);

#[derive(Debug, Serialize)]
struct Totals {
    memories: usize,
    distinct: usize,
    kept: usize,
    budget: usize,
    important: usize,
    important_kept: usize,
    reduction: f64,
    /// How much of its budgets the night was worth.
    share: f64,
    /// The ledger, what a model would take, what was spent.
    tokens: [usize; 3],
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_event(kind: &Kind) -> bool {
    *kind == Kind::Event
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Why {
    fn of(reason: &Reason) -> Self {
        let looked: Vec<String> =
            reason.values.iter().map(|(name, value)| format!("{} {value}", name.replace('_', " "))).collect();
        Self(reason.rule.as_str(), nightfold_memory::clean(&looked.join(", ")).into_owned())
    }
}

/// What can be looked up while a night is read.
struct Reading<'a> {
    /// Memories of the day by id.
    day: BTreeMap<&'a MemoryId, usize>,
    /// What the night writes.
    written: BTreeMap<&'a MemoryId, &'a Entry>,
    known: &'a Before,
    memories: Vec<MemoryView>,
    told: Vec<ToldView>,
    insights: Vec<InsightView>,
    older: Vec<OlderView>,
}

impl NightView {
    /// `known` is what the entries say that stood before the night.
    pub(super) fn of(night: &NpcNight, map: Option<&DayMap>, known: &Before) -> Self {
        let mut reading = Reading {
            day: night.memories.iter().enumerate().map(|(i, m)| (&m.id, i)).collect(),
            written: night.changes.iter().filter_map(Change::entry).map(|e| (&e.id, e)).collect(),
            known,
            memories: night.memories.iter().map(MemoryView::of).collect(),
            told: Vec::new(),
            insights: Vec::new(),
            older: Vec::new(),
        };
        // Supersessions come after what they set aside was stored.
        night.changes.iter().for_each(|change| reading.read(change));
        reading.fold_readings();
        let themes: Vec<ThemeView> = night.report.clusters.iter().map(|c| reading.theme(c)).collect();
        for (number, theme) in themes.iter().enumerate() {
            theme.members.iter().for_each(|&i| reading.memories[i].theme = Some(number));
        }
        for place in map.iter().flat_map(|map| &map.places) {
            if let Some(&i) = reading.day.get(&place.id) {
                // A thousandth is less than a pixel.
                let short = |x: f64| (x * 1e3).round() / 1e3;
                reading.memories[i].xy = Some((short(place.x), short(place.y)));
            }
        }
        let Reading { memories, told, insights, older, .. } = reading;
        Self {
            night: night.night.as_str().into(),
            at: night.at,
            memories,
            themes,
            told,
            insights,
            older,
            totals: Totals::of(night),
            notes: night.report.notes.iter().map(Shown::from).collect(),
            mapped: map.map(|map| map.shown),
        }
    }

    /// How many memories have each fate.
    pub(super) fn fates(&self) -> [usize; FATES] {
        let mut fates = [0; FATES];
        self.memories.iter().for_each(|memory| fates[memory.fate as usize] += 1);
        fates
    }
}

impl MemoryView {
    /// A memory of which no change has spoken yet: whatever no change speaks of is gone.
    fn of(memory: &Memory) -> Self {
        let text = if memory.is_blank() { "(blank)".into() } else { Shown::from(&memory.text) };
        Self {
            id: memory.id.as_str().into(),
            at: memory.at,
            kind: memory.kind,
            text,
            importance: memory.importance.map(nightfold_memory::Importance::get),
            pinned: memory.pinned,
            fate: Fate::Gone,
            theme: None,
            by: None,
            told: None,
            xy: None,
            why: Why::default(),
        }
    }

    fn meets(&mut self, fate: Fate, by: Option<Cited>, why: Why) {
        (self.fate, self.by, self.why) = (fate, by, why);
    }
}

impl Reading<'_> {
    fn read(&mut self, change: &Change) {
        let why = Why::of(change.reason());
        match change {
            Change::Collapse { id, sources, standing: None, .. } => {
                let by = self.day.get(id).map(|&i| Cited::Memory(i));
                sources.iter().for_each(|id| self.meets(id, Fate::Repeat, by.clone(), &why));
            }
            Change::Store { entry, .. } => self.meets(&entry.id, Fate::Kept, None, &why),
            Change::Prune { id, .. } => self.meets(id, Fate::Gone, None, &why),
            Change::Chunk { entry, name, .. } => self.tells(entry, name, why),
            Change::Reflect { entry, name, reflection, .. } => {
                let (cites, _) = self.cites(&entry.sources, usize::MAX);
                let (id, text) = (entry.id.as_str().into(), Shown::from(&entry.text));
                self.insights.push(InsightView {
                    id,
                    name: name.into(),
                    text,
                    kind: reflection.as_str(),
                    cites,
                    why,
                });
            }
            Change::Corroborate { id, sources, .. } => {
                let by = self.cite(id);
                sources.iter().for_each(|id| self.meets(id, Fate::Known, Some(by.clone()), &why));
                self.changes_older(change, why);
            }
            Change::Supersede { id, sources, .. } if self.day.contains_key(id) => {
                let by = sources.first().map(|id| self.cite(id));
                self.meets(id, Fate::Replaced, by, &why);
            }
            Change::Collapse { .. }
            | Change::Supersede { .. }
            | Change::Archive { .. }
            | Change::Restore { .. }
            | Change::Forget { .. } => self.changes_older(change, why),
        }
    }

    fn meets(&mut self, id: &MemoryId, fate: Fate, by: Option<Cited>, why: &Why) {
        if let Some(&i) = self.day.get(id) {
            self.memories[i].meets(fate, by, why.clone());
        }
    }

    fn tells(&mut self, entry: &Entry, name: &str, why: Why) {
        let number = self.told.len();
        let (cites, more) = self.cites(&entry.sources, MOST_CITED);
        for id in &entry.sources {
            if let Some(&i) = self.day.get(id) {
                self.memories[i].meets(Fate::Told, None, why.clone());
                self.memories[i].told = Some(number);
            }
        }
        let importance = entry.importance.get();
        let (id, text) = (entry.id.as_str().into(), Shown::from(&entry.text));
        self.told.push(ToldView { id, name: name.into(), text, importance, cites, more, why });
    }

    fn changes_older(&mut self, change: &Change, why: Why) {
        // What the same night wrote is shown with the memories that wrote it.
        if self.written.contains_key(change.id()) {
            return;
        }
        let (cites, more) = self.cites(change.sources(), MOST_CITED);
        let text = match self.text(change.id()) {
            text if text.is_empty() => "(an earlier entry)".into(),
            text => text,
        };
        let (verb, id) = (change.verb(), change.id().as_str().into());
        self.older.push(OlderView { verb, id, text, cites, more, why });
    }

    /// A reading of a status that repeats word for word another one that was folded stands for nothing more.
    fn fold_readings(&mut self) {
        for i in 0..self.memories.len() {
            let Some(Cited::Memory(by)) = self.memories[i].by else { continue };
            if self.memories[i].fate == Fate::Repeat
                && let Some(Cited::Memory(end)) = self.memories[by].by
                && self.memories[by].fate == Fate::Repeat
                && end != i
            {
                self.memories[i].by = Some(Cited::Memory(end));
            }
        }
    }

    fn cites(&self, ids: &[MemoryId], most: usize) -> (Vec<Cited>, usize) {
        let cited = ids.iter().take(most).map(|id| self.cite(id)).collect();
        (cited, ids.len().saturating_sub(most))
    }

    fn cite(&self, id: &MemoryId) -> Cited {
        match self.day.get(id) {
            Some(&i) => Cited::Memory(i),
            None => Cited::Entry { id: id.as_str().into(), text: self.text(id) },
        }
    }

    /// What an entry says that is no memory of the day; nothing where that is not at hand.
    fn text(&self, id: &MemoryId) -> Shown {
        let written = || self.written.get(id).map(|entry| &entry.text);
        self.known.get(id).map(|entry| &entry.text).or_else(written).map_or_else(|| "".into(), Shown::from)
    }

    fn theme(&self, cluster: &ClusterReport) -> ThemeView {
        let name = Shown::from(&cluster.name);
        ThemeView {
            name: if name.is_empty() { "(no telling words)".into() } else { name },
            size: cluster.size,
            cohesion: cluster.cohesion,
            recurred: cluster.recurred,
            budget: cluster.storage_budget,
            kept: cluster.kept,
            tokens: cluster.token_budget,
            slots: cluster.reflection_slots,
            members: cluster.members.iter().filter_map(|id| self.day.get(id).copied()).collect(),
        }
    }
}

impl Totals {
    fn of(night: &NpcNight) -> Self {
        let report = &night.report;
        Self {
            memories: report.memories,
            distinct: report.distinct,
            kept: report.kept,
            budget: report.storage_budget,
            important: report.important,
            important_kept: report.important_kept,
            reduction: report.reduction,
            share: report.share_of_night,
            tokens: [report.tokens.budget, report.tokens.estimate, report.tokens.spent],
        }
    }
}
