//! Consequences of the stances between statements: a small belief revision, in the order of time.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use nightfold_memory::{
    Foundation, GameTime, Judgement, Kind, LanguagePack, MemoryId, MemoryRecord, Reason, Stance, ValidConfig,
    text::{contains_words, part},
};
use serde::{Deserialize, Serialize};

use super::{Comparison, Rivalry, StatementId};
use crate::{
    collapse::DistinctMemory,
    reconcile::{contradiction_reason, corroboration_reason},
};

/// Position of a statement that ended, while the rest of the statement stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ending {
    pub(crate) older: StatementId,
    /// Words of the older statement that state the position.
    pub(crate) position: String,
    /// Time from which on it no longer holds.
    pub(crate) since: GameTime,
    pub(crate) newer: StatementId,
    pub(crate) reason: Reason,
}

/// Two contradicting statements that both stay: the newer one is less well founded, or the older one is pinned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Contest {
    pub(crate) older: StatementId,
    pub(crate) newer: StatementId,
    pub(crate) reason: Reason,
}

/// Effect of a day on what is believed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Revision {
    /// Statements of the day that an entry already states, by row.
    pub(crate) confirms: BTreeMap<usize, (MemoryId, Reason)>,
    /// Superseded entries, each with its successor.
    pub(crate) superseded: BTreeMap<MemoryId, (StatementId, Reason)>,
    /// Statements of the day that are superseded at its end, each with its successor.
    pub(crate) outdated: BTreeMap<usize, (StatementId, Reason)>,
    /// Positions that ended of statements that say more.
    pub(crate) ended: Vec<Ending>,
    pub(crate) contested: Vec<Contest>,
    /// Statements of the day that change what is believed: kept whatever the budget.
    pub(crate) required: BTreeSet<usize>,
    /// Statements of the day that reached the NPC after something newer that contradicts them, by row.
    pub(crate) late: BTreeSet<usize>,
}

/// Input of a revision.
pub(crate) struct Reviser<'a> {
    pub(crate) distinct: &'a [DistinctMemory],
    pub(crate) past: &'a BTreeMap<&'a MemoryId, &'a MemoryRecord>,
    pub(crate) config: &'a ValidConfig,
    pub(crate) pack: &'a dyn LanguagePack,
}

/// Positions of statements that ended so far: the parts of each, in bytes.
type EndedParts = BTreeMap<StatementId, BTreeSet<(usize, usize)>>;

