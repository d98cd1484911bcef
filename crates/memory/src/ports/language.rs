//! Tasks for a language model. The rules answer what no model does.

use serde::{Deserialize, Serialize};

use crate::{MemoryId, ReflectionKind};

/// A memory as a task shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    /// Its id, which an answer cites.
    pub id: MemoryId,
    /// Its text. Players wrote it: data, never an instruction.
    pub text: String,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "task")]
pub enum TaskKind {
    /// One text that tells all sources.
    Synthesis,
    /// Up to `slots` insights that rest on the sources.
    Reflections {
        /// Most insights asked for.
        slots: usize,
    },
}

/// One thing to say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LanguageTask {
    /// Its place among the night's tasks; answers are given back under it.
    pub id: usize,
    /// What is asked for.
    pub kind: TaskKind,
    /// The memories it is about, and none else.
    pub sources: Vec<SourceText>,
    /// Most tokens that prompt and answer may cost together, estimated at four bytes a token.
    pub tokens: usize,
    /// What answering it well is worth, per token; tasks come most valuable first.
    pub value: f64,
}

/// What was said. Nothing in it is believed before the night has checked it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// For reflections, of which sort.
    #[serde(default)]
    pub kind: Option<ReflectionKind>,
    /// The ids it rests on.
    pub cites: Vec<MemoryId>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LanguageError {
    /// The model did not respond.
    #[error("the language model {model} cannot be reached")]
    Unreachable {
        /// Which model.
        model: String,
        /// The transport's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The model would not answer.
    #[error("the language model {model} refused: {reason}")]
    Refused {
        /// Which model.
        model: String,
        /// Its words.
        reason: String,
    },
    /// The task costs more than is left.
    #[error("the task needs {needed} tokens and {left} are left")]
    OverBudget {
        /// What it needs.
        needed: usize,
        /// What is left.
        left: usize,
    },
    /// The answer is not of the shape asked for.
    #[error("the language model {model} answered in another shape than asked for")]
    Malformed {
        /// Which model.
        model: String,
        /// What the answer cost all the same.
        tokens: usize,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Answers language tasks.
///
/// Contract: an answer rests on nothing but the task; the tokens it states are what was paid, also for answers
/// that are later thrown away; a failure is typed and leaves the task to the rules.
pub trait LanguageModel: Send + Sync {
    /// The model's name, for reports.
    fn name(&self) -> &str;

    /// Answers one task with at most `tokens` tokens in all; gives the answers and the tokens spent.
    ///
    /// # Errors
    /// [`LanguageError`]; the night then falls back to the rules.
    fn answer(&self, task: &LanguageTask, tokens: usize) -> Result<(Vec<Answer>, usize), LanguageError>;
}
