//! Blocking client of an OpenAI-compatible server: one question, one answer, and its cost.
//!
//! Every failure is one of four kinds, states what to do about it and the tokens that count for nothing, and is
//! retried only if that can help. No call exceeds its deadline, reads beyond its size limit, follows a redirect, or
//! leaks the key.
//!
//! Proxies are not used, whatever the environment says: a model's server is mostly on this machine or in the
//! local network, and ureq would send even requests to 127.0.0.1 through `HTTP_PROXY` unless `NO_PROXY`
//! forbids it.
//!
//! ```no_run
//! use nightfold_language::{ChatModel, Sampling, openai::{ChatClient, EndpointSettings, Secret}};
//!
//! let mut settings = EndpointSettings::new("http://127.0.0.1:8080/v1", "smollm2");
//! settings.key = std::env::var("EXAMPLE_KEY").ok().map(Secret::new).transpose()?;
//! let model = ChatModel::new(ChatClient::new(settings)?, Sampling::PLAIN);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod address;
mod client;
mod clock;
mod format;
mod permits;
mod request;
mod response;
mod retry;
mod secret;
mod settings;
mod transport;

pub use client::ChatClient;
pub use clock::{Clock, SystemClock};
pub use secret::Secret;
pub use settings::EndpointSettings;
