//! Language models for the night: prompts, backends, and parsing, recording and replaying of answers.
//!
//! A backend implements [`Chat`]: one question, one answer. [`ChatModel`] makes a
//! [`LanguageModel`](nightfold_memory::LanguageModel) of it: it writes tasks as prompts, shows memories as
//! fenced data under aliases, sends nothing that could cost more than its budget, and parses the answers
//! strictly. [`recorded`] keeps answers in a file and replays them without a model.
//!
//! This crate trusts no answer. The night checks every answer against the memories it cites, and falls back
//! to the rules.
//!
//! | module | contents |
//! |---|---|
//! | `chat` | the interface that a backend implements |
//! | `cost` | the tokens that a request counts |
//! | `prompt` | the texts (`prompts/`), the fence, the schemas, the bound on tokens |
//! | `answer` | parsing of answers |
//! | `model` | [`ChatModel`] |
//! | `judge` | [`LanguageJudge`]: any model as a judge of the stance between two statements |
//! | [`openai`] | the backend for OpenAI-compatible servers |
//! | [`recorded`] | record files, the recorder, the replay |

mod answer;
mod chat;
mod cost;
mod error;
mod judge;
mod model;
mod object;
pub mod openai;
mod prompt;
pub mod recorded;
mod text;

pub use answer::MAX_ANSWER_BYTES;
pub use chat::{AnswerSchema, Chat, ChatError, ChatErrorKind, ChatReply, ChatRequest};
pub use error::SettingError;
pub use judge::LanguageJudge;
pub use model::{ChatModel, Sampling};
pub use prompt::{MAX_TEXT_BYTES, most_prompt_tokens};
