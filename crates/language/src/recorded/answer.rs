//! One line of a record file.

use nightfold_memory::{Answer, LanguageError, Reply, Request};
use serde::{Deserialize, Serialize};

use crate::text::clean_short;

/// Maximum number of characters of the reason of a recorded failure.
const MAX_REASON: usize = 300;

/// Answer under the key of its question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct RecordLine {
    /// SHA-256 of everything that the answer depends on, in 64 hexadecimal digits.
    pub(super) key: String,
    /// Name of the model.
    pub(super) model: String,
    /// Answer of the model.
    pub(super) answer: RecordedAnswer,
}

/// Answer that is worth recording: it was paid for, and would come again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "outcome", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum RecordedAnswer {
    /// The task is answered.
    Answered {
        /// Answers to the task.
        answers: Vec<Answer>,
        /// Tokens that they cost.
        tokens: usize,
    },
    /// The answer does not have the requested shape.
    Malformed {
        /// Difference from the requested shape.
        reason: String,
        /// Tokens that it cost.
        tokens: usize,
    },
    /// The answer is longer than its bound.
    CutShort {
        /// Tokens that it cost.
        tokens: usize,
    },
    /// The model refused to answer.
    Refused {
        /// Words of the model.
        reason: String,
        /// Tokens that it cost.
        tokens: usize,
    },
}

/// Failure that is replayed from a record.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct ReplayedFailure(String);

impl RecordedAnswer {
    /// Returns the answer to record; `None` for a failure that may not come again.
    pub(super) fn of(result: &Result<Reply, LanguageError>) -> Option<Self> {
        Some(match result {
            Ok(Reply { answers, tokens }) => Self::Answered { answers: answers.clone(), tokens: *tokens },
            Err(LanguageError::Malformed { tokens, source, .. }) => {
                Self::Malformed { reason: clean_short(&source.to_string(), MAX_REASON), tokens: *tokens }
            }
            Err(LanguageError::CutShort { tokens, .. }) => Self::CutShort { tokens: *tokens },
            Err(LanguageError::Refused { tokens, reason, .. }) => {
                Self::Refused { reason: clean_short(reason, MAX_REASON), tokens: *tokens }
            }
            Err(_) => return None,
        })
    }

    /// Tokens that the answer cost.
    pub(super) fn tokens(&self) -> usize {
        match self {
            Self::Answered { tokens, .. }
            | Self::Malformed { tokens, .. }
            | Self::CutShort { tokens }
            | Self::Refused { tokens, .. } => *tokens,
        }
    }

    /// Returns the answer as if it had come from the model.
    ///
    /// # Errors
    /// The recorded failure, if it was one; [`LanguageError::OverBudget`] if it cost more than the request's
    /// budget.
    pub(super) fn replay(&self, model: String, request: &Request<'_>) -> Result<Reply, LanguageError> {
        let tokens = self.tokens();
        if tokens > request.tokens {
            return Err(LanguageError::OverBudget { needed: tokens, left: request.tokens });
        }
        match self {
            Self::Answered { answers, .. } => Ok(Reply { answers: answers.clone(), tokens }),
            Self::Malformed { reason, .. } => {
                let source = Box::new(ReplayedFailure(clean_short(reason, MAX_REASON)));
                Err(LanguageError::Malformed { model, tokens, source })
            }
            Self::CutShort { .. } => Err(LanguageError::CutShort { model, tokens }),
            Self::Refused { reason, .. } => {
                Err(LanguageError::Refused { model, tokens, reason: clean_short(reason, MAX_REASON) })
            }
        }
    }
}
