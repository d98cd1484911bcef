//! One question with all its tries.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::{
    answer::{ChatCompletion, ChatReply, ReplyShapeError, Usage},
    backoff::Backoff,
    client::ChatClient,
    error::{ChatError, Spent, is_transient_status},
    format::{self, Structured},
    request::ChatRequest,
    retry_after,
    secret::Secret,
    server_message,
    settings::EndpointSettings,
    transport::{DUMP, HttpResponse, TransportFault},
};
use crate::cost::CostBound;

/// State of one question.
pub(super) struct Call<'a> {
    client: &'a ChatClient,
    settings: &'a EndpointSettings,
    request: &'a ChatRequest,
    started: Instant,
    form: Structured,
    spent: Spent,
}

/// Failed try, and the response format to use instead.
struct FailedTry {
    error: ChatError,
    /// Response format for the next request, if the server did not know the one of this request.
    instead: Option<Structured>,
}

impl From<ChatError> for FailedTry {
    fn from(error: ChatError) -> Self {
        Self { error, instead: None }
    }
}

impl<'a> Call<'a> {
    pub(super) fn new(client: &'a ChatClient, request: &'a ChatRequest) -> Self {
        let form = if request.schema.is_some() { Structured::JsonSchema } else { Structured::Text };
        let settings = &client.endpoint.settings;
        Self { client, settings, request, started: client.clock.now(), form, spent: Spent::default() }
    }

    /// Tries until there is an answer, a permanent failure, or no time left.
    pub(super) fn answer(mut self) -> Result<ChatReply, ChatError> {
        // The waits follow from the question alone, whatever form it takes.
        let question = self.request.body(&self.settings.model, Structured::Text);
        let mut backoff = Backoff::new(self.settings.backoff, self.settings.max_backoff, &question);
        let mut retries = 0;
        let mut last = None;
        loop {
            let error = match self.one_try() {
                Ok(reply) => return Ok(reply),
                // That the time ran out says less than what it ran out over.
                Err(error @ ChatError::Busy { .. }) => return Err(last.unwrap_or(error)),
                Err(error) => error,
            };
            let wait = backoff.next_wait().max(error.retry_after().unwrap_or_default());
            let (_, cost) = self.next_request();
            if retries == self.settings.retries
                || !error.is_transient()
                || wait >= self.left()
                || cost.total() > self.tokens_left()
            {
                return Err(error);
            }
            retries += 1;
            self.client.clock.sleep(wait);
            last = Some(error);
        }
    }

    /// Time left for this call.
    fn left(&self) -> Duration {
        let gone = self.client.clock.now().saturating_duration_since(self.started);
        self.settings.call_timeout.saturating_sub(gone)
    }

    /// Tokens left for this call.
    fn tokens_left(&self) -> usize {
        self.request.budget.map_or(usize::MAX, |budget| budget.saturating_sub(self.spent.paid))
    }

    /// Returns the body of the next request, and the upper bound of its cost.
    fn next_request(&self) -> (Vec<u8>, CostBound) {
        let body = self.request.body(&self.settings.model, self.form);
        let cost = self.request.cost_bound(body.len());
        (body, cost)
    }

    /// Asks in the strongest response format that the server understands. The permit is held until the format
    /// is found, so that waiting calls benefit from it.
    fn one_try(&mut self) -> Result<ChatReply, ChatError> {
        let permit = self.client.permits.take(self.left());
        let mut refused = None;
        loop {
            let within = self.settings.try_timeout.min(self.left());
            if permit.is_none() || within.is_zero() {
                return Err(refused.unwrap_or_else(|| self.busy()));
            }
            if self.request.schema.is_some() {
                self.form = self.form.max(self.client.understood.form());
            }
            let (body, cost) = self.next_request();
            let (needed, left) = (cost.total(), self.tokens_left());
            if needed > left {
                let Some(refused) = refused else { return Err(self.over_budget(needed, left)) };
                // The next question begins with the weaker form: it cannot pay to be refused each time.
                self.note_form();
                return Err(refused);
            }
            match self.one_request(&body, cost, within) {
                Err(FailedTry { error, instead: Some(form) }) => {
                    self.form = form;
                    refused = Some(error);
                }
                Err(FailedTry { error, instead: None }) => return Err(error),
                Ok(reply) => return Ok(reply),
            }
        }
    }

    fn one_request(
        &mut self,
        body: &[u8],
        cost: CostBound,
        within: Duration,
    ) -> Result<ChatReply, FailedTry> {
        if self.client.transport.would_log_key() {
            return Err(ChatError::KeyLogged { target: DUMP, spent: self.spent }.into());
        }
        self.spent.tries += 1;
        let before = self.spent.paid;
        // Counted now, so that however the try ends it is not forgotten.
        self.spent.paid = before.saturating_add(cost.total());
        let began = self.client.clock.now();
        let posted = self.client.transport.post(body, within);
        let status = posted.as_ref().map_or(0, |answer| answer.status);
        let outcome = match posted {
            Ok(answer) => self.read(answer, cost, before),
            Err(fault) => {
                if let TransportFault::NotSent(_) = fault {
                    self.spent.paid = before;
                }
                Err(self.fault(fault, within).into())
            }
        };
        tracing::debug!(
            url = self.url(),
            tries = self.spent.tries,
            form = ?self.form,
            status,
            outcome = outcome.as_ref().map_or_else(|failed| failed.error.kind(), |_| "answered"),
            milliseconds = self.client.clock.now().saturating_duration_since(began).as_millis() as u64,
            "asked a language model"
        );
        outcome
    }

