//! Dates in HTTP headers (RFC 9110, section 5.6.7).

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The seconds since 1970 of a date in any of the three forms that must be understood.
///
/// A year of two digits lies between 1970 and 2069. The day of the week is not looked at.
pub(super) fn seconds_since_1970(date: &str) -> Option<u64> {
    let parts: Vec<&str> = date.split([' ', ',', '-']).filter(|part| !part.is_empty()).collect();
    // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT; Sun Nov  6 08:49:37 1994
    let ([_, day, month, year, time, "GMT"] | [_, month, day, time, year]) = parts[..] else { return None };
    let year = match (year.len(), number(year)?) {
        (4, year @ 1970..) => year,
        (2, year @ 0..70) => 2000 + year,
        (2, year) => 1900 + year,
        _ => return None,
    };
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let day = number(day).filter(|day| (1..=31).contains(day))?;
    let mut time = time.split(':').map(number);
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    // The sixtieth second is a leap second.
    if time.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some(((days_since_1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second)
}

/// Digits alone, at most four.
fn number(text: &str) -> Option<u64> {
    let digits = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// Of a day from 1970 on. Years are counted from March, so that the leap day ends them.
fn days_since_1970(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let days_of_months = (153 * ((month + 9) % 12) + 2) / 5;
    let days_to_march_0000 = year * 365 + year / 4 - year / 100 + year / 400;
    days_to_march_0000 + days_of_months + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_three_forms_say_the_same() {
        for date in
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        {
            assert_eq!(seconds_since_1970(date), Some(784_111_777), "{date}");
        }
        for (date, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
            ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799),
            ("Sat, 01 Mar 2070 00:00:00 GMT", 3_160_857_600),
        ] {
            assert_eq!(seconds_since_1970(date), Some(seconds), "{date}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
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
        ] {
            assert_eq!(seconds_since_1970(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_day_later_is_a_day_more(days in 0_u64..40_000) {
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
            let date = format!("Day, {:02} {} {year} 01:00:00 GMT", left + 1, MONTHS[month]);
            prop_assert_eq!(seconds_since_1970(&date), Some(days * 86_400 + 3_600));
        }

        #[test]
        fn no_text_breaks_the_reading(text in "\\PC{0,40}") {
            seconds_since_1970(&text);
        }
    }
}
