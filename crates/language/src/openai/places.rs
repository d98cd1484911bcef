//! How many requests may be under way at once.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

/// Places for requests; who finds none free waits.
#[derive(Debug)]
pub(super) struct Places {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A place that is held until this is dropped.
#[derive(Debug)]
pub(super) struct Place<'a>(&'a Places);

impl Places {
    pub(super) fn new(count: usize) -> Self {
        Self { free: Mutex::new(count), freed: Condvar::new() }
    }

    /// A place, as soon as one is free, if that is soon enough.
    pub(super) fn take(&self, within: Duration) -> Option<Place<'_>> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut free, _) = self
            .freed
            .wait_timeout_while(free, within, |free| *free == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *free = free.checked_sub(1)?;
        Some(Place(self))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread,
    };

    use super::*;

    const LONG: Duration = Duration::from_mins(1);
    const SHORT: Duration = Duration::from_millis(5);

    #[test]
    fn a_place_is_free_again_when_it_is_dropped() {
        let places = Places::new(2);
        let first = places.take(SHORT).unwrap();
        let _second = places.take(Duration::ZERO).unwrap();
        assert!(places.take(SHORT).is_none());
        drop(first);
        assert!(places.take(SHORT).is_some());
    }

    #[test]
    fn a_place_is_free_again_after_a_panic() {
        let places = Places::new(1);
        thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let _place = places.take(SHORT);
                panic!("on purpose");
            });
            assert!(thread.join().is_err());
        });
        assert!(places.take(SHORT).is_some());
    }

    #[test]
    fn everyone_who_waits_gets_a_place_and_never_too_many_at_once() {
        let (places, inside, most) = (Places::new(3), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _place = places.take(LONG).unwrap();
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!((1..=3).contains(&most.into_inner()));
    }
}
