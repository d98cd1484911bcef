//! A blocking client of an OpenAI-compatible server: one question, one answer, and what was paid.
//!
//! Every failure is typed, says how many requests it took and how many tokens were paid for nothing, and is tried
//! again only where that can help. No call takes longer than its deadline, reads more than its limit, follows a
//! redirect, or lets the key out.
//!
//! Proxies are not used, whatever the environment says: a model's server is mostly on this machine or next door, and
//! ureq would send even what is meant for 127.0.0.1 through `HTTP_PROXY` unless `NO_PROXY` forbids it.
//!
//! ```no_run
//! use nightfold_language::openai::{ChatClient, ChatRequest, Endpoint, Message};
//!
//! let client = ChatClient::new(Endpoint::new("http://127.0.0.1:8080/v1", "smollm2")?);
//! let reply = client.chat(&ChatRequest::new(vec![Message::user("Name a colour.")], 16))?;
//! println!("{} ({} tokens)", reply.content, reply.paid);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod backoff;
mod call;
mod chat;
mod client;
mod clock;
mod endpoint;
mod error;
mod format;
mod http_date;
mod places;
mod request;
mod retry_after;
mod secret;
mod settings;
mod transport;
mod url;
mod words;

pub use answer::{ChatReply, ShapeError, Usage};
pub use client::ChatClient;
pub use clock::{Clock, SystemClock};
pub use endpoint::Endpoint;
pub use error::{ChatError, Spent};
pub use format::{ResponseFormat, Structured};
pub use request::{ChatRequest, JsonSchema, Message, Role};
pub use secret::Secret;
pub use settings::{EndpointError, EndpointSettings};
