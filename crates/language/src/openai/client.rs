//! Client of one server.

use std::sync::Arc;

use super::{
    address::is_unencrypted,
    answer::ChatReply,
    call::Call,
    clock::{Clock, SystemClock},
    endpoint::Endpoint,
    error::ChatError,
    format::Understood,
    permits::RequestPermits,
    request::ChatRequest,
    transport::Transport,
};

/// Client of one server. Any number of threads may share it; it keeps connections open, and never has more
/// requests in flight than its endpoint allows.
///
/// ```no_run
/// use nightfold_language::openai::{ChatClient, ChatError, ChatMessage, ChatRequest, EndpointSettings, Secret};
///
/// let mut settings = EndpointSettings::new("https://api.example.com/v1", "small");
/// settings.key = std::env::var("EXAMPLE_KEY").ok().map(Secret::new).transpose()?;
/// let client = ChatClient::new(settings.check()?);
/// match client.chat(&ChatRequest::new(vec![ChatMessage::user("Name a colour.")], 16)) {
///     Ok(reply) => println!("{}", reply.content),
///     Err(error @ ChatError::RateLimited { .. }) => println!("later: {error}"),
///     Err(error) => println!("{} ({} tokens for nothing)", error, error.paid()),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ChatClient {
    pub(super) endpoint: Endpoint,
    pub(super) transport: Transport,
    pub(super) permits: RequestPermits,
    pub(super) understood: Understood,
    pub(super) clock: Arc<dyn Clock>,
}

impl ChatClient {
    /// Creates a client of this server. Nothing is sent yet.
    pub fn new(endpoint: Endpoint) -> Self {
        Self::with_clock(endpoint, Arc::new(SystemClock))
    }

    /// Creates a client that waits between tries by another clock. The time limit of a single request is
    /// always in real time.
    pub fn with_clock(endpoint: Endpoint, clock: Arc<dyn Clock>) -> Self {
        if endpoint.settings.key.is_some() && is_unencrypted(&endpoint.chat_url) {
            tracing::warn!(url = endpoint.url(), "the key is sent unencrypted");
        }
        Self {
            transport: Transport::new(&endpoint),
            permits: RequestPermits::new(endpoint.settings.in_flight),
            understood: Understood::new(endpoint.settings.response_format),
            clock,
            endpoint,
        }
    }

    /// The server it asks.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Asks, and waits for the answer; retries transient failures.
    ///
    /// # Errors
    /// [`ChatError`], within the endpoint's `call_timeout`.
    pub fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        Call::new(self, request).answer()
    }
}
