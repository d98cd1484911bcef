//! Building an effect: from changes to rows, edges and log lines.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::{Edge, Effect, PriorRows};
use crate::{
    id::{MemoryId, ThemeId},
    memory::Memory,
    plan::{Change, NpcNight, Rule},
    ports::{LogLine, StoreError},
    record::{Confidence, Entry, MemoryRecord, State},
    theme::ThemeNight,
};

/// Reason why a night does not fit the store.
pub(super) enum Refusal<E> {
    /// State of an entry that a step of the night does not allow. The step that names itself first is the one that is told.
    Entry { verb: Option<&'static str>, id: MemoryId, state: &'static str },
    /// Any other error.
    Other(E),
}

impl<E> From<E> for Refusal<E> {
    fn from(error: E) -> Self {
        Self::Other(error)
    }
}

impl<E: From<StoreError>> Refusal<E> {
    pub(super) fn conflict(id: &MemoryId, state: &'static str) -> Self {
        Self::Entry { verb: None, id: id.clone(), state }
    }

    /// Names the step that was refused.
    pub(super) fn during(self, step: &'static str) -> Self {
        match self {
            Self::Entry { verb, id, state } => Self::Entry { verb: verb.or(Some(step)), id, state },
            other @ Self::Other(_) => other,
        }
    }

    fn of(self, night: &NpcNight) -> E {
        match self {
            Self::Entry { verb, id, state } => conflict(night, verb.unwrap_or(SLEEP_ON), &id, state).into(),
            Self::Other(error) => error,
        }
    }
}

/// Returns the error for a step that an entry's state does not allow.
pub(super) fn conflict(
    night: &NpcNight,
    verb: &'static str,
    id: &MemoryId,
    state: &'static str,
) -> StoreError {
    let (npc, night, id) = (night.npc.clone(), night.night.clone(), id.clone());
    StoreError::Conflict { npc, night, verb, id, state }
}

/// Returns the effect of a night whose version and model fit.
///
/// # Errors
/// [`StoreError::Conflict`] at the first change that does not fit the store or
/// the rest of the night.
pub(super) fn effect<G: PriorRows>(night: &NpcNight, prior: &G) -> Result<Effect, G::Error> {
    let mut build = Build {
        night,
        prior,
        day: BTreeMap::new(),
        decided: BTreeSet::new(),
        inserted: BTreeMap::new(),
        updated: BTreeMap::new(),
        removed: BTreeSet::new(),
        edges: BTreeMap::new(),
        collapsed: BTreeMap::new(),
        log: Vec::with_capacity(night.changes.len()),
    };
    build.changes().map_err(|refusal| refusal.of(night))?;
    let themes = build.themes()?;
    let edges = build.edges.into_iter().flat_map(|(derived, sources)| {
        sources.into_iter().map(move |source| Edge { derived: derived.clone(), source })
    });
    Ok(Effect {
        inserted: build.inserted.into_values().collect(),
        updated: build.updated.into_values().collect(),
        removed: build.removed.into_iter().collect(),
        edges: edges.collect(),
        themes,
        log: build.log,
    })
}

/// Step before and after all changes, for error messages.
const SLEEP_ON: &str = "sleep on";

/// Effect of the changes applied so far; each change sees the result of those before it.
pub(super) struct Build<'a, G> {
    pub(super) night: &'a NpcNight,
    pub(super) prior: &'a G,
    pub(super) day: BTreeMap<&'a MemoryId, &'a Memory>,
    /// Memories of the day that a change has decided on.
    decided: BTreeSet<&'a MemoryId>,
    pub(super) inserted: BTreeMap<MemoryId, MemoryRecord>,
    pub(super) updated: BTreeMap<MemoryId, MemoryRecord>,
    /// Edges of the store that are removed.
    pub(super) removed: BTreeSet<Edge>,
    /// New edges: the sources of each derived row.
    pub(super) edges: BTreeMap<MemoryId, BTreeSet<MemoryId>>,
    /// Duplicates among older entries, each with its canonical entry.
    pub(super) collapsed: BTreeMap<&'a MemoryId, &'a MemoryId>,
    log: Vec<LogLine>,
}

impl<'a, G: PriorRows> Build<'a, G> {
    fn changes(&mut self) -> Result<(), Refusal<G::Error>> {
        self.read_day()?;
        for change in &self.night.changes {
            self.change(change).map_err(|refusal| refusal.during(change.verb()))?;
        }
        self.check_consistency()
    }

    fn read_day(&mut self) -> Result<(), Refusal<G::Error>> {
        for memory in &self.night.memories {
            Self::check_ids(&memory.id, &memory.sources)?;
            if memory.npc != self.night.npc {
                return Err(Refusal::conflict(&memory.id, "is another NPC's"));
            }
            if self.day.insert(&memory.id, memory).is_some() {
                return Err(Refusal::conflict(&memory.id, "the night holds twice"));
            }
        }
        Ok(())
    }

