//! The open connections, and which of them waits longest for a request.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{
    select,
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
};

/// The open connections, of which there are only so many.
pub(crate) struct HttpConnections {
    free: Arc<Semaphore>,
    waiting: Arc<IdleConnections>,
}

/// Connections that wait for a request, by the order in which they began to wait.
#[derive(Default)]
struct IdleConnections {
    queue: Mutex<Queue>,
    /// Told when a connection begins to wait.
    longer: Notify,
}

#[derive(Default)]
struct Queue {
    next: u64,
    closes: BTreeMap<u64, Arc<Notify>>,
}

impl IdleConnections {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection at the end; returns its place.
    fn add(&self, close: &Arc<Notify>) -> u64 {
        let mut queue = self.queue();
        let place = queue.next;
        queue.next += 1;
        queue.closes.insert(place, Arc::clone(close));
        drop(queue);
        self.longer.notify_one();
        place
    }

    /// Removes the connection at a place, unless it is gone already.
    fn remove(&self, place: u64) {
        self.queue().closes.remove(&place);
    }

    /// Closes the connection that waits longest; returns false if none waits.
    fn close_longest(&self) -> bool {
        let longest = self.queue().closes.pop_first();
        longest.map(|(_, close)| close.notify_one()).is_some()
    }
}

impl HttpConnections {
    pub(crate) fn new(most: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(most)), waiting: Arc::default() }
    }

    /// Takes a place for a connection; if there is none, closes the connection that waits longest, or the first one
    /// that begins to wait.
    pub(crate) async fn take(&self) -> ConnectionSlot {
        let permit = match Arc::clone(&self.free).try_acquire_owned() {
            Ok(permit) => Some(permit),
            Err(_) => self.make_room().await,
        };
        ConnectionSlot::new(permit, Arc::clone(&self.waiting))
    }

    async fn make_room(&self) -> Option<OwnedSemaphorePermit> {
        let free = Arc::clone(&self.free).acquire_owned();
        tokio::pin!(free);
        while !self.waiting.close_longest() {
            select! {
                biased;
                permit = free.as_mut() => return permit.ok(),
                () = self.waiting.longer.notified() => {}
            }
        }
        // It ends at once. A semaphore that is never closed has no error.
        free.await.ok()
    }
}

/// Place of an open connection, until it is dropped.
pub(crate) struct ConnectionSlot {
    _permit: Option<OwnedSemaphorePermit>,
    waiting: Arc<IdleConnections>,
    close: Arc<Notify>,
    /// Place among those that wait; `None` while a request is answered.
    place: Mutex<Option<u64>>,
}

impl ConnectionSlot {
    fn new(permit: Option<OwnedSemaphorePermit>, waiting: Arc<IdleConnections>) -> Self {
        let close = Arc::<Notify>::default();
        let place = Mutex::new(Some(waiting.add(&close)));
        Self { _permit: permit, waiting, close, place }
    }

    /// Notes that a request is there.
    pub(crate) fn begin_request(self: &Arc<Self>) -> ActiveRequest {
        self.stop_waiting();
        ActiveRequest(Arc::clone(self))
    }

    /// Returns once the connection is to be closed for another one.
    pub(crate) async fn closed(&self) {
        self.close.notified().await;
    }

    fn place(&self) -> MutexGuard<'_, Option<u64>> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop_waiting(&self) {
        if let Some(place) = self.place().take() {
            self.waiting.remove(place);
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.stop_waiting();
    }
}

/// Request that is being answered; when it is dropped, its connection waits again.
pub(crate) struct ActiveRequest(Arc<ConnectionSlot>);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        let slot = &self.0;
        *slot.place() = Some(slot.waiting.add(&slot.close));
    }
}
