//! Interface that every backend implements: one question, one answer, and its cost.

use std::{error::Error, fmt};

use serde_json::Value;

/// Backend for chat completions.
///
/// Contract: an answer depends on the question alone; at most [`ChatAsk::max_tokens`] tokens of answer are
/// paid for each request; an answer that needs more is a failure ([`ChatFailure::CutShort`]), never half an
/// answer.
pub trait Chat: Send + Sync {
    /// Name of the model.
    fn model(&self) -> &str;

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// [`ChatFailed`] with the kind of failure and the tokens paid.
    fn complete(&self, ask: &ChatAsk) -> Result<ChatSaid, ChatFailed>;
}

impl<C: Chat + ?Sized> Chat for &C {
    fn model(&self) -> &str {
        (**self).model()
    }

    fn complete(&self, ask: &ChatAsk) -> Result<ChatSaid, ChatFailed> {
        (**self).complete(ask)
    }
}

impl<C: Chat + ?Sized> Chat for Box<C> {
    fn model(&self) -> &str {
        (**self).model()
    }

    fn complete(&self, ask: &ChatAsk) -> Result<ChatSaid, ChatFailed> {
        (**self).complete(ask)
    }
}

/// Question: two messages, and the shape that the answer should have.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatAsk {
    /// The first message, of role `system`. All writing tasks share the same bytes, as do all judging tasks,
    /// so that a backend can reuse what it computed for them.
    pub system: &'static str,
    /// The second message, of role `user`. Questions of one kind begin with the same bytes.
    pub user: String,
    /// Shape of the answer. A backend that cannot enforce it ignores it: the messages describe it in words
    /// too.
    pub schema: AnswerSchema,
    /// Maximum number of tokens of the answer.
    pub max_tokens: u32,
    /// Sampling temperature, 0 to 2.
    pub temperature: f32,
    /// Seed of the sampling, if one is given.
    pub seed: Option<u64>,
}

/// Shape of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerSchema {
    /// Name of the shape, in lower-case letters.
    pub name: &'static str,
    /// JSON Schema of the strict kind: every property required and no other allowed.
    pub schema: Value,
}

/// Answer of a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatSaid {
    /// The answer, unchecked.
    pub text: String,
    /// Tokens of the question, if the backend reports them.
    pub prompt_tokens: Option<usize>,
    /// Tokens of the answer and of everything else that was paid for it (hidden thoughts, failed tries), if
    /// the backend reports them.
    pub completion_tokens: Option<usize>,
}

/// Kind of failure of a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatFailure {
    /// The backend did not respond: absent, too slow or too busy.
    Unreachable,
    /// The backend or the model refused to answer.
    Refused,
    /// The answer needs more tokens than allowed.
    CutShort,
    /// The response is not an answer.
    Shape,
}

impl fmt::Display for ChatFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Unreachable => "the model cannot be reached",
            Self::Refused => "the model would not answer",
            Self::CutShort => "the answer was cut short",
            Self::Shape => "what came back is no answer",
        })
    }
}

/// Failure of a chat.
#[derive(Debug, thiserror::Error)]
#[error("{kind}")]
pub struct ChatFailed {
    /// Kind of failure.
    pub kind: ChatFailure,
    /// Tokens paid nevertheless: 0 if nothing was paid, `None` if the number is unknown. Then the upper bound
    /// of the cost counts as paid.
    pub paid: Option<usize>,
    /// The backend's own error. Its text reaches reports: bounded, and without control characters.
    pub source: Box<dyn Error + Send + Sync>,
}
