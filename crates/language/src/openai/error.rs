//! Errors of a call.

use std::{fmt, time::Duration};

use super::answer::{ReplyShapeError, Usage};

/// Error of another crate.
pub(super) type BoxedError = Box<dyn std::error::Error + Send + Sync>;

/// Cost of a failed call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Number of requests made.
    pub tries: u32,
    /// Number of tokens that those requests count: questions and allowed answers of all that may have left.
    pub paid: usize,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tries > 1 { write!(f, " ({} tries)", self.tries) } else { Ok(()) }
    }
}

/// Error of a call. No variant contains the key, even where it quotes the server's own words.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// There is no connection to the server.
    #[error("the language model at {url} cannot be reached{spent}\nis it running, and is the address right?")]
    Unreachable {
        /// The address.
        url: String,
        /// The transport's own error.
        source: BoxedError,
        /// Cost of the call.
        spent: Spent,
    },
    /// The server was too slow.
    #[error("the language model at {url} did not answer within {after:?}{spent}")]
    TimedOut {
        /// The address.
        url: String,
        /// Time limit of the last try.
        after: Duration,
        /// Cost of the call.
        spent: Spent,
    },
    /// The connection ended before the answer was complete.
    #[error("the language model at {url} broke off in its answer{spent}")]
    Interrupted {
        /// The address.
        url: String,
        /// The transport's own error.
        source: BoxedError,
        /// Cost of the call.
        spent: Spent,
    },
    /// The server at the address does not speak HTTP, or not with the expected encryption.
    #[error(
        "the connection to the language model at {url} failed{spent}\nis it http where it should be https, or the other way round?"
    )]
    Connection {
        /// The address.
        url: String,
        /// The transport's own error.
        source: BoxedError,
        /// Cost of the call.
        spent: Spent,
    },
    /// Other calls used all permits for requests for too long.
    #[error("{in_flight} requests to the language model at {url} left no place for another within {after:?}")]
    Busy {
        /// The address.
        url: String,
        /// Maximum number of requests in flight.
        in_flight: usize,
        /// Time limit of the call.
        after: Duration,
        /// Cost of the call.
        spent: Spent,
    },
    /// The server answered with an error.
    #[error("the language model at {url} answered with status {status}{}{spent}{}", ServerWords(said), advice(*status))]
    Status {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
        /// The server's message: at most 300 characters on one line.
        said: String,
        /// Cost of the call.
        spent: Spent,
    },
    /// The server asks for a later retry: status 429, or another transient status with a `Retry-After`.
    #[error(
        "the language model at {url} wants to be asked later (status {status}{}){}{spent}",
        RetryIn(retry_after),
        ServerWords(said)
    )]
    RateLimited {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
        /// Waiting time, if the server names one.
        retry_after: Option<Duration>,
        /// The server's message: at most 300 characters on one line.
        said: String,
        /// Cost of the call.
        spent: Spent,
    },
    /// The server redirects elsewhere; redirects are not followed, as they would send key and memories there.
    #[error(
        "the language model at {url} points elsewhere (status {status}): {to}{spent}\nif that is right, set it as the base URL"
    )]
    Redirect {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
        /// Target of the redirect: at most 300 characters on one line.
        to: String,
        /// Cost of the call.
        spent: Spent,
    },
    /// The answer exceeds the maximum size.
    #[error("the language model at {url} answered with more than {limit} bytes{spent}")]
    TooLong {
        /// The address.
        url: String,
        /// Maximum size, in bytes.
        limit: usize,
        /// Cost of the call.
        spent: Spent,
    },
    /// The answer needs more tokens than allowed.
    #[error("the language model at {url} did not finish its answer in {max_tokens} tokens{spent}")]
    CutShort {
        /// The address.
        url: String,
        /// Maximum number of tokens of the answer.
        max_tokens: u32,
        /// Cost of this answer, if the server reports it.
        usage: Option<Usage>,
        /// Cost of the call.
        spent: Spent,
    },
    /// The model refused to answer.
    #[error("the language model at {url} refused: {reason}{spent}")]
    Refused {
        /// The address.
        url: String,
        /// The model's words, at most 300 characters on one line, or `content_filter`.
        reason: String,
        /// Cost of this answer, if the server reports it.
        usage: Option<Usage>,
        /// Cost of the call.
        spent: Spent,
    },
    /// The body is not a chat completion.
    #[error("what the language model at {url} sent is no chat completion{spent}")]
    Shape {
        /// The address.
        url: String,
        /// Reason why not.
        source: Box<ReplyShapeError>,
        /// Cost of this answer, if the server reports it.
        usage: Option<Usage>,
        /// Cost of the call.
        spent: Spent,
    },
    /// The request could bring the call above its limit of tokens. It was not sent.
    #[error(
        "a request to the language model at {url} counts up to {needed} tokens where {left} are left{spent}\n\
         allow the call more tokens, or ask a shorter question"
    )]
    OverBudget {
        /// The address.
        url: String,
        /// Tokens of the question, by its upper bound, and of the answer that it is allowed.
        needed: usize,
        /// Tokens that are left of [`ChatRequest::budget`](super::ChatRequest::budget).
        left: usize,
        /// Cost of the call.
        spent: Spent,
    },
    /// A logger records every byte that is sent, and would thereby record the key. Nothing was sent.
    #[error(
        "the key is not sent while a logger takes the trace records of {target}, which hold every byte\n\
         set that target to debug or higher"
    )]
    KeyLogged {
        /// Log target whose trace records would contain the key.
        target: &'static str,
        /// Cost of the call.
        spent: Spent,
    },
}

