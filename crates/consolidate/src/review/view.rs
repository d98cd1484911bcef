//! A night laid out for a reader: cluster by cluster the memories, their fates and the texts made of them.
//! Text, Markdown and page are drawn from it.

use std::collections::BTreeMap;

use nightfold_memory::{
    Change, ClusterReport, Entry, GameTime, Memory, MemoryId, NightLabel, NightReport, NpcId, NpcNight,
    Reason, ReflectionKind, Rule,
};
use serde::Serialize;

use super::{EarlierEntries, words::shortened};

/// Number of letters of a memory that stands for its section.
const STANDS_FOR: usize = 60;

/// One NPC's night, laid out for review.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NightView<'a> {
    /// NPC of the night.
    pub npc: &'a NpcId,
    /// Label of the night.
    pub night: &'a NightLabel,
    /// Game time of sleep.
    pub at: GameTime,
    /// Clusters of the day, the strongest first, and last the memories outside of all clusters, if there are
    /// any.
    pub sections: Vec<Section<'a>>,
    /// Syntheses and reflections on memories of several clusters.
    pub across: Vec<Proposal<'a>>,
    /// Changes to entries of earlier nights, and positions that end.
    pub known: Vec<RecordView<'a>>,
    /// Memories of the day that another one represents: repeats of its text, readings of its status.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<RepeatView<'a>>,
    /// Counts of the night.
    pub report: &'a NightReport,
}

/// A cluster of the day.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Section<'a> {
    /// Report of the cluster; `None` for the memories outside of all clusters.
    pub theme: Option<&'a ClusterReport>,
    /// Memories of the cluster in order of time. A memory that another one represents is shown with that one.
    pub memories: Vec<MemoryView<'a>>,
    /// Syntheses of these memories, then reflections on them.
    pub proposals: Vec<Proposal<'a>>,
}

impl Section<'_> {
    /// Returns the name of the theme; of a theme without a name the beginning of its most important memory, quoted.
    pub fn title(&self) -> String {
        match self.theme {
            Some(theme) if !theme.name.trim().is_empty() => theme.name.trim().to_owned(),
            _ => self.foremost(|_| true).unwrap_or_else(|| "(no name)".to_owned()),
        }
    }

    /// Returns the beginning of the most important of some memories, quoted; of equally important ones the earliest.
    pub(super) fn foremost(&self, some: impl Fn(&MemoryView<'_>) -> bool) -> Option<String> {
        let most = self
            .memories
            .iter()
            .rev()
            .filter(|memory| some(memory))
            .max_by_key(|memory| memory.importance)?;
        Some(format!("“{}”", shortened(most.text, STANDS_FOR)))
    }
}

/// Fate of a memory of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MemoryFate {
    /// Stored in its own words.
    Kept,
    /// Covered by a synthesis.
    Synthesized,
    /// Merged into an entry that already states it and gains confidence.
    Corroborated,
    /// Stored in its own words; contradicts another entry that stays too.
    Contested,
    /// Superseded by a later statement of the same night.
    Superseded,
    /// Archived.
    #[serde(rename = "pruned")]
    Archived,
}

/// A memory of the day and its fate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryView<'a> {
    /// Id of the memory.
    pub id: &'a MemoryId,
    /// Game time of the memory; of repeats that of the one that represents them.
    pub at: GameTime,
    /// Text of the memory.
    pub text: &'a str,
    /// Importance, 1 to 10.
    pub importance: u8,
    /// Number of occurrences, repeats and readings included; at least 1.
    pub times: usize,
    /// Readings of a status that the memory represents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<StatementRef<'a>>,
    /// Fate of the memory.
    pub fate: MemoryFate,
    /// Entry that covers the memory, already states it, contests it or supersedes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<StatementRef<'a>>,
    /// Evidence for the fate.
    pub reason: &'a Reason,
    /// Two statements whose comparison decided the fate, the older one first; omitted if they are the memory
    /// and `by`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<[StatementRef<'a>; 2]>,
}

/// A memory of the day that another one represents.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepeatView<'a> {
    /// Id of the memory.
    pub id: &'a MemoryId,
    /// Memory that represents it.
    pub of: &'a MemoryId,
    /// Evidence that decided it.
    pub reason: &'a Reason,
}

/// A memory or an entry with its text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatementRef<'a> {
    /// Id of the memory or entry.
    pub id: &'a MemoryId,
    /// Game time; `None` if the entry is not available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<GameTime>,
    /// Text of the memory or entry; empty if the entry is not available.
    pub text: &'a str,
}

