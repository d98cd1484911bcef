//! Prompts: a constant beginning, the task, the memories as fenced data, and the instruction.
//!
//! The order lets providers and servers reuse what they computed for a prefix: the system message is
//! the same for every task of every NPC (judging has one of its own), the task's text is the same for every
//! task of its kind, and a retry adds its sentences at the very end.

mod fence;
mod schema;
mod texts;
mod tokens;

use std::fmt::Write as _;

use nightfold_memory::{Fault, LanguageError, Request, TaskKind};

use self::{fence::Fenced, texts::TaskText};
use crate::chat::AnswerSchema;

pub use self::{fence::MAX_TEXT_BYTES, tokens::most_prompt_tokens};
pub(crate) use self::{fence::place_of_alias, texts::version_for};

/// Request as a prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Prompt {
    pub(crate) system: &'static str,
    pub(crate) user: String,
    pub(crate) schema: AnswerSchema,
    /// Upper bound of its tokens.
    pub(crate) most_tokens: usize,
    /// Minimum number of tokens for an answer; with fewer, the question is not asked.
    pub(crate) least_answer: usize,
    /// Number of tokens granted to an answer, if that many are left.
    pub(crate) answer: usize,
}

impl Prompt {
    /// Writes the prompt of a request; `None` if it has too few memories for any answer.
    pub(crate) fn of(request: &Request<'_>) -> Option<Self> {
        let task = request.task;
        let (kind, n) = (task.kind, task.sources.len());
        let enough = match kind {
            TaskKind::Synthesis => n > 0,
            TaskKind::Reflections { slots } => n >= 2 && slots > 0,
            TaskKind::Connection { first } => (1..n).contains(&first),
            TaskKind::Stance => n == 2,
            TaskKind::Support => n >= 2,
        };
        if !enough {
            return None;
        }
        let text = TaskText::of(kind);
        let (fenced, earlier) = (Fenced::of(task), task.citable_past().count());
        let again = fault_sentences(request.faults);
        let instruction = text.instruction(kind, n);
        let schema = schema::of(kind, n, earlier);
        let system = texts::system(kind);
        let user = format!("{}{}{}{again}", text.before, fenced.block, instruction);
        let constant = system.len() + text.before.len() + text.after.len() + fence::FRAME_BYTES + again.len();
        let most_tokens = tokens::bound(
            constant,
            fenced.json_bytes() + texts::placeholder_bytes(kind, n),
            &schema.schema,
            schema::alias_bytes(kind, n, earlier),
        );
        let (least_answer, answer) = tokens::answer(kind, fenced.text_bytes);
        Some(Self { system, user, schema, most_tokens, least_answer, answer })
    }

    /// Writes the prompt of a request, with the number of tokens that are granted to its answer; `None` if there is
    /// nothing to ask, which counts as an empty answer that costs nothing. The live model, the recorder and the replay
    /// share it, so that a plan made from recorded answers equals the plan that was made while they were recorded.
    ///
    /// # Errors
    /// [`LanguageError::OverBudget`] if the request could cost more than its budget.
    pub(crate) fn affordable(request: &Request<'_>) -> Result<Option<(Self, u32)>, LanguageError> {
        let Some(prompt) = Self::of(request) else { return Ok(None) };
        let (needed, left) = (prompt.needed(), request.tokens);
        if needed > left {
            return Err(LanguageError::OverBudget { needed, left });
        }
        let granted = prompt.answer.min(left - prompt.most_tokens);
        Ok(Some((prompt, u32::try_from(granted).unwrap_or(u32::MAX))))
    }

    /// Minimum budget of the request, in tokens.
    pub(crate) fn needed(&self) -> usize {
        self.most_tokens.saturating_add(self.least_answer)
    }
}

/// Describes the faults of the last answer: one sentence for each kind of fault, in a fixed order, without
/// quoting the answer.
fn fault_sentences(faults: &[Fault]) -> String {
    let mut sentences = String::new();
    for fault in canonical(faults) {
        // Writing to a String cannot fail.
        let _ = write!(sentences, "\n{}", texts::fault_sentence(fault));
    }
    sentences
}

/// Returns each fault once, sorted by kind: retries with the same set of faults are the same retry.
pub(crate) fn canonical(faults: &[Fault]) -> Vec<Fault> {
    let mut faults = faults.to_vec();
    faults.sort_unstable();
    faults.dedup();
    faults
}

#[cfg(test)]
mod tests;
