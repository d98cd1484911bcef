//! Why there is no answer.

use std::{fmt, time::Duration};

use super::answer::{ShapeError, Usage};

/// An error of another crate.
pub(super) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What a call took that came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// How many requests were made.
    pub tries: u32,
    /// How many tokens were paid, as far as the server says.
    pub paid: u64,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tries > 1 { write!(f, " ({} tries)", self.tries) } else { Ok(()) }
    }
}

/// Why there is no answer. None of it holds the key, even where it gives the server's own words.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// There is no connection to the server.
    #[error("the language model at {url} cannot be reached{spent}\nis it running, and is the address right?")]
    Unreachable {
        /// The address.
        url: String,
        /// The transport's own error.
        source: BoxError,
        /// What the call took.
        spent: Spent,
    },
    /// The server was too slow.
    #[error("the language model at {url} did not answer within {after:?}{spent}")]
    TimedOut {
        /// The address.
        url: String,
        /// How long the last try was given.
        after: Duration,
        /// What the call took.
        spent: Spent,
    },
    /// The connection ended before the answer did.
    #[error("the language model at {url} broke off in its answer{spent}")]
    Interrupted {
        /// The address.
        url: String,
        /// The transport's own error.
        source: BoxError,
        /// What the call took.
        spent: Spent,
    },
    /// What is at the address does not speak HTTP, or not with the encryption it should.
    #[error(
        "the connection to the language model at {url} failed{spent}\nis it http where it should be https, or the other way round?"
    )]
    Connection {
        /// The address.
        url: String,
        /// The transport's own error.
        source: BoxError,
        /// What the call took.
        spent: Spent,
    },
    /// Other calls held every place for requests, too long.
    #[error("{in_flight} requests to the language model at {url} left no place for another within {after:?}")]
    Busy {
        /// The address.
        url: String,
        /// How many requests may be under way at once.
        in_flight: usize,
        /// How long the call was given.
        after: Duration,
        /// What the call took.
        spent: Spent,
    },
    /// The server answered with an error.
    #[error("the language model at {url} answered with status {status}{}{spent}{}", Words(said), advice(*status))]
    Status {
        /// The address.
        url: String,
        /// The status.
        status: u16,
        /// What the server said: at most 300 characters on one line.
        said: String,
        /// What the call took.
        spent: Spent,
    },
    /// The server wants to be asked later: status 429, or another that passes and says when to come again.
    #[error(
        "the language model at {url} wants to be asked later (status {status}{}){}{spent}",
        Later(retry_after),
        Words(said)
    )]
    RateLimited {
        /// The address.
        url: String,
        /// The status.
        status: u16,
        /// How much later, if it says.
        retry_after: Option<Duration>,
        /// What the server said: at most 300 characters on one line.
        said: String,
        /// What the call took.
        spent: Spent,
    },
    /// The server points elsewhere; it is not followed, as key and memories would go there.
    #[error(
        "the language model at {url} points elsewhere (status {status}): {to}{spent}\nif that is right, set it as the base URL"
    )]
    Redirect {
        /// The address.
        url: String,
        /// The status.
        status: u16,
        /// Where to: at most 300 characters on one line.
        to: String,
        /// What the call took.
        spent: Spent,
    },
    /// The answer is longer than may be read.
    #[error("the language model at {url} answered with more than {limit} bytes{spent}")]
    TooLong {
        /// The address.
        url: String,
        /// How many bytes may be read.
        limit: usize,
        /// What the call took.
        spent: Spent,
    },
    /// The answer needs more tokens than it was given.
    #[error("the language model at {url} did not finish its answer in {max_tokens} tokens{spent}")]
    CutShort {
        /// The address.
        url: String,
        /// How many tokens it was given.
        max_tokens: u32,
        /// What this answer cost, if the server says.
        usage: Option<Usage>,
        /// What the call took.
        spent: Spent,
    },
    /// The model would not answer.
    #[error("the language model at {url} refused: {reason}{spent}")]
    Refused {
        /// The address.
        url: String,
        /// Its words, at most 300 characters on one line, or `content_filter`.
        reason: String,
        /// What this answer cost, if the server says.
        usage: Option<Usage>,
        /// What the call took.
        spent: Spent,
    },
    /// The answer is none that this interface has.
    #[error("what the language model at {url} sent is no chat completion{spent}")]
    Shape {
        /// The address.
        url: String,
        /// What is wrong with it.
        source: Box<ShapeError>,
        /// What this answer cost, if the server says.
        usage: Option<Usage>,
        /// What the call took.
        spent: Spent,
    },
    /// A logger takes every byte that is sent, and so would take the key. Nothing was sent.
    #[error(
        "the key is not sent while a logger takes the trace records of {target}, which hold every byte\n\
         set that target to debug or higher"
    )]
    KeyLogged {
        /// The target of those records.
        target: &'static str,
        /// What the call took.
        spent: Spent,
    },
}

impl ChatError {
    /// A short word for the kind of failure, for logs and counters.
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
            Self::KeyLogged { .. } => "key_logged",
        }
    }

    /// What the call took.
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
            | Self::KeyLogged { spent, .. } => *spent,
        }
    }

    /// How many tokens were paid for nothing, in all tries, as far as the server says.
    pub fn paid(&self) -> u64 {
        self.spent().paid
    }

    /// Whether the same question may well be answered later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::TimedOut { .. }
            | Self::Interrupted { .. }
            | Self::Busy { .. }
            | Self::RateLimited { .. } => true,
            Self::Status { status, .. } => passes(*status),
            _ => false,
        }
    }

    /// How long the server wants not to be asked.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// Whether a status tells of something that passes.
pub(super) fn passes(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

fn advice(status: u16) -> &'static str {
    match status {
        401 | 403 => "\nis the key right?",
        404 => "\nare the base URL (most end in /v1) and the model's name right?",
        _ => "",
    }
}

struct Words<'a>(&'a str);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}

struct Later<'a>(&'a Option<Duration>);

impl fmt::Display for Later<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |later| write!(f, ", in {} s", later.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_where_how_often_and_what_to_do() {
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