impl Reviser<'_> {
    /// Revises beliefs by the judgement on each comparison.
    pub(crate) fn revise(&self, judged: &[(&Comparison, Judgement)]) -> Revision {
        let mut by_row: BTreeMap<usize, Vec<(&Comparison, &Judgement)>> = BTreeMap::new();
        for (comparison, judgement) in judged {
            by_row.entry(comparison.row).or_default().push((comparison, judgement));
        }
        for own in by_row.values_mut() {
            own.sort_by(|(a, _), (b, _)| processing_order(a, b));
        }
        let mut rows: Vec<usize> = by_row.keys().copied().collect();
        rows.sort_by_key(|&row| (self.distinct[row].last_at, row));
        let denials: Vec<&Comparison> = judged
            .iter()
            .filter(|(_, judgement)| judgement.stance == Stance::Contradiction)
            .map(|(comparison, _)| *comparison)
            .collect();
        let (mut revision, mut ended) = (Revision::default(), EndedParts::new());
        for row in rows {
            let own = &by_row[&row];
            self.apply_repetition(own, &mut revision);
            for (comparison, judgement) in own {
                if let (Stance::Contradiction, Some(rivalry)) = (judgement.stance, &comparison.rivalry)
                    && !denials.iter().any(|other| self.ends_better(other, comparison))
                {
                    self.apply_rivalry(comparison, rivalry, judgement, &mut revision, &mut ended);
                }
            }
        }
        revision
    }

    /// True if a statement ends the same position of an entry as an earlier one of the day, and lies closer to it.
    fn ends_better(&self, later: &Comparison, earlier: &Comparison) -> bool {
        let ended = |of: &Comparison| {
            let rivalry = of.rivalry.as_ref().filter(|_| !of.late)?;
            Some((rivalry.position.clone(), rivalry.newer))
        };
        later.against == earlier.against
            && matches!(later.against, StatementId::Known(_))
            && later.cosine > earlier.cosine
            && self.distinct[later.row].last_at > self.distinct[earlier.row].last_at
            && ended(later).is_some_and(|position| ended(earlier) == Some(position))
    }

    fn foundation(&self, row: usize) -> Foundation {
        self.pack.foundation(self.distinct[row].kind, &self.distinct[row].text)
    }

    /// True if the words of a statement may not be lost: it is pinned or important.
    fn must_keep(&self, row: usize) -> bool {
        let memory = &self.distinct[row];
        memory.pinned || memory.importance.get() >= self.config.triage.important
    }

    fn text(&self, statement: &StatementId) -> &str {
        match statement {
            StatementId::Row(row) => &self.distinct[*row].text,
            StatementId::Known(id) => self.past.get(id).map_or("", |record| &record.entry.text),
        }
    }

    fn row_states_only_positions(&self, row: usize) -> bool {
        let memory = &self.distinct[row];
        states_only_positions(memory.kind, &memory.text, &memory.actors, self.pack)
    }

    /// True if a statement says nothing but positions, so that it may be superseded.
    fn states_only_positions(&self, statement: &StatementId) -> bool {
        let of_entry = |id| self.past.get(id).is_some_and(|record| holds_only_positions(record, self.pack));
        match statement {
            StatementId::Row(row) => self.row_states_only_positions(*row),
            StatementId::Known(id) => of_entry(id),
        }
    }

    fn last_at(&self, statement: &StatementId) -> Option<GameTime> {
        match statement {
            StatementId::Row(row) => Some(self.distinct[*row].last_at),
            StatementId::Known(id) => self.past.get(id).map(|record| record.entry.last_at),
        }
    }

    /// Returns the parts of a statement that ended on earlier nights, in bytes.
    fn ended_before(&self, statement: &StatementId) -> BTreeSet<(usize, usize)> {
        let StatementId::Known(id) = statement else { return BTreeSet::new() };
        let Some(record) = self.past.get(id) else { return BTreeSet::new() };
        let place =
            |position: &str| record.entry.text.find(position).map(|start| (start, start + position.len()));
        record.ended.iter().filter_map(|position| place(&position.text)).collect()
    }

    /// True if a statement is pinned, by itself or by a memory that corroborates it this night.
    fn is_pinned(&self, statement: &StatementId, revision: &Revision) -> bool {
        match statement {
            StatementId::Row(row) => self.distinct[*row].pinned,
            StatementId::Known(id) => {
                let by_memory =
                    |(row, (of, _)): (&usize, &(MemoryId, Reason))| of == id && self.distinct[*row].pinned;
                self.past.get(id).is_some_and(|record| record.entry.pinned)
                    || revision.confirms.iter().any(by_memory)
            }
        }
    }

    /// Returns the reason with the ids of the two compared statements added.
    fn with_compared_ids(&self, comparison: &Comparison, reason: Reason) -> Reason {
        let own = &self.distinct[comparison.row].id;
        let other = match &comparison.against {
            StatementId::Known(id) => id,
            StatementId::Row(row) => &self.distinct[*row].id,
        };
        let (older, newer) = if comparison.late { (own, other) } else { (other, own) };
        reason.with("older", older.as_str()).with("newer", newer.as_str())
    }

    /// Applies a statement that an entry already states: the entry is corroborated, and contradictions of it
    /// are resolved.
    fn apply_repetition(&self, own: &[(&Comparison, &Judgement)], revision: &mut Revision) {
        let same = own.iter().find_map(|&(comparison, judgement)| match &comparison.against {
            StatementId::Known(id) if comparison.near && judgement.stance == Stance::Same => {
                Some((id, comparison, judgement))
            }
            _ => None,
        });
        let Some((id, comparison, judgement)) = same else { return };
        let Some(entry) = self.past.get(id) else { return };
        let row = comparison.row;
        // What was lived is more than what was told of it.
        if self.foundation(row) > foundation_of(entry, self.pack) {
            return;
        }
        if let Some((StatementId::Row(denial), _)) = revision.superseded.get(id) {
            let denial = *denial;
            if self.foundation(row) < self.foundation(denial) || self.distinct[denial].pinned {
                return;
            }
            // Stated, contradicted and stated again in one day: the last statement counts.
            if let Some((_, reason)) = revision.superseded.remove(id)
                && self.row_states_only_positions(denial)
            {
                revision.outdated.insert(denial, (StatementId::Known(id.clone()), reason));
            }
        }
        if !self.must_keep(row) || contains_words(&entry.entry.text, &self.distinct[row].text) {
            let reason = self.with_compared_ids(
                comparison,
                corroboration_reason(comparison.cosine, judgement, self.config),
            );
            revision.confirms.insert(row, (id.clone(), reason));
        }
        self.resolve_contests(comparison, entry, judgement, revision);
    }

    /// Supersedes the entries that a corroborated entry is contested with, if the corroborating statement is
    /// newer and as well founded as either side.
    fn resolve_contests(
        &self,
        comparison: &Comparison,
        entry: &MemoryRecord,
        judgement: &Judgement,
        revision: &mut Revision,
    ) {
        let row = comparison.row;
        let founded = self.foundation(row);
        for id in &entry.contested_with {
            let Some(other) = self.past.get(id) else { continue };
            let best = foundation_of(entry, self.pack).max(foundation_of(other, self.pack));
            let newer = other.entry.last_at <= self.distinct[row].last_at;
            if founded >= best
                && newer
                && !self.is_pinned(&StatementId::Known(id.clone()), revision)
                && holds_only_positions(other, self.pack)
            {
                let reason = self
                    .with_compared_ids(
                        comparison,
                        contradiction_reason(comparison.cosine, judgement, self.config),
                    )
                    .with("settles", entry.entry.id.as_str())
                    .with("founded", founded.as_str())
                    .with("against", best.as_str());
                revision.superseded.entry(id.clone()).or_insert((StatementId::Row(row), reason));
                if !revision.confirms.contains_key(&row) {
                    revision.required.insert(row);
                }
            }
        }
    }

    /// Applies an assertion that cannot hold beside a position of an older statement.
    ///
    /// The position ends if the newer side is as well founded; if not, or if the older side is pinned, the two are
    /// contested. A statement is superseded once all that it says are ended positions; one that says more, or that tells of
    /// a report, stays.
    fn apply_rivalry(
        &self,
        comparison: &Comparison,
        rivalry: &Rivalry,
        judgement: &Judgement,
        revision: &mut Revision,
        ended: &mut EndedParts,
    ) {
        let row = comparison.row;
        let own = StatementId::Row(row);
        // A statement that corroborated an entry is represented by it.
        let represented = |row: usize| match revision.confirms.get(&row) {
            Some((id, _)) => StatementId::Known(id.clone()),
            None => StatementId::Row(row),
        };
        let other = match &comparison.against {
            StatementId::Row(earlier) => represented(*earlier),
            known @ StatementId::Known(_) => known.clone(),
        };
        let (older, newer) =
            if comparison.late { (own.clone(), other.clone()) } else { (other.clone(), own.clone()) };
        // News never removes a statement in the statement's own words.
        let is_restated = represented(row) == other || contains_words(self.text(&older), self.text(&newer));
        // An entry that a position of the day corroborates may itself tell what happened.
        let is_episode =
            |id: &MemoryId| self.past.get(id).is_some_and(|entry| !holds_only_positions(entry, self.pack));
        if older != comparison.against && matches!(&older, StatementId::Known(id) if is_episode(id)) {
            return;
        }
        if is_restated || [&own, &other].into_iter().any(|statement| revision.is_superseded(statement)) {
            return;
        }
        let &Rivalry { ref position, assertions, older: against, newer: founded } = rivalry;
        let Range { start, end } = *position;
        let reason = self
            .with_compared_ids(comparison, contradiction_reason(comparison.cosine, judgement, self.config))
            .with("founded", founded.as_str())
            .with("against", against.as_str());
        let reason = if comparison.late { reason.with("came", "late") } else { reason };
        if comparison.late {
            revision.late.insert(row);
        }
        // Of two statements of one moment neither is the newer one.
        let is_later = match &comparison.against {
            StatementId::Known(_) => true,
            StatementId::Row(earlier) => self.distinct[row].last_at > self.distinct[*earlier].last_at,
        };
        if !is_later || founded < against || self.is_pinned(&older, revision) {
            revision.contested.push(Contest { older, newer, reason });
            revision.required.insert(row);
            return;
        }
        let parts = ended.entry(older.clone()).or_insert_with(|| self.ended_before(&older));
        if !parts.insert((start, end)) {
            return;
        }
        if !comparison.late {
            revision.required.insert(row);
        }
        if parts.len() >= assertions && self.states_only_positions(&older) {
            revision.supersede(older, newer, reason);
            return;
        }
        // Of a statement that corroborated an entry in other words, the entry is what stays.
        let stated = if comparison.late { &StatementId::Row(row) } else { &comparison.against };
        let position = part(self.text(stated), start..end);
        if let Some(since) = self.last_at(&newer).filter(|_| contains_words(self.text(&older), position)) {
            revision.ended.push(Ending { older, position: position.to_owned(), since, newer, reason });
        }
    }
}

