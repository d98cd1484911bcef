//! Application of verdicts to the fates of a night's memories.

use std::collections::BTreeMap;

use nightfold_memory::{Judgement, LanguagePack, MemoryId, MemoryRecord, Reason, Rule, Stance, Vectors};

use super::Synthesized;
use crate::{
    belief::{Revision, StatementId},
    canonical_day::are_namesakes,
    collapse::DistinctMemory,
    reconcile::corroboration_reason,
    triage::TriageDecision,
};

/// State of a night's reconciliation: the entries that its statements corroborate, and what is left to be
/// written.
pub(super) struct Reconciliation<'a> {
    pub(super) night: &'a Synthesized,
    /// Vectors of the new texts: syntheses, then reflections.
    pub(super) vectors: &'a Vectors,
    pub(super) pack: &'a dyn LanguagePack,
    pub(super) past: BTreeMap<&'a MemoryId, &'a MemoryRecord>,
    pub(super) fates: Vec<TriageDecision>,
    /// For each synthesis, true if it leaves an entry of its own.
    pub(super) leaves_entry: Vec<bool>,
    /// For each synthesis, true if an entry already states it or no further entry needs to be compared with
    /// it.
    decided_syntheses: Vec<bool>,
    /// Reflections of this night that an active one states already, by index: id of the active one, and reason.
    pub(super) restated_reflections: BTreeMap<usize, (MemoryId, Reason)>,
}

impl<'a> Reconciliation<'a> {
    pub(super) fn new(night: &'a Synthesized, vectors: &'a Vectors, pack: &'a dyn LanguagePack) -> Self {
        let Synthesized { frame, syntheses, triage, .. } = night;
        Self {
            night,
            vectors,
            pack,
            past: frame.entries_by_id(),
            fates: triage.fates.clone(),
            leaves_entry: vec![true; syntheses.len()],
            decided_syntheses: vec![false; syntheses.len()],
            restated_reflections: BTreeMap::new(),
        }
    }

