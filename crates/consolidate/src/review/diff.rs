//! A night laid out for a reviewer: cluster by cluster the memories, their fates and the texts made of them.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    Change, ClusterReport, GameTime, Memory, MemoryId, NightLabel, NightReport, NpcId, NpcNight, Reason,
    ReflectionKind, Rule,
};
use serde::Serialize;

/// Text and time of an entry that a night refers to and did not write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EarlierEntry {
    /// Text of the entry.
    pub text: String,
    /// Game time of the entry, or of the first memory in it.
    pub at: GameTime,
}

/// Entries that an NPC has before a night, by id, as far as they are available.
pub type EarlierEntries = BTreeMap<MemoryId, EarlierEntry>;

/// One NPC's night, laid out for review.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diff<'a> {
    /// NPC of the night.
    pub npc: &'a NpcId,
    /// Label of the night.
    pub night: &'a NightLabel,
    /// Game time of sleep.
    pub at: GameTime,
    /// Clusters of the day, the largest first, and last the memories outside of all clusters, if there are
    /// any.
    pub sections: Vec<Section<'a>>,
    /// Syntheses and reflections on memories of several clusters.
    pub across: Vec<Proposal<'a>>,
    /// Changes to entries of earlier nights, and positions that end.
    pub known: Vec<RecordDiff<'a>>,
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
    pub memories: Vec<MemoryDiff<'a>>,
    /// Syntheses of these memories, then reflections on them.
    pub proposals: Vec<Proposal<'a>>,
}

/// Fate of a memory of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DiffFate {
    /// Stored in its own words.
    Kept,
    /// Covered by a synthesis.
    #[serde(rename = "told")]
    Synthesized,
    /// Merged into an entry that already states it and gains confidence.
    #[serde(rename = "known")]
    Corroborated,
    /// Stored in its own words; contradicts another entry that stays too.
    Contested,
    /// Superseded by a later statement of the same night.
    Superseded,
    /// Archived.
    #[serde(rename = "let-go")]
    Archived,
}

/// A memory of the day and its fate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryDiff<'a> {
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
    pub fate: DiffFate,
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
    /// Memories that the entry is derived from (`DERIVED_FROM`).
    pub sources: Vec<StatementRef<'a>>,
    /// Evidence for the entry.
    pub reason: &'a Reason,
}

/// Change to an entry of an earlier night, summary of such entries, or end of a position of any entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordDiff<'a> {
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

impl<'a> Diff<'a> {
    /// Lays out a night. `before` holds the texts of entries that the night refers to and did not write.
    pub fn of(night: &'a NpcNight, before: &'a EarlierEntries) -> Self {
        NightIndex::of(night, before).diff()
    }
}

/// Index of a night by the ids of its memories and entries.
struct NightIndex<'a> {
    night: &'a NpcNight,
    before: &'a EarlierEntries,
    day: BTreeMap<&'a MemoryId, &'a Memory>,
    written: BTreeMap<&'a MemoryId, &'a Change>,
    /// Number of repeats and readings that each memory represents.
    repeats: BTreeMap<&'a MemoryId, usize>,
    /// Readings of a status that each memory represents.
    readings: BTreeMap<&'a MemoryId, Vec<&'a MemoryId>>,
    /// Memories that another one represents.
    represented: BTreeSet<&'a MemoryId>,
    /// Fate of each memory, with the change that decides it.
    fates: BTreeMap<&'a MemoryId, (DiffFate, &'a Change)>,
    /// Successor of each superseded memory of the day, with the reason.
    outdated: BTreeMap<&'a MemoryId, (&'a MemoryId, &'a Reason)>,
    /// One of the entries that each memory is contested with, with the reason.
    contested: BTreeMap<&'a MemoryId, (&'a MemoryId, &'a Reason)>,
    /// Index of the cluster of each memory.
    themes: BTreeMap<&'a MemoryId, usize>,
}

impl<'a> NightIndex<'a> {
    fn of(night: &'a NpcNight, before: &'a EarlierEntries) -> Self {
        let clusters = night.report.clusters.iter().enumerate();
        let mut reading = Self {
            night,
            before,
            day: night.memories.iter().map(|m| (&m.id, m)).collect(),
            written: night.changes.iter().filter_map(|c| Some((&c.entry()?.id, c))).collect(),
            repeats: BTreeMap::new(),
            readings: BTreeMap::new(),
            represented: BTreeSet::new(),
            fates: BTreeMap::new(),
            outdated: BTreeMap::new(),
            contested: BTreeMap::new(),
            themes: clusters.flat_map(|(i, c)| c.members.iter().map(move |id| (id, i))).collect(),
        };
        night.changes.iter().for_each(|change| reading.record(change));
        reading
    }

    /// Records the effect of a change on memories of the day.
    fn record(&mut self, change: &'a Change) {
        let (fate, ids): (DiffFate, &[MemoryId]) = match change {
            Change::Collapse { id, sources, standing: None, reason } => {
                *self.repeats.entry(id).or_default() += sources.len();
                if reason.rule == Rule::StatusRepeat {
                    self.readings.entry(id).or_default().extend(sources);
                }
                self.represented.extend(sources);
                return;
            }
            Change::Supersede { id, sources, reason } => {
                if let (true, Some(by)) = (self.day.contains_key(id), sources.first()) {
                    self.outdated.insert(id, (by, reason));
                }
                return;
            }
            Change::Contest { id, sources, reason } => {
                for other in sources {
                    self.contested.entry(id).or_insert((other, reason));
                    self.contested.entry(other).or_insert((id, reason));
                }
                return;
            }
            Change::Store { entry, .. } => (DiffFate::Kept, std::slice::from_ref(&entry.id)),
            Change::Chunk { entry, .. } => (DiffFate::Synthesized, &entry.sources),
            Change::Corroborate { sources, .. } => (DiffFate::Corroborated, sources),
            Change::Prune { id, .. } => (DiffFate::Archived, std::slice::from_ref(id)),
            _ => return,
        };
        for id in ids.iter().filter(|id| self.day.contains_key(id)) {
            self.fates.insert(id, (fate, change));
        }
    }

