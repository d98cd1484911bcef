//! Decision whether a request is sent at all. The live model, the recorder and the replay share it, so that a
//! plan made from recorded answers equals the plan that was made while they were recorded.

use nightfold_memory::{LanguageError, Request};

use crate::{cost::CostBound, prompt::Prompt};

/// Request whose budget suffices for a useful answer and cannot be exceeded.
#[derive(Debug)]
pub(crate) struct Affordable {
    pub(crate) prompt: Prompt,
    pub(crate) max_tokens: u32,
    /// Maximum number of tokens of all requests that are made for it.
    pub(crate) budget: usize,
}

impl Affordable {
    /// Returns the request as a prompt; `None` if there is nothing to ask, which counts as an empty answer
    /// that costs nothing.
    ///
    /// # Errors
    /// [`LanguageError::OverBudget`] if the request could cost more than its budget.
    pub(crate) fn of(request: &Request<'_>) -> Result<Option<Self>, LanguageError> {
        let Some(prompt) = Prompt::of(request) else { return Ok(None) };
        let (needed, left) = (prompt.needed(), request.tokens);
        if needed > left {
            return Err(LanguageError::OverBudget { needed, left });
        }
        let max_tokens = prompt.answer.min(left - prompt.most_tokens);
        Ok(Some(Self { max_tokens: u32::try_from(max_tokens).unwrap_or(u32::MAX), prompt, budget: left }))
    }

    /// Upper bound of its cost.
    pub(crate) fn cost_bound(&self) -> CostBound {
        CostBound { prompt: self.prompt.most_tokens, answer: self.max_tokens, bytes: self.prompt.bytes() }
    }
}