    fn change(&mut self, change: &'a Change) -> Result<(), Refusal<G::Error>> {
        Self::check_ids(change.id(), change.sources())?;
        let rule = change.reason().rule;
        match change {
            Change::Collapse { id, sources, standing: None, .. } => {
                if !self.day.contains_key(id) {
                    return Err(Refusal::conflict(id, "is not of this night"));
                }
                self.archive_memories(sources, rule)?;
                self.derive(id, sources);
            }
            Change::Collapse { id, sources, standing: Some(standing), .. } => {
                self.merge_duplicates(id, sources, standing, rule)?;
            }
            Change::Store { entry, .. } => {
                self.decide(&entry.id)?;
                self.insert_active(entry)?;
            }
            Change::Chunk { entry, .. } => {
                if rule == Rule::Abstracted {
                    self.archive_summarised(entry)?;
                } else {
                    self.archive_memories(&entry.sources, rule)?;
                }
                self.insert_active(entry)?;
            }
            Change::Reflect { entry, .. } => {
                if rule == Rule::Distilled {
                    self.check_distilled(entry)?;
                }
                self.insert_active(entry)?;
            }
            Change::Prune { id, .. } => self.archive_memories(std::slice::from_ref(id), rule)?,
            Change::Corroborate {
                id,
                sources,
                corroborations,
                confidence,
                last_at,
                tags,
                importance,
                pinned,
                ..
            } => {
                self.archive_memories(sources, Rule::AlreadyKnown)?;
                let row = self.corroborate(id, *corroborations, *confidence)?;
                row.entry.last_at = *last_at;
                row.entry.importance = *importance;
                row.entry.pinned = *pinned;
                row.entry.tags.clone_from(tags);
                merge_sources(&mut row.entry, sources);
                self.derive(id, sources);
            }
            Change::Strengthen { id, sources, corroborations, confidence, .. } => {
                let at = self.night.at;
                let row = self.corroborate(id, *corroborations, *confidence)?;
                row.entry.last_at = row.entry.last_at.max(at);
                merge_sources(&mut row.entry, sources);
                self.derive(id, sources);
            }
            Change::Supersede { id, sources, .. } => {
                let Some(successor) = sources.first() else {
                    return Err(Refusal::conflict(id, "nothing replaces"));
                };
                let row = if self.lacks_successor(id)? { self.row_mut(id)? } else { self.archive(id, rule)? };
                row.superseded_by = Some(successor.clone());
            }
            Change::Contest { id, sources, .. } => self.contest(id, sources)?,
            Change::End { id, position, since, sources, .. } => self.end(id, position, *since, sources)?,
            Change::Archive { id, .. } | Change::Forget { id, .. } => {
                self.archive(id, rule)?;
            }
            Change::Restore { id, vector, .. } => self.restore(id, vector.as_ref())?,
        }
        self.log.push(LogLine {
            night: self.night.night.clone(),
            at: self.night.at,
            verb: change.verb().to_owned(),
            id: change.id().clone(),
            reason: change.reason().clone(),
        });
        Ok(())
    }

    /// Checks what can only be checked after every change.
    fn check_consistency(&self) -> Result<(), Refusal<G::Error>> {
        if let Some(id) = self.day.keys().find(|id| !self.decided.contains(*id)) {
            return Err(Refusal::conflict(id, "no change decides"));
        }
        for change in &self.night.changes {
            let state = match change {
                Change::Supersede { .. } => "is to be replaced by what is not in the store",
                Change::End { .. } => "is to be ended by what is not in the store",
                _ => continue,
            };
            if let Some(cause) = change.sources().first()
                && !self.inserted.contains_key(cause)
                && self.prior.row(cause)?.is_none()
            {
                return Err(Refusal::conflict(change.id(), state).during(change.verb()));
            }
        }
        self.check_collapsed()
    }

    /// Returns the themes by id, after checking that a new theme has a new id and any other id is in the
    /// store.
    fn themes(&self) -> Result<Vec<ThemeNight>, G::Error> {
        let refused = |id: &ThemeId, state| {
            let (npc, night, id) = (self.night.npc.clone(), self.night.night.clone(), id.clone());
            Err(StoreError::Theme { npc, night, id, state }.into())
        };
        let mut themes: BTreeMap<&ThemeId, &ThemeNight> = BTreeMap::new();
        for seen in &self.night.themes {
            let id = &seen.theme.id;
            if themes.insert(id, seen).is_some() {
                return refused(id, "the night sees twice");
            }
            match (seen.new, self.prior.has_theme(id)?) {
                (true, true) => return refused(id, "is in the store already"),
                (false, false) => return refused(id, "is not in the store"),
                _ => {}
            }
        }
        let rounded = |seen: &ThemeNight| {
            let mut seen = seen.clone();
            seen.theme.centre = seen.theme.centre.rounded();
            seen
        };
        Ok(themes.into_values().map(rounded).collect())
    }

    /// Checks that a store would read these ids back. Every row, edge and log line takes its ids from them.
    fn check_ids(id: &MemoryId, sources: &[MemoryId]) -> Result<(), Refusal<G::Error>> {
        let fault = |id: &&MemoryId| MemoryId::new(id.as_str()).is_err();
        match std::iter::once(id).chain(sources).find(fault) {
            Some(id) => Err(Refusal::conflict(id, "is too long or cannot be read back")),
            None => Ok(()),
        }
    }

