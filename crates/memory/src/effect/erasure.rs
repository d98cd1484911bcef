//! Effect of erasing a person from the memory of an NPC. It is computed without I/O and is the one definition that every
//! store carries out.
//!
//! | what | is erased |
//! |---|---|
//! | an entry whose text, actors, tags, place or id name the person | always, whatever its state |
//! | a synthesis or summary | if it tells an erased entry |
//! | a reflection | if it rests on an erased entry, and fewer than [`MIN_SUPPORT`] others are left, or it quotes the erased one |
//! | a log line | if it is of an erased entry, or tells of a change that is withdrawn; of others the values of the reason, if one names the person or an erased entry |
//! | a state of a theme | if it names the person, or stands on a night whose memories were erased, or comes after such a state |
//! | a tag of the NPC | if it names the person |
//! | what undoes the nights so far, and what was shelved | if anything is erased |
//!
//! Changes that the erased entries made to others are withdrawn: an entry that one had superseded, or that a summary had replaced,
//! is active again if it has a vector; contest marks, ended positions, sources and corroborations that came from one are removed.
//!
//! An erased entry leaves its fingerprint, so that the same memory is not slept on again. Where its id names the person, the
//! fingerprint stands under [`MemoryId::erased`].

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use super::rows::Edge;
use crate::{
    id::{IdError, MemoryId, NpcId, ThemeId},
    memory::Kind,
    person::PersonNames,
    plan::{Reason, Rule, Value},
    ports::{AppliedNight, Erasure, LogLine},
    record::{Confidence, MemoryRecord, RecordKind, State},
};

/// Number of sources that a reflection must keep to stand without an erased one.
pub const MIN_SUPPORT: usize = 2;

/// A record of an NPC, as an erasure reads it.
#[derive(Debug, Clone)]
pub struct RecordHistory {
    /// The record, without its vector.
    pub record: MemoryRecord,
    /// Version of the night that wrote it.
    pub version: u64,
    /// True if the store has a vector for it.
    pub has_vector: bool,
}

/// Position of a log line: the version of its night, and its number in it.
pub type LogPlace = (u64, u64);

/// A state of a theme, as an erasure reads it.
#[derive(Debug, Clone)]
pub struct ThemeState {
    /// Id of the theme.
    pub id: ThemeId,
    /// Version of the night that saw it.
    pub version: u64,
    /// Words and terms that it keeps.
    pub words: Vec<String>,
}

/// All that a store holds of an NPC, as an erasure reads it.
#[derive(Debug, Clone, Default)]
pub struct NpcHistory {
    /// Version in force.
    pub version: u64,
    /// Nights in force, the oldest first.
    pub nights: Vec<AppliedNight>,
    /// Number of nights that can be undone or carried out again, shelved ones included.
    pub open_nights: usize,
    /// Records in every state.
    pub records: Vec<RecordHistory>,
    /// Edges of provenance.
    pub edges: Vec<Edge>,
    /// Log lines, in order.
    pub log: Vec<(LogPlace, LogLine)>,
    /// States of themes, in the order of their nights.
    pub themes: Vec<ThemeState>,
    /// Ids of purged and of erased entries, of which only the fingerprints are left.
    pub gone: Vec<MemoryId>,
    /// True if what undoes nights or carries them out again names the person.
    pub named_elsewhere: bool,
}

/// Everything that an erasure writes.
#[derive(Debug, Clone, Default)]
pub struct ErasureEffect {
    /// Numbers and ids for a report.
    pub erasure: Erasure,
    /// Records that are deleted, each with the id under which its fingerprint stays.
    pub deleted: BTreeMap<MemoryId, MemoryId>,
    /// New images of records that stay, without vectors, by id.
    pub updated: Vec<MemoryRecord>,
    /// Edges that are deleted.
    pub cut: Vec<Edge>,
    /// Log lines that get another reason, or none: they are deleted.
    pub log: BTreeMap<LogPlace, Option<Reason>>,
    /// States of themes that are deleted, by the version of their night.
    pub themes: BTreeSet<(u64, ThemeId)>,
    /// Tags that nights keep of their NPC, by version, where one was removed.
    pub npc_tags: BTreeMap<u64, Vec<String>>,
    /// Ids of fingerprints that are replaced.
    pub renamed: BTreeMap<MemoryId, MemoryId>,
    /// Night without a day that makes the new version; `None` if no night is in force.
    pub night: Option<AppliedNight>,
}

