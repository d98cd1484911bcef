//! Errors of the server itself. Those of requests are answers.

use std::{io, net::SocketAddr};

/// Reason why the server cannot start or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Listening failed.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The token is short enough to be guessed.
    #[error("a token of {given} characters can be guessed; it needs {least}")]
    ShortToken {
        /// Characters of the token.
        given: usize,
        /// Fewest characters allowed.
        least: usize,
    },
    /// The system gives no random numbers.
    #[error("the system gives no random numbers")]
    Random(#[source] io::Error),
    /// The folder of stores is not one.
    #[error("the folder of stores, {}, is none", path.display())]
    Stores {
        /// The path.
        path: std::path::PathBuf,
    },
    /// Serving stopped.
    #[error("connections can no longer be accepted")]
    Serve(#[source] io::Error),
}
