//! The last step: new texts are compared with long-term memory and with the rest of the night.

use nightfold_memory::{FactRules, Kind, LanguagePack, MemoryId, NpcNight, Stance, ValidConfig, Vectors};
use serde::{Deserialize, Serialize};

use super::{
    StanceQuestion, Synthesized, Verdicts, reconciliation::Reconciliation, same_day, same_day::SameDayPair,
};
use crate::{ConsolidateError, reconcile::ActiveEntries};

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

impl Synthesized {
    /// Compares the new texts with long-term memory. `vectors` are those of [`Synthesized::texts`].
    ///
    /// # Errors
    /// [`ConsolidateError::Vectors`] if they do not fit the texts.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "handed over like those of the day, to `Draft::triage`"
    )]
    pub fn reconcile(
        self,
        vectors: Vectors,
        pack: &dyn LanguagePack,
    ) -> Result<Reconciling, ConsolidateError> {
        let expected = self.insights.len();
        let fits =
            expected == 0 || self.vectors.is_empty() || vectors.dimensions() == self.vectors.dimensions();
        if vectors.len() != expected || !fits {
            let (given, dimensions) = (vectors.len(), vectors.dimensions());
            return Err(ConsolidateError::Vectors { expected, given, dimensions });
        }
        let mut all = Vectors::with_capacity(self.vectors.dimensions(), self.syntheses.len() + expected);
        self.syntheses.iter().try_for_each(|synthesis| all.push(self.mean_vector(synthesis).as_slice()))?;
        vectors.rows().try_for_each(|row| all.push(row))?;
        let (pairs, questions) = questions(&self, &all, pack);
        Ok(Reconciling { synthesized: self, vectors: all, pairs, questions })
    }
}

impl Reconciling {
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
        for (about_pair, question) in self.pairs.iter().zip(&self.questions) {
            match about_pair {
                ReconcilePair::Synthesis(synthesis, _) if reconciliation.is_synthesis_decided(*synthesis) => {
                }
                ReconcilePair::Synthesis(synthesis, id) => {
                    let judged = verdicts.judge(question, config, pack);
                    reconciliation.apply_synthesis_verdict(*synthesis, id, question.cosine, &judged);
                }
                ReconcilePair::Reflection(insight, _) if reconciliation.is_reflection_decided(*insight) => {}
                ReconcilePair::Reflection(insight, id) => {
                    let judged = verdicts.judge(question, config, pack);
                    reconciliation.apply_reflection_verdict(*insight, id, question.cosine, &judged);
                }
                &ReconcilePair::SameDay(later, earlier) if reconciliation.may_merge(later, earlier) => {
                    let judged = verdicts.judge(question, config, pack);
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

/// Questions of a night about its new texts.
struct QuestionList<'a> {
    rules: Box<dyn FactRules<'a> + 'a>,
    pack: &'a dyn LanguagePack,
    pairs: Vec<ReconcilePair>,
    questions: Vec<StanceQuestion>,
}

impl<'a> QuestionList<'a> {
    /// Adds a question. A judge is asked only if its verdict can have a consequence: two texts that differ in a
    /// fact are never the same.
    fn push(&mut self, about: usize, pair: ReconcilePair, [older, newer]: [&'a str; 2], cosine: f64) {
        let ruled = self.rules.judge(older, newer, cosine);
        let asks = self.pack.understands() && older.trim() != newer.trim() && !ruled.forbids_merge();
        let (id, older, newer) = (self.questions.len(), older.to_owned(), newer.to_owned());
        self.questions.push(StanceQuestion { id, about, older, newer, cosine, ruled, asks });
        self.pairs.push(pair);
    }
}

/// Returns the pairs of a night's new texts that may say the same, each with its question.
fn questions(
    synthesized: &Synthesized,
    vectors: &Vectors,
    pack: &dyn LanguagePack,
) -> (Vec<ReconcilePair>, Vec<StanceQuestion>) {
    let mut list = QuestionList { rules: pack.fact_rules(), pack, pairs: Vec::new(), questions: Vec::new() };
    let frame = &synthesized.frame;
    let known = ActiveEntries::experiences(&frame.past);
    for (t, synthesis) in synthesized.syntheses.iter().enumerate() {
        for near in known.neighbours(vectors.row(t), &frame.config.reconcile) {
            let entry = &near.entry.entry;
            // An entry without the words that must be kept never stands for the synthesis, whatever the verdict; nor does
            // talk for what was lived.
            let is_talk = synthesized.members(t).iter().all(|&row| frame.distinct[row].is_talk());
            if (is_talk || entry.kind != Kind::Chat)
                && synthesized.is_lossless(synthesized.members(t), &entry.text)
            {
                let pair = ReconcilePair::Synthesis(t, entry.id.clone());
                list.push(t, pair, [&entry.text, &synthesis.text], near.cosine);
            }
        }
    }
    let syntheses = synthesized.syntheses.len();
    let concluded = ActiveEntries::reflections(&frame.past);
    for (i, insight) in synthesized.insights.iter().enumerate() {
        let at = syntheses + i;
        for near in concluded.neighbours(vectors.row(at), &frame.config.reconcile) {
            let entry = &near.entry.entry;
            let pair = ReconcilePair::Reflection(i, entry.id.clone());
            list.push(at, pair, [&entry.text, &insight.text], near.cosine);
        }
    }
    let first = syntheses + synthesized.insights.len();
    for (n, SameDayPair { later, earlier, cosine }) in same_day::pairs(synthesized).into_iter().enumerate() {
        let text = |row: usize| frame.distinct[row].text.as_str();
        let can_merge = |kept, given_up| synthesized.is_lossless(&[given_up], text(kept));
        if !can_merge(earlier, later) && !can_merge(later, earlier) {
            continue;
        }
        list.push(first + n, ReconcilePair::SameDay(later, earlier), [text(earlier), text(later)], cosine);
    }
    (list.pairs, list.questions)
}
