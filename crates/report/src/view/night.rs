//! One night of one NPC, as the page reads it: texts once, and everything else by index.

use std::collections::BTreeMap;

use nightfold_consolidate::{
    DayMap,
    review::{
        EarlierEntries, MemoryFate, NightView, Proposal, ProposalKind, RecordView, Section, StatementRef,
        shortened, strength_words,
    },
};
use nightfold_memory::{GameTime, Kind, Memory, MemoryId, NpcNight, Reason};
use serde::Serialize;

use super::{events::NightEvents, story::PageStory};

/// Maximum number of sources listed for a change to an older entry: a summary of a year may have thousands.
const MAX_CITED: usize = 50;

/// Maximum number of characters shown of a text that is only named.
const MAX_NAMED_CHARS: usize = 120;

/// Maximum number of characters of a text of a story.
const MAX_TOLD_CHARS: usize = 300;

/// Sign of a memory that another one represents.
const REPEAT: &str = "&";

/// Signs of the fates of a memory, in the order of [`PageNight::fates`].
const SIGNS: [&str; FATES] = ["+", "~", "=", "?", "!", REPEAT, "-"];

/// Number of fates.
pub(super) const FATES: usize = 7;

/// One night of one NPC, ready to be drawn.
#[derive(Debug, Serialize)]
pub struct PageNight {
    night: String,
    at: GameTime,
    /// Every memory of the day, in order of time.
    memories: Vec<PageMemory>,
    themes: Vec<PageTheme>,
    /// Syntheses of memories of the day.
    told: Vec<PageProposal>,
    insights: Vec<PageProposal>,
    /// Changes to older entries.
    older: Vec<PageRecord>,
    events: NightEvents,
    story: PageStory,
    totals: Totals,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Share of all distances that the map shows, 0 to 1; left out if there is no map.
    #[serde(skip_serializing_if = "Option::is_none")]
    mapped: Option<f64>,
}

#[derive(Debug, Serialize)]
struct PageMemory {
    id: MemoryId,
    at: GameTime,
    /// Left out for events, the most frequent kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Kind>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    importance: Option<u8>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pinned: bool,
    /// Sign of its fate.
    fate: &'static str,
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
    why: PageReason,
}

#[derive(Debug, Serialize)]
struct PageTheme {
    name: String,
    /// Cohesion in words, with the room and tokens that it earns.
    strength: String,
    budget: usize,
    kept: usize,
    tokens: usize,
    slots: usize,
    /// Indices of its memories, in order of time.
    members: Vec<usize>,
}

/// A synthesis or an insight.
#[derive(Debug, Serialize)]
struct PageProposal {
    id: MemoryId,
    /// Name of one to three words; left out if no words are distinctive.
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    text: String,
    /// Kind of an insight; left out for a synthesis.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    importance: u8,
    /// Number of times that what it says was experienced.
    times: u32,
    /// Time of the last of them.
    until: String,
    cites: Vec<Cited>,
    why: PageReason,
}

/// A change to an entry of an earlier night.
#[derive(Debug, Serialize)]
struct PageRecord {
    verb: &'static str,
    id: MemoryId,
    text: String,
    /// Words that no longer hold, if a position of the entry ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<String>,
    cites: Vec<Cited>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
    why: PageReason,
}

/// A source: a memory of the day by its index, or an entry with its text.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Cited {
    Memory(usize),
    Entry { id: MemoryId, text: String },
}

