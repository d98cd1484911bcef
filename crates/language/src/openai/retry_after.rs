//! When a server wants to be asked again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::http_date::seconds_since_1970;

/// How long to wait by a `Retry-After` of seconds or a date.
///
/// A date is read against the server's own clock where the answer says it, as ours may be wrong; a past one is no
/// wait. What cannot be read is as if it were not there.
pub(super) fn wait(retry_after: &str, date: Option<&str>, now: SystemTime) -> Option<Duration> {
    let retry_after = retry_after.trim();
    if !retry_after.is_empty() && retry_after.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than fit are a very long time.
        return Some(Duration::from_secs(retry_after.parse().unwrap_or(u64::MAX)));
    }
    let then = seconds_since_1970(retry_after)?;
    let now = date
        .and_then(seconds_since_1970)
        .or_else(|| Some(now.duration_since(UNIX_EPOCH).ok()?.as_secs()))
        .unwrap_or_default();
    Some(Duration::from_secs(then.saturating_sub(now)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

    #[test]
    fn seconds_and_dates_are_read() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777 - 90);
        let seconds = |text, date| wait(text, date, now).map(|wait| wait.as_secs());
        assert_eq!(seconds("120", None), Some(120));
        assert_eq!(seconds(" 0 ", Some(DATE)), Some(0));
        assert_eq!(seconds("99999999999999999999999", None), Some(u64::MAX));
        assert_eq!(seconds(DATE, None), Some(90));
        assert_eq!(seconds(DATE, Some("Sun, 06 Nov 1994 08:49:30 GMT")), Some(7));
        assert_eq!(seconds(DATE, Some("Sun, 06 Nov 1994 08:49:59 GMT")), Some(0));
        assert_eq!(seconds(DATE, Some("whenever")), Some(90));
        assert_eq!(seconds("soon", None), None);
        assert_eq!(seconds("-1", None), None);
        assert_eq!(seconds("1.5", None), None);
        assert_eq!(seconds("", None), None);
    }
}
