//! Failures of using a store in PostgreSQL.

use std::{error::Error, io, iter};

use nightfold_memory::StoreError;
use tokio_postgres::error::SqlState;

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

/// A message of the server; the error of the client does not show it.
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
    let passes = |cause: &(dyn Error + 'static)| {
        let client = cause.downcast_ref().map(is_passing_client);
        client.or_else(|| cause.downcast_ref().map(is_passing_io))
    };
    causes(error).find_map(passes).unwrap_or(false)
}

/// True if the server was reached and refused the connection: a wrong password, an unknown database.
pub(super) fn is_refused_entry(error: &StoreError) -> bool {
    let client = causes(error).find_map(<dyn Error>::downcast_ref::<tokio_postgres::Error>);
    client.is_some_and(|error| {
        error.code().is_none_or(|code| code.code().starts_with("28") || code.code() == "3D000")
    })
}

/// Returns an error and its causes, from the outermost on.
fn causes(error: &StoreError) -> impl Iterator<Item = &(dyn Error + 'static)> {
    iter::successors(Some(error as &(dyn Error + 'static)), |error| (**error).source())
}

/// True unless the error is permanent: an untrusted certificate, a value that cannot be encoded.
fn is_passing_io(error: &io::Error) -> bool {
    !matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput)
}

/// True for a code of the server itself; other codes tell of a connection that was lost on the way.
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
