//! The client.

use std::sync::Arc;

use super::{
    answer::ChatReply,
    call::Call,
    clock::{Clock, SystemClock},
    endpoint::Endpoint,
    error::ChatError,
    format::Understood,
    places::Places,
    request::ChatRequest,
    transport::Transport,
    url::is_open,
};

/// Asks one server. Any number of threads may ask through one client; it keeps connections open, and never has more
/// requests under way than its endpoint allows.
///
/// ```no_run
/// use nightfold_language::openai::{ChatClient, ChatError, ChatRequest, EndpointSettings, Message, Secret};
///
/// let mut settings = EndpointSettings::new("https://api.example.com/v1", "small");
/// settings.key = std::env::var("EXAMPLE_KEY").ok().map(Secret::new).transpose()?;
/// let client = ChatClient::new(settings.check()?);
/// match client.chat(&ChatRequest::new(vec![Message::user("Name a colour.")], 16)) {
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
    pub(super) places: Places,
    pub(super) understood: Understood,
    pub(super) clock: Arc<dyn Clock>,
}

impl ChatClient {
    /// A client of this server. Nothing is sent yet.
    pub fn new(endpoint: Endpoint) -> Self {
        Self::with_clock(endpoint, Arc::new(SystemClock))
    }

    /// A client that waits between tries by another clock. The time that a request itself may take is always real.
    pub fn with_clock(endpoint: Endpoint, clock: Arc<dyn Clock>) -> Self {
        if endpoint.settings.key.is_some() && is_open(&endpoint.chat_url) {
            tracing::warn!(url = endpoint.url(), "the key is sent unencrypted");
        }
        Self {
            transport: Transport::new(&endpoint),
            places: Places::new(endpoint.settings.in_flight),
            understood: Understood::new(endpoint.settings.response_format),
            clock,
            endpoint,
        }
    }

    /// The server it asks.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Asks, and waits for the answer; tries again what failed in passing.
    ///
    /// # Errors
    /// [`ChatError`], before the endpoint's `call_timeout` is over.
    pub fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        Call::new(self, request).answer()
    }
}
