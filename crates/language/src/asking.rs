//! Whether a request is sent at all. The live model, the recorder and the replay decide it alike, so that a plan from
//! recorded answers is the plan that was made while they were recorded.

use nightfold_memory::{LanguageError, Request};
use serde::{Deserialize, Serialize};

use crate::prompt::Prompt;

/// A request that is worth sending and cannot cost more than it may.
#[derive(Debug)]
pub(crate) struct Affordable {
    pub(crate) prompt: Prompt,
    pub(crate) max_tokens: u32,
}

impl Affordable {
    /// The request in words; none where there is nothing to ask, which is an empty answer that costs nothing.
    ///
    /// # Errors
    /// [`LanguageError::OverBudget`].
    pub(crate) fn of(request: &Request<'_>) -> Result<Option<Self>, LanguageError> {
        let Some(prompt) = Prompt::of(request) else { return Ok(None) };
        let (needed, left) = (prompt.needed(), request.tokens);
        if needed > left {
            return Err(LanguageError::OverBudget { needed, left });
        }
        let max_tokens = prompt.answer.min(left - prompt.most_tokens);
        Ok(Some(Self { max_tokens: u32::try_from(max_tokens).unwrap_or(u32::MAX), prompt }))
    }

    /// The most that it can cost.
    pub(crate) fn most(&self) -> Most {
        Most { prompt: self.prompt.most_tokens, answer: self.max_tokens }
    }
}

/// The most that a question and its answer can cost, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Most {
    pub(crate) prompt: usize,
    pub(crate) answer: u32,
}

impl Most {
    pub(crate) fn in_all(self) -> usize {
        self.prompt.saturating_add(self.answer as usize)
    }

    /// What was paid: what the backend says, and where it does not, the most that it can have been.
    pub(crate) fn paid(self, prompt: Option<usize>, answer: Option<usize>) -> usize {
        prompt.unwrap_or(self.prompt).saturating_add(answer.unwrap_or(self.answer as usize))
    }
}
