//! Interface that every backend implements: one question, one answer, and its cost.

use std::{error::Error, fmt};

use serde_json::Value;

/// Backend for chat completions.
///
/// Contract: an answer depends on the question alone; at most [`ChatAsk::max_tokens`] tokens of answer are
/// paid for each request; an answer that needs more is a failure ([`ChatFailure::CutShort`]), never half an
/// answer. Every request counts when it is sent, however it ends, and no request is sent that could bring the count
/// above [`ChatAsk::budget`].
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
    /// Upper bound of the tokens of both messages and the schema.
    pub prompt_tokens: usize,
    /// Maximum number of tokens of all requests that are made for the question, questions and allowed answers
    /// together. It suffices for the first.
    pub budget: usize,
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
    /// Tokens that the question counts; `None` counts as its upper bound.
    pub prompt_tokens: Option<usize>,
    /// Tokens that the answer counts, with everything else that was sent for it (hidden thoughts, failed tries);
    /// `None` counts as all that was allowed.
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
    /// Tokens counted nevertheless: 0 if nothing was sent, `None` if the number is unknown. Then the upper bound
    /// of one request counts.
    pub paid: Option<usize>,
    /// The backend's own error. Its text reaches reports: bounded, and without control characters.
    pub source: Box<dyn Error + Send + Sync>,
}
