//! Client of one server.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use ureq::http::{HeaderName, Response, header};

use super::{
    address::is_unencrypted,
    clock::{Clock, SystemClock},
    format::{self, NegotiatedFormat, ResponseFormat},
    permits::RequestPermits,
    request,
    response::{self, Completion},
    retry,
    secret::Secret,
    settings::EndpointSettings,
    transport::{DUMP, Failure, Transport},
};
use crate::{Chat, ChatError, ChatErrorKind, ChatReply, ChatRequest, SettingError, cost::CostBound};

/// Client of one server. Any number of threads may share it; it keeps connections open, and never has more
/// requests in flight than its settings allow.
#[derive(Debug)]
pub struct ChatClient {
    settings: EndpointSettings,
    address: String,
    transport: Transport,
    permits: RequestPermits,
    format: NegotiatedFormat,
    clock: Arc<dyn Clock>,
}

/// Count of a question's requests so far.
#[derive(Debug, Default)]
struct Spent {
    tries: u32,
    /// Tokens of all requests that may have left.
    tokens: usize,
}

impl ChatClient {
    /// Creates a client of this server. Nothing is sent yet.
    ///
    /// # Errors
    /// [`SettingError`] names the first setting that is invalid.
    pub fn new(settings: EndpointSettings) -> Result<Self, SettingError> {
        Self::with_clock(settings, Arc::new(SystemClock))
    }

    /// Creates a client that waits between tries by another clock. The time limit of a single request is
    /// always in real time.
    ///
    /// # Errors
    /// [`SettingError`] names the first setting that is invalid.
    pub fn with_clock(settings: EndpointSettings, clock: Arc<dyn Clock>) -> Result<Self, SettingError> {
        let address = settings.check()?;
        if settings.key.is_some() && is_unencrypted(&address) {
            tracing::warn!(url = %address, "the key is sent unencrypted");
        }
        let address = address.to_string();
        Ok(Self {
            transport: Transport::new(&settings, address.clone()),
            permits: RequestPermits::new(settings.in_flight),
            format: NegotiatedFormat::default(),
            settings,
            address,
            clock,
        })
    }

    /// Asks until there is an answer, a lasting failure, or no time or token left.
    fn ask(&self, request: &ChatRequest, spent: &mut Spent) -> Result<(String, bool), Failure> {
        let (started, in_all) = (self.clock.now(), self.settings.call_timeout());
        let time_left = || in_all.saturating_sub(self.clock.now().saturating_duration_since(started));
        let (mut format, mut retries) = (ResponseFormat::JsonSchema, 0);
        let (mut permit, mut last) = (None, None);
        loop {
            // Held until the format is found, so that waiting questions benefit from it.
            permit = permit.or_else(|| self.permits.take(time_left()));
            let within = self.settings.try_timeout.min(time_left());
            if permit.is_none() || within.is_zero() {
                // That the time ran out says less than what it ran out over.
                return Err(last.unwrap_or_else(|| self.busy(in_all)));
            }
            format = format.max(self.format.get());
            let body = request::body(request, &self.settings.model, format);
            let cost =
                CostBound { prompt: request.prompt_tokens, answer: request.max_tokens, bytes: body.len() };
            let tokens_left = |spent: &Spent| request.budget.saturating_sub(spent.tokens);
            if cost.total() > tokens_left(spent) {
                // The next question begins with the weaker format: it cannot pay to be refused each time.
                last.is_some().then(|| self.settle(format));
                return Err(last.unwrap_or_else(|| over_budget(cost.total(), tokens_left(spent))));
            }
            let failure = match self.request(&body, cost, within, format, spent) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            if let Some(weaker) = failure.weaker {
                (format, last) = (weaker, Some(failure));
                continue;
            }
            let Some(least) = failure.retry.filter(|_| retries < self.settings.retries) else {
                return Err(failure);
            };
            let wait = retry::backoff(self.settings.backoff, retries, &request.user).max(least);
            if wait >= time_left() || cost.total() > tokens_left(spent) {
                return Err(failure);
            }
            (permit, last) = (None, Some(failure));
            retries += 1;
            self.clock.sleep(wait);
        }
    }

    /// Makes one request; returns the answer, and true if it is finished.
    fn request(
        &self,
        body: &[u8],
        cost: CostBound,
        within: Duration,
        format: ResponseFormat,
        spent: &mut Spent,
    ) -> Result<(String, bool), Failure> {
        if self.transport.would_log_key() {
            let reason = format!(
                "is not sent the key while a logger takes the trace records of {DUMP}, which hold every byte; set \
                 that target to debug or higher"
            );
            return Err(Failure::lasting(ChatErrorKind::Unreachable, reason));
        }
        spent.tries += 1;
        let before = spent.tokens;
        // Counted now, so that however the try ends it is not forgotten.
        spent.tokens = before.saturating_add(cost.total());
        let began = self.clock.now();
        let (status, outcome) = match self.transport.post(body, within) {
            Ok(response) => {
                let (counted, outcome) = self.read(&response, cost, format);
                spent.tokens = before.saturating_add(counted);
                (response.status().as_u16(), outcome)
            }
            Err(failure) => {
                if !failure.sent {
                    spent.tokens = before;
                }
                (0, Err(failure))
            }
        };
        tracing::debug!(
            url = self.address,
            tries = spent.tries,
            ?format,
            status,
            outcome = ?outcome.as_ref().map_or_else(|failure| Err(failure.kind), |(_, finished)| Ok(finished)),
            milliseconds = self.clock.now().saturating_duration_since(began).as_millis() as u64,
            "asked a language model"
        );
        outcome
    }

