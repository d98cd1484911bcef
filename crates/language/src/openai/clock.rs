//! Clock of the client.

use std::{
    fmt, thread,
    time::{Duration, Instant, SystemTime},
};

/// Clock of the client. Tests use one that sleeps without waiting.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Current instant, for deadlines.
    fn now(&self) -> Instant;

    /// Current date, for a `Retry-After` with a date in an answer without a `Date` header.
    fn date(&self) -> SystemTime;

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

    #[expect(
        clippy::disallowed_methods,
        reason = "what a server says in dates is about the time outside the game"
    )]
    fn date(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, time: Duration) {
        thread::sleep(time);
    }
}
