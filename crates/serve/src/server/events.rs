//! Events of a town, by number and as they happen.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Weak},
};

use axum::{
    Extension, Json,
    extract::rejection::QueryRejection,
    extract::{Path, Query, State},
    http::HeaderMap,
    response::{
        IntoResponse, Response, Sse,
        sse::{Event as SseEvent, KeepAlive},
    },
};
use futures_util::stream::{self, Stream, StreamExt as _};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::TownServerState;
use crate::{
    AccessScope,
    answer::RequestRefused,
    session::{NumberedEvent, TownSession},
};

/// Selection of events.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Selection {
    /// Number of the last event that the caller has; for whoever may write, it and those before it are dropped.
    #[serde(default)]
    after: u64,
    /// Most events of the answer (1000, at most 10000).
    #[serde(default = "max_events")]
    max: usize,
}

fn selected(selection: Result<Query<Selection>, QueryRejection>) -> Result<Selection, RequestRefused> {
    let refused = |error: QueryRejection| RequestRefused::of_framework(error.status(), error.body_text());
    selection.map(|Query(selection)| selection).map_err(refused)
}

/// Events of a town, in order.
#[derive(Serialize)]
pub(super) struct Events {
    events: Vec<NumberedEvent>,
}

fn max_events() -> usize {
    1_000
}

pub(super) async fn events(
    State(shared): State<Arc<TownServerState>>,
    Extension(scope): Extension<AccessScope>,
    Path(town): Path<String>,
    selection: Result<Query<Selection>, QueryRejection>,
) -> Result<Json<Events>, RequestRefused> {
    let session = shared.towns.get(&town)?;
    let selection = selected(selection)?;
    let events = session.events_after(selection.after, selection.max.clamp(1, 10_000), scope)?;
    Ok(Json(Events { events }))
}

/// Streams events as they happen. A stream that is opened again goes on after `Last-Event-ID`, or `after`.
pub(super) async fn stream_events(
    State(shared): State<Arc<TownServerState>>,
    Extension(scope): Extension<AccessScope>,
    Path(town): Path<String>,
    selection: Result<Query<Selection>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, RequestRefused> {
    let session = shared.towns.get(&town)?;
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
    let after = last.unwrap_or(selected(selection)?.after);
    // Refuses a number that this town has not reached.
    session.events_after(after, 0, scope)?;
    let stopping = shared.stopping.subscribe();
    let places = shared.bounds.stream(scope)?;
    // The town may be closed while it streams.
    let events = events_of(Arc::downgrade(&session), scope, session.watch(), stopping, after);
    // A stream has its places until it ends, or its client is gone.
    let events = events.inspect(move |_| _ = &places);
    drop(session);
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

fn events_of(
    session: Weak<TownSession>,
    scope: AccessScope,
    changed: watch::Receiver<u64>,
    stopping: watch::Receiver<bool>,
    after: u64,
) -> impl Stream<Item = Result<SseEvent, Infallible>> {
    let state = (session, changed, stopping, after, VecDeque::new());
    stream::unfold(state, move |(session, mut changed, mut stopping, mut after, mut ready)| async move {
        loop {
            if *stopping.borrow() {
                return None;
            }
            if let Some(NumberedEvent { number, event }) = ready.pop_front() {
                after = number;
                let event = SseEvent::default().id(number.to_string()).data(event.get());
                return Some((Ok(event), (session, changed, stopping, after, ready)));
            }
            changed.mark_unchanged();
            ready.extend(session.upgrade()?.stream_after(after, 256, scope));
            if !ready.is_empty() {
                continue;
            }
            tokio::select! {
                news = changed.changed() => news.ok()?,
                _ = stopping.wait_for(|stopping| *stopping) => return None,
            }
        }
    })
}
