//! Blocking client of an OpenAI-compatible server: one question, one answer, and its cost.
//!
//! Every failure is typed, states the number of requests and of tokens paid for nothing, and is retried only
//! if that can help. No call exceeds its deadline, reads beyond its size limit, follows a redirect, or leaks
//! the key.
//!
//! Proxies are not used, whatever the environment says: a model's server is mostly on this machine or in the
//! local network, and ureq would send even requests to 127.0.0.1 through `HTTP_PROXY` unless `NO_PROXY`
//! forbids it.
//!
//! ```no_run
//! use nightfold_language::openai::{ChatClient, ChatMessage, ChatRequest, Endpoint};
//!
//! let client = ChatClient::new(Endpoint::new("http://127.0.0.1:8080/v1", "smollm2")?);
//! let reply = client.chat(&ChatRequest::new(vec![ChatMessage::user("Name a colour.")], 16))?;
//! println!("{} ({} tokens)", reply.content, reply.paid);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod address;
mod answer;
mod backoff;
mod call;
mod chat;
mod client;
mod clock;
mod endpoint;
mod error;
mod format;
mod permits;
mod request;
mod retry_after;
mod secret;
mod server_message;
mod settings;
mod transport;

pub use answer::{ChatReply, ReplyShapeError, Usage};
pub use client::ChatClient;
pub use clock::{Clock, SystemClock};
pub use endpoint::Endpoint;
pub use error::{ChatError, Spent};
pub use format::{ResponseFormat, Structured};
pub use request::{ChatMessage, ChatRequest, ChatRole, JsonSchema};
pub use secret::Secret;
pub use settings::{EndpointError, EndpointSettings};
