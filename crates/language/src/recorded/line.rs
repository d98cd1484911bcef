//! One line of a record file.

use nightfold_memory::{Answer, LanguageError, Reply, Request, TaskKind};
use serde::{Deserialize, Serialize};

use super::TaskKey;
use crate::text::clean_short;

/// Format version that is written, and the only one that is read.
pub(super) const FORMAT: u32 = 1;

/// Beginning of every line: it distinguishes a line that was half written during a power cut from a file of
/// another program.
pub(super) const HEAD: &str = "{\"format\":1,\"key\":\"";

/// Maximum number of characters of a recorded failure's reason.
const MAX_REASON: usize = 300;

/// Kind of task, for readers of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecordedTaskKind {
    /// A text that covers all sources.
    Synthesis,
    /// Reflections on a theme.
    Reflections,
    /// A reflection that connects two themes.
    Connection,
    /// The stance of a statement to another.
    Stance,
}

impl From<TaskKind> for RecordedTaskKind {
    fn from(kind: TaskKind) -> Self {
        match kind {
            TaskKind::Synthesis => Self::Synthesis,
            TaskKind::Reflections { .. } => Self::Reflections,
            TaskKind::Connection { .. } => Self::Connection,
            TaskKind::Stance => Self::Stance,
        }
    }
}

/// Failure that was paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecordedFailure {
    /// The answer did not have the requested shape.
    Malformed,
    /// The answer was longer than its bound.
    CutShort,
    /// The model refused to answer.
    Refused,
}

/// Outcome of a task.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RecordedOutcome {
    Answers(Vec<Answer>),
    Failed { failed: RecordedFailure, reason: String },
}

impl RecordedOutcome {
    pub(crate) fn failed(failed: RecordedFailure, reason: &str) -> Self {
        Self::Failed { failed, reason: clean_short(reason, MAX_REASON) }
    }

    /// Returns the outcome that is worth recording, with its cost: answers, and failures that would happen
    /// again.
    pub(super) fn of(result: &Result<Reply, LanguageError>) -> Option<(Self, usize)> {
        match result {
            Ok(reply) => Some((Self::Answers(reply.answers.clone()), reply.tokens)),
            Err(LanguageError::Malformed { tokens, source, .. }) => {
                Some((Self::failed(RecordedFailure::Malformed, &source.to_string()), *tokens))
            }
            Err(error @ LanguageError::CutShort { tokens, .. }) => {
                Some((Self::failed(RecordedFailure::CutShort, &error.to_string()), *tokens))
            }
            Err(LanguageError::Refused { tokens, reason, .. }) => {
                Some((Self::failed(RecordedFailure::Refused, reason), *tokens))
            }
            Err(_) => None,
        }
    }
}

/// Recorded outcome, with the model and the kind of task.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TaskRecord {
    pub(crate) model: String,
    pub(crate) task_kind: RecordedTaskKind,
    pub(crate) outcome: RecordedOutcome,
    pub(crate) tokens: usize,
}

/// Failure that is replayed from a record.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
struct ReplayedFailure {
    reason: String,
}

impl TaskRecord {
    /// Returns the outcome as if it had come from the model.
    ///
    /// # Errors
    /// The recorded failure, if it was one; [`LanguageError::OverBudget`] if it cost more than the request's
    /// budget.
    pub(crate) fn replay(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        let (model, tokens) = (self.model.clone(), self.tokens);
        if tokens > request.tokens {
            return Err(LanguageError::OverBudget { needed: tokens, left: request.tokens });
        }
        match &self.outcome {
            RecordedOutcome::Answers(answers) => Ok(Reply { answers: answers.clone(), tokens }),
            RecordedOutcome::Failed { failed: RecordedFailure::Malformed, reason } => {
                let source = Box::new(ReplayedFailure { reason: reason.clone() });
                Err(LanguageError::Malformed { model, tokens, source })
            }
            RecordedOutcome::Failed { failed: RecordedFailure::CutShort, .. } => {
                Err(LanguageError::CutShort { model, tokens })
            }
            RecordedOutcome::Failed { failed: RecordedFailure::Refused, reason } => {
                Err(LanguageError::Refused { model, tokens, reason: reason.clone() })
            }
        }
    }
}

/// Line for writing.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RecordLine<'a> {
    /// Version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = FORMAT)))]
    format: u32,
    /// Key of the task.
    key: &'a TaskKey,
    /// Name of the model.
    model: &'a str,
    /// Kind of the task.
    task: RecordedTaskKind,
    /// Answers of the model, unless the task failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<&'a [Answer]>,
    /// Failure that was paid for.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<RecordedFailure>,
    /// Cause of the failure in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// Tokens that were paid.
    tokens: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParsedLine {
    #[serde(rename = "format")]
    _format: u32,
    key: TaskKey,
    model: String,
    task: RecordedTaskKind,
    answers: Option<Vec<Answer>>,
    failed: Option<RecordedFailure>,
    reason: Option<String>,
    tokens: usize,
}

/// Format version alone: a line of a newer version may have any other fields.
#[derive(Deserialize)]
struct RecordFormat {
    format: u32,
}

/// Error in a line of a record file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// The line is not JSON, or not the JSON of a record.
    #[error("it is no record")]
    Json(#[from] serde_json::Error),
    /// The line has another format version.
    #[error("it is of format {found}, and {FORMAT} is the one this version reads")]
    Format {
        /// Format version of the line.
        found: u32,
    },
    /// The line contains neither answers nor a failure, or both.
    #[error("it must have either `answers` or `failed`")]
    Outcome,
    /// The line is longer than any record.
    #[error("it is longer than {most} bytes")]
    TooLong {
        /// Maximum length of a line, in bytes.
        most: usize,
    },
}

/// Writes an outcome as a line with its newline.
pub(super) fn write(key: &TaskKey, record: &TaskRecord) -> Vec<u8> {
    let (answers, failed, reason) = match &record.outcome {
        RecordedOutcome::Answers(answers) => (Some(answers.as_slice()), None, None),
        RecordedOutcome::Failed { failed, reason } => (None, Some(*failed), Some(reason.as_str())),
    };
    let (model, task, tokens) = (record.model.as_str(), record.task_kind, record.tokens);
    let line = RecordLine { format: FORMAT, key, model, task, answers, failed, reason, tokens };
    let mut line = serde_json::to_vec(&line).expect("texts and numbers are JSON");
    line.push(b'\n');
    line
}

/// Parses a line without its newline.
pub(super) fn read(line: &[u8]) -> Result<(TaskKey, TaskRecord), LineError> {
    let RecordFormat { format } = serde_json::from_slice(line)?;
    if format != FORMAT {
        return Err(LineError::Format { found: format });
    }
    let line: ParsedLine = serde_json::from_slice(line)?;
    let outcome = match (line.answers, line.failed) {
        (Some(answers), None) => RecordedOutcome::Answers(answers),
        (None, Some(failed)) => RecordedOutcome::failed(failed, line.reason.as_deref().unwrap_or_default()),
        _ => return Err(LineError::Outcome),
    };
    Ok((line.key, TaskRecord { model: line.model, task_kind: line.task, outcome, tokens: line.tokens }))
}
