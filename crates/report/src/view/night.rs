//! One night of one NPC.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_consolidate::{
    DayMap,
    review::{Before, Diff, ProposalKind, Told},
};
use nightfold_memory::{Change, ClusterReport, GameTime, Kind, Memory, MemoryId, NpcNight, Reason, Value};
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
    /// Syntheses.
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
    /// The record that says it instead: the memory it repeats, the entry that knew it, took its place or contradicts it.
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

/// Number of letters of each of two texts that were compared.
const COMPARED: usize = 120;

impl Why {
    fn of(reason: &Reason) -> Self {
        let value = |(name, value): (&str, &Value)| format!("{} {value}", name.replace('_', " "));
        let looked: Vec<String> = match reason.comparison() {
            Some(comparison) => {
                [comparison].into_iter().chain(reason.beside_comparison().map(value)).collect()
            }
            None => reason.values.iter().map(|(name, v)| value((name, v))).collect(),
        };
        Self(reason.rule.as_str(), nightfold_memory::clean(&looked.join(", ")).into_owned())
    }

    /// With the two statements that were compared, where they do not stand beside it.
    fn with(mut self, compared: Option<&[Told<'_>; 2]>) -> Self {
        if let Some([older, newer]) = compared {
            let short = |told: &Told<'_>| {
                let text = told.text.trim();
                let begun: String = text.chars().take(COMPARED).collect();
                if begun.len() < text.len() { format!("“{begun}…”") } else { format!("“{begun}”") }
            };
            let told = format!("{}; compared {} with {}", self.1, short(newer), short(older));
            self.1 = nightfold_memory::clean(&told).into_owned();
        }
        self
    }
}

/// A night laid out, with its memories by number.
struct Drawing<'a> {
    diff: Diff<'a>,
    /// Memories of the day by id.
    day: BTreeMap<&'a MemoryId, usize>,
    memories: Vec<MemoryView>,
    told: Vec<ToldView>,
    insights: Vec<InsightView>,
    older: Vec<OlderView>,
}