/// Kind of a proposed entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProposalKind {
    /// Synthesis of several memories.
    Synthesis,
    /// Reflection of this kind.
    Insight(ReflectionKind),
}

/// An entry that the night would write in addition to the memories themselves.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proposal<'a> {
    /// Id by which the entry can be declined or edited.
    pub id: &'a MemoryId,
    /// Name of one to three words; empty if no word distinguishes the entry.
    pub name: &'a str,
    /// Kind of the entry.
    pub kind: ProposalKind,
    /// Kind of experience of the entry.
    pub of: nightfold_memory::Kind,
    /// Text of the entry.
    pub text: &'a str,
    /// Importance, 1 to 10.
    pub importance: u8,
    /// Number of times that what it says was experienced.
    pub times: u32,
    /// Time of the first of them.
    pub at: GameTime,
    /// Time of the last of them.
    pub last_at: GameTime,
    /// Memories that the entry is derived from (`DERIVED_FROM`).
    pub sources: Vec<StatementRef<'a>>,
    /// Evidence for the entry.
    pub reason: &'a Reason,
}

/// Change to an entry of an earlier night, summary of such entries, or end of a position of any entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordView<'a> {
    /// Verb of the change, as plans name it.
    #[serde(rename = "do")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = Change::VERBS)))]
    pub verb: &'static str,
    /// Entry that is changed or written.
    pub entry: StatementRef<'a>,
    /// Memories that caused the change, or entries that the entry represents from now on.
    pub sources: Vec<StatementRef<'a>>,
    /// Words of the entry that no longer hold, if a position of it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<&'a str>,
    /// Time from which on they no longer hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<GameTime>,
    /// Evidence for the change.
    pub reason: &'a Reason,
    /// Two statements whose comparison decided the change, the older one first; omitted if they are the entry
    /// and its only source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<[StatementRef<'a>; 2]>,
}

impl<'a> NightView<'a> {
    /// Lays out a night. `before` holds the texts of entries that the night refers to and did not write.
    pub fn of(night: &'a NpcNight, before: &'a EarlierEntries) -> Self {
        NightIndex::of(night, before).view()
    }
}

/// Statements that a night refers to, by id.
#[derive(Debug)]
pub struct StatementIndex<'a> {
    before: &'a EarlierEntries,
    day: BTreeMap<&'a MemoryId, &'a Memory>,
    written: BTreeMap<&'a MemoryId, &'a Entry>,
}

impl<'a> StatementIndex<'a> {
    /// Indexes the memories and new entries of a night. `before` holds the entries that it refers to and did not
    /// write.
    pub fn of(night: &'a NpcNight, before: &'a EarlierEntries) -> Self {
        Self {
            before,
            day: night.memories.iter().map(|m| (&m.id, m)).collect(),
            written: night.changes.iter().filter_map(Change::entry).map(|entry| (&entry.id, entry)).collect(),
        }
    }

    /// Returns the entry of this id that the night writes.
    pub fn written(&self, id: &MemoryId) -> Option<&'a Entry> {
        self.written.get(id).copied()
    }

    /// Returns a statement with its text: of an entry that the night writes, else of a memory of the day, else of an
    /// earlier entry.
    pub fn statement<'i>(&self, id: &'i MemoryId) -> StatementRef<'i>
    where
        'a: 'i,
    {
        let written = self.written(id).map(|entry| (entry.at, entry.text.trim()));
        let of_day = || self.day.get(id).map(|memory| (memory.at, memory.text.trim()));
        let earlier = || self.before.get(id).map(|known| (known.at, known.text.trim()));
        let found = written.or_else(of_day).or_else(earlier);
        StatementRef { id, at: found.map(|(at, _)| at), text: found.map_or("", |(_, text)| text) }
    }

    fn key(&self, id: &MemoryId) -> Option<&'a MemoryId> {
        let of_day = self.day.get_key_value(id).map(|(id, _)| *id);
        let written = || self.written.get_key_value(id).map(|(id, _)| *id);
        of_day.or_else(written).or_else(|| self.before.key(id))
    }
}

/// A night while its view is built: what happened to each memory.
struct NightIndex<'a> {
    night: &'a NpcNight,
    statements: StatementIndex<'a>,
    memories: BTreeMap<&'a MemoryId, MemoryIndex<'a>>,
}

