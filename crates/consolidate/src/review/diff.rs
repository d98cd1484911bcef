//! A night as its reader judges it: theme by theme what was lived through, what becomes of it, and what is made of it.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    Change, ClusterReport, GameTime, Memory, MemoryId, NightLabel, NightReport, NpcId, NpcNight, Reason,
    ReflectionKind, Rule,
};
use serde::Serialize;

/// What an entry says that a night did not write, and since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recollection {
    /// Its words.
    pub text: String,
    /// When it happened, or when the first of it did.
    pub at: GameTime,
}

/// What an NPC knows before a night, by id: as much of it as is at hand.
pub type Before = BTreeMap<MemoryId, Recollection>;

/// One NPC's night, laid out for review.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diff<'a> {
    /// Whose night.
    pub npc: &'a NpcId,
    /// Which night.
    pub night: &'a NightLabel,
    /// The moment of sleep.
    pub at: GameTime,
    /// The day's themes, the largest first, and last what belongs to none, if anything does.
    pub sections: Vec<Section<'a>>,
    /// What is made of memories of several themes.
    pub across: Vec<Proposal<'a>>,
    /// What becomes of what was known before.
    pub known: Vec<Known<'a>>,
    /// What was counted.
    pub report: &'a NightReport,
}

/// A theme of the day.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section<'a> {
    /// What the night made of it; none for the memories that belong to no theme.
    pub theme: Option<&'a ClusterReport>,
    /// Its memories, in order of time. What another one stands for is told with that.
    pub memories: Vec<Lived<'a>>,
    /// What is made of them: syntheses, then insights.
    pub proposals: Vec<Proposal<'a>>,
}

/// What becomes of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It stays in its own words.
    Kept,
    /// It is told with others.
    Told,
    /// An entry says it already, and is surer for it.
    Known,
    /// It stays in its own words, and contradicts another entry that stays too.
    Contested,
    /// Something heard later the same night denies it.
    Superseded,
    /// It goes to the archive.
    LetGo,
}

/// A memory of the day and what becomes of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lived<'a> {
    /// Which one.
    pub id: &'a MemoryId,
    /// When it happened; of repeats the one that stands for all.
    pub at: GameTime,
    /// Its words.
    pub text: &'a str,
    /// 1 to 10.
    pub importance: u8,
    /// How often it was lived through, repeats and readings included; at least 1.
    pub times: usize,
    /// The readings of a status that it stands for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Told<'a>>,
    /// What becomes of it.
    pub fate: Fate,
    /// The entry that tells it, says it already, contests or denies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Told<'a>>,
    /// The evidence that decided it.
    pub reason: &'a Reason,
    /// The two statements whose comparison decided it, the older one first, where they are not the memory and `by`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<[Told<'a>; 2]>,
}

/// A memory or an entry with its words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Told<'a> {
    /// Which one.
    pub id: &'a MemoryId,
    /// When it happened; unknown where the entry is not at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<GameTime>,
    /// Its words; empty where the entry is not at hand.
    pub text: &'a str,
}

/// What an entry that is proposed is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProposalKind {
    /// Several memories told as one.
    Synthesis,
    /// A conclusion, of a sort.
    Insight(ReflectionKind),
}

/// An entry that the night would write beside the memories themselves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proposal<'a> {
    /// Its id, by which it can be declined or edited.
    pub id: &'a MemoryId,
    /// One to three words for it; empty where nothing tells it apart.
    pub name: &'a str,
    /// What it is.
    pub kind: ProposalKind,
    /// The kind of experience.
    pub of: nightfold_memory::Kind,
    /// Its words.
    pub text: &'a str,
    /// 1 to 10.
    pub importance: u8,
    /// What it comes from (`DERIVED_FROM`).
    pub sources: Vec<Told<'a>>,
    /// The evidence that decided it.
    pub reason: &'a Reason,
}

/// What becomes of an entry of an earlier night, and of entries that older ones are told in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Known<'a> {
    /// What is done, as plans name it.
    #[serde(rename = "do")]
    pub verb: &'static str,
    /// The entry.
    pub entry: Told<'a>,
    /// What caused it, or what the entry stands for from now on.
    pub sources: Vec<Told<'a>>,
    /// The evidence that decided it.
    pub reason: &'a Reason,
    /// The two statements whose comparison decided it, the older one first, where they are not the entry and its only source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<[Told<'a>; 2]>,
}

impl<'a> Diff<'a> {
    /// Lays a night out. `before` gives the words of entries that the night speaks of and does not hold.
    pub fn of(night: &'a NpcNight, before: &'a Before) -> Self {
        Reading::of(night, before).diff()
    }
}

/// A night with what is looked up in it.
struct Reading<'a> {
    night: &'a NpcNight,
    before: &'a Before,
    day: BTreeMap<&'a MemoryId, &'a Memory>,
    written: BTreeMap<&'a MemoryId, &'a Change>,
    /// What another memory stands for, by that one: repeats of its text and readings of its status.
    repeats: BTreeMap<&'a MemoryId, usize>,
    readings: BTreeMap<&'a MemoryId, Vec<&'a MemoryId>>,
    stood_for: BTreeSet<&'a MemoryId>,
    /// The change that decides a memory.
    fates: BTreeMap<&'a MemoryId, (Fate, &'a Change)>,
    outdated: BTreeMap<&'a MemoryId, (&'a MemoryId, &'a Reason)>,
    /// One of the entries that a memory is contested with.
    contested: BTreeMap<&'a MemoryId, (&'a MemoryId, &'a Reason)>,
    /// The place of a memory's theme.
    themes: BTreeMap<&'a MemoryId, usize>,
}