/// Returns the effect of erasing a person from the memory of an NPC; `None` if nothing of it names the person.
///
/// An NPC that has the name itself is deleted whole ([`Erasure::whole`]); the effect lists nothing then.
///
/// # Errors
/// [`IdError`] if the label of the latest night is none.
pub fn erasure_of(
    npc: &NpcId,
    history: &NpcHistory,
    person: &PersonNames,
    run: u64,
) -> Result<Option<ErasureEffect>, IdError> {
    let mut plan = ErasurePlan::new(history, person);
    let whole = person.are_in(npc.as_str());
    let erasure = Erasure { whole, nights: history.open_nights, ..Erasure::default() };
    let mut effect = ErasureEffect { erasure, ..ErasureEffect::default() };
    if whole {
        return Ok(Some(effect));
    }
    effect.erasure.named = plan.erased.iter().copied().cloned().collect();
    plan.withdraw_conclusions();
    let is_new = |id: &&&MemoryId| effect.erasure.named.binary_search(**id).is_err();
    effect.erasure.withdrawn = plan.erased.iter().filter(is_new).copied().cloned().collect();
    plan.restore();
    effect.deleted = plan.erased.iter().map(|id| ((*id).clone(), plan.kept_id(id))).collect();
    effect.updated = plan.updated();
    let is_cut = |edge: &&Edge| plan.is_gone(&edge.derived) || plan.is_gone(&edge.source);
    effect.cut = history.edges.iter().filter(is_cut).cloned().collect();
    effect.log = plan.log();
    effect.themes = plan.themes();
    effect.npc_tags = plan.npc_tags();
    let named = history.gone.iter().filter(|id| person.are_in(id.as_str()));
    effect.renamed = named.map(|id| (id.clone(), id.erased())).collect();
    let nothing = effect.deleted.is_empty()
        && effect.updated.is_empty()
        && effect.log.is_empty()
        && effect.themes.is_empty()
        && effect.npc_tags.is_empty()
        && effect.renamed.is_empty();
    if nothing && !history.named_elsewhere {
        return Ok(None);
    }
    effect.erasure.restored = plan.restored.iter().copied().cloned().collect();
    effect.erasure.others =
        effect.updated.len() - plan.restored.len() + effect.log.len() + effect.themes.len();
    effect.night = night_after(history, &effect, run)?;
    Ok(Some(effect))
}

/// Returns the night that makes the version after an erasure. Its label and its time follow the latest night.
fn night_after(
    history: &NpcHistory,
    effect: &ErasureEffect,
    run: u64,
) -> Result<Option<AppliedNight>, IdError> {
    let Some(latest) = history.nights.last() else { return Ok(None) };
    let mut hash = Sha256::new();
    hash.update("nightfold-erasure-1");
    hash.update(history.version.to_le_bytes());
    for id in effect.deleted.keys() {
        hash.update((id.as_str().len() as u64).to_le_bytes());
        hash.update(id.as_str());
    }
    let mut word = [0; 8];
    word.copy_from_slice(&hash.finalize()[..8]);
    Ok(Some(AppliedNight {
        night: latest.maintenance_label()?,
        run,
        base_version: history.version,
        // 52 bits, as of every night.
        version: (u64::from_le_bytes(word) >> 12).max(1),
        changes: effect.deleted.len() as u64,
        npc_tags: effect.npc_tags.get(&latest.version).unwrap_or(&latest.npc_tags).clone(),
        ..latest.clone()
    }))
}

struct ErasurePlan<'a> {
    history: &'a NpcHistory,
    person: &'a PersonNames,
    records: BTreeMap<&'a MemoryId, &'a RecordHistory>,
    /// Sources of each record, by edges and as it lists them.
    sources: BTreeMap<&'a MemoryId, BTreeSet<&'a MemoryId>>,
    erased: BTreeSet<&'a MemoryId>,
    restored: BTreeSet<&'a MemoryId>,
}

