//! Judgement of two statements: a stance, and the evidence for it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{
    config::JudgeConfig,
    plan::{Reason, Value},
    ports::{Stance, Verdict},
};

/// Share of `judge.contradiction_from` that is enough if the rules find a contradiction too: two weak
/// witnesses that agree.
pub const CORROBORATED_SHARE: f64 = 0.5;

/// Least product of the cosine and the share of aligned words at which the rules find that two texts that differ in no
/// fact say the same.
pub const MIN_SAME_ALIGNED: f64 = 0.67;

/// Least cosine of two texts that say the same, whatever their words: the vectors reflect what the words
/// leave unsaid.
pub const MIN_SAME_COSINE: f64 = 0.8;

/// Stance of one statement to another, and the evidence for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Stance of one statement to the other.
    pub stance: Stance,
    /// Evidence that decided the stance.
    pub evidence: Evidence,
    /// Probabilities from the judge, even if the rules overruled them; `None` if no judge answered.
    pub verdict: Option<Verdict>,
}

/// Evidence that decided a judgement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Evidence {
    /// The words are equal.
    EqualWords,
    /// The verdict of a judge, such as the stance model.
    Judged,
    /// No answer of the judge: the cosine decided, with this threshold, and the rules found no differing
    /// fact.
    Fallback(f64),
    /// Two claims that contradict each other: the kind of difference and its words.
    Opposed {
        /// Name of the difference, such as `negation`.
        by: Cow<'static, str>,
        /// Differing word of each statement, if the difference is one of words.
        words: Option<(String, String)>,
    },
    /// Differing facts, by name.
    DifferingFacts(String),
    /// A text that is too long to be compared, or has no informative word.
    Unreadable,
    /// A cosine too low for the texts to be compared; holds the cosine.
    LowCosine(f64),
    /// The cosine times the share of the longer text's words that have a counterpart of the same meaning, 0 to 1.
    Aligned(f64),
}

impl Judgement {
    /// Returns a judgement without a judge's verdict.
    pub fn new(stance: Stance, evidence: Evidence) -> Self {
        Self { stance, evidence, verdict: None }
    }

    /// Returns the judgement of two texts with equal words.
    pub fn of_equal_words() -> Self {
        Self::new(Stance::Same, Evidence::EqualWords)
    }

    /// True if the rules found that the texts cannot be the same, or could not read them.
    pub fn forbids_merge(&self) -> bool {
        matches!(self.evidence, Evidence::Opposed { .. } | Evidence::DifferingFacts(_) | Evidence::Unreadable)
    }

    /// Returns the evidence as values of a reason: `judged_by`, the probabilities of the judge, and the
    /// thresholds (`*_from`) they were compared with.
    pub fn values(&self, settings: &JudgeConfig) -> Vec<(&'static str, Value)> {
        let by = |name: &str| ("judged_by", Value::from(name));
        let (same_from, contradiction_from) = (
            ("same_from", settings.same_from.into()),
            ("contradiction_from", settings.contradiction_from.into()),
        );
        let mut values = match &self.evidence {
            Evidence::EqualWords => vec![by("words")],
            Evidence::Judged => match self.stance {
                Stance::Same => vec![by("model"), same_from],
                Stance::Contradiction => vec![by("model"), contradiction_from],
                Stance::Unrelated => vec![by("model"), same_from, contradiction_from],
            },
            Evidence::Fallback(from) => vec![by("fail-safe"), ("fail_safe_from", (*from).into())],
            Evidence::Opposed { by: difference, words } => {
                let differs = words.iter().map(|(a, b)| ("differs", format!("{a} / {b}").as_str().into()));
                // Where the rules find the contradiction too, half of the probability is enough.
                let from = CORROBORATED_SHARE * settings.contradiction_from;
                let agrees = self.verdict.filter(|verdict| verdict.contradiction >= from);
                let agrees = agrees.map(|_| ("contradiction_from", from.into()));
                [by(difference)].into_iter().chain(differs).chain(agrees).collect()
            }
            Evidence::DifferingFacts(facts) => vec![by(facts)],
            Evidence::Unreadable => vec![by("nothing")],
            Evidence::LowCosine(_) => vec![by("cosine"), ("close_from", MIN_SAME_COSINE.into())],
            Evidence::Aligned(share) => {
                vec![by("aligned"), ("aligned", (*share).into()), ("aligned_from", MIN_SAME_ALIGNED.into())]
            }
        };
        if let Some(verdict) = self.verdict {
            values.push(("same", verdict.same.into()));
            values.push(("contradiction", verdict.contradiction.into()));
        }
        values
    }

    /// Adds the evidence to the reason of a change.
    pub fn explain(&self, reason: Reason, settings: &JudgeConfig) -> Reason {
        self.values(settings).into_iter().fold(reason, |reason, (name, value)| reason.with(name, value))
    }
}
