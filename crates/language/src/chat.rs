//! Interface that every backend implements: one question, one answer, and its cost.

use std::error::Error;

use serde_json::Value;

/// Backend for chat completions.
///
/// Contract: an answer depends on the question alone; at most [`ChatRequest::max_tokens`] tokens of answer are
/// paid for each request; an answer that needs more is not [`finished`](ChatReply::finished). Every request counts
/// when it is sent, however it ends, and no request is sent that could bring the count above
/// [`ChatRequest::budget`].
pub trait Chat: Send + Sync {
    /// Name of the model.
    fn model(&self) -> &str;

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// [`ChatError`] with the kind of failure and the tokens that count all the same.
    fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError>;
}

impl<C: Chat + ?Sized> Chat for &C {
    fn model(&self) -> &str {
        (**self).model()
    }

    fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        (**self).complete(request)
    }
}

impl<C: Chat + ?Sized> Chat for Box<C> {
    fn model(&self) -> &str {
        (**self).model()
    }

    fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        (**self).complete(request)
    }
}

/// Question: two messages, and the shape that the answer should have.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
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

impl ChatRequest {
    /// Upper bound of the tokens of one request and its answer: the count of a backend that counts none itself.
    pub fn most_tokens(&self) -> usize {
        self.prompt_tokens.saturating_add(self.max_tokens as usize)
    }
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
pub struct ChatReply {
    /// The answer, unchecked.
    pub text: String,
    /// False if the answer needs more tokens than it is allowed; its text is then not used.
    pub finished: bool,
    /// Tokens that all requests of the question count, their answers and failed tries included.
    pub tokens: usize,
}

/// Failure of a question.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct ChatError {
    /// Kind of failure.
    pub kind: ChatErrorKind,
    /// Cause of the failure, and a remedy if there is one. It reaches logs and reports: bounded, on one line, and
    /// without secrets.
    pub reason: String,
    /// Tokens that count all the same; 0 if nothing was sent.
    pub tokens: usize,
    /// The error behind it, if there is one.
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

/// Kind of failure of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatErrorKind {
    /// The backend gave no answer: it is absent, too slow, too busy, or turns the request away. The next question is
    /// likely to fail too.
    Unreachable,
    /// The model refused to answer this question.
    Refused,
    /// The response is not an answer.
    Unreadable,
    /// The question could cost more than its budget. It was not sent.
    OverBudget {
        /// Tokens of the question, by its upper bound, and of the answer that it is allowed.
        needed: usize,
        /// Tokens that are left of [`ChatRequest::budget`].
        left: usize,
    },
}
