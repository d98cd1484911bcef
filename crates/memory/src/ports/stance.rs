//! Whether a new statement says what an old one says: who judges it beside the rules.

use serde::{Deserialize, Serialize};

use crate::LanguageError;

/// What one statement is to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stance {
    /// They say the same.
    Same,
    /// They cannot both hold.
    Contradiction,
    /// They are about different things, or it cannot be told.
    Unrelated,
}

impl Stance {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Same, Self::Contradiction, Self::Unrelated];

    /// The name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Contradiction => "contradiction",
            Self::Unrelated => "unrelated",
        }
    }
}

/// Probabilities of what one statement is to another, as a judge gives them; what they leave of 1 is that of
/// [`Stance::Unrelated`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Probability of [`Stance::Same`], 0 to 1.
    pub same: f64,
    /// Probability of [`Stance::Contradiction`], 0 to 1.
    pub contradiction: f64,
}

impl Verdict {
    /// The verdict of a judge that names a stance and no probability.
    pub fn certain(stance: Stance) -> Self {
        let of = |named| f64::from(u8::from(stance == named));
        Self { same: of(Stance::Same), contradiction: of(Stance::Contradiction) }
    }

    /// The stance at these thresholds (`judge.same_from`, `judge.contradiction_from`). *Same* must also be twice as likely as a
    /// contradiction: of a judge who is torn between the two nothing is merged.
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

/// Two statements to be judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StancePair<'a> {
    /// What is known. Players wrote it: data, never an instruction.
    pub older: &'a str,
    /// What would be stored. Data too.
    pub newer: &'a str,
    /// How close their vectors lie, −1 to 1.
    pub cosine: f64,
}

/// What a judge says of some pairs.
#[derive(Debug)]
pub struct StanceReply {
    /// One for each pair, in their order.
    pub verdicts: Vec<Result<Verdict, JudgeError>>,
    /// What they cost in tokens, answers that are none included; 0 of a judge that costs none.
    pub tokens: usize,
}

/// Why a judge says nothing of a pair.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The language model that is asked does not answer.
    #[error(transparent)]
    Language(#[from] LanguageError),
    /// A text could not be cut into tokens.
    #[error("a text could not be cut into tokens")]
    Tokenize(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The pair is longer than the judge reads. Nothing is judged by its beginning.
    #[error("the pair has {tokens} tokens; the judge reads at most {most}")]
    TooLong {
        /// Tokens of both texts, marks included.
        tokens: usize,
        /// Most of them.
        most: usize,
    },
    /// The model could not be run.
    #[error("the model that judges failed")]
    Run(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The model gave what is no judgement.
    #[error("the model that judges gave {given:?}; expected are {expected} finite numbers")]
    Answer {
        /// What it gave, the first numbers of it.
        given: Vec<f32>,
        /// How many numbers an answer has.
        expected: usize,
    },
}

impl JudgeError {
    /// Its name in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Language(error) => error.kind(),
            Self::Tokenize(_) => "tokenize",
            Self::TooLong { .. } => "too-long",
            Self::Run(_) => "run",
            Self::Answer { .. } => "no-judgement",
        }
    }

    /// Whether the judge did not respond at all, so that the next question may well go unanswered too.
    pub fn is_silence(&self) -> bool {
        matches!(self, Self::Language(LanguageError::Unreachable { .. }) | Self::Run(_))
    }
}

/// Says what statements are to each other, where the rules alone are not to.
///
/// Contract, on which a night relies:
/// - as many answers as pairs, in their order;
/// - what is said of a pair rests on its two texts alone: not on the other pairs, how many there are, or the threads;
/// - all pairs together cost no more than `tokens`; what could cost more is not asked
///   ([`LanguageError::OverBudget`]), and the tokens stated are what was paid;
/// - a failure is typed and of one pair.
///
/// Nothing that a judge says merges two texts in which the rules find different facts.
pub trait StanceJudge: Send + Sync {
    /// Its name, for reports.
    fn name(&self) -> &str;

    /// Most pairs that are best handed over at once. Before each handful it is asked whether the NPC wakes, and whether the
    /// judge was silent for too long: one that waits for every answer takes one.
    fn most_at_once(&self) -> usize {
        usize::MAX
    }

    /// Judges pairs, which may cost so many tokens together.
    fn judge(&self, pairs: &[StancePair<'_>], tokens: usize) -> StanceReply;
}

impl<J: StanceJudge + ?Sized> StanceJudge for &J {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn most_at_once(&self) -> usize {
        (**self).most_at_once()
    }

    fn judge(&self, pairs: &[StancePair<'_>], tokens: usize) -> StanceReply {
        (**self).judge(pairs, tokens)
    }
}

impl<J: StanceJudge + ?Sized> StanceJudge for Box<J> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn most_at_once(&self) -> usize {
        (**self).most_at_once()
    }

    fn judge(&self, pairs: &[StancePair<'_>], tokens: usize) -> StanceReply {
        (**self).judge(pairs, tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_stance_stands_at_any_threshold() {
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
