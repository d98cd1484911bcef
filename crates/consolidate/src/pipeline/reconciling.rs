//! The last step: new texts are compared with long-term memory and with the rest of the night.

use nightfold_memory::{LanguagePack, MemoryId, NpcNight, Stance, ValidConfig, Vectors};
use serde::{Deserialize, Serialize};

use super::{StanceQuestion, Synthesized, Verdicts, reconciliation::Reconciliation, same_day};
use crate::reconcile::ActiveEntries;

/// A pair of texts that may say the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum ReconcilePair {
    /// A synthesis and an entry of long-term memory.
    Synthesis(usize, MemoryId),
    /// A reflection of this night and an active one.
    Reflection(usize, MemoryId),
    /// Two memories of the day: the later and the earlier one.
    SameDay(usize, usize),
}

/// A synthesized day, waiting for verdicts on how its texts relate to each other and to long-term memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reconciling {
    synthesized: Synthesized,
    /// Vectors of the new texts: syntheses, then reflections.
    vectors: Vectors,
    pairs: Vec<ReconcilePair>,
    questions: Vec<StanceQuestion>,
}

impl Reconciling {
    pub(super) fn new(synthesized: Synthesized, vectors: Vectors, pack: &dyn LanguagePack) -> Self {
        let mut night = Self { synthesized, vectors, pairs: Vec::new(), questions: Vec::new() };
        let frame = &night.synthesized.frame;
        let known = ActiveEntries::experiences(&frame.past);
        let (mut pairs, mut questions) = (Vec::new(), Vec::new());
        let mut ask = |about: usize, about_pair, older: &str, newer: &str, cosine| {
            let asks = pack.understands() && older.trim() != newer.trim();
            let (older, newer) = (older.to_owned(), newer.to_owned());
            questions.push(StanceQuestion { id: questions.len(), about, older, newer, cosine, asks });
            pairs.push(about_pair);
        };
        for (t, synthesis) in night.synthesized.syntheses.iter().enumerate() {
            for near in known.neighbours(night.vectors.row(t), &frame.config.reconcile) {
                let entry = &near.entry.entry;
                ask(
                    t,
                    ReconcilePair::Synthesis(t, entry.id.clone()),
                    &entry.text,
                    &synthesis.text,
                    near.cosine,
                );
            }
        }
        let syntheses = night.synthesized.syntheses.len();
        let concluded = ActiveEntries::reflections(&frame.past);
        for (i, insight) in night.synthesized.insights.iter().enumerate() {
            let at = syntheses + i;
            for near in concluded.neighbours(night.vectors.row(at), &frame.config.reconcile) {
                let entry = &near.entry.entry;
                ask(
                    at,
                    ReconcilePair::Reflection(i, entry.id.clone()),
                    &entry.text,
                    &insight.text,
                    near.cosine,
                );
            }
        }
        let first = syntheses + night.synthesized.insights.len();
        for (n, pair) in same_day::pairs(&night.synthesized).into_iter().enumerate() {
            let text = |row: usize| frame.distinct[row].text.as_str();
            let about_pair = ReconcilePair::SameDay(pair.later, pair.earlier);
            ask(first + n, about_pair, text(pair.earlier), text(pair.later), pair.cosine);
        }
        (night.pairs, night.questions) = (pairs, questions);
        night
    }

    /// Returns the pairs that a stance judge could be asked about: each synthesis with its closest entries,
    /// the closest first; each reflection with the closest active ones; then memories of the same day.
    pub fn questions(&self) -> &[StanceQuestion] {
        &self.questions
    }

    /// Returns the configuration of the NPC.
    pub fn config(&self) -> &ValidConfig {
        &self.synthesized.frame.config
    }

    /// Returns the number of tokens that judging may use: the rest of the night's ledger after the judging
    /// before triage and the wording.
    pub fn ledger(&self) -> usize {
        let Synthesized { frame, spent, judged, .. } = &self.synthesized;
        frame.ledger().saturating_sub(*spent).saturating_sub(judged.tokens)
    }

    /// Writes the plan, with the rules as the judge.
    pub fn finish_by_rules(self, pack: &dyn LanguagePack) -> NpcNight {
        self.finish(Verdicts::default(), pack)
    }

    /// Writes the plan with the verdicts of a stance judge, as far as the rules accept them ([`Verdicts`]).
    pub fn finish(self, mut verdicts: Verdicts, pack: &dyn LanguagePack) -> NpcNight {
        let config = &self.synthesized.frame.config;
        let mut reconciliation = Reconciliation::new(&self.synthesized, &self.vectors, pack);
        let mut rules = pack.fact_rules();
        for (about_pair, question) in self.pairs.iter().zip(&self.questions) {
            match about_pair {
                ReconcilePair::Synthesis(synthesis, _) if reconciliation.is_synthesis_decided(*synthesis) => {
                }
                ReconcilePair::Synthesis(synthesis, id) => {
                    let judged = verdicts.judge_with(question, config, &mut *rules, pack);
                    reconciliation.apply_synthesis_verdict(*synthesis, id, question.cosine, &judged);
                }
                ReconcilePair::Reflection(insight, _) if reconciliation.is_reflection_decided(*insight) => {}
                ReconcilePair::Reflection(insight, id) => {
                    let judged = verdicts.judge_with(question, config, &mut *rules, pack);
                    reconciliation.apply_reflection_verdict(*insight, id, question.cosine, &judged);
                }
                &ReconcilePair::SameDay(later, earlier) if reconciliation.may_merge(later, earlier) => {
                    let judged = verdicts.judge_with(question, config, &mut *rules, pack);
                    if judged.stance == Stance::Same {
                        reconciliation.merge(later, earlier, question.cosine, &judged);
                    }
                }
                ReconcilePair::SameDay(..) => {}
            }
        }
        let night = reconciliation.write();
        let judged = &self.synthesized.judged;
        verdicts.add(judged.tokens, judged.report.clone());
        verdicts.add_to_report(night)
    }
}