impl<'a> ErasurePlan<'a> {
    /// Marks the records that name the person.
    fn new(history: &'a NpcHistory, person: &'a PersonNames) -> Self {
        let records: BTreeMap<_, _> = history.records.iter().map(|row| (&row.record.entry.id, row)).collect();
        let mut sources: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for edge in &history.edges {
            sources.entry(&edge.derived).or_default().insert(&edge.source);
        }
        for row in &history.records {
            sources.entry(&row.record.entry.id).or_default().extend(&row.record.entry.sources);
        }
        let named = records.iter().filter(|(_, row)| names(&row.record, person)).map(|(id, _)| *id);
        let erased = named.collect();
        Self { history, person, records, sources, erased, restored: BTreeSet::new() }
    }

    /// True for a record that is erased, and for a source that the store never had or has purged and whose id names the person.
    fn is_gone(&self, id: &MemoryId) -> bool {
        self.erased.contains(id) || !self.records.contains_key(id) && self.person.are_in(id.as_str())
    }

    fn sources_of(&self, id: &MemoryId) -> impl Iterator<Item = &'a MemoryId> {
        self.sources.get(id).into_iter().flatten().copied()
    }

    /// Erases what was concluded from erased records and does not stand without them, and so on.
    fn withdraw_conclusions(&mut self) {
        loop {
            let fallen: Vec<_> = self.records.iter().filter(|(_, row)| self.falls(&row.record)).collect();
            let fallen: Vec<&MemoryId> = fallen.into_iter().map(|(id, _)| *id).collect();
            if fallen.is_empty() {
                return;
            }
            self.erased.extend(fallen);
        }
    }

    fn falls(&self, record: &MemoryRecord) -> bool {
        let entry = &record.entry;
        // What was experienced needs no source; it has the memories that corroborated it.
        let is_concluded = entry.form != RecordKind::Verbatim || entry.kind == Kind::Reflection;
        if !is_concluded || self.erased.contains(&entry.id) {
            return false;
        }
        let (erased, left): (Vec<_>, Vec<_>) =
            self.sources_of(&entry.id).partition(|source| self.is_gone(source));
        let is_quoted = |id: &&MemoryId| {
            let text = self.records.get(*id).map(|row| row.record.entry.text.trim());
            text.is_some_and(|text| !text.is_empty() && entry.text.contains(text))
        };
        !erased.is_empty()
            && (entry.form == RecordKind::Synthesis
                || left.len() < MIN_SUPPORT
                || erased.iter().any(is_quoted))
    }

    /// Finds archived records that are active again, because what had taken their place is erased.
    fn restore(&mut self) {
        let told_by_erased: BTreeSet<_> = self.erased.iter().flat_map(|id| self.sources_of(id)).collect();
        for (id, RecordHistory { record, has_vector, .. }) in &self.records {
            let by = |rules: &[Rule]| {
                rules.iter().any(|rule| record.archived_by.as_deref() == Some(rule.as_str()))
            };
            let is_freed = match &record.superseded_by {
                // What was archived for lack of room only got its successor later.
                Some(successor) => self.erased.contains(successor) && !by(&NO_ROOM),
                None => told_by_erased.contains(id) && by(&TOLD),
            };
            if is_freed && *has_vector && record.state == State::Archived && !self.erased.contains(id) {
                self.restored.insert(id);
            }
        }
    }

    /// Returns the id under which the fingerprint of an erased record stays.
    fn kept_id(&self, id: &MemoryId) -> MemoryId {
        if self.person.are_in(id.as_str()) { id.erased() } else { id.clone() }
    }

    /// Returns the records that stay and change.
    fn updated(&self) -> Vec<MemoryRecord> {
        let stay = self.records.iter().filter(|(id, _)| !self.erased.contains(*id));
        stay.filter_map(|(id, row)| {
            let mut record = row.record.clone();
            let is_left = |id: &MemoryId| !self.is_gone(id);
            record.entry.sources.retain(is_left);
            record.contested_with.retain(is_left);
            record.ended.retain(|ended| is_left(&ended.by) && !self.person.are_in(&ended.text));
            if record.superseded_by.as_ref().is_some_and(|id| self.is_gone(id)) {
                record.superseded_by = None;
            }
            if self.restored.contains(id) {
                (record.state, record.archived_by) = (State::Active, None);
            }
            let withdrawn = self.sources_of(id).filter(|source| self.corroborated(source, id)).count();
            if withdrawn > 0 {
                let withdrawn = u32::try_from(withdrawn).unwrap_or(u32::MAX);
                record.corroborations = record.corroborations.saturating_sub(withdrawn);
                record.confidence = Confidence::Normal;
            }
            (record != row.record).then_some(record)
        })
        .collect()
    }

    /// True if an erased record had corroborated this one, or was merged into it.
    fn corroborated(&self, source: &MemoryId, id: &MemoryId) -> bool {
        let source = self.records.get(source).filter(|_| self.erased.contains(source));
        source.is_some_and(|row| {
            row.record.archived_by.as_deref() == Some(Rule::AlreadyKnown.as_str())
                || row.record.superseded_by.as_ref() == Some(id)
        })
    }

    /// Returns the log lines that change, each with its new reason; `None` for one that is deleted.
    fn log(&self) -> BTreeMap<LogPlace, Option<Reason>> {
        let erased: BTreeSet<&str> = self.erased.iter().map(|id| id.as_str()).collect();
        let changed = self.history.log.iter().filter_map(|(place, line)| {
            if self.erased.contains(&line.id) {
                return Some((*place, None));
            }
            let tells = |value: &Value| match value {
                Value::Name(name) => self.person.are_in(name) || erased.contains(name.as_str()),
                Value::Count(_) | Value::Score(_) => false,
            };
            let told = line.reason.values.values().any(tells);
            // The change was withdrawn, so what told of it goes as a whole.
            let is_withdrawn = matches!(line.verb.as_str(), "supersede" | "contest" | "end") && told
                || matches!(line.verb.as_str(), "supersede" | "archive") && self.restored.contains(&line.id);
            if is_withdrawn {
                return Some((*place, None));
            }
            told.then(|| (*place, Some(Reason::new(line.reason.rule))))
        });
        changed.collect()
    }

    /// Returns the states of themes that are deleted. The repeats that a member of a theme stands for are not listed with
    /// it, so a state rests on all memories of its night, and on the states before it.
    fn themes(&self) -> BTreeSet<(u64, ThemeId)> {
        let lived = self.erased.iter().filter_map(|id| self.records.get(*id));
        let lived = lived.filter(|row| row.record.entry.form == RecordKind::Verbatim);
        let nights: BTreeSet<u64> = lived.map(|row| row.version).collect();
        let mut fallen: BTreeSet<&ThemeId> = BTreeSet::new();
        for state in &self.history.themes {
            if self.person.are_in(state.id.as_str()) {
                fallen.insert(&state.id);
            }
        }
        let mut deleted = BTreeSet::new();
        for state in &self.history.themes {
            if nights.contains(&state.version) || state.words.iter().any(|word| self.person.are_in(word)) {
                fallen.insert(&state.id);
            }
            if fallen.contains(&state.id) {
                deleted.insert((state.version, state.id.clone()));
            }
        }
        deleted
    }

    fn npc_tags(&self) -> BTreeMap<u64, Vec<String>> {
        let named =
            self.history.nights.iter().filter(|n| n.npc_tags.iter().any(|tag| self.person.are_in(tag)));
        named
            .map(|night| {
                let left = night.npc_tags.iter().filter(|tag| !self.person.are_in(tag));
                (night.version, left.cloned().collect())
            })
            .collect()
    }
}

/// Rules that archive for low importance or lack of room.
const NO_ROOM: [Rule; 5] =
    [Rule::UnimportantLoose, Rule::OverBudget, Rule::OverText, Rule::Faded, Rule::OverMost];

/// Rules that archive a record because another one tells it too.
const TOLD: [Rule; 6] = [
    Rule::Abstracted,
    Rule::AlreadyKnown,
    Rule::ExactRepeat,
    Rule::OverBudgetCohesive,
    Rule::Similar,
    Rule::StatusRepeat,
];

/// True if a record names the person.
fn names(record: &MemoryRecord, person: &PersonNames) -> bool {
    let entry = &record.entry;
    let texts = [entry.id.as_str(), entry.text.as_str()].into_iter().chain(entry.place.as_deref());
    let lists = entry.actors.iter().chain(&entry.tags).map(String::as_str);
    texts.chain(lists).any(|text| person.are_in(text))
}