/// Fate of one memory or entry.
#[derive(Default)]
struct MemoryIndex<'a> {
    /// Number of repeats and readings that it represents.
    repeats: usize,
    /// Readings of a status that it represents.
    readings: Vec<&'a MemoryId>,
    /// Memory that represents it, with the reason.
    represented: Option<(&'a MemoryId, &'a Reason)>,
    /// Its fate, with the change that decides it.
    fate: Option<(MemoryFate, &'a Change)>,
    /// Its successor, if it is superseded.
    outdated: Option<(&'a MemoryId, &'a Reason)>,
    /// One of the entries that it is contested with.
    contested: Option<(&'a MemoryId, &'a Reason)>,
    /// Index of its cluster.
    theme: Option<usize>,
}

impl<'a> NightIndex<'a> {
    fn of(night: &'a NpcNight, before: &'a EarlierEntries) -> Self {
        let mut index =
            Self { night, statements: StatementIndex::of(night, before), memories: BTreeMap::new() };
        for (theme, cluster) in night.report.clusters.iter().enumerate() {
            cluster.members.iter().for_each(|id| index.memory(id).theme = Some(theme));
        }
        night.changes.iter().for_each(|change| index.record(change));
        index
    }

    fn memory(&mut self, id: &'a MemoryId) -> &mut MemoryIndex<'a> {
        self.memories.entry(id).or_default()
    }

    fn is_of_day(&self, id: &MemoryId) -> bool {
        self.statements.day.contains_key(id)
    }

    /// Returns the index of the cluster of a memory; of one in no cluster, that of the last section.
    fn section_of(&self, id: &MemoryId) -> usize {
        let theme = self.memories.get(id).and_then(|memory| memory.theme);
        theme.unwrap_or(self.night.report.clusters.len())
    }

    /// Records the effect of a change on memories of the day.
    fn record(&mut self, change: &'a Change) {
        let (fate, ids): (MemoryFate, &[MemoryId]) = match change {
            Change::Collapse { id, sources, standing: None, reason } => {
                self.memory(id).repeats += sources.len();
                if reason.rule == Rule::StatusRepeat {
                    self.memory(id).readings.extend(sources);
                }
                sources.iter().for_each(|source| self.memory(source).represented = Some((id, reason)));
                return;
            }
            Change::Supersede { id, sources, reason } => {
                if let (true, Some(by)) = (self.is_of_day(id), sources.first()) {
                    self.memory(id).outdated = Some((by, reason));
                }
                return;
            }
            Change::Contest { id, sources, reason } => {
                for other in sources {
                    self.memory(id).contested.get_or_insert((other, reason));
                    self.memory(other).contested.get_or_insert((id, reason));
                }
                return;
            }
            Change::Store { entry, .. } => (MemoryFate::Kept, std::slice::from_ref(&entry.id)),
            Change::Chunk { entry, .. } => (MemoryFate::Synthesized, &entry.sources),
            Change::Corroborate { sources, .. } => (MemoryFate::Corroborated, sources),
            Change::Prune { id, .. } => (MemoryFate::Archived, std::slice::from_ref(id)),
            _ => return,
        };
        for id in ids {
            if self.is_of_day(id) {
                self.memory(id).fate = Some((fate, change));
            }
        }
    }

    fn view(&self) -> NightView<'a> {
        let clusters = &self.night.report.clusters;
        let mut sections: Vec<Section<'a>> =
            clusters.iter().map(Some).chain([None]).map(empty_section).collect();
        for memory in &self.night.memories {
            let Some(lived) = self.memory_view(memory) else { continue };
            sections[self.section_of(&memory.id)].memories.push(lived);
        }
        let (mut across, mut known) = (Vec::new(), Vec::new());
        for change in &self.night.changes {
            match self.proposal(change) {
                // It rests on memories of earlier nights alone.
                Some(proposal) if proposal.reason.rule == Rule::Distilled => across.push(proposal),
                Some(proposal) => {
                    let mut themes: BTreeMap<usize, usize> = BTreeMap::new();
                    for source in &proposal.sources {
                        *themes.entry(self.section_of(source.id)).or_default() += 1;
                    }
                    // Memories of several themes may share a synthesis, which is shown with most of them.
                    let most = themes.iter().rev().max_by_key(|(_, sources)| **sources);
                    match most {
                        Some((&theme, _))
                            if themes.len() == 1 || proposal.kind == ProposalKind::Synthesis =>
                        {
                            sections[theme].proposals.push(proposal);
                        }
                        _ => across.push(proposal),
                    }
                }
                None => known.extend(self.record_view(change)),
            }
        }
        sections.retain(|s| s.theme.is_some() || !s.memories.is_empty() || !s.proposals.is_empty());
        NightView {
            npc: &self.night.npc,
            night: &self.night.night,
            at: self.night.at,
            sections,
            across,
            known,
            repeats: self.repeats(),
            report: &self.night.report,
        }
    }

