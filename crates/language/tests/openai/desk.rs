//! Common fixtures: a clock that does not wait, a client that uses it, and a question.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use nightfold_language::{
    AnswerSchema, Chat, ChatError, ChatErrorKind, ChatReply, ChatRequest,
    openai::{ChatClient, Clock, EndpointSettings},
};
use serde_json::json;

use crate::server::FaultServer;

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
        settings.try_timeout = Duration::from_mins(5);
        edit(&mut settings);
        let clock = Arc::new(TestClock::default());
        let shared: Arc<dyn Clock> = clock.clone();
        Self { client: ChatClient::with_clock(settings, shared).unwrap(), clock }
    }

    pub(crate) fn ask(&self) -> Result<ChatReply, ChatError> {
        self.client.complete(&question())
    }

    /// Asks, and returns the failure, which is of this kind and says this.
    #[track_caller]
    pub(crate) fn fails(&self, kind: ChatErrorKind, said: &str) -> ChatError {
        let error = self.ask().unwrap_err();
        assert!(error.kind == kind && error.reason.contains(said), "{error:?}");
        error
    }
}

/// Tokens that a request counts whose statement is missing or not believed.
pub(crate) const ONE: usize = 600 + 32;

/// A question.
pub(crate) fn question() -> ChatRequest {
    let schema = json!({
        "type": "object",
        "properties": {"hot": {"type": "boolean"}},
        "required": ["hot"],
        "additionalProperties": false
    });
    ChatRequest {
        system: "Answer in JSON.",
        user: "Is Mara's hearth hot?".to_owned(),
        schema: AnswerSchema { name: "heat", schema },
        max_tokens: 32,
        prompt_tokens: 600,
        budget: usize::MAX,
        temperature: 0.0,
        seed: Some(7),
    }
}

/// Tokens that all requests to a server count.
pub(crate) fn counted_by(server: &FaultServer) -> usize {
    server.requests().len() * ONE
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
