//! One line of a record file.

use nightfold_memory::{Answer, LanguageError, Reply, Request, TaskKind};
use serde::{Deserialize, Serialize};

use super::TaskKey;
use crate::text::clean_short;

/// The format that is written, and the only one that is read.
pub(super) const FORMAT: u32 = 1;

/// How every line begins: how a line that was half written when the power went is told from what is no record file.
pub(super) const HEAD: &str = "{\"format\":1,\"key\":\"";

/// Most characters of what is kept of a failure.
const MAX_REASON: usize = 300;

/// What a task asked for, for whoever reads the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Asked {
    Synthesis,
    Reflections,
    Connection,
    Stance,
}

impl From<TaskKind> for Asked {
    fn from(kind: TaskKind) -> Self {
        match kind {
            TaskKind::Synthesis => Self::Synthesis,
            TaskKind::Reflections { .. } => Self::Reflections,
            TaskKind::Connection { .. } => Self::Connection,
            TaskKind::Stance => Self::Stance,
        }
    }
}

/// What a model was paid for and did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Failed {
    Malformed,
    CutShort,
    Refused,
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Answers(Vec<Answer>),
    Failed { failed: Failed, reason: String },
}

impl Outcome {
    pub(crate) fn failed(failed: Failed, reason: &str) -> Self {
        Self::Failed { failed, reason: clean_short(reason, MAX_REASON) }
    }

    /// What is worth keeping, with what it cost: answers, and failures that would be the same again.
    pub(super) fn of(result: &Result<Reply, LanguageError>) -> Option<(Self, usize)> {
        match result {
            Ok(reply) => Some((Self::Answers(reply.answers.clone()), reply.tokens)),
            Err(LanguageError::Malformed { tokens, source, .. }) => {
                Some((Self::failed(Failed::Malformed, &source.to_string()), *tokens))
            }
            Err(error @ LanguageError::CutShort { tokens, .. }) => {
                Some((Self::failed(Failed::CutShort, &error.to_string()), *tokens))
            }
            Err(LanguageError::Refused { tokens, reason, .. }) => {
                Some((Self::failed(Failed::Refused, reason), *tokens))
            }
            Err(_) => None,
        }
    }
}

/// An outcome, and whose it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kept {
    pub(crate) model: String,
    pub(crate) asked: Asked,
    pub(crate) outcome: Outcome,
    pub(crate) tokens: usize,
}

/// A failure that is given back from a record.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
struct FailedThen {
    reason: String,
}

impl Kept {
    /// The outcome as if it had come from the model.
    ///
    /// # Errors
    /// The failure, where one was recorded; [`LanguageError::OverBudget`] where it cost more than the request may.
    pub(crate) fn replay(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        let (model, tokens) = (self.model.clone(), self.tokens);
        if tokens > request.tokens {
            return Err(LanguageError::OverBudget { needed: tokens, left: request.tokens });
        }
        match &self.outcome {
            Outcome::Answers(answers) => Ok(Reply { answers: answers.clone(), tokens }),
            Outcome::Failed { failed: Failed::Malformed, reason } => {
                let source = Box::new(FailedThen { reason: reason.clone() });
                Err(LanguageError::Malformed { model, tokens, source })
            }
            Outcome::Failed { failed: Failed::CutShort, .. } => {
                Err(LanguageError::CutShort { model, tokens })
            }
            Outcome::Failed { failed: Failed::Refused, reason } => {
                Err(LanguageError::Refused { model, tokens, reason: reason.clone() })
            }
        }
    }
}

/// A line as it is written.
#[derive(Serialize)]
struct Written<'a> {
    format: u32,
    key: &'a TaskKey,
    model: &'a str,
    task: Asked,
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<&'a [Answer]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<Failed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    tokens: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadBack {
    #[serde(rename = "format")]
    _format: u32,
    key: TaskKey,
    model: String,
    task: Asked,
    answers: Option<Vec<Answer>>,
    failed: Option<Failed>,
    reason: Option<String>,
    tokens: usize,
}

/// The format alone: a line of a newer one may have any other fields.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

/// Why a line is none of a record file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// It is no JSON, or not the JSON of a record.
    #[error("it is no record")]
    Json(#[from] serde_json::Error),
    /// It is of another format.
    #[error("it is of format {found}, and {FORMAT} is the one this version reads")]
    Format {
        /// Which.
        found: u32,
    },
    /// It holds neither answers nor a failure, or both.
    #[error("it must have either `answers` or `failed`")]
    Outcome,
    /// It is longer than any record.
    #[error("it is longer than {most} bytes")]
    TooLong {
        /// How long a line may be.
        most: usize,
    },
}

/// The line of an outcome, with its end.
pub(super) fn write(key: &TaskKey, kept: &Kept) -> Vec<u8> {
    let (answers, failed, reason) = match &kept.outcome {
        Outcome::Answers(answers) => (Some(answers.as_slice()), None, None),
        Outcome::Failed { failed, reason } => (None, Some(*failed), Some(reason.as_str())),
    };
    let (model, task, tokens) = (kept.model.as_str(), kept.asked, kept.tokens);
    let line = Written { format: FORMAT, key, model, task, answers, failed, reason, tokens };
    let mut line = serde_json::to_vec(&line).expect("texts and numbers are JSON");
    line.push(b'\n');
    line
}

/// Reads a line without its end.
pub(super) fn read(line: &[u8]) -> Result<(TaskKey, Kept), LineError> {
    let Format { format } = serde_json::from_slice(line)?;
    if format != FORMAT {
        return Err(LineError::Format { found: format });
    }
    let line: ReadBack = serde_json::from_slice(line)?;
    let outcome = match (line.answers, line.failed) {
        (Some(answers), None) => Outcome::Answers(answers),
        (None, Some(failed)) => Outcome::failed(failed, line.reason.as_deref().unwrap_or_default()),
        _ => return Err(LineError::Outcome),
    };
    Ok((line.key, Kept { model: line.model, asked: line.task, outcome, tokens: line.tokens }))
}