impl NightView {
    /// `known` is what the entries say that stood before the night.
    pub(super) fn of(night: &NpcNight, map: Option<&DayMap>, known: &Before) -> Self {
        let mut drawing = Drawing {
            diff: Diff::of(night, known),
            day: night.memories.iter().enumerate().map(|(i, m)| (&m.id, i)).collect(),
            memories: night.memories.iter().map(MemoryView::of).collect(),
            told: Vec::new(),
            insights: Vec::new(),
            older: Vec::new(),
        };
        drawing.repeats(&night.changes);
        drawing.proposals();
        drawing.fates();
        drawing.entries(&night.changes, known);
        let themes = night.report.clusters.iter().map(|cluster| drawing.theme(cluster)).collect();
        for place in map.iter().flat_map(|map| &map.places) {
            if let Some(&i) = drawing.day.get(&place.id) {
                // A thousandth is less than a pixel.
                let short = |x: f64| (x * 1e3).round() / 1e3;
                drawing.memories[i].xy = Some((short(place.x), short(place.y)));
            }
        }
        let Drawing { memories, told, insights, older, .. } = drawing;
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
    /// A memory of which nothing is known yet: whatever no change speaks of is gone.
    fn of(memory: &Memory) -> Self {
        Self {
            id: memory.id.as_str().into(),
            at: memory.at,
            kind: memory.kind,
            text: if memory.is_blank() { "(blank)".into() } else { Shown::from(&memory.text) },
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
}

impl Drawing<'_> {
    /// What another memory stands for: repeats of its text, readings of its status.
    fn repeats(&mut self, changes: &[Change]) {
        let mut stands: BTreeMap<usize, usize> = BTreeMap::new();
        for change in changes {
            let Change::Collapse { id, sources, standing: None, reason } = change else { continue };
            let Some(&first) = self.day.get(id) else { continue };
            for &i in sources.iter().filter_map(|id| self.day.get(id)) {
                (self.memories[i].fate, self.memories[i].why) = (Fate::Repeat, Why::of(reason));
                stands.insert(i, first);
            }
        }
        for (&i, &first) in &stands {
            // A reading may have repeats of its own.
            self.memories[i].by = Some(Cited::Memory(*stands.get(&first).unwrap_or(&first)));
        }
    }

    /// Syntheses and insights, in the order of their themes.
    fn proposals(&mut self) {
        let across = self.diff.across.iter();
        for proposal in self.diff.sections.iter().flat_map(|section| &section.proposals).chain(across) {
            let (id, name, text) = (shown(proposal.id), proposal.name.into(), proposal.text.into());
            let (cites, why) = (cites(&self.day, &proposal.sources), Why::of(proposal.reason));
            match proposal.kind {
                ProposalKind::Synthesis => {
                    self.told.push(ToldView { id, name, text, importance: proposal.importance, cites, why });
                }
                ProposalKind::Insight(kind) => {
                    self.insights.push(InsightView { id, name, text, kind: kind.as_str(), cites, why });
                }
            }
        }
    }

    fn fates(&mut self) {
        let told: BTreeMap<&MemoryId, usize> = self
            .diff
            .sections
            .iter()
            .flat_map(|section| &section.proposals)
            .chain(&self.diff.across)
            .filter(|proposal| proposal.kind == ProposalKind::Synthesis)
            .enumerate()
            .map(|(number, proposal)| (proposal.id, number))
            .collect();
        for (theme, section) in self.diff.sections.iter().enumerate() {
            for lived in &section.memories {
                let Some(&i) = self.day.get(lived.id) else { continue };
                let memory = &mut self.memories[i];
                memory.theme = section.theme.map(|_| theme);
                memory.fate = Fate::from(lived.fate);
                memory.why = Why::of(lived.reason).with(lived.compared.as_ref());
                let by = lived.by.as_ref();
                match by.and_then(|by| told.get(by.id)) {
                    Some(&number) if memory.fate == Fate::Told => memory.told = Some(number),
                    _ => memory.by = by.map(|by| cite(&self.day, by)),
                }
            }
        }
    }

    /// What becomes of entries of earlier nights. What confirms an entry is told with the memories, too.
    fn entries(&mut self, changes: &[Change], known: &Before) {
        for older in &self.diff.known {
            let sources = &older.sources[..older.sources.len().min(MOST_CITED)];
            self.older.push(OlderView {
                verb: older.verb,
                id: shown(older.entry.id),
                text: entry_text(older.entry.text),
                cites: cites(&self.day, sources),
                more: older.sources.len() - sources.len(),
                why: Why::of(older.reason).with(older.compared.as_ref()),
            });
        }
        let written: BTreeSet<&MemoryId> = changes.iter().filter_map(|c| Some(&c.entry()?.id)).collect();
        for change in changes {
            let Change::Corroborate { id, sources, reason, .. } = change else { continue };
            if written.contains(id) {
                continue;
            }
            self.older.push(OlderView {
                verb: change.verb(),
                id: shown(id),
                text: entry_text(known.get(id).map_or("", |entry| &entry.text)),
                cites: sources.iter().filter_map(|id| self.day.get(id).copied().map(Cited::Memory)).collect(),
                more: 0,
                why: Why::of(reason),
            });
        }
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

fn shown(id: &MemoryId) -> Shown {
    id.as_str().into()
}

fn entry_text(text: &str) -> Shown {
    if text.is_empty() { "(an earlier entry)".into() } else { text.into() }
}

fn cites(day: &BTreeMap<&MemoryId, usize>, told: &[Told<'_>]) -> Vec<Cited> {
    told.iter().map(|told| cite(day, told)).collect()
}

fn cite(day: &BTreeMap<&MemoryId, usize>, told: &Told<'_>) -> Cited {
    match day.get(told.id) {
        Some(&i) => Cited::Memory(i),
        None => Cited::Entry { id: shown(told.id), text: told.text.into() },
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
