//! Body of a request that must arrive in time.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    BoxError,
    body::{Body, Bytes, HttpBody},
};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// Error of a body that did not arrive in time.
#[derive(Debug, thiserror::Error)]
#[error("the body did not arrive within {} s (http.request_seconds)", .0.as_secs())]
struct BodyTooSlow(Duration);

/// Body of a request that must arrive in time.
pub(crate) struct TimedBody {
    body: Body,
    within: Duration,
    over: Pin<Box<Sleep>>,
}

impl TimedBody {
    pub(crate) fn new(body: Body, within: Duration) -> Self {
        Self { body, within, over: Box::pin(sleep(within)) }
    }
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        // First, so that a body of which a byte is always there ends too.
        if self.over.as_mut().poll(context).is_ready() {
            return Poll::Ready(Some(Err(BodyTooSlow(self.within).into())));
        }
        Pin::new(&mut self.body).poll_frame(context).map_err(Into::into)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
