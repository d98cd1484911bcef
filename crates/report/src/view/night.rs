//! One night of one NPC.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_consolidate::{
    DayMap,
    review::{Diff, EarlierEntries, ProposalKind, StatementRef},
};
use nightfold_memory::{Change, ClusterReport, GameTime, Kind, Memory, MemoryId, NpcNight, Reason};
use serde::Serialize;

use super::{
    events::NightEvents,
    fate::{FATES, MemoryFate},
};
use crate::json::SafeText;

/// Maximum number of sources listed for a change to an older entry: a summary of a year may have thousands.
const MAX_CITED: usize = 50;

/// One night of one NPC, ready to be drawn.
#[derive(Debug, Serialize)]
pub struct NightView {
    night: SafeText,
    at: GameTime,
    /// Every memory of the day, in order of time.
    memories: Vec<MemoryView>,
    themes: Vec<ThemeView>,
    /// Syntheses of memories of the day.
    told: Vec<ToldView>,
    insights: Vec<InsightView>,
    /// Changes to older entries.
    older: Vec<OlderView>,
    events: NightEvents,
    totals: Totals,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<SafeText>,
    /// Share of all distances that the map shows, 0 to 1; left out if there is no map.
    #[serde(skip_serializing_if = "Option::is_none")]
    mapped: Option<f64>,
}

#[derive(Debug, Serialize)]
struct MemoryView {
    id: SafeText,
    at: GameTime,
    /// Left out for events, the most frequent kind.
    #[serde(skip_serializing_if = "is_event")]
    kind: Kind,
    text: SafeText,
    #[serde(skip_serializing_if = "Option::is_none")]
    importance: Option<u8>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pinned: bool,
    fate: MemoryFate,
    /// Index of its theme; left out if the memory is loose, collapsed or blank.
    #[serde(skip_serializing_if = "Option::is_none")]
    theme: Option<usize>,
    /// The memory it repeats, or the entry that it corroborates, is superseded by or contradicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<Cited>,
    /// Index of its synthesis.
    #[serde(skip_serializing_if = "Option::is_none")]
    told: Option<usize>,
    /// Coordinates on the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    xy: Option<(f64, f64)>,
    why: ReasonView,
}

#[derive(Debug, Serialize)]
struct ThemeView {
    name: SafeText,
    size: usize,
    cohesion: f64,
    recurred: usize,
    budget: usize,
    kept: usize,
    tokens: usize,
    slots: usize,
    /// Indices of its memories, in order of time.
    members: Vec<usize>,
}

#[derive(Debug, Serialize)]
struct ToldView {
    id: SafeText,
    /// Name of the synthesis, one to three words; left out if no words are distinctive.
    #[serde(skip_serializing_if = "SafeText::is_empty")]
    name: SafeText,
    text: SafeText,
    importance: u8,
    cites: Vec<Cited>,
    why: ReasonView,
}

#[derive(Debug, Serialize)]
struct InsightView {
    id: SafeText,
    #[serde(skip_serializing_if = "SafeText::is_empty")]
    name: SafeText,
    text: SafeText,
    kind: &'static str,
    importance: u8,
    cites: Vec<Cited>,
    why: ReasonView,
}

/// A change to an entry of an earlier night.
#[derive(Debug, Serialize)]
struct OlderView {
    verb: &'static str,
    id: SafeText,
    text: SafeText,
    /// Words that no longer hold, if a position of the entry ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<SafeText>,
    cites: Vec<Cited>,
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
    why: ReasonView,
}

/// A source: a memory of the day by its index, or an entry with its text.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Cited {
    Memory(usize),
    Entry { id: SafeText, text: SafeText },
}

