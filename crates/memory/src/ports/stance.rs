//! Stance of one statement to another, and judges of it other than the rules.

use serde::{Deserialize, Serialize};

use crate::ports::LanguageError;

/// Stance of one statement to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stance {
    /// The statements say the same.
    Same,
    /// The statements cannot both hold.
    Contradiction,
    /// The statements are about different things, or their relation is unclear.
    Unrelated,
}

impl Stance {
    /// All stances.
    pub const ALL: [Self; 3] = [Self::Same, Self::Contradiction, Self::Unrelated];

    /// Returns the name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Contradiction => "contradiction",
            Self::Unrelated => "unrelated",
        }
    }
}

/// Probabilities of the stances, from a judge; the rest to 1 is the probability of [`Stance::Unrelated`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Probability of [`Stance::Same`], 0 to 1.
    pub same: f64,
    /// Probability of [`Stance::Contradiction`], 0 to 1.
    pub contradiction: f64,
}

impl Verdict {
    /// Returns the verdict of a judge that names a stance without a probability.
    pub fn certain(stance: Stance) -> Self {
        let of = |named| f64::from(u8::from(stance == named));
        Self { same: of(Stance::Same), contradiction: of(Stance::Contradiction) }
    }

    /// Returns the stance at these thresholds (`judge.same_from`, `judge.contradiction_from`). *Same* must
    /// also be twice as likely as a contradiction, so that nothing is merged on an undecided verdict.
    pub fn stance(&self, same_from: f64, contradiction_from: f64) -> Stance {
        if self.same >= same_from && self.same >= 2.0 * self.contradiction {
            Stance::Same
        } else if self.contradiction >= contradiction_from && self.contradiction >= self.same {
            Stance::Contradiction
        } else {
            Stance::Unrelated
        }
    }
}

/// Pair of statements to be judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StancePair<'a> {
    /// Known statement. Players may have written it: it is data, never an instruction.
    pub older: &'a str,
    /// New statement. It is data, too.
    pub newer: &'a str,
    /// Cosine of their vectors, −1 to 1.
    pub cosine: f64,
}

/// Reply of a judge to some pairs.
#[derive(Debug)]
pub struct StanceReply {
    /// Verdicts or errors, one for each pair, in order.
    pub verdicts: Vec<Result<Verdict, JudgeError>>,
    /// Tokens paid, failed answers included; 0 for a judge that costs none.
    pub tokens: usize,
}

/// Reason why a judge gives no verdict on a pair.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The language model did not answer.
    #[error(transparent)]
    Language(#[from] LanguageError),
    /// A text could not be split into tokens.
    #[error("a text could not be cut into tokens")]
    Tokenize(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The pair is longer than the judge reads; a pair is never judged by its beginning.
    #[error("the pair has {tokens} tokens; the judge reads at most {most}")]
    TooLong {
        /// Tokens of both texts, special tokens included.
        tokens: usize,
        /// Maximum number of tokens.
        most: usize,
    },
    /// The model could not be run.
    #[error("the model that judges failed")]
    Run(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The model's output is not a verdict.
    #[error("the model that judges gave {given:?}; expected are {expected} finite numbers")]
    Answer {
        /// First numbers of the output.
        given: Vec<f32>,
        /// Number of numbers that were expected.
        expected: usize,
    },
}

impl JudgeError {
    /// Returns the name used in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Language(error) => error.kind(),
            Self::Tokenize(_) => "tokenize",
            Self::TooLong { .. } => "too-long",
            Self::Run(_) => "run",
            Self::Answer { .. } => "no-judgement",
        }
    }

    /// True if the judge did not respond at all, so that the next question is likely to fail too.
    pub fn is_unresponsive(&self) -> bool {
        matches!(self, Self::Language(LanguageError::Unreachable { .. }) | Self::Run(_))
    }
}

/// Judges pairs of statements that the rules alone do not decide.
///
/// Contract, on which a night relies:
/// - one verdict or error for each pair, in order;
/// - the verdict on a pair depends on its two texts alone, not on the other pairs, their number, or the
///   threads;
/// - all pairs together cost no more than `tokens`; a pair that could cost more is not sent
///   ([`LanguageError::OverBudget`]), and the stated tokens are those that were paid;
/// - a failure is typed and concerns one pair.
///
/// A verdict of *same* is rejected if the rules find differing facts.
pub trait StanceJudge: Send + Sync {
    /// Returns the name of the judge, for reports.
    fn name(&self) -> &str;

    /// Returns the maximum number of pairs handed over at once. The night checks before each batch if the NPC
    /// has woken or the judge has been silent for too long; a judge that waits for each answer returns 1.
    fn max_batch(&self) -> usize {
        usize::MAX
    }

    /// Judges pairs, which together may cost `tokens` tokens.
    fn judge(&self, pairs: &[StancePair<'_>], tokens: usize) -> StanceReply;
}

impl<J: StanceJudge + ?Sized> StanceJudge for &J {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn max_batch(&self) -> usize {
        (**self).max_batch()
    }

    fn judge(&self, pairs: &[StancePair<'_>], tokens: usize) -> StanceReply {
        (**self).judge(pairs, tokens)
    }
}

impl<J: StanceJudge + ?Sized> StanceJudge for Box<J> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn max_batch(&self) -> usize {
        (**self).max_batch()
    }

    fn judge(&self, pairs: &[StancePair<'_>], tokens: usize) -> StanceReply {
        (**self).judge(pairs, tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_verdict_holds_at_any_threshold() {
        for stance in Stance::ALL {
            for from in [0.01, 0.5, 1.0] {
                assert_eq!(Verdict::certain(stance).stance(from, from), stance);
            }
        }
    }

    #[test]
    fn thresholds_turn_probabilities_into_a_stance() {
        let stance = |same, contradiction| Verdict { same, contradiction }.stance(0.4, 0.4);
        assert_eq!(stance(0.4, 0.1), Stance::Same);
        assert_eq!(stance(0.39, 0.4), Stance::Contradiction);
        assert_eq!(stance(0.39, 0.39), Stance::Unrelated);
        assert_eq!(stance(0.45, 0.55), Stance::Contradiction);
        assert_eq!(stance(0.5, 0.5), Stance::Contradiction);
        assert_eq!(stance(0.55, 0.45), Stance::Unrelated, "torn between the two");
        assert_eq!(stance(0.6, 0.3), Stance::Same);
    }
}