    /// Marks a memory of the day as decided; it must not be decided yet.
    fn decide(&mut self, id: &MemoryId) -> Result<&'a Memory, Refusal<G::Error>> {
        let Some((&id, &memory)) = self.day.get_key_value(id) else {
            return Err(Refusal::conflict(id, "is not of this night"));
        };
        if !self.decided.insert(id) {
            return Err(Refusal::conflict(id, "an earlier change of the night decides"));
        }
        Ok(memory)
    }

    /// Archives memories of the day unchanged.
    fn archive_memories(&mut self, ids: &[MemoryId], rule: Rule) -> Result<(), Refusal<G::Error>> {
        for id in ids {
            let memory = self.decide(id)?;
            let mut row = self.new_row(Entry::verbatim(memory));
            row.state = State::Archived;
            row.archived_by = Some(rule.as_str().to_owned());
            row.sketch = self.night.sketches.get(id).cloned();
            self.insert(row)?;
        }
        Ok(())
    }

    /// Inserts a new active entry.
    fn insert_active(&mut self, entry: &Entry) -> Result<(), Refusal<G::Error>> {
        let Some(vector) = &entry.vector else {
            return Err(Refusal::conflict(&entry.id, "has no vector"));
        };
        let row = self.new_row(Entry { vector: Some(vector.rounded()), ..entry.clone() });
        self.insert(row)
    }

    fn new_row(&self, entry: Entry) -> MemoryRecord {
        let night = self.night;
        MemoryRecord::new(night.npc.clone(), entry, night.at, night.night.clone())
    }

    fn insert(&mut self, row: MemoryRecord) -> Result<(), Refusal<G::Error>> {
        let id = row.entry.id.clone();
        if self.inserted.contains_key(&id) || self.prior.row(&id)?.is_some() {
            return Err(Refusal::conflict(&id, "is in the store already"));
        }
        if self.prior.purged(&id)? {
            return Err(Refusal::conflict(&id, "was purged"));
        }
        self.derive(&id, &row.entry.sources);
        self.inserted.insert(id, row);
        Ok(())
    }

    /// Adds edges from an entry to its sources; an edge to itself is skipped.
    pub(super) fn derive(&mut self, derived: &MemoryId, sources: &[MemoryId]) {
        let others = sources.iter().filter(|source| *source != derived).cloned();
        self.edges.entry(derived.clone()).or_default().extend(others);
    }

    /// Returns the row that an earlier night or this one wrote, in any state, to be changed; the row counts
    /// as updated.
    pub(super) fn row_mut(&mut self, id: &MemoryId) -> Result<&mut MemoryRecord, Refusal<G::Error>> {
        if !self.inserted.contains_key(id)
            && !self.updated.contains_key(id)
            && let Some(row) = self.prior.row(id)?
        {
            self.updated.insert(id.clone(), row);
        }
        let row = self.inserted.get_mut(id).or_else(|| self.updated.get_mut(id));
        row.ok_or_else(|| Refusal::conflict(id, "is not in the store"))
    }

    /// Returns the row of an entry that is active at this point.
    pub(super) fn active_row(&mut self, id: &MemoryId) -> Result<&mut MemoryRecord, Refusal<G::Error>> {
        let row = self.row_mut(id)?;
        if row.state == State::Archived {
            return Err(Refusal::conflict(id, "is archived already"));
        }
        Ok(row)
    }

    /// Sets the corroborations and confidence of an active entry and returns its row.
    fn corroborate(
        &mut self,
        id: &MemoryId,
        times: u32,
        confidence: Confidence,
    ) -> Result<&mut MemoryRecord, Refusal<G::Error>> {
        let at = self.night.at;
        let row = self.active_row(id)?;
        row.corroborations = times;
        row.confidence = confidence;
        row.last_corroborated_at = Some(at);
        row.touched_at = at;
        Ok(row)
    }

    /// Archives an active entry and removes its contest marks.
    pub(super) fn archive(
        &mut self,
        id: &MemoryId,
        rule: Rule,
    ) -> Result<&mut MemoryRecord, Refusal<G::Error>> {
        let row = self.active_row(id)?;
        row.state = State::Archived;
        row.archived_by = Some(rule.as_str().to_owned());
        self.uncontest(id)?;
        self.row_mut(id)
    }

    /// True for an entry that an earlier night archived and that nothing superseded: a successor can still be
    /// set.
    fn lacks_successor(&mut self, id: &MemoryId) -> Result<bool, Refusal<G::Error>> {
        if self.prior.row(id)?.is_none_or(|row| row.state != State::Archived) {
            return Ok(false);
        }
        let row = self.row_mut(id)?;
        Ok(row.state == State::Archived && row.superseded_by.is_none())
    }
}

/// Adds sources to an entry, sorted by id and each once.
pub(super) fn merge_sources(entry: &mut Entry, more: &[MemoryId]) {
    let all: BTreeSet<_> = entry.sources.drain(..).chain(more.iter().cloned()).collect();
    entry.sources.extend(all);
}
