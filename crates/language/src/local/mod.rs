//! Language models in GGUF files, run in this process by llama.cpp: no server, no network.
//!
//! Behind the feature `local`, off by default: it builds llama.cpp, which needs cmake, a C++ compiler and
//! libclang.
//!
//! A grammar constrains the answer to the schema, and the answer depends on the question alone: the computed
//! state of a prompt is reused for the next prompt with the same beginning, in blocks that are always
//! computed the same way. The same question has the same answer on the same machine with the same number of
//! threads; another processor may round differently. A model answers one question at a time; further
//! questions wait.
//!
//! llama.cpp's own log is discarded: it lists every tensor, and failures are returned as errors.
//!
//! ```no_run
//! use nightfold_language::{ChatModel, Sampling, local::{LocalChat, LocalSettings}};
//!
//! let settings = LocalSettings::new("smollm2-135m-instruct.gguf").check()?;
//! let model = ChatModel::new(LocalChat::open(settings)?, Sampling::PLAIN);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chat;
mod error;
mod grammar;
mod model;
mod prefix;
mod sampler;
mod session;
mod settings;
mod template;

pub use chat::LocalChat;
pub use error::{LocalAskError, LocalError};
pub use settings::{LocalSettings, ValidLocalSettings};