impl ChatError {
    /// Short name of the kind of failure, for logs and counters.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "unreachable",
            Self::TimedOut { .. } => "timed_out",
            Self::Interrupted { .. } => "interrupted",
            Self::Connection { .. } => "connection",
            Self::Busy { .. } => "busy",
            Self::Status { .. } => "status",
            Self::RateLimited { .. } => "rate_limited",
            Self::Redirect { .. } => "redirect",
            Self::TooLong { .. } => "too_long",
            Self::CutShort { .. } => "cut_short",
            Self::Refused { .. } => "refused",
            Self::Shape { .. } => "shape",
            Self::OverBudget { .. } => "over_budget",
            Self::KeyLogged { .. } => "key_logged",
        }
    }

    /// Cost of the call.
    pub fn spent(&self) -> Spent {
        match self {
            Self::Unreachable { spent, .. }
            | Self::TimedOut { spent, .. }
            | Self::Interrupted { spent, .. }
            | Self::Connection { spent, .. }
            | Self::Busy { spent, .. }
            | Self::Status { spent, .. }
            | Self::RateLimited { spent, .. }
            | Self::Redirect { spent, .. }
            | Self::TooLong { spent, .. }
            | Self::CutShort { spent, .. }
            | Self::Refused { spent, .. }
            | Self::Shape { spent, .. }
            | Self::OverBudget { spent, .. }
            | Self::KeyLogged { spent, .. } => *spent,
        }
    }

    /// Number of tokens that all requests of the call count.
    pub fn paid(&self) -> usize {
        self.spent().paid
    }

    /// True if the failure is transient: the same question may be answered later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::TimedOut { .. }
            | Self::Interrupted { .. }
            | Self::Busy { .. }
            | Self::RateLimited { .. } => true,
            Self::Status { status, .. } => is_transient_status(*status),
            _ => false,
        }
    }

    /// Waiting time that the server asks for.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// True if an HTTP status is transient (retryable).
pub(super) fn is_transient_status(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

fn advice(status: u16) -> &'static str {
    match status {
        401 | 403 => "\nis the key right?",
        404 => "\nare the base URL (most end in /v1) and the model's name right?",
        _ => "",
    }
}

struct ServerWords<'a>(&'a str);

impl fmt::Display for ServerWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}

struct RetryIn<'a>(&'a Option<Duration>);

impl fmt::Display for RetryIn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |later| write!(f, ", in {} s", later.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_problem_address_tries_and_advice() {
        let url = "http://h/v1/chat/completions".to_owned();
        let spent = Spent { tries: 4, paid: 12 };
        let error = ChatError::Status {
            url: url.clone(),
            status: 401,
            said: "bad key".into(),
            spent: Spent::default(),
        };
        assert_eq!(
            error.to_string(),
            "the language model at http://h/v1/chat/completions answered with status 401: bad key\nis the key right?"
        );
        let error = ChatError::Status { url: url.clone(), status: 500, said: String::new(), spent };
        assert_eq!(
            error.to_string(),
            "the language model at http://h/v1/chat/completions answered with status 500 (4 tries)"
        );
        assert_eq!((error.kind(), error.paid(), error.is_transient()), ("status", 12, true));
        let retry_after = Some(Duration::from_secs(90));
        let error = ChatError::RateLimited { url, status: 429, retry_after, said: String::new(), spent };
        assert_eq!(
            error.to_string(),
            "the language model at http://h/v1/chat/completions wants to be asked later (status 429, in 90 s) (4 tries)"
        );
    }
}