    fn repeats(&self) -> Vec<RepeatView<'a>> {
        let repeat = |(&id, memory): (&&'a MemoryId, &MemoryIndex<'a>)| {
            let (first, reason) = memory.represented?;
            // A reading may have repeats of its own.
            let of = self.memories.get(first).and_then(|first| first.represented).map_or(first, |(of, _)| of);
            self.is_of_day(id).then_some(RepeatView { id, of, reason })
        };
        self.memories.iter().filter_map(repeat).collect()
    }

    fn memory_view(&self, memory: &'a Memory) -> Option<MemoryView<'a>> {
        let found = self.memories.get(&memory.id).filter(|found| found.represented.is_none())?;
        let (fate, change) = found.fate?;
        let told = matches!(fate, MemoryFate::Synthesized | MemoryFate::Corroborated).then(|| change.id());
        let contested = found.contested.filter(|_| fate == MemoryFate::Kept);
        let (fate, by, reason) = match (found.outdated, contested) {
            (Some((by, reason)), _) => (MemoryFate::Superseded, Some(by), reason),
            (None, Some((by, reason))) => (MemoryFate::Contested, Some(by), reason),
            (None, None) => (fate, told, change.reason()),
        };
        Some(MemoryView {
            id: &memory.id,
            at: memory.at,
            text: memory.text.trim(),
            importance: memory.importance().get(),
            times: 1 + found.repeats,
            readings: found.readings.iter().map(|id| self.statements.statement(id)).collect(),
            fate,
            by: by.map(|id| self.statements.statement(id)),
            reason,
            compared: self.compared(reason, &[Some(&memory.id), by]),
        })
    }

    /// Returns the proposal of a change that writes a synthesis or reflection of the day; otherwise `None`.
    fn proposal(&self, change: &'a Change) -> Option<Proposal<'a>> {
        let (name, kind) = match change {
            Change::Chunk { name, reason, .. } if reason.rule != Rule::Abstracted => {
                (name, ProposalKind::Synthesis)
            }
            Change::Reflect { name, reflection, .. } => (name, ProposalKind::Insight(*reflection)),
            _ => return None,
        };
        let entry = change.entry()?;
        Some(Proposal {
            id: &entry.id,
            name,
            kind,
            of: entry.kind,
            text: &entry.text,
            importance: entry.importance.get(),
            times: entry.occurrences,
            at: entry.at,
            last_at: entry.last_at,
            sources: entry.sources.iter().map(|id| self.statements.statement(id)).collect(),
            reason: change.reason(),
        })
    }

    /// Returns a change to older entries; `None` for a change that concerns the day only.
    fn record_view(&self, change: &'a Change) -> Option<RecordView<'a>> {
        let of_the_day = match change {
            Change::Collapse { standing, .. } => standing.is_none(),
            Change::Chunk { reason, .. } => reason.rule != Rule::Abstracted,
            Change::Store { .. } | Change::Prune { .. } | Change::Reflect { .. } => true,
            Change::Corroborate { id, .. } => self.statements.written(id).is_some(),
            Change::Contest { id, sources, .. } => {
                std::iter::once(id).chain(sources).all(|side| self.is_of_day(side))
            }
            // The fate of a memory does not tell that a part of it ended.
            Change::End { .. } => false,
            // Shown with the memory itself.
            other => self.is_of_day(other.id()),
        };
        let (position, since) = match change {
            Change::End { position, since, .. } => (Some(position.as_str()), Some(*since)),
            _ => (None, None),
        };
        (!of_the_day).then(|| RecordView {
            verb: change.verb(),
            entry: self.statements.statement(change.id()),
            sources: change.sources().iter().map(|id| self.statements.statement(id)).collect(),
            position,
            since,
            reason: change.reason(),
            compared: self.compared(change.reason(), &[Some(change.id()), change.sources().first()]),
        })
    }

    /// Returns the compared statements, unless they are the two that are shown already.
    fn compared(&self, reason: &Reason, shown: &[Option<&MemoryId>; 2]) -> Option<[StatementRef<'a>; 2]> {
        let (older, newer) = reason.compared()?;
        let is_shown = |id: &str| shown.iter().flatten().any(|shown| shown.as_str() == id);
        if is_shown(older) && is_shown(newer) {
            return None;
        }
        let told = |id: &str| {
            let id = self.statements.key(&MemoryId::new(id).ok()?)?;
            Some(self.statements.statement(id))
        };
        Some([told(older)?, told(newer)?])
    }
}

fn empty_section(theme: Option<&ClusterReport>) -> Section<'_> {
    Section { theme, memories: Vec::new(), proposals: Vec::new() }
}
