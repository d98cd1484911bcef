//! Questions to a stance judge, and the use of its answers.

use std::collections::BTreeMap;

use nightfold_memory::{
    JudgeReport, Judgement, LanguagePack, NpcNight, Stance, StancePair, ValidConfig, Verdict,
};
use serde::{Deserialize, Serialize};

use crate::{
    belief::Revision,
    verdict::{accept_ruled, fallback_ruled},
};

/// A question to a stance judge: does one statement repeat or contradict the other?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StanceQuestion {
    /// Number of the question, under which its answer is returned.
    pub id: usize,
    /// Number of the text that would be stored. Questions about one text follow each other; once an answer
    /// settles its fate, the later ones are not needed.
    pub about: usize,
    /// Text of a known entry, or of an earlier memory of the same day.
    pub older: String,
    /// Text that would be stored.
    pub newer: String,
    /// Cosine of the two vectors, −1 to 1.
    pub cosine: f64,
    /// Judgement by the rules.
    pub ruled: Judgement,
    /// True if a judge is asked: identical texts are always the same, and some pairs are decided by the
    /// rules.
    pub asks: bool,
}

impl StanceQuestion {
    /// True if a judge is to be asked.
    pub fn is_open(&self) -> bool {
        self.asks
    }

    /// Returns the pair of texts as a judge is given it.
    pub fn pair(&self) -> StancePair<'_> {
        StancePair { older: &self.older, newer: &self.newer, cosine: self.cosine }
    }

    /// Returns the judgement that follows from a verdict. Without a verdict the judgement is *same* from the
    /// cosine `reconcile.fallback_similarity` on, if the rules find no differing fact.
    pub fn resolve(
        &self,
        verdict: Option<Verdict>,
        config: &ValidConfig,
        pack: &dyn LanguagePack,
    ) -> Judgement {
        let rule = || self.ruled.clone();
        match verdict {
            _ if !self.asks => rule(),
            Some(verdict) => accept_ruled(verdict, [&self.older, &self.newer], rule, &config.judge, pack),
            None => fallback_ruled(rule(), self.cosine, config.reconcile.fallback_similarity),
        }
    }
}

/// Answers of a stance judge to a night's questions. By default no judge was asked, and the rules judge.
#[derive(Debug, Clone, Default)]
pub struct Verdicts {
    /// Verdicts by question id.
    pub verdicts: BTreeMap<usize, Verdict>,
    /// Cost of the verdicts, in tokens of the night's ledger.
    pub tokens: usize,
    /// Statistics of the requests, if a judge was asked; the questions that it left open are then decided by
    /// the fallback.
    pub report: Option<JudgeReport>,
}

impl Verdicts {
    /// Judges a question and counts the deciding side: the judge or the fallback if a judge was asked
    /// ([`Verdicts::report`]), otherwise the rules.
    pub fn judge(
        &mut self,
        question: &StanceQuestion,
        config: &ValidConfig,
        pack: &dyn LanguagePack,
    ) -> Judgement {
        let answer = self.verdicts.get(&question.id).copied();
        let Some(report) = &mut self.report else {
            // Without a report no judge was asked, except for the questions that have an answer.
            return match answer {
                Some(_) => question.resolve(answer, config, pack),
                None => question.ruled.clone(),
            };
        };
        let judged = question.resolve(answer, config, pack);
        match answer {
            _ if !question.is_open() => {}
            Some(said) => {
                report.vetoed += usize::from(
                    said.stance(config.judge.same_from, config.judge.contradiction_from) != judged.stance,
                );
            }
            None => {
                report.by_fail_safe += 1;
                report.merged_by_fail_safe += usize::from(judged.stance == Stance::Same);
            }
        }
        judged
    }

    /// Adds the cost and the report of another round of questions.
    pub(super) fn add(&mut self, tokens: usize, report: Option<JudgeReport>) {
        self.tokens = self.tokens.saturating_add(tokens);
        match (&mut self.report, report) {
            (Some(own), Some(other)) => own.add(&other),
            (own @ None, other) => *own = other,
            (Some(_), None) => {}
        }
    }

    /// Adds the cost and the report of judging to a night, and returns the night.
    pub(super) fn add_to_report(self, mut night: NpcNight) -> NpcNight {
        night.report.tokens.spent = night.report.tokens.spent.saturating_add(self.tokens);
        night.report.judge = self.report;
        night
    }
}

/// Result of judging before triage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct JudgingOutcome {
    pub(super) revision: Revision,
    pub(super) tokens: usize,
    pub(super) report: Option<JudgeReport>,
}
