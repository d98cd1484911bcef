//! Consequences of the stances between statements: a small belief revision, in the order of time.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use nightfold_memory::{
    Foundation, Judgement, LanguagePack, MemoryId, MemoryRecord, Reason, Stance, ValidConfig,
    text::contains_words,
};
use serde::{Deserialize, Serialize};

use super::{Comparison, ContradictionGrounds, Counterpart};
use crate::{
    collapse::DistinctMemory,
    reconcile::{contradiction_reason, corroboration_reason},
};

/// A statement that holds: one of the day, or an entry of long-term memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum StatementId {
    Row(usize),
    Known(MemoryId),
}

/// Two contradicting statements that both stay, because the newer one may not supersede the older one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Contest {
    pub(crate) older: StatementId,
    pub(crate) newer: StatementId,
    pub(crate) reason: Reason,
}

/// A statement of the day that contradicts another one.
struct Contradiction<'a> {
    row: usize,
    comparison: &'a Comparison,
    exclusion: ContradictionGrounds,
    reason: Reason,
}

/// Effect of a day on what is believed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Revision {
    /// Statements of the day that an entry already states, by row; an archived entry becomes active again.
    pub(crate) confirms: BTreeMap<usize, (MemoryId, Reason)>,
    /// Superseded entries, each with its successor.
    pub(crate) superseded: BTreeMap<MemoryId, (StatementId, Reason)>,
    /// Statements of the day that are superseded at its end, each with its successor.
    pub(crate) outdated: BTreeMap<usize, (StatementId, Reason)>,
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
        let mut revision = Revision::default();
        for row in rows {
            let own = &by_row[&row];
            self.apply_repetition(row, own, &mut revision);
            for (comparison, judgement) in own {
                if let (Stance::Contradiction, Some(exclusion)) = (judgement.stance, comparison.exclusion) {
                    self.apply_contradiction(row, comparison, exclusion, judgement, &mut revision);
                }
            }
        }
        revision
    }

    fn foundation(&self, row: usize) -> Foundation {
        self.pack.foundation(self.distinct[row].kind, &self.distinct[row].text)
    }

    /// True if the words of a statement may not be lost: it is pinned or important.
    fn must_keep(&self, row: usize) -> bool {
        let memory = &self.distinct[row];
        memory.pinned || memory.importance.get() >= self.config.triage.important
    }

    /// True if an entry is pinned, by itself or by a memory that corroborates it this night.
    fn is_pinned(&self, entry: &MemoryRecord, revision: &Revision) -> bool {
        let by_memory = |(row, (of, _)): (&usize, &(MemoryId, Reason))| {
            *of == entry.entry.id && self.distinct[*row].pinned
        };
        entry.entry.pinned || revision.confirms.iter().any(by_memory)
    }

    /// Returns the reason with the ids of the two compared statements added.
    fn with_compared_ids(&self, comparison: &Comparison, reason: Reason) -> Reason {
        let own = &self.distinct[comparison.row].id;
        let other = match &comparison.against {
            Counterpart::Known(id) | Counterpart::Archived(id) => id,
            Counterpart::Row(row) => &self.distinct[*row].id,
        };
        let (older, newer) = if comparison.late { (own, other) } else { (other, own) };
        reason.with("older", older.as_str()).with("newer", newer.as_str())
    }

    /// Applies a statement that an entry already states: the entry is corroborated, and contradictions of it
    /// are resolved. An archived entry is restored, unless the statement is older, must keep its own words,
    /// or is about another occasion of the same kind.
    fn apply_repetition(&self, row: usize, own: &[(&Comparison, &Judgement)], revision: &mut Revision) {
        let same = own.iter().find_map(|&(comparison, judgement)| match &comparison.against {
            Counterpart::Known(id) | Counterpart::Archived(id)
                if comparison.near && judgement.stance == Stance::Same =>
            {
                Some((id, comparison, judgement))
            }
            _ => None,
        });
        let Some((id, comparison, judgement)) = same else { return };
        let Some(entry) = self.past.get(id) else { return };
        let lossless = !self.must_keep(row) || contains_words(&entry.entry.text, &self.distinct[row].text);
        if matches!(comparison.against, Counterpart::Archived(_))
            && (!lossless
                || comparison.late
                || is_contradicted_later(own)
                || self.is_another_occasion(row, entry))
        {
            return;
        }
        if let Some((StatementId::Row(denial), _)) = revision.superseded.get(id) {
            let denial = *denial;
            if self.foundation(row) < self.foundation(denial) || self.distinct[denial].pinned {
                return;
            }
            // Stated, contradicted and stated again in one day: the last statement counts.
            if let Some((_, reason)) = revision.superseded.remove(id) {
                revision.outdated.insert(denial, (StatementId::Known(id.clone()), reason));
            }
        }
        if lossless {
            let reason = self.with_compared_ids(
                comparison,
                corroboration_reason(comparison.cosine, judgement, self.config),
            );
            revision.confirms.insert(row, (id.clone(), reason));
        }
        self.resolve_contests(comparison, entry, judgement, revision);
    }

    /// True if the NPC does or sees again what it did or saw before: everyday episodes are not beliefs.
    fn is_another_occasion(&self, row: usize, entry: &MemoryRecord) -> bool {
        self.foundation(row) == Foundation::Lived && self.pack.is_episode(&entry.entry.text)
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
            if founded >= best && newer && !self.is_pinned(other, revision) {
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

    /// Applies a statement that contradicts an entry or an earlier statement of the day.
    ///
    /// Of two equally well founded statements the newer one holds. A statement that is contradicted only in
    /// part is contested, because the rest of it may still hold; so is one that a less well founded statement
    /// contradicts.
    fn apply_contradiction(
        &self,
        row: usize,
        comparison: &Comparison,
        exclusion: ContradictionGrounds,
        judgement: &Judgement,
        revision: &mut Revision,
    ) {
        if revision.outdated.contains_key(&row) {
            return;
        }
        let ContradictionGrounds { founded, against, in_part, .. } = exclusion;
        let reason = self
            .with_compared_ids(comparison, contradiction_reason(comparison.cosine, judgement, self.config))
            .with("founded", founded.as_str())
            .with("against", against.as_str());
        let reason = if comparison.late { reason.with("came", "late") } else { reason };
        let reason = if in_part { reason.with("denied", "in-part") } else { reason };
        let found = Contradiction { row, comparison, exclusion, reason };
        match &comparison.against {
            Counterpart::Known(id) | Counterpart::Archived(id) => self.contradict_entry(id, found, revision),
            &Counterpart::Row(earlier) => self.contradict_row(earlier, found, revision),
        }
    }

    fn contradict_entry(&self, id: &MemoryId, found: Contradiction<'_>, revision: &mut Revision) {
        let Contradiction { row, comparison, exclusion, reason } = found;
        let ContradictionGrounds { founded, against, in_part, .. } = exclusion;
        if revision.superseded.contains_key(id) {
            return;
        }
        let Some(entry) = self.past.get(id) else { return };
        let is_archived = matches!(comparison.against, Counterpart::Archived(_))
            && !revision.confirms.values().any(|(of, _)| of == id);
        if is_archived {
            // An archived entry is not believed: it gets its successor or stays as it is.
            if !comparison.late && founded >= against && !in_part {
                let by = entry.archived_by.as_deref().unwrap_or_default();
                let successor = (StatementId::Row(row), reason.with("archived_by", by));
                revision.superseded.insert(id.clone(), successor);
            }
            return;
        }
        if comparison.late {
            revision.late.insert(row);
            if against >= founded && !self.distinct[row].pinned && !in_part {
                revision.outdated.insert(row, (StatementId::Known(id.clone()), reason));
                return;
            }
        } else if founded >= against && !self.is_pinned(entry, revision) && !in_part {
            revision.superseded.insert(id.clone(), (StatementId::Row(row), reason));
            revision.required.insert(row);
            return;
        }
        let (older, newer) = (StatementId::Known(id.clone()), StatementId::Row(row));
        let (older, newer) = if comparison.late { (newer, older) } else { (older, newer) };
        revision.contested.push(Contest { older, newer, reason });
        revision.required.insert(row);
    }

    fn contradict_row(&self, earlier: usize, found: Contradiction<'_>, revision: &mut Revision) {
        let Contradiction { row, exclusion, reason, .. } = found;
        if revision.outdated.contains_key(&earlier) {
            return;
        }
        let before = &self.distinct[earlier];
        let newer = self.distinct[row].last_at > before.last_at;
        // A statement that corroborated an entry is represented by it, and this entry may be pinned otherwise.
        let entry = revision.confirms.get(&earlier).and_then(|(id, _)| self.past.get(id));
        let pinned = before.pinned || entry.is_some_and(|entry| self.is_pinned(entry, revision));
        if newer && exclusion.founded >= exclusion.against && !pinned && !exclusion.in_part {
            if let Some((id, _)) = revision.confirms.get(&earlier) {
                let holds = (StatementId::Row(row), reason);
                revision.superseded.entry(id.clone()).or_insert(holds);
                revision.required.insert(row);
            } else {
                revision.outdated.insert(earlier, (StatementId::Row(row), reason));
                if self.must_keep(earlier) || revision.required.contains(&earlier) {
                    revision.required.insert(row);
                }
            }
            return;
        }
        let older = match revision.confirms.get(&earlier) {
            Some((id, _)) => StatementId::Known(id.clone()),
            None => StatementId::Row(earlier),
        };
        revision.contested.push(Contest { older, newer: StatementId::Row(row), reason });
        if self.must_keep(earlier) {
            revision.required.insert(row);
        }
    }
}

/// Order in which the comparisons of one statement are applied: its nearest entries, the closest first, then
/// the nearest archived ones, then those it may contradict.
fn processing_order(a: &Comparison, b: &Comparison) -> Ordering {
    let turn = |c: &Comparison| match c.against {
        Counterpart::Known(_) if c.near => 0,
        Counterpart::Archived(_) if c.near => 1,
        _ => 2,
    };
    let closest = match (turn(a), turn(b)) {
        (2, 2) => Ordering::Equal,
        (own, other) if own == other => b.cosine.total_cmp(&a.cosine),
        (own, other) => own.cmp(&other),
    };
    closest.then_with(|| a.against.cmp(&b.against))
}

/// True if a later archived statement contradicts the statement.
fn is_contradicted_later(own: &[(&Comparison, &Judgement)]) -> bool {
    own.iter().any(|(comparison, judgement)| {
        matches!(comparison.against, Counterpart::Archived(_))
            && comparison.late
            && comparison.exclusion.is_some()
            && judgement.stance == Stance::Contradiction
    })
}

/// Returns the foundation of an entry of long-term memory.
pub(crate) fn foundation_of(entry: &MemoryRecord, pack: &dyn LanguagePack) -> Foundation {
    pack.foundation(entry.entry.kind, &entry.entry.text)
}

#[cfg(test)]
mod tests;