    /// Reads an answer; the tokens of the call become `before` and what this request counts.
    fn read(&mut self, answer: HttpResponse, cost: CostBound, before: usize) -> Result<ChatReply, FailedTry> {
        let json: Result<Value, _> = serde_json::from_slice(&answer.body);
        let usage = json.as_ref().ok().and_then(Usage::of);
        let stated = usage.map(Usage::stated).unwrap_or_default();
        self.spent.paid = before.saturating_add(cost.unanswered(stated));
        match answer.status {
            200..=299 => {
                self.note_form();
                let said = self.said(answer.encoding, json)?;
                let counted = match &said {
                    Ok(ChatCompletion::Complete(content)) => cost.answered(stated, content.len()),
                    Ok(ChatCompletion::CutShort | ChatCompletion::Refused(_)) => cost.answered(stated, 0),
                    Err(_) => cost.unanswered(stated),
                };
                self.spent.paid = before.saturating_add(counted);
                Ok(self.completion(said, usage)?)
            }
            300..=399 => {
                let to = server_message::cleaned(answer.location.as_deref().unwrap_or_default(), self.key());
                Err(ChatError::Redirect { url: self.url(), status: answer.status, to, spent: self.spent }
                    .into())
            }
            status => {
                let refused = format::is_refused(status, &answer.body);
                let instead = if refused { self.client.understood.instead_of(self.form) } else { None };
                Err(FailedTry { error: self.status(&answer), instead })
            }
        }
    }

    /// Notes that the server accepted this format: if the server refused stronger formats before, the next
    /// call skips these.
    fn note_form(&self) {
        if self.request.schema.is_some() && self.client.understood.took(self.form) {
            tracing::warn!(
                url = self.url(),
                form = ?self.form,
                "the language model knows no stronger response_format; its answers are held to less"
            );
        }
    }

    /// Reads what a successful answer says.
    ///
    /// # Errors
    /// [`ChatError::Interrupted`] if the body ends early: without a stated length, that shows only here.
    fn said(
        &self,
        encoding: Option<String>,
        json: Result<Value, serde_json::Error>,
    ) -> Result<Result<ChatCompletion, ReplyShapeError>, ChatError> {
        if let Some(encoding) = encoding.filter(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
            let encoding = server_message::cleaned(&encoding, self.key());
            return Ok(Err(ReplyShapeError::Encoded { encoding }));
        }
        match json {
            Err(error) if error.is_eof() => {
                Err(ChatError::Interrupted { url: self.url(), source: error.into(), spent: self.spent })
            }
            Err(error) => Ok(Err(error.into())),
            Ok(json) => Ok(ChatCompletion::of(&json)),
        }
    }

    fn completion(
        &self,
        said: Result<ChatCompletion, ReplyShapeError>,
        usage: Option<Usage>,
    ) -> Result<ChatReply, ChatError> {
        let (url, spent) = (self.url(), self.spent);
        match said {
            Ok(ChatCompletion::Complete(content)) => {
                Ok(ChatReply { content, usage, tries: spent.tries, structured: self.form, paid: spent.paid })
            }
            Ok(ChatCompletion::CutShort) => {
                Err(ChatError::CutShort { url, max_tokens: self.request.max_tokens, usage, spent })
            }
            Ok(ChatCompletion::Refused(reason)) => Err(ChatError::Refused {
                url,
                reason: server_message::cleaned(&reason, self.key()),
                usage,
                spent,
            }),
            Err(error) => Err(ChatError::Shape { url, source: error.into(), usage, spent }),
        }
    }

    fn status(&self, answer: &HttpResponse) -> ChatError {
        let (url, status, spent) = (self.url(), answer.status, self.spent);
        let said = server_message::of_body(&answer.body, self.key());
        let retry_after = answer
            .retry_after
            .as_deref()
            .filter(|_| is_transient_status(status))
            .and_then(|text| retry_after::wait(text, answer.date.as_deref(), self.client.clock.date()));
        if status == 429 || retry_after.is_some() {
            ChatError::RateLimited { url, status, retry_after, said, spent }
        } else {
            ChatError::Status { url, status, said, spent }
        }
    }

    fn fault(&self, fault: TransportFault, after: Duration) -> ChatError {
        let (url, spent) = (self.url(), self.spent);
        match fault {
            TransportFault::NotSent(source) | TransportFault::Unreachable(source) => {
                ChatError::Unreachable { url, source, spent }
            }
            TransportFault::TimedOut => ChatError::TimedOut { url, after, spent },
            TransportFault::Interrupted(source) => ChatError::Interrupted { url, source, spent },
            TransportFault::Connection(source) => ChatError::Connection { url, source, spent },
            TransportFault::TooLong => {
                ChatError::TooLong { url, limit: self.settings.max_answer_bytes, spent }
            }
        }
    }

    fn over_budget(&self, needed: usize, left: usize) -> ChatError {
        ChatError::OverBudget { url: self.url(), needed, left, spent: self.spent }
    }

    fn busy(&self) -> ChatError {
        ChatError::Busy {
            url: self.url(),
            in_flight: self.settings.in_flight,
            after: self.settings.call_timeout,
            spent: self.spent,
        }
    }

    fn url(&self) -> String {
        self.client.endpoint.url().to_owned()
    }

    fn key(&self) -> Option<&'a Secret> {
        self.settings.key.as_ref()
    }
}
