//! Failures of opening and using a store in PostgreSQL.

use std::{error::Error, io, path::PathBuf};

use nightfold_memory::StoreError;
use tokio_postgres::error::SqlState;

/// Reason why a store cannot be opened; nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PostgresError {
    /// The address is not that of a database.
    #[error("the address is not of the form postgres://USER@HOST:PORT/DATABASE?schema=NAME: {0}")]
    Address(String),
    /// The certificates cannot be read that the server's must be signed with.
    #[error("{} holds no certificates that can be read (sslrootcert)", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// Cause of the failure.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The server cannot be reached, or does not let this user in.
    #[error("{place} cannot be reached")]
    Connect {
        /// The server, the database and the schema.
        place: String,
        /// Cause of the failure.
        source: StoreError,
    },
    /// There is no store in the schema.
    #[error("there is no store in {place}")]
    Missing {
        /// The server, the database and the schema.
        place: String,
    },
    /// The schema holds tables of another program.
    #[error("{place} holds tables of another program; name another schema (schema=NAME)")]
    Foreign {
        /// The server, the database and the schema.
        place: String,
    },
    /// The store has an older format and has to be opened once by a role that may change tables.
    #[error(
        "the store in {place} is of the older format {found}; open it once for making a store, and it is brought to format {known}"
    )]
    OlderFormat {
        /// The server, the database and the schema.
        place: String,
        /// Format of the store.
        found: i64,
        /// Format that the store would get.
        known: i64,
    },
    /// The store is of a newer format, or its tables cannot be read or made.
    #[error("{place} cannot be opened as a store")]
    Refused {
        /// The server, the database and the schema.
        place: String,
        /// The cause.
        source: StoreError,
    },
    /// The thread that talks to the server cannot be started.
    #[error("no thread can be started for the connections")]
    Thread(#[from] io::Error),
}

/// Error of a change whose outcome is not known: the cause of a [`StoreError::Backend`].
#[derive(Debug, thiserror::Error)]
#[error(
    "the connection was lost while a change was being committed: look whether it is there before it is made again"
)]
pub struct OutcomeUnknown(#[source] pub(super) StoreError);

/// Tables that another role must vacuum.
#[derive(Debug, thiserror::Error)]
#[error("the tables belong to another role")]
pub(super) struct OtherOwner;

/// A message of the server, which the error of the client does not show.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct ServerError {
    message: String,
    source: tokio_postgres::Error,
}

/// Converts an error of the client into an error of the port.
pub(super) fn to_store_error(error: tokio_postgres::Error) -> StoreError {
    let Some(told) = error.as_db_error() else { return StoreError::backend(error) };
    let message = match told.detail() {
        Some(detail) => format!("{}: {detail}", told.message()),
        None => told.message().to_owned(),
    };
    let locked =
        matches!(*told.code(), SqlState::LOCK_NOT_AVAILABLE | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT);
    let error = Box::new(ServerError { message, source: error });
    if locked { StoreError::Locked(error) } else { StoreError::Backend(error) }
}

/// True if the same call may succeed a moment later: the connection is lost, the server restarts, or two transactions stood
/// in each other's way.
pub(super) fn is_passing(error: &StoreError) -> bool {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<tokio_postgres::Error>() {
            return is_passing_client(error);
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return is_passing_io(error);
        }
        cause = error.source();
    }
    false
}

/// A certificate that is not trusted, or what cannot be encoded, stays so.
fn is_passing_io(error: &io::Error) -> bool {
    !matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput)
}

/// True for a code with which the server answers, rather than something between it and us that lost it.
pub(super) fn is_of_server(code: &SqlState) -> bool {
    !code.code().starts_with("08") && *code != SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN
}

fn is_passing_client(error: &tokio_postgres::Error) -> bool {
    let Some(code) = error.code() else {
        // Of the errors that the server does not send, those of its connection pass.
        let io = error.source().and_then(|error| error.downcast_ref::<io::Error>());
        return error.is_closed() || io.is_some_and(is_passing_io);
    };
    code.code().starts_with("08")
        || matches!(
            *code,
            SqlState::ADMIN_SHUTDOWN
                | SqlState::CRASH_SHUTDOWN
                | SqlState::CANNOT_CONNECT_NOW
                | SqlState::TOO_MANY_CONNECTIONS
                | SqlState::T_R_DEADLOCK_DETECTED
                | SqlState::T_R_SERIALIZATION_FAILURE
                | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
        )
}
