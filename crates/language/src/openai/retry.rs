//! Waiting time before the next try.

use std::time::{Duration, SystemTime};

use httpdate::parse_http_date;
use sha2::{Digest, Sha256};

/// Limit of the doubling.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// True if an HTTP status is transient (retryable).
pub(super) fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

/// Returns the wait before retry number `retry`, from 0, of a question.
///
/// The upper bound doubles from try to try, and each wait is drawn uniformly between zero and the bound ("full
/// jitter"; Brooker, "Exponential Backoff And Jitter", 2015), so that many simultaneous failures are not repeated
/// simultaneously. The draws follow from the question, so that a run repeats, and differ between questions.
pub(super) fn backoff(first: Duration, retry: u32, question: &str) -> Duration {
    let most = first.saturating_mul(1 << retry.min(16)).min(MAX_WAIT.max(first));
    let hash = Sha256::new().chain_update(retry.to_le_bytes()).chain_update(question).finalize();
    let share = hash.iter().take(8).fold(0_u128, |share, byte| share << 8 | u128::from(*byte));
    Duration::from_nanos(((most.as_nanos() * share) >> 64) as u64)
}

/// Returns the waiting time of a `Retry-After` header in seconds or as a date; an unreadable header is ignored.
///
/// A date is compared with the server's own clock (`Date` header) if the answer has one, as the local clock
/// may be wrong; a past date means no wait.
pub(super) fn asked_wait(retry_after: &str, date: Option<&str>) -> Option<Duration> {
    let retry_after = retry_after.trim();
    if !retry_after.is_empty() && retry_after.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than fit are a very long time.
        return Some(Duration::from_secs(retry_after.parse().unwrap_or(u64::MAX)));
    }
    let then = parse_http_date(retry_after).ok()?;
    let now = date.and_then(|date| parse_http_date(date).ok()).unwrap_or_else(now);
    // HTTP dates are whole seconds; the local clock is not.
    let wait = then.duration_since(now).unwrap_or_default();
    Some(Duration::from_secs(wait.as_secs() + u64::from(wait.subsec_nanos() > 0)))
}

#[expect(
    clippy::disallowed_methods,
    reason = "what a server says in dates is about the time outside the game"
)]
fn now() -> SystemTime {
    SystemTime::now()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

    #[test]
    fn retry_after_is_read_as_seconds_or_date() {
        let seconds = |text, date| asked_wait(text, date).map(|wait| wait.as_secs());
        for (text, date, read) in [
            ("120", None, Some(120)),
            (" 0 ", Some(DATE), Some(0)),
            ("99999999999999999999999", None, Some(u64::MAX)),
            (DATE, Some("Sun, 06 Nov 1994 08:49:30 GMT"), Some(7)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some("Sun Nov  6 08:49:30 1994"), Some(7)),
            (DATE, Some("Sun, 06 Nov 1994 08:49:59 GMT"), Some(0)),
            (DATE, Some("whenever"), Some(0)),
            (DATE, None, Some(0)),
            ("soon", None, None),
            ("-1", None, None),
            ("1.5", None, None),
            ("", None, None),
            ("Sun, 06 Nov 1994 08:49:37 CET", None, None),
        ] {
            assert_eq!(seconds(text, date), read, "{text} {date:?}");
        }
        assert!(seconds("Fri, 31 Dec 9999 23:59:59 GMT", None) > Some(1 << 30), "by the local clock");
    }

    #[test]
    fn waits_repeat_for_the_same_question_and_use_the_whole_range() {
        let second = Duration::from_secs(1);
        let waits: Vec<_> = (0..200_u8).map(|q| backoff(second, 0, &q.to_string()).as_millis()).collect();
        assert!(waits.iter().any(|wait| *wait < 50) && waits.iter().any(|wait| *wait > 950));
        assert!((400..600).contains(&(waits.iter().sum::<u128>() / 200)));
        assert_eq!(backoff(second, 3, "a"), backoff(second, 3, "a"));
        assert_ne!(backoff(second, 3, "a"), backoff(second, 3, "b"));
    }

    proptest! {
        #[test]
        fn waits_stay_below_the_doubling_bound(first in 0_u64..3_600_000, retry in 0_u32..11, question in ".{0,20}") {
            let first = Duration::from_millis(first);
            prop_assert!(backoff(first, retry, &question) <= (first * (1 << retry)).min(MAX_WAIT.max(first)));
        }
    }
}
