//! What a stance judge is asked, and what becomes of its answers.

use std::collections::BTreeMap;

use nightfold_memory::{JudgeBy, JudgeReport, NpcNight, Reason, Rule, Stance, StancePair, Value};
use serde::{Deserialize, Serialize};

use super::Frame;
use crate::{
    stance::{ClaimBook, Judgement, fall_back, heed, weigh},
    triage::Fate,
};

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
}

impl StanceQuestion {
    /// Whether anybody needs to be asked: the very same words are the same.
    pub fn is_open(&self) -> bool {
        self.older.trim() != self.newer.trim()
    }

    /// The question as a judge is given it.
    pub fn pair(&self) -> StancePair<'_> {
        StancePair { older: &self.older, newer: &self.newer, cosine: self.cosine }
    }

    /// What is made of a judge's answer, or of its silence: then the same is taken from the cosine `fail_safe` on
    /// (`reconcile.fail_safe`), where the rules find no different fact.
    pub fn settled(&self, answer: Option<Stance>, fail_safe: f64) -> Judgement {
        let Self { older, newer, cosine, .. } = self;
        match answer {
            _ if !self.is_open() => weigh(older, newer, *cosine),
            Some(stance) => heed(stance, older, newer, *cosine),
            None => fall_back(older, newer, *cosine, fail_safe),
        }
    }
}

/// What the rules took for known at triage because it is likely the same, where somebody else is to judge that: the fate it
/// has unless a judge says so too.
pub(super) fn doubted(fate: &Fate, frame: &Frame) -> Option<Fate> {
    let Fate::Corroborate(_, known) = fate else { return None };
    let likely = known.values.get("judged_by") == Some(&Value::from("likelihood"));
    let reason = || Reason { rule: Rule::HeldApart, ..known.clone() };
    (frame.config.judge.by != JudgeBy::Rules && likely).then(|| Fate::Store(reason()))
}

/// What a stance judge said to a night's questions. The default is that none was asked: then the rules judge.
#[derive(Debug, Clone, Default)]
pub struct Verdicts {
    /// Its answers by question id.
    pub stances: BTreeMap<usize, Stance>,
    /// What they cost, in tokens of the night's ledger.
    pub tokens: usize,
    /// How the asking went, where a judge was asked: what it left open then falls to the fail-safe.
    pub report: Option<JudgeReport>,
}

impl Verdicts {
    /// Judges, and counts by whom: as told, or by the fail-safe, where a judge was asked ([`Verdicts::report`]); by the rules
    /// where none was.
    pub fn on(&mut self, question: &StanceQuestion, fail_safe: f64) -> Judgement {
        self.on_read(question, fail_safe, &mut ClaimBook::default())
    }

    /// As [`Verdicts::on`], with what is read of the texts kept for the next question.
    pub(super) fn on_read<'q>(
        &mut self,
        question: &'q StanceQuestion,
        fail_safe: f64,
        book: &mut ClaimBook<'q>,
    ) -> Judgement {
        let answer = self.stances.get(&question.id).copied();
        let Some(report) = &mut self.report else {
            // Without a report nobody was asked but for what is answered.
            return match answer {
                Some(_) => question.settled(answer, fail_safe),
                None => book.weigh(&question.older, &question.newer, question.cosine),
            };
        };
        let judged = question.settled(answer, fail_safe);
        match answer {
            _ if !question.is_open() => {}
            Some(said) => report.vetoed += usize::from(said != judged.stance),
            None => {
                report.by_fail_safe += 1;
                report.merged_by_fail_safe += usize::from(judged.stance == Stance::Same);
            }
        }
        judged
    }

    /// The night with what judging cost and how it went.
    pub(super) fn into_report_of(self, mut night: NpcNight) -> NpcNight {
        night.report.tokens.spent = night.report.tokens.spent.saturating_add(self.tokens);
        night.report.judge = self.report;
        night
    }
}
