//! Models in GGUF files, run in this process by llama.cpp: no server, no network.
//!
//! Behind the feature `local`, off by default: it builds llama.cpp, which needs cmake, a C++ compiler and libclang.
//!
//! The answer is held to the schema by a grammar, and rests on nothing but the question: what was computed of a prompt
//! is used again for the next one that begins so, in blocks that are computed the same way every time. The same
//! question has the same answer on the same machine with the same number of threads; another processor may round
//! differently. One model answers one question at a time; others wait.
//!
//! llama.cpp's own log goes nowhere: it would tell every tensor, and what fails has an error.
//!
//! ```no_run
//! use nightfold_language::{ChatModel, Sampling, local::{LocalChat, LocalSettings}};
//!
//! let settings = LocalSettings::new("smollm2-135m-instruct.gguf").check()?;
//! let model = ChatModel::new(LocalChat::open(settings)?, Sampling::PLAIN);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chat;
mod choice;
mod error;
mod grammar;
mod held;
mod model;
mod session;
mod settings;
mod template;

pub use chat::LocalChat;
pub use error::{LocalAskError, LocalError};
pub use settings::{LocalSettings, ValidLocalSettings};
