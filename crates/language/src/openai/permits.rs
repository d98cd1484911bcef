//! Limit on the number of requests in flight.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

/// Permits for requests; a call waits until one is free.
#[derive(Debug)]
pub(super) struct RequestPermits {
    free: Mutex<usize>,
    freed: Condvar,
}

/// Permit that is held until it is dropped.
#[derive(Debug)]
pub(super) struct RequestPermit<'a>(&'a RequestPermits);

impl RequestPermits {
    pub(super) fn new(count: usize) -> Self {
        Self { free: Mutex::new(count), freed: Condvar::new() }
    }

    /// Takes a permit as soon as one is free; `None` if that takes longer than `within`.
    pub(super) fn take(&self, within: Duration) -> Option<RequestPermit<'_>> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut free, _) = self
            .freed
            .wait_timeout_while(free, within, |free| *free == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *free = free.checked_sub(1)?;
        Some(RequestPermit(self))
    }
}

impl Drop for RequestPermit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const SHORT: Duration = Duration::from_millis(5);

    #[test]
    fn permit_is_free_again_after_a_panic() {
        let permits = RequestPermits::new(1);
        thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let _permit = permits.take(SHORT);
                panic!("on purpose");
            });
            assert!(thread.join().is_err());
        });
        assert!(permits.take(SHORT).is_some());
    }
}
