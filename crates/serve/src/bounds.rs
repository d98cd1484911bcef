//! Bounds on what requests hold at once: streams, requests of readers, and large bodies. What is beyond a bound is refused
//! at once, so that nobody waits for somebody else's slow request.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{AccessScope, answer::RequestRefused};

/// Bodies up to this size count for nothing, in bytes.
const SMALL_BODY: usize = 1 << 20;

/// A place among the requests or streams of its kind; it is given back when it is dropped.
pub(crate) type Place = OwnedSemaphorePermit;

/// Places of requests at once. Of the connections half may stream, and a quarter may be a reader's streams or requests: the rest
/// is left for who writes, and for questions after the server's health.
pub(crate) struct RequestBounds {
    streams: Arc<Semaphore>,
    readers_streams: Arc<Semaphore>,
    readers_requests: Arc<Semaphore>,
    /// Kibibytes of large bodies: as many as one request may have.
    large_bodies: Arc<Semaphore>,
    request_bytes: usize,
}

impl RequestBounds {
    pub(crate) fn new(connections: usize, request_bytes: usize) -> Self {
        let places = |of: usize| Arc::new(Semaphore::new((connections / of).max(1)));
        Self {
            streams: places(2),
            readers_streams: places(4),
            readers_requests: places(4),
            large_bodies: Arc::new(Semaphore::new(kibibytes(request_bytes) as usize)),
            request_bytes,
        }
    }

    /// Returns the places of a stream.
    pub(crate) fn stream(&self, scope: AccessScope) -> Result<(Place, Option<Place>), RequestRefused> {
        let readers =
            (scope < AccessScope::Write).then(|| take(&self.readers_streams, 1, "streams")).transpose()?;
        Ok((take(&self.streams, 1, "streams")?, readers))
    }

    /// Returns the places of a request with a body, of a length that its head states.
    pub(crate) fn body(
        &self,
        scope: AccessScope,
        length: Option<usize>,
    ) -> Result<(Option<Place>, Option<Place>), RequestRefused> {
        let readers =
            (scope < AccessScope::Write).then(|| take(&self.readers_requests, 1, "requests")).transpose()?;
        // One that does not say how long it is may be as long as is allowed; one that is too long is refused later.
        let length = length.unwrap_or(self.request_bytes).min(self.request_bytes);
        let large = length > SMALL_BODY;
        let large =
            large.then(|| take(&self.large_bodies, kibibytes(length), "large requests")).transpose()?;
        Ok((readers, large))
    }
}

fn kibibytes(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}

fn take(of: &Arc<Semaphore>, places: u32, what: &str) -> Result<Place, RequestRefused> {
    Arc::clone(of).try_acquire_many_owned(places).map_err(|_| RequestRefused::busy(what))
}
