//! The seam that every backend implements: one question, one answer, and what was paid.

use std::{error::Error, fmt};

use serde_json::Value;

/// One chat completion.
///
/// Contract: an answer rests on nothing but the question; no more than [`ChatAsk::max_tokens`] tokens of answer are
/// paid for each request that is made; an answer that needs more is a failure ([`ChatFailure::CutShort`]), never half
/// an answer.
pub trait Chat: Send + Sync {
    /// The model's name.
    fn model(&self) -> &str;

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// [`ChatFailed`] says in which way there is none, and what was paid.
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

/// What is asked: two messages, and the shape the answer should have.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatAsk {
    /// The first message, of role `system`. The same bytes for every question that finds words, others for every one that
    /// judges, so that a backend can keep what it computed of it.
    pub system: &'static str,
    /// The second message, of role `user`. Questions of one kind begin with the same bytes.
    pub user: String,
    /// The shape. A backend that cannot hold the model to it leaves it out: the messages say it in words too.
    pub schema: AnswerSchema,
    /// Most tokens of the answer.
    pub max_tokens: u32,
    /// How freely the model chooses its words, 0 to 2.
    pub temperature: f32,
    /// What the model's chance starts from, if that is given.
    pub seed: Option<u64>,
}

/// The shape of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerSchema {
    /// Its name: lower-case letters.
    pub name: &'static str,
    /// The JSON Schema: of the strict kind, every property required and no other allowed.
    pub schema: Value,
}

/// What was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatSaid {
    /// The answer, unchecked.
    pub text: String,
    /// Tokens of the question, if the backend says.
    pub prompt_tokens: Option<usize>,
    /// Tokens of the answer and of whatever else was paid for it (hidden thoughts, tries that failed), if the backend
    /// says.
    pub completion_tokens: Option<usize>,
}

/// In which way there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatFailure {
    /// The backend did not respond: not there, too slow, too busy.
    Unreachable,
    /// The backend or the model would not answer.
    Refused,
    /// The answer needs more tokens than it was given.
    CutShort,
    /// What came back is no answer.
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

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[error("{kind}")]
pub struct ChatFailed {
    /// In which way.
    pub kind: ChatFailure,
    /// What was paid all the same, in tokens: 0 where nothing was, `None` where nobody knows. Then the most that the
    /// question and its answer could have cost is taken as paid.
    pub paid: Option<usize>,
    /// The backend's own error. Its words reach reports: bounded, and without what could steer a terminal.
    pub source: Box<dyn Error + Send + Sync>,
}
