//! What the night's statements are to what is known and to each other.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Form, Importance, LongTermMemory, MemoryId, Reason};

use super::{
    Frame, Reconciling, Synthesized,
    reconciling::Candidate,
    tonight::{Pair, Span, pairs},
};
use crate::{
    collapse::Distinct,
    reconcile::{Known, already_known, contradicted},
    stance::{ClaimBook, Judgement, Stance},
    text::holds_words,
    triage::Fate,
};

/// Whether what was heard may set something aside: not what the game pinned, and nothing important for something
/// less so.
fn may_supersede(pinned: bool, importance: Importance, new: &[&Distinct], frame: &Frame) -> bool {
    let weight = new.iter().map(|d| d.importance).max();
    !pinned && (importance.get() < frame.config.triage.important || weight >= Some(importance))
}

/// What the night's statements are to what is known and to each other, as it is settled.
pub(super) struct Ledger<'a> {
    pub(super) night: &'a Reconciling,
    pub(super) past: BTreeMap<&'a MemoryId, &'a LongTermMemory>,
    pub(super) fates: Vec<Fate>,
    /// Which tellings leave an entry of their own behind.
    pub(super) told: Vec<bool>,
    /// Candidates about which nothing more needs to be asked.
    decided: Vec<Candidate>,
    /// Entries that no longer hold, with what contradicts them: older ones, and those of earlier tonight.
    pub(super) superseded: BTreeMap<MemoryId, (Candidate, Reason)>,
    /// Which rows those of tonight are.
    pub(super) outdated: BTreeSet<usize>,
    /// Those that are one with something of tonight.
    merged: Vec<Candidate>,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(night: &'a Reconciling) -> Self {
        let Synthesized { frame, tellings, .. } = &night.synthesized;
        Self {
            night,
            past: frame.past.entries.iter().map(|e| (&e.entry.id, e)).collect(),
            fates: night.fates(),
            told: vec![true; tellings.len()],
            decided: Vec::new(),
            superseded: BTreeMap::new(),
            outdated: BTreeSet::new(),
            merged: Vec::new(),
        }
    }

    /// What a candidate stands for.
    fn lived(&self, candidate: Candidate) -> Vec<&'a Distinct> {
        let night = self.night;
        night.rows(candidate).into_iter().map(|row| &night.synthesized.frame.distinct[row]).collect()
    }

    /// Whether nothing more needs to be asked about a candidate and what is known.
    pub(super) fn is_decided(&self, candidate: Candidate) -> bool {
        self.decided.contains(&candidate)
    }

    /// Whose words may not be lost.
    fn must_keep(&self, memory: &Distinct) -> bool {
        memory.pinned || memory.importance.get() >= self.night.synthesized.frame.config.triage.important
    }

    /// Holds what nothing close decided against entries further away, claim by claim: a change of mind is often told
    /// inside other sentences. Nothing is merged there, and no language model is asked.
    pub(super) fn hear_claims(&mut self, book: &mut ClaimBook<'a>) {
        let night = self.night;
        let Synthesized { frame, .. } = &night.synthesized;
        let settings = &frame.config.reconcile;
        let known = Known::new(&frame.past);
        for (candidate, text, vector) in night.candidates() {
            if self.is_decided(candidate) {
                continue;
            }
            for near in known.further(vector, settings) {
                if let Some(judged) = book.contradiction(&near.entry.entry.text, text) {
                    self.hear(candidate, &near.entry.entry.id, near.cosine, &judged);
                }
            }
        }
    }

    /// What a candidate is to a known entry.
    pub(super) fn hear(&mut self, candidate: Candidate, id: &MemoryId, cosine: f64, judged: &Judgement) {
        if judged.stance == Stance::Unrelated {
            return;
        }
        self.decided.push(candidate);
        let frame = &self.night.synthesized.frame;
        let Some(&entry) = self.past.get(id) else { return };
        let lived = self.lived(candidate);
        match judged.stance {
            Stance::Same => {
                let lossless = |d: &&Distinct| !self.must_keep(d) || holds_words(&entry.entry.text, &d.text);
                if lived.iter().all(lossless) {
                    if let Candidate::Telling(t) = candidate {
                        self.told[t] = false;
                    }
                    let reason = already_known(cosine, judged, &frame.config.reconcile);
                    for row in self.night.rows(candidate) {
                        self.fates[row] = Fate::Corroborate(id.clone(), reason.clone());
                    }
                }
            }
            // Not a synthesis, over one of the many things it tells.
            Stance::Contradiction
                if entry.entry.form == Form::Verbatim
                    && may_supersede(entry.entry.pinned, entry.entry.importance, &lived, frame) =>
            {
                let reason = contradicted(cosine, judged, &frame.config.reconcile);
                self.superseded.entry(id.clone()).or_insert((candidate, reason));
            }
            Stance::Contradiction | Stance::Unrelated => {}
        }
    }

    /// What the same night said again is not set aside over what was heard before; nor where what said it again is
    /// important, for its words stand nowhere else.
    pub(super) fn settle(&mut self) {
        let mut standing = std::mem::take(&mut self.superseded);
        standing.retain(|old, (candidate, _)| {
            let last_denied = self.lived(*candidate).iter().map(|d| d.last_at).max();
            !self.said_again(old).any(|d| self.must_keep(d) || Some(d.last_at) >= last_denied)
        });
        self.superseded = standing;
    }

    /// What confirms an entry tonight.
    fn said_again<'b>(&'b self, id: &'b MemoryId) -> impl Iterator<Item = &'a Distinct> + 'b {
        let distinct = &self.night.synthesized.frame.distinct;
        distinct.iter().zip(&self.fates).filter_map(move |(d, fate)| match fate {
            Fate::Corroborate(known, _) if known == id => Some(d),
            _ => None,
        })
    }

    /// Whether something heard later tonight is still to be held against what was heard earlier.
    pub(super) fn is_open(&self, later: Candidate, earlier: usize) -> bool {
        let stands = matches!(self.fates[earlier], Fate::Store(_)) && !self.outdated.contains(&earlier);
        let told = match later {
            Candidate::Memory(_) => true,
            Candidate::Telling(t) => self.told[t],
        };
        stands && told && !self.merged.contains(&later)
    }

    /// What something heard later tonight is to what was heard earlier. One denial may set several things aside.
    pub(super) fn hear_tonight(&mut self, later: Candidate, earlier: usize, cosine: f64, judged: &Judgement) {
        let frame = &self.night.synthesized.frame;
        let before = &frame.distinct[earlier];
        match judged.stance {
            Stance::Same => {
                if let Candidate::Memory(row) = later
                    && matches!(self.fates[row], Fate::Store(_))
                {
                    let reason = already_known(cosine, judged, &frame.config.reconcile);
                    self.merge(row, earlier, &reason);
                    self.merged.push(later);
                }
            }
            Stance::Contradiction => {
                let lived = self.lived(later);
                let newer = Span::of(self.night, later).last > before.last_at;
                // It is as important as whatever was merged with it.
                let said = || std::iter::once(before).chain(self.said_again(&before.id));
                let pinned = said().any(|d| d.pinned);
                let importance = said().map(|d| d.importance).fold(before.importance, Ord::max);
                if newer && may_supersede(pinned, importance, &lived, frame) {
                    let reason = contradicted(cosine, judged, &frame.config.reconcile);
                    self.outdated.insert(earlier);
                    self.superseded.insert(before.id.clone(), (later, reason));
                }
            }
            Stance::Unrelated => {}
        }
    }

    /// One of two memories confirms the other: the later the earlier, unless its words may not be lost.
    fn merge(&mut self, later: usize, earlier: usize, reason: &Reason) {
        let distinct = &self.night.synthesized.frame.distinct;
        for (kept, given_up) in [(earlier, later), (later, earlier)] {
            let (kept, memory) = (&distinct[kept], &distinct[given_up]);
            if self.must_keep(memory) && !holds_words(&kept.text, &memory.text) {
                continue;
            }
            // What confirmed the one confirms the other.
            for fate in &mut self.fates {
                if let Fate::Corroborate(id, _) = fate
                    && *id == memory.id
                {
                    *id = kept.id.clone();
                }
            }
            self.fates[given_up] = Fate::Corroborate(kept.id.clone(), reason.clone());
            return;
        }
    }

    /// Holds what nothing close decided against what lies further away of the same night, claim by claim.
    pub(super) fn hear_claims_of_tonight(&mut self, book: &mut ClaimBook<'a>) {
        let night = self.night;
        let settings = &night.synthesized.frame.config.reconcile;
        let further = |cosine| cosine >= settings.claims && cosine < settings.band;
        for Pair { earlier, later, cosine } in pairs(night, further) {
            if !self.is_open(later, earlier) {
                continue;
            }
            let older = night.text(Candidate::Memory(earlier));
            if let Some(judged) = book.contradiction(older, night.text(later)) {
                self.hear_tonight(later, earlier, cosine, &judged);
            }
        }
    }
}
