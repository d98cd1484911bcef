//! Waiting time before the next try.

use std::time::Duration;

/// Exponential backoff: the upper bound doubles from try to try, and each wait is drawn uniformly between
/// zero and the bound ("full jitter"; Brooker, "Exponential Backoff And Jitter", 2015), so that many
/// simultaneous failures are not repeated simultaneously.
///
/// The draws follow from the question, so that a run repeats, and differ between questions.
#[derive(Debug)]
pub(super) struct Backoff {
    most: Duration,
    limit: Duration,
    state: u64,
}

impl Backoff {
    pub(super) fn new(first: Duration, limit: Duration, question: &[u8]) -> Self {
        Self { most: first, limit, state: hash(question) }
    }

    pub(super) fn next_wait(&mut self) -> Duration {
        let most = self.most.min(self.limit);
        self.most = most.saturating_mul(2);
        let share = u128::from(self.draw());
        Duration::from_nanos(((most.as_nanos() * share) >> 64) as u64)
    }

    /// Draws from `SplitMix64` (Steele, Lea, Flood, 2014).
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// Hashes with FNV-1a. The standard library's hash may change with its version.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn waits(first: Duration, limit: Duration, question: &[u8]) -> Vec<Duration> {
        let mut backoff = Backoff::new(first, limit, question);
        (0..12).map(|_| backoff.next_wait()).collect()
    }

    proptest! {
        #[test]
        fn waits_stay_below_the_doubling_bound(first in 0_u64..3_600_000, limit in 0_u64..3_600_000, question in ".{0,20}") {
            let (first, limit) = (Duration::from_millis(first), Duration::from_millis(limit));
            let waits = waits(first, limit, question.as_bytes());
            for (wait, doublings) in waits.iter().zip(0..) {
                prop_assert!(*wait <= limit.min(first.saturating_mul(1 << doublings)));
            }
        }
    }

    #[test]
    fn waits_repeat_for_the_same_question_and_differ_for_another() {
        let (first, limit) = (Duration::from_millis(500), Duration::from_secs(20));
        assert_eq!(waits(first, limit, b"a"), waits(first, limit, b"a"));
        assert_ne!(waits(first, limit, b"a"), waits(first, limit, b"b"));
    }

    #[test]
    fn draws_use_the_whole_range() {
        let first = Duration::from_secs(1);
        let firsts: Vec<_> = (0..200_u8).map(|q| waits(first, first, &[q])[0].as_millis()).collect();
        assert!(firsts.iter().any(|wait| *wait < 50) && firsts.iter().any(|wait| *wait > 950));
        assert!((400..600).contains(&(firsts.iter().sum::<u128>() / 200)));
    }
}