impl<'a> Reading<'a> {
    fn of(night: &'a NpcNight, before: &'a Before) -> Self {
        let clusters = night.report.clusters.iter().enumerate();
        let mut reading = Self {
            night,
            before,
            day: night.memories.iter().map(|m| (&m.id, m)).collect(),
            written: night.changes.iter().filter_map(|c| Some((&c.entry()?.id, c))).collect(),
            repeats: BTreeMap::new(),
            readings: BTreeMap::new(),
            stood_for: BTreeSet::new(),
            fates: BTreeMap::new(),
            outdated: BTreeMap::new(),
            contested: BTreeMap::new(),
            themes: clusters.flat_map(|(i, c)| c.members.iter().map(move |id| (id, i))).collect(),
        };
        night.changes.iter().for_each(|change| reading.note(change));
        reading
    }

    /// Notes what a change says of memories of the day.
    fn note(&mut self, change: &'a Change) {
        let (fate, ids): (Fate, &[MemoryId]) = match change {
            Change::Collapse { id, sources, standing: None, reason } => {
                *self.repeats.entry(id).or_default() += sources.len();
                if reason.rule == Rule::StatusRepeat {
                    self.readings.entry(id).or_default().extend(sources);
                }
                self.stood_for.extend(sources);
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
            Change::Store { entry, .. } => (Fate::Kept, std::slice::from_ref(&entry.id)),
            Change::Chunk { entry, .. } => (Fate::Told, &entry.sources),
            Change::Corroborate { sources, .. } => (Fate::Known, sources),
            Change::Prune { id, .. } => (Fate::LetGo, std::slice::from_ref(id)),
            _ => return,
        };
        for id in ids.iter().filter(|id| self.day.contains_key(id)) {
            self.fates.insert(id, (fate, change));
        }
    }

    fn diff(&self) -> Diff<'a> {
        let clusters = &self.night.report.clusters;
        let mut sections: Vec<Section<'a>> = clusters.iter().map(Some).chain([None]).map(empty).collect();
        for memory in &self.night.memories {
            let Some(lived) = self.lived(memory) else { continue };
            let theme = self.themes.get(&memory.id).copied().unwrap_or(clusters.len());
            sections[theme].memories.push(lived);
        }
        let (mut across, mut known) = (Vec::new(), Vec::new());
        for change in &self.night.changes {
            match self.proposal(change) {
                Some(proposal) => {
                    let themes: BTreeSet<usize> = proposal
                        .sources
                        .iter()
                        .map(|s| self.themes.get(s.id).copied().unwrap_or(clusters.len()))
                        .collect();
                    match themes.first() {
                        Some(&theme) if themes.len() == 1 => sections[theme].proposals.push(proposal),
                        _ => across.push(proposal),
                    }
                }
                None => known.extend(self.known(change)),
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

    fn lived(&self, memory: &'a Memory) -> Option<Lived<'a>> {
        if self.stood_for.contains(&memory.id) {
            return None;
        }
        let &(fate, change) = self.fates.get(&memory.id)?;
        let told = matches!(fate, Fate::Told | Fate::Known).then(|| change.id());
        let contested = self.contested.get(&memory.id).filter(|_| fate == Fate::Kept);
        let (fate, by, reason) = match (self.outdated.get(&memory.id), contested) {
            (Some(&(by, reason)), _) => (Fate::Superseded, Some(by), reason),
            (None, Some(&(by, reason))) => (Fate::Contested, Some(by), reason),
            (None, None) => (fate, told, change.reason()),
        };
        let readings = self.readings.get(&memory.id).map_or(&[][..], Vec::as_slice);
        Some(Lived {
            id: &memory.id,
            at: memory.at,
            text: memory.text.trim(),
            importance: memory.importance().get(),
            times: 1 + self.repeats.get(&memory.id).copied().unwrap_or_default(),
            readings: readings.iter().copied().map(|id| self.told(id)).collect(),
            fate,
            by: by.map(|id| self.told(id)),
            reason,
            compared: self.compared(reason, &[Some(&memory.id), by]),
        })
    }

    /// What is made of memories of the day.
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
            sources: entry.sources.iter().map(|id| self.told(id)).collect(),
            reason: change.reason(),
        })
    }

    /// What becomes of older entries.
    fn known(&self, change: &'a Change) -> Option<Known<'a>> {
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
            // Told with the memory itself.
            other => self.day.contains_key(other.id()),
        };
        (!of_the_day).then(|| Known {
            verb: change.verb(),
            entry: self.told(change.id()),
            sources: change.sources().iter().map(|id| self.told(id)).collect(),
            reason: change.reason(),
            compared: self.compared(change.reason(), &[Some(change.id()), change.sources().first()]),
        })
    }

    /// The statements that were compared, unless they are these two.
    fn compared(&self, reason: &Reason, shown: &[Option<&MemoryId>; 2]) -> Option<[Told<'a>; 2]> {
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
            of_day.or_else(written).or_else(before).map(|id| self.told(id))
        };
        Some([told(older)?, told(newer)?])
    }

    fn told(&self, id: &'a MemoryId) -> Told<'a> {
        if let Some(entry) = self.written.get(id).and_then(|change| change.entry()) {
            return Told { id, at: Some(entry.at), text: entry.text.trim() };
        }
        if let Some(memory) = self.day.get(id) {
            return Told { id, at: Some(memory.at), text: memory.text.trim() };
        }
        match self.before.get(id) {
            Some(known) => Told { id, at: Some(known.at), text: known.text.trim() },
            None => Told { id, at: None, text: "" },
        }
    }
}

fn empty(theme: Option<&ClusterReport>) -> Section<'_> {
    Section { theme, memories: Vec::new(), proposals: Vec::new() }
}
