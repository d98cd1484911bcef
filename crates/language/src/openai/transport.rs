//! Transport of one request and the bytes of its answer.

use std::{
    io::{self, Read},
    time::Duration,
};

use log::{Level, log_enabled};
use ureq::{
    Agent, Body, Timeout,
    http::{HeaderValue, Response, header},
};

use super::{endpoint::Endpoint, error::BoxedError, secret::Secret};

/// Log target to which ureq writes every byte it sends, at trace level, including the key.
pub(super) const DUMP: &str = "ureq_proto::util";

/// Connections to the server, kept open between requests.
#[derive(Debug)]
pub(super) struct Transport {
    agent: Agent,
    url: String,
    authorization: Option<HeaderValue>,
    max_answer_bytes: usize,
}

/// Response of the server.
#[derive(Debug)]
pub(super) struct HttpResponse {
    pub(super) status: u16,
    pub(super) retry_after: Option<String>,
    pub(super) date: Option<String>,
    pub(super) location: Option<String>,
    pub(super) encoding: Option<String>,
    /// The whole body; empty if the body of an error response could not be read.
    pub(super) body: Vec<u8>,
}

/// Reason why the server gave no response.
#[derive(Debug)]
pub(super) enum TransportFault {
    /// There was no connection: the question certainly never left.
    NotSent(BoxedError),
    Unreachable(BoxedError),
    TimedOut,
    Interrupted(BoxedError),
    Connection(BoxedError),
    TooLong,
}

impl Transport {
    pub(super) fn new(endpoint: &Endpoint) -> Self {
        let settings = &endpoint.settings;
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            // An answer that points elsewhere is then an answer like any other.
            .max_redirects(0)
            .proxy(None)
            .timeout_connect(Some(settings.connect_timeout))
            .timeout_resolve(Some(settings.connect_timeout))
            .max_idle_connections(settings.in_flight)
            .max_idle_connections_per_host(settings.in_flight)
            .user_agent(concat!("nightfold/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .accept_encoding("identity")
            .build()
            .new_agent();
        Self {
            agent,
            url: endpoint.url().to_owned(),
            authorization: settings.key.as_ref().map(Secret::authorization),
            max_answer_bytes: settings.max_answer_bytes,
        }
    }

    /// True if a request would write the key into a log.
    pub(super) fn would_log_key(&self) -> bool {
        self.authorization.is_some() && log_enabled!(target: DUMP, Level::Trace)
    }

    /// Posts a question and reads the response, within a time limit.
    pub(super) fn post(&self, body: &[u8], within: Duration) -> Result<HttpResponse, TransportFault> {
        let mut request = self.agent.post(&self.url).header(header::CONTENT_TYPE, "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let mut response = request.config().timeout_global(Some(within)).build().send(body).map_err(fault)?;
        let status = response.status().as_u16();
        let body = match self.read(response.body_mut()) {
            Ok(body) => body,
            // What counts of it is known.
            Err(_) if !response.status().is_success() => Vec::new(),
            Err(fault) => return Err(fault),
        };
        Ok(HttpResponse {
            status,
            retry_after: text(&response, header::RETRY_AFTER),
            date: text(&response, header::DATE),
            location: text(&response, header::LOCATION),
            encoding: text(&response, header::CONTENT_ENCODING),
            body,
        })
    }

    /// Reads a body up to the size limit, whatever length it claims.
    fn read(&self, body: &mut Body) -> Result<Vec<u8>, TransportFault> {
        let mut bytes = Vec::new();
        let mut reader = body.as_reader().take(self.max_answer_bytes as u64 + 1);
        match reader.read_to_end(&mut bytes) {
            Ok(_) if bytes.len() > self.max_answer_bytes => Err(TransportFault::TooLong),
            Ok(_) => Ok(bytes),
            Err(error) => Err(match fault(error.into()) {
                // There was a connection.
                TransportFault::NotSent(error) | TransportFault::Unreachable(error) => {
                    TransportFault::Interrupted(error)
                }
                fault => fault,
            }),
        }
    }
}

fn text(response: &Response<Body>, name: header::HeaderName) -> Option<String> {
    response.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn fault(error: ureq::Error) -> TransportFault {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, InvalidData, UnexpectedEof,
    };
    match error {
        ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve)
        | ureq::Error::HostNotFound
        | ureq::Error::ConnectionFailed => TransportFault::NotSent(error.into()),
        ureq::Error::Timeout(_) => TransportFault::TimedOut,
        ureq::Error::Io(error) => match error.kind() {
            // An open connection is reset, never refused.
            ConnectionRefused => TransportFault::NotSent(error.into()),
            UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe => {
                TransportFault::Interrupted(error.into())
            }
            // So rustls says that the other side does not speak TLS, or shows a certificate that is not to be trusted.
            InvalidData => TransportFault::Connection(error.into()),
            _ => TransportFault::Unreachable(error.into()),
        },
        ureq::Error::BodyStalled => TransportFault::Interrupted(error.into()),
        _ => TransportFault::Connection(error.into()),
    }
}
