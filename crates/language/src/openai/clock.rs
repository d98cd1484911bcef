//! Time as the client sees it.

use std::{
    fmt, thread,
    time::{Duration, Instant, SystemTime},
};

/// Time as the client sees it. Tests bring one that sleeps without waiting.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Now, for deadlines.
    fn now(&self) -> Instant;

    /// The date, for a `Retry-After` that names one in an answer that does not say its own.
    fn date(&self) -> SystemTime;

    /// Lets time pass.
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
