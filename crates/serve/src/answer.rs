//! Answers to requests.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use nightfold_town::TownError;
use serde::Serialize;

/// Code of a refusal for want of a place.
const BUSY: &str = "busy";

/// Reason for refusing a request, as JSON: `{"error": {"code": …, "message": …}}`.
#[derive(Debug, Serialize)]
pub(crate) struct RequestRefused {
    pub(crate) error: RefusalReason,
    #[serde(skip)]
    status: StatusCode,
}

#[derive(Debug, Serialize)]
pub(crate) struct RefusalReason {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl RequestRefused {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { error: RefusalReason { code, message: message.into() }, status }
    }

    pub(crate) fn no_town(id: &str) -> Self {
        let shown: String = id.chars().take(32).collect();
        Self::new(StatusCode::NOT_FOUND, "unknown_town", format!("no town {shown} is open"))
    }

    pub(crate) fn busy(what: &str) -> Self {
        let message = format!("too many {what} at once; ask again once others have ended");
        Self::new(StatusCode::TOO_MANY_REQUESTS, BUSY, message)
    }

    pub(crate) fn read_only() -> Self {
        Self::new(StatusCode::FORBIDDEN, "read_only", "this token may only read")
    }

    /// Returns the refusal of a body or a query that the framework has refused.
    pub(crate) fn of_framework(status: StatusCode, message: String) -> Self {
        let code = if status == StatusCode::PAYLOAD_TOO_LARGE { "request_bytes" } else { "request" };
        Self::new(status, code, message)
    }

    pub(crate) fn unexpected(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }
}

impl From<&TownError> for RequestRefused {
    fn from(error: &TownError) -> Self {
        let status = match error.code() {
            "json" | "name" => StatusCode::BAD_REQUEST,
            "unknown_npc" | "unknown_entry" | "no_night" => StatusCode::NOT_FOUND,
            "npc_exists" | "night_under_way" => StatusCode::CONFLICT,
            "events_unread" => StatusCode::TOO_MANY_REQUESTS,
            "model" | "store" | "threads" | "night" => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            // The cause may name files of the server, which are no business of its clients.
            tracing::error!(code = error.code(), "{}", error.message());
            let message = format!("the server failed at this ({}); its log says why", error.code());
            return Self::new(status, error.code(), message);
        }
        Self::new(status, error.code(), error.message())
    }
}

impl IntoResponse for RequestRefused {
    fn into_response(self) -> Response {
        let is_busy = self.error.code == BUSY;
        let mut response = (self.status, Json(self)).into_response();
        if is_busy {
            // The connection is a place, too.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