/// The rule that decided, and the values it compared.
#[derive(Debug, Clone, Default, Serialize)]
struct ReasonView(&'static str, String);

/// Something important that ended on the night.
#[derive(Debug, Clone, Serialize)]
pub(super) struct EndedView {
    id: SafeText,
    text: SafeText,
}

impl EndedView {
    pub(super) fn of(night: &NpcNight) -> impl Iterator<Item = Self> {
        let ended = night.report.important_ended.iter();
        ended.map(|ended| Self { id: shown(&ended.id), text: beginning(&ended.text).as_str().into() })
    }
}

#[derive(Debug, Serialize)]
struct Totals {
    memories: usize,
    distinct: usize,
    kept: usize,
    budget: usize,
    important: usize,
    important_kept: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    important_ended: Vec<EndedView>,
    reduction: f64,
    /// Share of the full budgets that the night had, 0 to 1.
    share: f64,
    /// Profile of the NPC, whose budgets these are.
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<SafeText>,
    /// Language model tokens: the budget, the estimate, the tokens spent.
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

/// Maximum number of characters shown of a text that is only named.
const MAX_NAMED_CHARS: usize = 120;

/// Returns the beginning of a text, quoted.
fn beginning(text: &str) -> String {
    let text = text.trim();
    let begun: String = text.chars().take(MAX_NAMED_CHARS).collect();
    if begun.len() < text.len() { format!("“{begun}…”") } else { format!("“{begun}”") }
}

impl ReasonView {
    fn of(reason: &Reason) -> Self {
        Self(reason.rule.as_str(), nightfold_memory::clean(&reason.details().join(", ")).into_owned())
    }

    /// Adds the two statements that were compared, unless the page shows them anyway.
    fn with(mut self, compared: Option<&[StatementRef<'_>; 2]>) -> Self {
        if let Some([older, newer]) = compared {
            let [newer, older] = [newer, older].map(|told| beginning(told.text));
            let told = format!("{}; compared {newer} with {older}", self.1);
            self.1 = nightfold_memory::clean(&told).into_owned();
        }
        self
    }
}

/// A night while its view is built, with its memories by index.
struct NightBuilder<'a> {
    diff: Diff<'a>,
    /// Indices of the day's memories by id.
    day: BTreeMap<&'a MemoryId, usize>,
    memories: Vec<MemoryView>,
    told: Vec<ToldView>,
    insights: Vec<InsightView>,
    older: Vec<OlderView>,
}

impl NightView {
    /// Builds the view; `known` holds the entries before the night.
    pub(super) fn of(night: &NpcNight, map: Option<&DayMap>, known: &EarlierEntries) -> Self {
        let mut builder = NightBuilder {
            diff: Diff::of(night, known),
            day: night.memories.iter().enumerate().map(|(i, m)| (&m.id, i)).collect(),
            memories: night.memories.iter().map(MemoryView::of).collect(),
            told: Vec::new(),
            insights: Vec::new(),
            older: Vec::new(),
        };
        builder.repeats(&night.changes);
        builder.proposals();
        builder.fates();
        builder.entries(&night.changes, known);
        let themes = night.report.clusters.iter().map(|cluster| builder.theme(cluster)).collect();
        for place in map.iter().flat_map(|map| &map.points) {
            if let Some(&i) = builder.day.get(&place.id) {
                // A thousandth is less than a pixel.
                let short = |x: f64| (x * 1e3).round() / 1e3;
                builder.memories[i].xy = Some((short(place.x), short(place.y)));
            }
        }
        let NightBuilder { memories, told, insights, older, .. } = builder;
        Self {
            night: night.night.as_str().into(),
            at: night.at,
            memories,
            themes,
            told,
            insights,
            older,
            events: NightEvents::of(night),
            totals: Totals::of(night),
            notes: night.report.notes.iter().map(SafeText::from).collect(),
            mapped: map.map(|map| map.shown),
        }
    }

    /// Counts by which the page chooses the night that it opens.
    pub(super) fn events(&self) -> NightEvents {
        self.events
    }

    /// Number of memories of each fate.
    pub(super) fn fates(&self) -> [usize; FATES] {
        let mut fates = [0; FATES];
        self.memories.iter().for_each(|memory| fates[memory.fate as usize] += 1);
        fates
    }
}

impl MemoryView {
    /// Builds a memory without a fate of its own yet: a memory that no change names counts as pruned.
    fn of(memory: &Memory) -> Self {
        Self {
            id: memory.id.as_str().into(),
            at: memory.at,
            kind: memory.kind,
            text: if memory.is_blank() { "(blank)".into() } else { SafeText::from(&memory.text) },
            importance: memory.importance.map(nightfold_memory::Importance::get),
            pinned: memory.pinned,
            fate: MemoryFate::Pruned,
            theme: None,
            by: None,
            told: None,
            xy: None,
            why: ReasonView::default(),
        }
    }
}

impl NightBuilder<'_> {
    /// Marks memories that are collapsed into another one: repeats of its text, readings of its status.
    fn repeats(&mut self, changes: &[Change]) {
        let mut stands: BTreeMap<usize, usize> = BTreeMap::new();
        for change in changes {
            let Change::Collapse { id, sources, standing: None, reason } = change else { continue };
            let Some(&first) = self.day.get(id) else { continue };
            for &i in sources.iter().filter_map(|id| self.day.get(id)) {
                (self.memories[i].fate, self.memories[i].why) = (MemoryFate::Repeat, ReasonView::of(reason));
                stands.insert(i, first);
            }
        }
        for (&i, &first) in &stands {
            // A reading may have repeats of its own.
            self.memories[i].by = Some(Cited::Memory(*stands.get(&first).unwrap_or(&first)));
        }
    }

    /// Collects syntheses and insights, in the order of their themes.
    fn proposals(&mut self) {
        let across = self.diff.across.iter();
        for proposal in self.diff.sections.iter().flat_map(|section| &section.proposals).chain(across) {
            let (id, name, text) = (shown(proposal.id), proposal.name.into(), proposal.text.into());
            let (cites, why) = (cites(&self.day, &proposal.sources), ReasonView::of(proposal.reason));
            match proposal.kind {
                ProposalKind::Synthesis => {
                    self.told.push(ToldView { id, name, text, importance: proposal.importance, cites, why });
                }
                ProposalKind::Insight(kind) => {
                    let (kind, importance) = (kind.as_str(), proposal.importance);
                    self.insights.push(InsightView { id, name, text, kind, importance, cites, why });
                }
            }
        }
    }

    /// Sets the fate of each memory.
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
                memory.fate = MemoryFate::from(lived.fate);
                memory.why = ReasonView::of(lived.reason).with(lived.compared.as_ref());
                let by = lived.by.as_ref();
                match by.and_then(|by| told.get(by.id)) {
                    Some(&number) if memory.fate == MemoryFate::Synthesized => memory.told = Some(number),
                    _ => memory.by = by.map(|by| cite(&self.day, by)),
                }
            }
        }
    }

    /// Collects the changes to entries of earlier nights. Corroborating memories are listed with the
    /// memories, too.
    fn entries(&mut self, changes: &[Change], known: &EarlierEntries) {
        for older in &self.diff.known {
            let sources = &older.sources[..older.sources.len().min(MAX_CITED)];
            self.older.push(OlderView {
                verb: older.verb,
                id: shown(older.entry.id),
                text: entry_text(older.entry.text),
                ended: older.position.map(SafeText::from),
                cites: cites(&self.day, sources),
                more: older.sources.len() - sources.len(),
                why: ReasonView::of(older.reason).with(older.compared.as_ref()),
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
                ended: None,
                cites: sources.iter().filter_map(|id| self.day.get(id).copied().map(Cited::Memory)).collect(),
                more: 0,
                why: ReasonView::of(reason),
            });
        }
    }

    fn theme(&self, cluster: &ClusterReport) -> ThemeView {
        let name = SafeText::from(&cluster.name);
        ThemeView {
            name: if name.is_empty() { "(unnamed theme)".into() } else { name },
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

fn shown(id: &MemoryId) -> SafeText {
    id.as_str().into()
}

fn entry_text(text: &str) -> SafeText {
    if text.is_empty() { "(an earlier entry)".into() } else { text.into() }
}

fn cites(day: &BTreeMap<&MemoryId, usize>, told: &[StatementRef<'_>]) -> Vec<Cited> {
    told.iter().map(|told| cite(day, told)).collect()
}

fn cite(day: &BTreeMap<&MemoryId, usize>, told: &StatementRef<'_>) -> Cited {
    match day.get(told.id) {
        Some(&i) => Cited::Memory(i),
        None => Cited::Entry { id: shown(told.id), text: told.text.into() },
    }
}

impl Totals {
    fn of(night: &NpcNight) -> Self {
        let report = &night.report;
        Self {
            memories: report.counts.memories,
            distinct: report.counts.distinct,
            kept: report.counts.kept,
            budget: report.storage_budget,
            important: report.important,
            important_kept: report.important_kept,
            important_ended: EndedView::of(night).collect(),
            reduction: report.reduction,
            share: report.share_of_night,
            profile: report.profile.as_ref().map(|profile| profile.as_str().into()),
            tokens: [report.tokens.budget, report.tokens.estimate, report.tokens.spent],
        }
    }
}
