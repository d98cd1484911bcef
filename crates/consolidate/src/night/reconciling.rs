//! The last step: what would be stored is held against what is known and against the rest of the night.

use std::collections::BTreeMap;

use nightfold_memory::{MemoryId, NpcNight, Vectors};
use serde::{Deserialize, Serialize};

use super::{Synthesized, ledger::Ledger, tonight};
use crate::{
    reconcile::Known,
    stance::{Ground, Judgement, Stance, weigh},
    triage::Fate,
};

/// What a stance judge is asked: what is one statement to the other?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StanceQuestion {
    /// Its number; answers are given back under it.
    pub id: usize,
    /// What is known, or was heard earlier the same day.
    pub older: String,
    /// What would be stored.
    pub newer: String,
    /// How close they lie.
    pub cosine: f64,
}

/// Something that would be stored: a memory in its own words, or a synthesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Candidate {
    Memory(usize),
    Telling(usize),
}

/// What a candidate is held against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Against {
    /// An entry of long-term memory.
    Known(MemoryId),
    /// The memory of this row, heard earlier tonight.
    Tonight(usize),
}

/// A candidate and what lies close to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) candidate: Candidate,
    pub(super) against: Against,
}

/// A day that is told, waiting for what its statements are to what is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reconciling {
    pub(super) synthesized: Synthesized,
    /// Of the new texts.
    pub(super) vectors: Vectors,
    /// First by candidate what is known, for each the closest entry first; then what was heard the same night.
    asked: Vec<Asked>,
    questions: Vec<StanceQuestion>,
}

impl Reconciling {
    pub(super) fn new(synthesized: Synthesized, vectors: Vectors) -> Self {
        let mut night = Self { synthesized, vectors, asked: Vec::new(), questions: Vec::new() };
        let frame = &night.synthesized.frame;
        let known = Known::new(&frame.past);
        let (mut asked, mut questions) = (Vec::new(), Vec::new());
        let mut ask = |candidate, against, older: &str, newer: &str, cosine| {
            let (older, newer) = (older.to_owned(), newer.to_owned());
            questions.push(StanceQuestion { id: questions.len(), older, newer, cosine });
            asked.push(Asked { candidate, against });
        };
        for (candidate, text, vector) in night.candidates() {
            for near in known.neighbours(vector, &frame.config.reconcile) {
                let entry = &near.entry.entry;
                ask(candidate, Against::Known(entry.id.clone()), &entry.text, text, near.cosine);
            }
        }
        for pair in tonight::pairs(&night, |cosine| cosine >= frame.config.reconcile.band) {
            let older = &frame.distinct[pair.earlier].text;
            ask(pair.later, Against::Tonight(pair.earlier), older, night.text(pair.later), pair.cosine);
        }
        (night.asked, night.questions) = (asked, questions);
        night
    }

    /// What a stance judge could be asked.
    pub fn questions(&self) -> &[StanceQuestion] {
        &self.questions
    }

    /// Writes the plan, with the rules as the judge.
    pub fn finish_by_rules(self) -> NpcNight {
        self.finish(&BTreeMap::new())
    }

    /// Writes the plan. `answers` are stances by question id; where there is none, the rules judge.
    pub fn finish(self, answers: &BTreeMap<usize, Stance>) -> NpcNight {
        let judged = |q: &StanceQuestion| match answers.get(&q.id) {
            Some(&stance) => Judgement { stance, ground: Ground::Asked },
            None => weigh(&q.older, &q.newer, q.cosine),
        };
        let mut ledger = Ledger::new(&self);
        for (asked, question) in self.asked.iter().zip(&self.questions) {
            if let Against::Known(entry) = &asked.against
                && !ledger.is_decided(asked.candidate)
            {
                ledger.hear(asked.candidate, entry, question.cosine, &judged(question));
            }
        }
        ledger.hear_claims();
        ledger.settle();
        let of_tonight =
            self.asked.iter().zip(&self.questions).filter_map(|(asked, q)| match asked.against {
                Against::Tonight(earlier) => Some((asked.candidate, earlier, q)),
                Against::Known(_) => None,
            });
        for (later, earlier, question) in of_tonight {
            if ledger.is_open(later, earlier) {
                ledger.hear_tonight(later, earlier, question.cosine, &judged(question));
            }
        }
        ledger.hear_claims_of_tonight();
        ledger.write()
    }

    /// What would be stored: what it says and where that lies.
    pub(super) fn candidates(&self) -> impl Iterator<Item = (Candidate, &str, &[f32])> {
        let fates = &self.synthesized.triage.fates;
        let memories =
            (0..fates.len()).filter(|&i| matches!(fates[i], Fate::Store(_))).map(Candidate::Memory);
        let tellings = (0..self.synthesized.tellings.len()).map(Candidate::Telling);
        memories.chain(tellings).map(|c| (c, self.text(c), self.vector(c)))
    }

    /// What a candidate says.
    pub(super) fn text(&self, candidate: Candidate) -> &str {
        match candidate {
            Candidate::Memory(row) => &self.synthesized.frame.distinct[row].text,
            Candidate::Telling(t) => &self.synthesized.tellings[t].text,
        }
    }

    /// Where that lies.
    pub(super) fn vector(&self, candidate: Candidate) -> &[f32] {
        match candidate {
            Candidate::Memory(row) => self.synthesized.vectors.row(row),
            Candidate::Telling(t) => self.vectors.row(t),
        }
    }

    /// The rows a candidate stands for.
    pub(super) fn rows(&self, candidate: Candidate) -> Vec<usize> {
        let Synthesized { triage, tellings, .. } = &self.synthesized;
        match candidate {
            Candidate::Memory(row) => vec![row],
            Candidate::Telling(t) => triage.groups[tellings[t].group].members.clone(),
        }
    }
}