    /// Returns the effect of the day on what is believed.
    pub(super) fn revision(&self) -> &'a Revision {
        &self.night.judged.revision
    }

    /// True if a synthesis needs no further verdict.
    pub(super) fn is_synthesis_decided(&self, synthesis: usize) -> bool {
        self.decided_syntheses[synthesis]
    }

    /// Applies the verdict on a synthesis and an entry: a synthesis that the entry already states leaves no
    /// entry of its own.
    pub(super) fn apply_synthesis_verdict(
        &mut self,
        synthesis: usize,
        id: &MemoryId,
        cosine: f64,
        judged: &Judgement,
    ) {
        if judged.stance == Stance::Unrelated {
            return;
        }
        self.decided_syntheses[synthesis] = true;
        let Some(&entry) = self.past.get(id) else { return };
        if judged.stance != Stance::Same || self.revision().superseded.contains_key(id) {
            return;
        }
        let rows = self.night.members(synthesis);
        let is_namesake = |row: &usize| are_namesakes(self.memory(*row).named(), (id, &entry.entry.text));
        if !rows.iter().any(is_namesake) && self.night.is_lossless(rows, &entry.entry.text) {
            self.leaves_entry[synthesis] = false;
            let reason = corroboration_reason(cosine, judged, &self.night.frame.config)
                .with("older", id.as_str())
                .with("told_as_one", rows.len());
            for &row in rows {
                self.fates[row] = TriageDecision::Corroborate(id.clone(), reason.clone());
            }
        }
    }

    /// Applies the verdict on a new reflection and an active one; the closest must come first. A near copy
    /// that contradicts nothing counts as the same.
    pub(super) fn apply_reflection_verdict(
        &mut self,
        insight: usize,
        id: &MemoryId,
        cosine: f64,
        judged: &Judgement,
    ) {
        let config = &self.night.frame.config;
        let is_copy = cosine >= config.synthesis.near_copy;
        let restates = judged.stance == Stance::Same || judged.stance == Stance::Unrelated && is_copy;
        if restates {
            let reason = judged.explain(Reason::new(Rule::DrawnAgain).with("cosine", cosine), &config.judge);
            self.restated_reflections.entry(insight).or_insert_with(|| (id.clone(), reason));
        }
    }

    /// True if a reflection needs no further verdict.
    pub(super) fn is_reflection_decided(&self, insight: usize) -> bool {
        self.restated_reflections.contains_key(&insight)
    }

    /// True if two memories of the night are both still to be stored, so that they may be merged.
    pub(super) fn may_merge(&self, later: usize, earlier: usize) -> bool {
        [later, earlier].iter().all(|&row| matches!(self.fates[row], TriageDecision::Store(_)))
    }

    /// Merges two memories that say the same: the later one corroborates the earlier one, or the earlier one
    /// the later one if the words of the later one may not be lost.
    pub(super) fn merge(&mut self, later: usize, earlier: usize, cosine: f64, judged: &Judgement) {
        let frame = &self.night.frame;
        let id = |row: usize| frame.distinct[row].id.as_str();
        let reason = corroboration_reason(cosine, judged, &frame.config)
            .with("older", id(earlier))
            .with("newer", id(later));
        for (kept, given_up) in [(earlier, later), (later, earlier)] {
            let (of_kept, memory) = (&frame.distinct[kept], &frame.distinct[given_up]);
            if !self.night.is_lossless(&[given_up], &of_kept.text) {
                continue;
            }
            // Memories that corroborate the merged one corroborate the kept one instead.
            for fate in &mut self.fates {
                if let TriageDecision::Corroborate(id, _) = fate
                    && *id == memory.id
                {
                    *id = of_kept.id.clone();
                }
            }
            self.fates[given_up] = TriageDecision::Corroborate(of_kept.id.clone(), reason);
            return;
        }
    }

    /// Returns the entry that states the content of a statement at the end of the night; `None` if no entry
    /// does.
    pub(super) fn current_entry(
        &self,
        holder: &StatementId,
        written: &BTreeMap<usize, MemoryId>,
    ) -> Option<MemoryId> {
        match holder {
            StatementId::Known(id) => Some(id.clone()),
            StatementId::Row(row) => match &self.fates[*row] {
                TriageDecision::Corroborate(id, _) => Some(id.clone()),
                TriageDecision::Store(_) => Some(self.memory(*row).id.clone()),
                TriageDecision::Chunk(group) => written.get(group).cloned(),
                // It is stored beside the statement that superseded it.
                TriageDecision::Outdated(_) => {
                    self.is_stored_beside_successor(*row, written).then(|| self.memory(*row).id.clone())
                }
                TriageDecision::Prune(_) => None,
            },
        }
    }

    /// True if a superseded statement of the day is stored together with its successor. If the successor is
    /// not kept, neither statement is stored.
    pub(super) fn is_stored_beside_successor(&self, row: usize, written: &BTreeMap<usize, MemoryId>) -> bool {
        // Each successor is later than the statement it superseded, so the recursion ends.
        self.revision()
            .outdated
            .get(&row)
            .is_some_and(|(holder, _)| self.current_entry(holder, written).is_some())
    }

    pub(super) fn memory(&self, row: usize) -> &'a DistinctMemory {
        let night = self.night;
        &night.frame.distinct[row]
    }

    /// Returns the entries of all nights that this night supersedes, each with its successor and the reason,
    /// in the order of their ids.
    pub(super) fn superseded(
        &self,
        written: &BTreeMap<usize, MemoryId>,
    ) -> Vec<(MemoryId, MemoryId, Reason)> {
        let revision = self.revision();
        let known = revision.superseded.iter().map(|(id, (holder, reason))| (id.clone(), holder, reason));
        let of_day = revision
            .outdated
            .iter()
            .map(|(&row, (holder, reason))| (self.memory(row).id.clone(), holder, reason));
        let mut all: Vec<_> = known
            .chain(of_day)
            .filter_map(|(id, holder, reason)| {
                Some((id, self.current_entry(holder, written)?, reason.clone()))
            })
            .collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }
}