    /// Reads a response; returns the tokens that the request counts, and the outcome.
    fn read(
        &self,
        response: &Response<Vec<u8>>,
        cost: CostBound,
        format: ResponseFormat,
    ) -> (usize, Result<(String, bool), Failure>) {
        let json: Result<Value, _> = serde_json::from_slice(response.body());
        let stated = json.as_ref().map(response::usage).unwrap_or_default();
        let unanswered = cost.unanswered(stated);
        let status = response.status().as_u16();
        if !response.status().is_success() {
            let refused = status >= 400 && format::is_refused(status, response.body());
            let weaker = if refused { format.weaker() } else { None };
            return (unanswered, Err(Failure { weaker, ..self.status(response, status) }));
        }
        self.settle(format);
        let encoding =
            text(response, header::CONTENT_ENCODING).filter(|e| !e.eq_ignore_ascii_case("identity"));
        let json = match (encoding, json) {
            (Some(encoding), _) => {
                let encoding = response::shown(&encoding, self.key());
                let reason = format!("sent an answer encoded as {encoding}, which was not asked for");
                return (unanswered, Err(Failure::lasting(ChatErrorKind::Unreadable, reason)));
            }
            // Without a stated length, an early end shows only here.
            (None, Err(error)) if error.is_eof() => {
                return (unanswered, Err(Failure::passing("broke off in its answer", error)));
            }
            (None, json) => json.unwrap_or_default(),
        };
        match Completion::of(&json) {
            Some(Completion::Complete(content)) => {
                (cost.answered(stated, content.len()), Ok((content.to_owned(), true)))
            }
            Some(Completion::CutShort) => (cost.answered(stated, 0), Ok((String::new(), false))),
            Some(Completion::Refused(words)) => {
                let reason = format!("refused: {}", response::shown(words, self.key()));
                (cost.answered(stated, 0), Err(Failure::lasting(ChatErrorKind::Refused, reason)))
            }
            None => {
                let reason = "sent no chat completion; is the base address right? Most end in /v1";
                (unanswered, Err(Failure::lasting(ChatErrorKind::Unreadable, reason)))
            }
        }
    }

    /// Returns the failure that a response with an error status is.
    fn status(&self, response: &Response<Vec<u8>>, status: u16) -> Failure {
        let mut reason = format!("answered with status {status}");
        let mut retry = retry::is_transient(status).then_some(Duration::ZERO);
        let mut said = response::message(response.body(), self.key());
        let mut advice = match status {
            401 | 403 => "is the key right?",
            404 => "are the base address (most end in /v1) and the model's name right?",
            429 => "allow more retries and fewer requests in flight, or wait",
            500.. => "its own log may say why",
            _ => "",
        };
        if let 300..=399 = status {
            // Not followed: it would send key and memories there.
            said = response::shown(&text(response, header::LOCATION).unwrap_or_default(), self.key());
            advice = "if that is where it is, give that address";
        }
        if let (Some(retry), Some(asked)) = (&mut retry, text(response, header::RETRY_AFTER)) {
            let date = text(response, header::DATE);
            if let Some(wait) = retry::asked_wait(&asked, date.as_deref()) {
                *retry = wait;
                reason.push_str(&format!(", to be asked again in {} s", wait.as_secs()));
            }
        }
        for (separator, part) in [(": ", said.as_str()), ("; ", advice)] {
            if !part.is_empty() {
                reason.push_str(separator);
                reason.push_str(part);
            }
        }
        Failure { retry, ..Failure::lasting(ChatErrorKind::Unreachable, reason) }
    }

    /// Notes that no stricter format is accepted.
    fn settle(&self, format: ResponseFormat) {
        if self.format.settle(format) {
            tracing::warn!(
                url = self.address,
                ?format,
                "the language model knows no stronger response_format; its answers are held to less"
            );
        }
    }

    fn busy(&self, after: Duration) -> Failure {
        let in_flight = self.settings.in_flight;
        let reason = format!(
            "has {in_flight} requests in flight, which left no place for another within {after:?}; allow more of \
             them, or more time"
        );
        Failure::lasting(ChatErrorKind::Unreachable, reason)
    }

    fn key(&self) -> Option<&Secret> {
        self.settings.key.as_ref()
    }
}

impl Chat for ChatClient {
    fn model(&self) -> &str {
        &self.settings.model
    }

    fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let mut spent = Spent::default();
        let answer = self.ask(request, &mut spent);
        let Spent { tries, tokens } = spent;
        match answer {
            Ok((text, finished)) => Ok(ChatReply { text, finished, tokens }),
            Err(Failure { kind, reason, source, .. }) => {
                let tried = if tries > 1 { format!(" ({tries} tries)") } else { String::new() };
                let reason = format!("the language model at {} {reason}{tried}", self.address);
                Err(ChatError { kind, reason, tokens, source })
            }
        }
    }
}

fn over_budget(needed: usize, left: usize) -> Failure {
    let reason = format!(
        "is not asked: it could cost {needed} tokens, and {left} are left; allow more tokens, or ask a shorter question"
    );
    Failure::lasting(ChatErrorKind::OverBudget { needed, left }, reason)
}

fn text(response: &Response<Vec<u8>>, name: HeaderName) -> Option<String> {
    response.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
