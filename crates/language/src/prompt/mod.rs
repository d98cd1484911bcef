//! What a model is told: a constant beginning, the task, the memories as fenced data, and what to do now.
//!
//! The order lets providers and local backends keep what they computed of a prefix: the system message is the same for
//! every task of every NPC (but for one of its own for judging), the task's words are the same for every task of its kind, and another try adds its
//! sentences at the very end.

mod fence;
mod schema;
mod texts;
mod tokens;

use std::fmt::Write as _;

use nightfold_memory::{Fault, Request, TaskKind};

use self::{fence::Fenced, texts::TaskText};
use crate::chat::AnswerSchema;

pub use self::{fence::MAX_TEXT_BYTES, texts::prompt_version, tokens::most_prompt_tokens};
pub(crate) use self::{fence::row_of_alias, texts::version_for};

/// A request in words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Prompt {
    pub(crate) system: &'static str,
    pub(crate) user: String,
    pub(crate) schema: AnswerSchema,
    /// Most tokens that all of it can be.
    pub(crate) most_tokens: usize,
    /// Tokens below which asking is not worth it.
    pub(crate) least_answer: usize,
    /// Tokens that an answer is given, if there are as many.
    pub(crate) answer: usize,
}

impl Prompt {
    /// The words for a request; none where its memories are too few for any answer.
    pub(crate) fn of(request: &Request<'_>) -> Option<Self> {
        let task = request.task;
        let (kind, n) = (task.kind, task.sources.len());
        let enough = match kind {
            TaskKind::Synthesis => n > 0,
            TaskKind::Reflections { slots } => n >= 2 && slots > 0,
            TaskKind::Connection { first } => (1..n).contains(&first),
            TaskKind::Stance => n == 2,
        };
        if !enough {
            return None;
        }
        let text = TaskText::of(kind);
        let memories = task.sources.iter().map(|source| (source.text.as_str(), source.verbatim));
        let fenced = Fenced::of(&task.me, memories);
        let again = again(request.faults);
        let now = text.now(kind, n);
        let schema = schema::of(kind, n);
        let system = texts::system(kind);
        let user = format!("{}{}{}{again}", text.before, fenced.block, now);
        let constant = system.len() + text.before.len() + text.after.len() + fence::FRAME_BYTES + again.len();
        let most_tokens = tokens::of_parts(
            constant,
            fenced.json_bytes() + texts::filled_in(kind, n),
            &schema.schema,
            kind,
            n,
        );
        let (least_answer, answer) = tokens::answer(kind, fenced.text_bytes);
        Some(Self { system, user, schema, most_tokens, least_answer, answer })
    }

    /// The least that the request must be allowed to cost.
    pub(crate) fn needed(&self) -> usize {
        self.most_tokens.saturating_add(self.least_answer)
    }
}

/// What was wrong, in an order of its own: a sentence for each kind of fault, and nothing of what was said.
fn again(faults: &[Fault]) -> String {
    let mut again = String::new();
    for fault in canonical(faults) {
        // Writing to a String cannot fail.
        let _ = write!(again, "\n{}", texts::again(fault));
    }
    again
}

/// Each fault once, in the order of their kinds: tries that differ in neither are the same try.
pub(crate) fn canonical(faults: &[Fault]) -> Vec<Fault> {
    let mut faults = faults.to_vec();
    faults.sort_unstable();
    faults.dedup();
    faults
}

#[cfg(test)]
mod tests;