    fn diff(&self) -> Diff<'a> {
        let clusters = &self.night.report.clusters;
        let mut sections: Vec<Section<'a>> =
            clusters.iter().map(Some).chain([None]).map(empty_section).collect();
        for memory in &self.night.memories {
            let Some(lived) = self.memory_diff(memory) else { continue };
            let theme = self.themes.get(&memory.id).copied().unwrap_or(clusters.len());
            sections[theme].memories.push(lived);
        }
        let (mut across, mut known) = (Vec::new(), Vec::new());
        for change in &self.night.changes {
            match self.proposal(change) {
                // It rests on memories of earlier nights alone.
                Some(proposal) if proposal.reason.rule == Rule::Distilled => across.push(proposal),
                Some(proposal) => {
                    let mut themes: BTreeMap<usize, usize> = BTreeMap::new();
                    for source in &proposal.sources {
                        let theme = self.themes.get(source.id).copied().unwrap_or(clusters.len());
                        *themes.entry(theme).or_default() += 1;
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
                None => known.extend(self.record_diff(change)),
            }
        }
        sections.retain(|s| s.theme.is_some() || !s.memories.is_empty() || !s.proposals.is_empty());
        Diff {
            npc: &self.night.npc,
            night: &self.night.night,
            at: self.night.at,
            sections,
            across,
            known,
            report: &self.night.report,
        }
    }

    fn memory_diff(&self, memory: &'a Memory) -> Option<MemoryDiff<'a>> {
        if self.represented.contains(&memory.id) {
            return None;
        }
        let &(fate, change) = self.fates.get(&memory.id)?;
        let told = matches!(fate, DiffFate::Synthesized | DiffFate::Corroborated).then(|| change.id());
        let contested = self.contested.get(&memory.id).filter(|_| fate == DiffFate::Kept);
        let (fate, by, reason) = match (self.outdated.get(&memory.id), contested) {
            (Some(&(by, reason)), _) => (DiffFate::Superseded, Some(by), reason),
            (None, Some(&(by, reason))) => (DiffFate::Contested, Some(by), reason),
            (None, None) => (fate, told, change.reason()),
        };
        let readings = self.readings.get(&memory.id).map_or(&[][..], Vec::as_slice);
        Some(MemoryDiff {
            id: &memory.id,
            at: memory.at,
            text: memory.text.trim(),
            importance: memory.importance().get(),
            times: 1 + self.repeats.get(&memory.id).copied().unwrap_or_default(),
            readings: readings.iter().copied().map(|id| self.statement_ref(id)).collect(),
            fate,
            by: by.map(|id| self.statement_ref(id)),
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
            sources: entry.sources.iter().map(|id| self.statement_ref(id)).collect(),
            reason: change.reason(),
        })
    }

    /// Returns a change to older entries; `None` for a change that concerns the day only.
    fn record_diff(&self, change: &'a Change) -> Option<RecordDiff<'a>> {
        let of_the_day = match change {
            Change::Collapse { standing, .. } => standing.is_none(),
            Change::Chunk { reason, .. } => reason.rule != Rule::Abstracted,
            Change::Store { .. }
            | Change::Prune { .. }
            | Change::Reflect { .. }
            | Change::Corroborate { .. } => true,
            Change::Contest { id, sources, .. } => {
                std::iter::once(id).chain(sources).all(|side| self.day.contains_key(side))
            }
            // The fate of a memory does not tell that a part of it ended.
            Change::End { .. } => false,
            // Shown with the memory itself.
            other => self.day.contains_key(other.id()),
        };
        let (position, since) = match change {
            Change::End { position, since, .. } => (Some(position.as_str()), Some(*since)),
            _ => (None, None),
        };
        (!of_the_day).then(|| RecordDiff {
            verb: change.verb(),
            entry: self.statement_ref(change.id()),
            sources: change.sources().iter().map(|id| self.statement_ref(id)).collect(),
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
            let id = &MemoryId::new(id).ok()?;
            let of_day = self.day.get_key_value(id).map(|(id, _)| *id);
            let written = || self.written.get_key_value(id).map(|(id, _)| *id);
            let before = || self.before.get_key_value(id).map(|(id, _)| id);
            of_day.or_else(written).or_else(before).map(|id| self.statement_ref(id))
        };
        Some([told(older)?, told(newer)?])
    }

    fn statement_ref(&self, id: &'a MemoryId) -> StatementRef<'a> {
        if let Some(entry) = self.written.get(id).and_then(|change| change.entry()) {
            return StatementRef { id, at: Some(entry.at), text: entry.text.trim() };
        }
        if let Some(memory) = self.day.get(id) {
            return StatementRef { id, at: Some(memory.at), text: memory.text.trim() };
        }
        match self.before.get(id) {
            Some(known) => StatementRef { id, at: Some(known.at), text: known.text.trim() },
            None => StatementRef { id, at: None, text: "" },
        }
    }
}

fn empty_section(theme: Option<&ClusterReport>) -> Section<'_> {
    Section { theme, memories: Vec::new(), proposals: Vec::new() }
}
