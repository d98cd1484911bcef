//! Outage of a language model or judge: unanswered questions in a row.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of unanswered questions in a row after which a run asks no more: each may have waited for
/// `language.seconds`, several times.
const GIVE_UP_AFTER: usize = 5;

/// Count of unanswered questions in a row.
#[derive(Debug, Default)]
pub(crate) struct Outage(AtomicUsize);

impl Outage {
    /// True if a run asks no more.
    pub(crate) fn is_lasting(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= GIVE_UP_AFTER
    }

    /// Counts a question, which was answered in any way or not at all.
    pub(crate) fn count(&self, answered: bool) {
        if answered {
            self.0.store(0, Ordering::Relaxed);
        } else {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}
