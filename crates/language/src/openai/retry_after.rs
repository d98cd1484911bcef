//! Waiting time from a `Retry-After` header.

use std::time::{Duration, SystemTime};

use httpdate::parse_http_date;

/// Returns the waiting time of a `Retry-After` header in seconds or as a date.
///
/// A date is compared with the server's own clock (`Date` header) if the answer has one, as the local clock
/// may be wrong; a past date means no wait. An unreadable header is ignored.
pub(super) fn wait(retry_after: &str, date: Option<&str>, now: SystemTime) -> Option<Duration> {
    let retry_after = retry_after.trim();
    if !retry_after.is_empty() && retry_after.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than fit are a very long time.
        return Some(Duration::from_secs(retry_after.parse().unwrap_or(u64::MAX)));
    }
    let then = parse_http_date(retry_after).ok()?;
    let now = date.and_then(|date| parse_http_date(date).ok()).unwrap_or(now);
    // HTTP dates are whole seconds; the local clock is not.
    let wait = then.duration_since(now).unwrap_or_default();
    Some(Duration::from_secs(wait.as_secs() + u64::from(wait.subsec_nanos() > 0)))
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use proptest::prelude::*;

    use super::*;

    const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    /// Seconds from the beginning of 1970 to a date.
    fn since_1970(date: &str) -> Option<u64> {
        wait(date, None, UNIX_EPOCH).map(|wait| wait.as_secs())
    }

    #[test]
    fn retry_after_is_read_as_seconds_or_date() {
        let now = at(784_111_777 - 90);
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

    #[test]
    fn wait_by_the_local_clock_is_rounded_up_to_whole_seconds() {
        let now = at(784_111_777 - 90) + Duration::from_millis(250);
        assert_eq!(wait(DATE, None, now), Some(Duration::from_secs(90)));
        assert_eq!(wait(DATE, None, at(784_111_777) + Duration::from_millis(1)), Some(Duration::ZERO));
    }

    #[test]
    fn all_three_date_formats_are_read() {
        for date in [DATE, "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(since_1970(date), Some(784_111_777), "{date}");
        }
        for (date, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
            ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799),
            ("Sat, 01 Mar 2070 00:00:00 GMT", 3_160_857_600),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ] {
            assert_eq!(since_1970(date), Some(seconds), "{date}");
        }
    }

    #[test]
    fn text_that_is_no_date_is_ignored() {
        for text in [
            "soon",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1969 08:49:37 GMT",
            "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 08:49:37:00 GMT",
            "Sun, 06 Nov +994 08:49:37 GMT",
            "Sun, 06 Nov 19940 08:49:37 GMT",
            // A day that the month does not have, another day of the week, a leap second.
            "Thu, 29 Feb 2023 12:00:00 GMT",
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sat, 31 Dec 2016 23:59:60 GMT",
        ] {
            assert_eq!(since_1970(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn date_one_day_later_waits_one_day_more(days in 0_u64..40_000) {
            // Counts the months off one by one.
            let (mut left, mut year, mut month) = (days, 1970, 0);
            loop {
                let leap = u64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
                let length = [31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month];
                if left < length {
                    break;
                }
                left -= length;
                (year, month) = if month == 11 { (year + 1, 0) } else { (year, month + 1) };
            }
            let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days as usize % 7];
            let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
            let date = format!("{weekday}, {:02} {} {year} 01:00:00 GMT", left + 1, months[month]);
            prop_assert_eq!(since_1970(&date), Some(days * 86_400 + 3_600));
        }

        #[test]
        fn any_text_can_be_read_as_a_header(text in "\\PC{0,40}", date in "\\PC{0,40}") {
            wait(&text, Some(&date), UNIX_EPOCH);
        }
    }
}
