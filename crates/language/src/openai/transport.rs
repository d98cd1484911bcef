//! Transport of one request and the bytes of its response.

use std::{
    error::Error,
    io::{self, Read},
    time::Duration,
};

use log::{Level, log_enabled};
use ureq::{
    Agent, Timeout,
    http::{HeaderValue, Response, header},
};

use super::{format::ResponseFormat, secret::Secret, settings::EndpointSettings};
use crate::ChatErrorKind;

/// Log target to which ureq writes every byte it sends, at trace level, including the key.
pub(super) const DUMP: &str = "ureq_proto::util";

/// Maximum time for the look-up of the host, and again for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Failure of a request.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: ChatErrorKind,
    /// Cause and remedy, to be read after the server's address.
    pub(super) reason: String,
    pub(super) source: Option<Box<dyn Error + Send + Sync>>,
    /// Least wait before a retry; `None` if the next try would fail too.
    pub(super) retry: Option<Duration>,
    /// Format to ask in instead, if the server does not know this one.
    pub(super) weaker: Option<ResponseFormat>,
    /// False if the question certainly never left.
    pub(super) sent: bool,
}

impl Failure {
    /// Creates a failure that a retry does not help against.
    pub(super) fn lasting(kind: ChatErrorKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), source: None, retry: None, weaker: None, sent: true }
    }

    /// Creates a failure of the connection, which a retry may help against.
    pub(super) fn passing(
        reason: impl Into<String>,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        let source = Some(source.into());
        let retry = Some(Duration::ZERO);
        Self { source, retry, ..Self::lasting(ChatErrorKind::Unreachable, reason) }
    }
}

/// Connections to the server, kept open between requests.
#[derive(Debug)]
pub(super) struct Transport {
    agent: Agent,
    address: String,
    authorization: Option<HeaderValue>,
    max_answer_bytes: usize,
}

impl Transport {
    pub(super) fn new(settings: &EndpointSettings, address: String) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            // An answer that points elsewhere is then an answer like any other.
            .max_redirects(0)
            .proxy(None)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_resolve(Some(CONNECT_TIMEOUT))
            .max_idle_connections(settings.in_flight)
            .max_idle_connections_per_host(settings.in_flight)
            .user_agent(concat!("nightfold/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .accept_encoding("identity")
            .build()
            .new_agent();
        let authorization = settings.key.as_ref().map(Secret::authorization);
        Self { agent, address, authorization, max_answer_bytes: settings.max_answer_bytes }
    }

    /// True if a request would write the key into a log.
    pub(super) fn would_log_key(&self) -> bool {
        self.authorization.is_some() && log_enabled!(target: DUMP, Level::Trace)
    }

    /// Posts a question and reads the response, within a time limit. The body of an error response that cannot be
    /// read is empty.
    pub(super) fn post(&self, body: &[u8], within: Duration) -> Result<Response<Vec<u8>>, Failure> {
        let mut request = self.agent.post(&self.address).header(header::CONTENT_TYPE, "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let sent = request.config().timeout_global(Some(within)).build().send(body);
        let (head, body) = sent.map_err(|error| failure(error, within))?.into_parts();
        let mut bytes = Vec::new();
        let most = self.max_answer_bytes as u64;
        let read = body.into_reader().take(most + 1).read_to_end(&mut bytes);
        match read {
            Ok(_) if bytes.len() <= self.max_answer_bytes => {}
            _ if !head.status.is_success() => bytes.clear(),
            Ok(_) => {
                let reason =
                    format!("answered with more than {most} bytes; is it a language model's server?");
                return Err(Failure::lasting(ChatErrorKind::Unreadable, reason));
            }
            Err(error) => return Err(Failure { sent: true, ..failure(error.into(), within) }),
        }
        Ok(Response::from_parts(head, bytes))
    }
}

fn failure(error: ureq::Error, within: Duration) -> Failure {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, InvalidData, UnexpectedEof,
    };
    let absent = "cannot be reached; is it running, and is the address right?";
    let broke_off = "broke off in its answer; its own log may say why";
    let foreign = "does not speak as expected; is it http where it should be https, or the other way round?";
    match error {
        ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve)
        | ureq::Error::HostNotFound
        | ureq::Error::ConnectionFailed => Failure { sent: false, ..Failure::passing(absent, error) },
        ureq::Error::Timeout(_) => {
            let seconds = within.as_secs_f64();
            let reason =
                format!("did not answer within {seconds:.1} s; allow more time, or use a smaller model");
            Failure::passing(reason, error)
        }
        ureq::Error::Io(error) => match error.kind() {
            // An open connection is reset, never refused.
            ConnectionRefused => Failure { sent: false, ..Failure::passing(absent, error) },
            UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe => {
                Failure::passing(broke_off, error)
            }
            // So rustls says that the other side does not speak TLS, or shows a certificate that is not to be trusted.
            InvalidData => Failure { retry: None, ..Failure::passing(foreign, error) },
            _ => Failure::passing(absent, error),
        },
        ureq::Error::BodyStalled => Failure::passing(broke_off, error),
        _ => Failure { retry: None, ..Failure::passing(foreign, error) },
    }
}
