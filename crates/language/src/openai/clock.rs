//! Clock of the client.

use std::{
    fmt, thread,
    time::{Duration, Instant},
};

/// Clock of the client. Tests use one that sleeps without waiting.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Current instant, for deadlines.
    fn now(&self) -> Instant;

    /// Sleeps for this time.
    fn sleep(&self, time: Duration);
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, time: Duration) {
        thread::sleep(time);
    }
}