/// The rule that decided, and the values it compared.
#[derive(Debug, Clone, Default, Serialize)]
struct PageReason(&'static str, String);

/// Something important that ended on the night.
#[derive(Debug, Clone, Serialize)]
pub(super) struct EndedView {
    id: MemoryId,
    text: String,
}

impl EndedView {
    pub(super) fn of(night: &NpcNight) -> impl Iterator<Item = Self> {
        let ended = night.report.important_ended.iter();
        ended.map(|ended| Self { id: ended.id.clone(), text: beginning(&ended.text) })
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
    profile: Option<String>,
    /// Language model tokens: the budget, the estimate, the tokens spent.
    tokens: [usize; 3],
}

/// Returns the beginning of a text, quoted.
fn beginning(text: &str) -> String {
    format!("“{}”", shortened(text.trim(), MAX_NAMED_CHARS))
}

/// Returns a text that is told in full unless it is a page.
pub(super) fn shortened_text(text: &str) -> String {
    shortened(text.trim(), MAX_TOLD_CHARS).into_owned()
}

impl PageReason {
    /// Returns a reason, with the two statements that were compared unless the page shows them anyway.
    fn of(reason: &Reason, compared: Option<&[StatementRef<'_>; 2]>) -> Self {
        let mut details = reason.details().join(", ");
        if let Some([older, newer]) = compared {
            let [newer, older] = [newer, older].map(|told| beginning(told.text));
            details = format!("{details}; compared {newer} with {older}");
        }
        Self(reason.rule.as_str(), details)
    }
}

impl PageNight {
    /// Draws the page's data from the view of a night; `known` holds the entries before the night.
    pub(super) fn of(night: &NpcNight, map: Option<&DayMap>, known: &EarlierEntries) -> Self {
        let view = NightView::of(night, known);
        let day = DayRows(night.memories.iter().enumerate().map(|(i, m)| (&m.id, i)).collect());
        let proposals = view.sections.iter().flat_map(|section| &section.proposals).chain(&view.across);
        let (told, insights): (Vec<_>, Vec<_>) =
            proposals.partition(|proposal| proposal.kind == ProposalKind::Synthesis);
        let mut memories: Vec<PageMemory> = night.memories.iter().map(PageMemory::of).collect();
        for repeat in &view.repeats {
            if let Some(memory) = day.row(repeat.id).map(|i| &mut memories[i]) {
                memory.fate = REPEAT;
                memory.why = PageReason::of(repeat.reason, None);
                memory.by = day.row(repeat.of).map(Cited::Memory);
            }
        }
        for (theme, section) in view.sections.iter().enumerate() {
            for lived in &section.memories {
                let Some(memory) = day.row(lived.id).map(|i| &mut memories[i]) else { continue };
                memory.theme = section.theme.map(|_| theme);
                memory.fate = lived.fate.sign();
                memory.why = PageReason::of(lived.reason, lived.compared.as_ref());
                let by = lived.by.as_ref();
                memory.told = by
                    .filter(|_| lived.fate == MemoryFate::Synthesized)
                    .and_then(|by| told.iter().position(|told| told.id == by.id));
                memory.by = by.filter(|_| memory.told.is_none()).map(|by| day.cite(by));
            }
        }
        for place in map.iter().flat_map(|map| &map.points) {
            if let Some(i) = day.row(&place.id) {
                // A thousandth is less than a pixel.
                let short = |x: f64| (x * 1e3).round() / 1e3;
                memories[i].xy = Some((short(place.x), short(place.y)));
            }
        }
        Self {
            night: night.night.to_string(),
            at: night.at,
            memories,
            themes: view.sections.iter().filter_map(|section| day.theme(section)).collect(),
            told: told.into_iter().map(|new| day.proposal(new)).collect(),
            insights: insights.into_iter().map(|new| day.proposal(new)).collect(),
            older: view.known.iter().map(|older| day.record(older)).collect(),
            events: NightEvents::of(night),
            story: PageStory::of(&view),
            totals: Totals::of(night),
            notes: night.report.notes.clone(),
            mapped: map.map(|map| map.shown),
        }
    }

    /// Most telling texts of the night.
    pub(super) fn story(&self) -> &PageStory {
        &self.story
    }

    /// Counts by which the page chooses the night that it opens.
    pub(super) fn events(&self) -> NightEvents {
        self.events
    }

    /// Label of the night, and whether it is maintenance, which has no day and may share the label of a night.
    pub(crate) fn label(&self) -> (String, bool) {
        (self.night.clone(), self.memories.is_empty())
    }

    /// Outcome of the night: the fate of each memory, the texts that it writes and the changes to older entries.
    pub(crate) fn outcome(&self) -> (Vec<&str>, Vec<&str>, Vec<(&str, &MemoryId)>) {
        let texts = self.told.iter().chain(&self.insights).map(|written| written.text.as_str());
        let older = self.older.iter().map(|record| (record.verb, &record.id));
        (self.memories.iter().map(|memory| memory.fate).collect(), texts.collect(), older.collect())
    }

    /// Number of memories of each fate.
    pub(super) fn fates(&self) -> [usize; FATES] {
        SIGNS.map(|sign| self.memories.iter().filter(|memory| memory.fate == sign).count())
    }
}

impl PageMemory {
    /// Returns a memory without a fate of its own yet: a memory that no change names counts as pruned.
    fn of(memory: &Memory) -> Self {
        Self {
            id: memory.id.clone(),
            at: memory.at,
            kind: (memory.kind != Kind::Event).then_some(memory.kind),
            text: if memory.is_blank() { "(blank)".to_owned() } else { memory.text.trim().to_owned() },
            importance: memory.importance.map(nightfold_memory::Importance::get),
            pinned: memory.pinned,
            fate: MemoryFate::Archived.sign(),
            theme: None,
            by: None,
            told: None,
            xy: None,
            why: PageReason::default(),
        }
    }
}

/// Indices of the day's memories by id.
struct DayRows<'a>(BTreeMap<&'a MemoryId, usize>);

impl DayRows<'_> {
    fn row(&self, id: &MemoryId) -> Option<usize> {
        self.0.get(id).copied()
    }

    fn proposal(&self, proposal: &Proposal<'_>) -> PageProposal {
        PageProposal {
            id: proposal.id.clone(),
            name: proposal.name.to_owned(),
            text: proposal.text.trim().to_owned(),
            kind: match proposal.kind {
                ProposalKind::Synthesis => None,
                ProposalKind::Insight(kind) => Some(kind.as_str()),
            },
            importance: proposal.importance,
            times: proposal.times,
            until: proposal.last_at.to_string(),
            cites: proposal.sources.iter().map(|source| self.cite(source)).collect(),
            why: PageReason::of(proposal.reason, None),
        }
    }

    fn record(&self, older: &RecordView<'_>) -> PageRecord {
        let text = if older.entry.text.is_empty() { "(an earlier entry)" } else { older.entry.text };
        let more = older.sources.len().saturating_sub(MAX_CITED);
        PageRecord {
            verb: older.verb,
            id: older.entry.id.clone(),
            text: text.to_owned(),
            ended: older.position.map(|position| position.trim().to_owned()),
            cites: older.sources.iter().take(MAX_CITED).map(|source| self.cite(source)).collect(),
            more: (more > 0).then_some(more),
            why: PageReason::of(older.reason, older.compared.as_ref()),
        }
    }

    /// Returns the theme of a section; `None` for what is loose.
    fn theme(&self, section: &Section<'_>) -> Option<PageTheme> {
        let cluster = section.theme?;
        Some(PageTheme {
            name: section.title(),
            strength: strength_words(cluster),
            budget: cluster.storage_budget,
            kept: cluster.kept,
            tokens: cluster.token_budget,
            slots: cluster.reflection_slots,
            members: cluster.members.iter().filter_map(|id| self.row(id)).collect(),
        })
    }

    fn cite(&self, told: &StatementRef<'_>) -> Cited {
        match self.row(told.id) {
            Some(row) => Cited::Memory(row),
            None => Cited::Entry { id: told.id.clone(), text: told.text.to_owned() },
        }
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
            profile: report.profile.as_ref().map(ToString::to_string),
            tokens: [report.tokens.budget, report.tokens.estimate, report.tokens.spent],
        }
    }
}
