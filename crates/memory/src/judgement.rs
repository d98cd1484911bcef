//! Judgements: a stance, and the evidence that decided it.

use crate::{JudgeConfig, Reason, Stance, Value, Verdict};

/// Share of `judge.contradiction_from` that is enough where the rules find two claims that cannot both hold: two weak
/// witnesses that agree.
pub const AGREEING: f64 = 0.5;

/// How likely the same two texts must be to be merged.
pub const LIKELY: f64 = 0.5;

/// Texts further apart are never the same, whatever their words: a vector sees what is left unsaid.
pub const CLOSE: f64 = 0.8;

/// A stance, and what decided it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// What one is to the other.
    pub stance: Stance,
    /// What decided.
    pub evidence: Evidence,
    /// Probabilities given by the judge that was asked, also where the rules decided otherwise; `None` if none answered.
    pub verdict: Option<Verdict>,
}

/// What decided a judgement.
#[derive(Debug, Clone, PartialEq)]
pub enum Evidence {
    /// The very same words.
    Words,
    /// The verdict of a judge that was asked, such as the stance model.
    Asked,
    /// A judge found a contradiction that needs the rules beside it, and they find none: why it needs them.
    Unconfirmed(&'static str),
    /// Whoever was asked did not answer: the cosine from which on the same is taken, where no fact differs.
    FailSafe(f64),
    /// Two claims that cannot both hold: in what they differ, and by which words.
    Opposed {
        /// The name of the difference, such as `negation`.
        by: &'static str,
        /// The word of the one and of the other, where the difference is one of words.
        words: Option<(String, String)>,
    },
    /// Facts in which they differ, by name.
    Facts(String),
    /// A text too long to be compared, or without a word that tells anything.
    Unread,
    /// Too far apart: their cosine.
    Apart(f64),
    /// How likely they are the same, 0 to 1.
    Likelihood(f64),
}

impl Judgement {
    /// The judgement of the rules, or of what takes their place.
    pub fn new(stance: Stance, evidence: Evidence) -> Self {
        Self { stance, evidence, verdict: None }
    }

    /// The judgement on two texts of the same words.
    pub fn of_equal_words() -> Self {
        Self::new(Stance::Same, Evidence::Words)
    }

    /// Whether the rules found why the texts cannot be the same, or could not read them.
    pub fn holds_apart(&self) -> bool {
        matches!(self.evidence, Evidence::Opposed { .. } | Evidence::Facts(_) | Evidence::Unread)
    }

    /// Evidence as reasons give it: `judged_by` and by what that was, the probabilities of a judge that was asked, and the
    /// thresholds (`*_from`) that these were held against.
    pub fn values(&self, settings: &JudgeConfig) -> Vec<(&'static str, Value)> {
        let by = |name: &str| ("judged_by", Value::from(name));
        let (same_from, contradiction_from) = (
            ("same_from", settings.same_from.into()),
            ("contradiction_from", settings.contradiction_from.into()),
        );
        let mut values = match &self.evidence {
            Evidence::Words => vec![by("words")],
            Evidence::Asked => match self.stance {
                Stance::Same => vec![by("model"), same_from],
                Stance::Contradiction => vec![by("model"), contradiction_from],
                Stance::Unrelated => vec![by("model"), same_from, contradiction_from],
            },
            Evidence::Unconfirmed(why) => {
                vec![by("model"), contradiction_from, ("unconfirmed", (*why).into())]
            }
            Evidence::FailSafe(from) => vec![by("fail-safe"), ("fail_safe_from", (*from).into())],
            Evidence::Opposed { by: difference, words } => {
                let differs = words.iter().map(|(a, b)| ("differs", format!("{a} / {b}").as_str().into()));
                // Where the rules find the contradiction too, half of the probability is enough.
                let from = AGREEING * settings.contradiction_from;
                let agrees = self.verdict.filter(|verdict| verdict.contradiction >= from);
                let agrees = agrees.map(|_| ("contradiction_from", from.into()));
                [by(difference)].into_iter().chain(differs).chain(agrees).collect()
            }
            Evidence::Facts(facts) => vec![by(facts)],
            Evidence::Unread => vec![by("nothing")],
            Evidence::Apart(_) => vec![by("cosine"), ("close_from", CLOSE.into())],
            Evidence::Likelihood(p) => {
                vec![by("likelihood"), ("likelihood", (*p).into()), ("likelihood_from", LIKELY.into())]
            }
        };
        if let Some(verdict) = self.verdict {
            values.push(("same", verdict.same.into()));
            values.push(("contradiction", verdict.contradiction.into()));
        }
        values
    }

    /// Adds what decided to the reason of a change.
    pub fn explain(&self, reason: Reason, settings: &JudgeConfig) -> Reason {
        self.values(settings).into_iter().fold(reason, |reason, (name, value)| reason.with(name, value))
    }
}
