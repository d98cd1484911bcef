//! The last step: what would be stored is held against what is known and against the rest of the night.

use nightfold_memory::{MemoryId, NpcNight, Vectors};
use serde::{Deserialize, Serialize};

use super::{StanceQuestion, Synthesized, Verdicts, ledger::Ledger, tonight, verdicts::doubted};
use crate::{reconcile::Known, stance::ClaimBook, triage::Fate};

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
    /// Of the new texts: syntheses, then reflections.
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
        let mut ask = |about, candidate, against, older: &str, cosine| {
            let (older, newer) = (older.to_owned(), night.text(candidate).to_owned());
            questions.push(StanceQuestion { id: questions.len(), about, older, newer, cosine });
            asked.push(Asked { candidate, against });
        };
        let mut about = 0;
        for (candidate, _, vector) in night.candidates() {
            for near in known.neighbours(vector, &frame.config.reconcile) {
                let entry = &near.entry.entry;
                ask(about, candidate, Against::Known(entry.id.clone()), &entry.text, near.cosine);
            }
            about += 1;
        }
        // Each by itself: what sets one memory of tonight aside may set others aside, too.
        for pair in tonight::pairs(&night, |cosine| cosine >= frame.config.reconcile.band) {
            let older = &frame.distinct[pair.earlier].text;
            ask(about, pair.later, Against::Tonight(pair.earlier), older, pair.cosine);
            about += 1;
        }
        (night.asked, night.questions) = (asked, questions);
        night
    }

    /// What a stance judge could be asked: of each candidate its closest entries, the closest first; then what was heard
    /// the same night.
    pub fn questions(&self) -> &[StanceQuestion] {
        &self.questions
    }

    /// How many tokens asking may cost: what the night's words left of its ledger.
    pub fn ledger(&self) -> usize {
        self.synthesized.frame.ledger().saturating_sub(self.synthesized.spent)
    }

    /// Writes the plan, with the rules as the judge.
    pub fn finish_by_rules(self) -> NpcNight {
        self.finish(Verdicts::default())
    }

    /// Writes the plan, with what a stance judge said as far as the rules let it stand ([`Verdicts`]).
    pub fn finish(self, mut verdicts: Verdicts) -> NpcNight {
        let fail_safe = self.synthesized.frame.config.reconcile.fail_safe;
        let mut ledger = Ledger::new(&self);
        let mut book = ClaimBook::default();
        for (asked, question) in self.asked.iter().zip(&self.questions) {
            if let Against::Known(entry) = &asked.against
                && !ledger.is_decided(asked.candidate)
            {
                ledger.hear(
                    asked.candidate,
                    entry,
                    question.cosine,
                    &verdicts.on_read(question, fail_safe, &mut book),
                );
            }
        }
        ledger.hear_claims(&mut book);
        ledger.settle();
        let of_tonight =
            self.asked.iter().zip(&self.questions).filter_map(|(asked, q)| match asked.against {
                Against::Tonight(earlier) => Some((asked.candidate, earlier, q)),
                Against::Known(_) => None,
            });
        for (later, earlier, question) in of_tonight {
            if ledger.is_open(later, earlier) {
                ledger.hear_tonight(
                    later,
                    earlier,
                    question.cosine,
                    &verdicts.on_read(question, fail_safe, &mut book),
                );
            }
        }
        ledger.hear_claims_of_tonight(&mut book);
        verdicts.into_report_of(ledger.write())
    }

    /// What would be stored: what it says and where that lies.
    pub(super) fn candidates(&self) -> impl Iterator<Item = (Candidate, &str, &[f32])> {
        let rows = 0..self.synthesized.triage.fates.len();
        let memories = rows.filter(|&row| self.is_candidate(row)).map(Candidate::Memory);
        let tellings = (0..self.synthesized.tellings.len()).map(Candidate::Telling);
        memories.chain(tellings).map(|c| (c, self.text(c), self.vector(c)))
    }

    /// Whether a memory would be stored in its own words, unless something says the same.
    pub(super) fn is_candidate(&self, row: usize) -> bool {
        let Synthesized { frame, triage, .. } = &self.synthesized;
        let fate = &triage.fates[row];
        matches!(fate, Fate::Store(_)) || doubted(fate, frame).is_some()
    }

    /// The fates before anything is held against anything.
    pub(super) fn fates(&self) -> Vec<Fate> {
        let Synthesized { frame, triage, .. } = &self.synthesized;
        triage.fates.iter().map(|fate| doubted(fate, frame).unwrap_or_else(|| fate.clone())).collect()
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