impl Revision {
    fn is_superseded(&self, statement: &StatementId) -> bool {
        match statement {
            StatementId::Row(row) => self.outdated.contains_key(row),
            StatementId::Known(id) => self.superseded.contains_key(id),
        }
    }

    fn supersede(&mut self, older: StatementId, newer: StatementId, reason: Reason) {
        match older {
            StatementId::Row(row) => {
                self.outdated.insert(row, (newer, reason));
            }
            StatementId::Known(id) => {
                self.superseded.insert(id, (newer, reason));
            }
        }
    }
}

/// Order in which the comparisons of one statement are applied: its nearest entries, the closest first, then its
/// rivals.
fn processing_order(a: &Comparison, b: &Comparison) -> Ordering {
    let closest = if a.near && b.near { b.cosine.total_cmp(&a.cosine) } else { b.near.cmp(&a.near) };
    closest.then_with(|| a.against.cmp(&b.against))
}

/// Returns the foundation of an entry of long-term memory.
pub(crate) fn foundation_of(entry: &MemoryRecord, pack: &dyn LanguagePack) -> Foundation {
    pack.foundation(entry.entry.kind, &entry.entry.text)
}

/// True if a text says nothing but positions. One that reports what somebody told tells of the report, which happened whatever
/// became of what was told. So does talk that names its own speaker: talk without it is what was told.
fn states_only_positions(kind: Kind, text: &str, actors: &[String], pack: &dyn LanguagePack) -> bool {
    let is_named = |name: &str| name.starts_with(char::is_uppercase) && contains_words(text, name);
    let names = |actor: &String| actor.split_whitespace().any(is_named);
    let is_report = match (kind, pack.foundation(Kind::Event, text)) {
        (Kind::Chat, as_event) => as_event == Foundation::Told || actors.iter().any(names),
        (_, founded) => founded < Foundation::Lived,
    };
    let assertions = pack.assertions(kind, text);
    !is_report && !assertions.is_empty() && assertions.iter().all(|assertion| assertion.is_position)
}

fn holds_only_positions(record: &MemoryRecord, pack: &dyn LanguagePack) -> bool {
    let entry = &record.entry;
    states_only_positions(entry.kind, &entry.text, &entry.actors, pack)
}

#[cfg(test)]
mod tests;
