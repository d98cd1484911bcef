//! What a stance judge is asked, and what becomes of its answers.

use std::collections::BTreeMap;

use nightfold_memory::{
    FactRules, JudgeReport, Judgement, LanguagePack, NpcNight, Stance, StancePair, ValidConfig, Verdict,
};
use serde::{Deserialize, Serialize};

use crate::verdict::{accept_verdict, fallback_verdict};

/// What a stance judge is asked: what is one statement to the other?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StanceQuestion {
    /// Its number; answers are given back under it.
    pub id: usize,
    /// What would be stored, by number. Questions about one follow each other, and once an answer settles what becomes of
    /// it, the later ones are not needed.
    pub about: usize,
    /// What is known, or was heard earlier the same day.
    pub older: String,
    /// What would be stored.
    pub newer: String,
    /// How close they lie.
    pub cosine: f64,
    /// True if a judge is asked: the very same words are the same, and of some pairs the rules know all there is to know.
    pub asks: bool,
}

impl StanceQuestion {
    /// True if a judge is to be asked.
    pub fn is_open(&self) -> bool {
        self.asks
    }

    /// The question as a judge is given it.
    pub fn pair(&self) -> StancePair<'_> {
        StancePair { older: &self.older, newer: &self.newer, cosine: self.cosine }
    }

    /// The judgement that a verdict comes to, or the judge's silence: then *same* is taken from the cosine
    /// `reconcile.fallback_similarity` on, if the rules find no differing fact.
    pub fn settled(
        &self,
        verdict: Option<Verdict>,
        config: &ValidConfig,
        pack: &dyn LanguagePack,
    ) -> Judgement {
        let Self { older, newer, cosine, .. } = self;
        match verdict {
            _ if !self.asks => pack.judge(older, newer, *cosine),
            Some(verdict) => accept_verdict(verdict, older, newer, *cosine, &config.judge, pack),
            None => fallback_verdict(older, newer, *cosine, config.reconcile.fallback_similarity, pack),
        }
    }
}

/// What a stance judge said to a night's questions. The default is that none was asked: then the rules judge.
#[derive(Debug, Clone, Default)]
pub struct Verdicts {
    /// Its answers by question id.
    pub verdicts: BTreeMap<usize, Verdict>,
    /// What they cost, in tokens of the night's ledger.
    pub tokens: usize,
    /// How the asking went, where a judge was asked: what it left open then falls to the fail-safe.
    pub report: Option<JudgeReport>,
}

impl Verdicts {
    /// Judges, and counts by whom: as told, or by the fail-safe, where a judge was asked ([`Verdicts::report`]); by the rules
    /// where none was.
    pub fn on(
        &mut self,
        question: &StanceQuestion,
        config: &ValidConfig,
        pack: &dyn LanguagePack,
    ) -> Judgement {
        self.on_read(question, config, &mut *pack.fact_rules(), pack)
    }

    /// As [`Verdicts::on`], with what is read of the texts kept for the next question.
    pub(super) fn on_read<'q>(
        &mut self,
        question: &'q StanceQuestion,
        config: &ValidConfig,
        rules: &mut (dyn FactRules<'q> + 'q),
        pack: &dyn LanguagePack,
    ) -> Judgement {
        let answer = self.verdicts.get(&question.id).copied();
        let Some(report) = &mut self.report else {
            // Without a report nobody was asked but for what is answered.
            return match answer {
                Some(_) => question.settled(answer, config, pack),
                None => rules.judge(&question.older, &question.newer, question.cosine),
            };
        };
        let judged = question.settled(answer, config, pack);
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

    /// Adds what another round of questions cost and how it went.
    pub(super) fn add(&mut self, tokens: usize, report: Option<JudgeReport>) {
        self.tokens = self.tokens.saturating_add(tokens);
        match (&mut self.report, report) {
            (Some(own), Some(other)) => own.add(&other),
            (own @ None, other) => *own = other,
            (Some(_), None) => {}
        }
    }

    /// The night with what judging cost and how it went.
    pub(super) fn into_report_of(self, mut night: NpcNight) -> NpcNight {
        night.report.tokens.spent = night.report.tokens.spent.saturating_add(self.tokens);
        night.report.judge = self.report;
        night
    }
}
