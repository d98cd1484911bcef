//! Language models for the night: what they are asked, how their answers are read, kept and replayed.
//!
//! A backend implements [`Chat`]: one question, one answer. [`ChatModel`] makes a
//! [`LanguageModel`](nightfold_memory::LanguageModel) of it: it puts tasks into words, shows memories as fenced data
//! under aliases, sends nothing that could cost more than it may, and reads the answers strictly.
//! [`recorded`] keeps answers in a file and replays them without a model; [`batch`] asks for many through a provider's
//! batch interface.
//!
//! Nothing that a model says is believed here. The night checks every answer against the memories it cites, and falls
//! back to the rules.
//!
//! | module | what it is |
//! |---|---|
//! | `chat` | the seam that HTTP clients and local models implement |
//! | `prompt` | the words (`prompts/`), the fence, the schemas, the bound on tokens |
//! | `answer` | reading what was said |
//! | `model` | [`ChatModel`] |
//! | `judge` | [`LanguageJudge`]: any model as a judge of what two statements are to each other |
//! | [`openai`] | the backend that speaks to OpenAI-compatible servers |
//! | `local` | the backend that runs GGUF files in this process (feature `local`) |
//! | [`recorded`] | record files, the recorder, the replay |
//! | [`batch`] | batch files |

mod answer;
mod asking;
pub mod batch;
mod chat;
mod judge;
mod lines;
#[cfg(feature = "local")]
pub mod local;
mod model;
mod object;
pub mod openai;
mod prompt;
pub mod recorded;
mod text;

pub use answer::{AnswerError, MAX_ANSWER_BYTES};
pub use chat::{AnswerSchema, Chat, ChatAsk, ChatFailed, ChatFailure, ChatSaid};
pub use judge::LanguageJudge;
pub use model::{ChatModel, Sampling, SamplingError};
pub use prompt::{MAX_TEXT_BYTES, most_prompt_tokens, prompt_version};
