//! Common fixtures: a clock that does not wait, a client that uses it, and a question.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use nightfold_language::openai::{
    ChatClient, ChatError, ChatMessage, ChatReply, ChatRequest, Clock, EndpointSettings, JsonSchema,
};
use serde_json::json;

use crate::server::{FaultServer, Request};

/// Date of [`TestClock`], in seconds since 1970: Sun, 06 Nov 1994 08:49:37 GMT.
pub(crate) const TODAY: u64 = 784_111_777;

/// Clock in real time, except that sleeps end at once and are only counted.
#[derive(Debug, Default)]
pub(crate) struct TestClock {
    sleeps: Mutex<Vec<Duration>>,
}

impl TestClock {
    pub(crate) fn sleeps(&self) -> Vec<Duration> {
        self.sleeps.lock().unwrap().clone()
    }
}

impl Clock for TestClock {
    fn now(&self) -> Instant {
        Instant::now() + self.sleeps().iter().sum()
    }

    fn date(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(TODAY)
    }

    fn sleep(&self, time: Duration) {
        self.sleeps.lock().unwrap().push(time);
    }
}

/// Client with its clock.
pub(crate) struct Desk {
    pub(crate) client: ChatClient,
    pub(crate) clock: Arc<TestClock>,
}

impl Desk {
    pub(crate) fn at(server: &FaultServer) -> Self {
        Self::with(server, |_| {})
    }

    /// Creates a client with changed settings. Timeouts are long, so that no test depends on the machine's
    /// speed.
    pub(crate) fn with(server: &FaultServer, edit: impl FnOnce(&mut EndpointSettings)) -> Self {
        let mut settings = EndpointSettings::new(server.base_url(), "tiny");
        settings.connect_timeout = Duration::from_mins(1);
        settings.try_timeout = Duration::from_mins(5);
        settings.call_timeout = Duration::from_mins(10);
        edit(&mut settings);
        let clock = Arc::new(TestClock::default());
        let shared: Arc<dyn Clock> = clock.clone();
        Self { client: ChatClient::with_clock(settings.check().unwrap(), shared), clock }
    }

    pub(crate) fn ask(&self) -> Result<ChatReply, ChatError> {
        self.client.chat(&question())
    }
}

/// A question with a schema.
pub(crate) fn question() -> ChatRequest {
    let messages = vec![ChatMessage::system("Answer in JSON."), ChatMessage::user("Is Mara's hearth hot?")];
    let schema = json!({
        "type": "object",
        "properties": {"hot": {"type": "boolean"}},
        "required": ["hot"],
        "additionalProperties": false
    });
    ChatRequest {
        schema: Some(JsonSchema { name: "heat".into(), schema }),
        seed: Some(7),
        ..ChatRequest::new(messages, 32)
    }
}

/// Tokens that a request to a server counts whose statement is missing or not believed: a byte of its body may be a
/// token, and so may 128 words of a chat template.
pub(crate) fn counted(request: &Request) -> usize {
    request.body.len() + 128 + usize::try_from(request.json()["max_tokens"].as_u64().unwrap()).unwrap()
}

/// Tokens that all requests to a server count.
pub(crate) fn counted_by(server: &FaultServer) -> usize {
    server.requests().iter().map(counted).sum()
}

/// Everything an error shows: its text, its fields, and those of its sources.
pub(crate) fn all_of(error: &ChatError) -> String {
    let mut shown = format!("{error} {error:?} {error:#?}");
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        shown.push_str(&format!(" {error} {error:?}"));
        source = error.source();
    }
    shown
}
