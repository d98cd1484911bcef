//! Counts and spans of time in words.

use crate::lexicon::number_word;

/// Number of days up to which a span is counted in days.
const MAX_DAYS: usize = 13;
/// Number of days up to which a span is counted in weeks.
const MAX_DAYS_IN_WEEKS: usize = 60;

/// Returns "once", "twice", "three times".
pub(in super::super) fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{} times", number_word(count)),
    }
}

/// Returns the length of a span of days: "one day", "three days", "about five weeks".
pub(in super::super) fn span(days: usize) -> String {
    match days {
        0 | 1 => "one day".to_owned(),
        2..=MAX_DAYS => format!("{} days", number_word(days)),
        _ if days <= MAX_DAYS_IN_WEEKS => format!("about {} weeks", number_word((days + 3) / 7)),
        _ => format!("about {} months", number_word((days + 15) / 30)),
    }
}

/// Returns how often something was within some days: "three times today", "five days running", "on three of the last
/// five days", "four times in two days". `days` are those on which it was, `within` those from the first to the last.
pub(super) fn frequency(occasions: usize, days: usize, within: usize) -> String {
    match days {
        0 | 1 => format!("{} today", times(occasions)),
        2 => format!("{} in {}", times(occasions), span(within)),
        _ if days == within => format!("{} running", span(days)),
        // What is not remembered may have been on further days.
        _ if within <= MAX_DAYS => format!("on at least {} of the last {}", number_word(days), span(within)),
        _ => format!("on at least {} in {}", span(days), span(within)),
    }
}

/// True if something happened often enough for how long ago it began: within two weeks, or weekly.
pub(super) fn is_dense(times: usize, within: usize) -> bool {
    within <= MAX_DAYS || 7 * times >= within
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_words() {
        assert_eq!([times(1), times(2), times(3)], ["once", "twice", "three times"]);
        assert_eq!([span(1), span(3), span(21)], ["one day", "three days", "about three weeks"]);
        assert_eq!(span(154), "about five months");
    }

    #[test]
    fn frequency_names_days_from_three_on() {
        assert_eq!(frequency(3, 1, 1), "three times today");
        assert_eq!(frequency(4, 2, 5), "four times in five days");
        assert_eq!(frequency(5, 5, 5), "five days running");
        assert_eq!(frequency(3, 3, 6), "on at least three of the last six days");
        assert_eq!(frequency(4, 4, 30), "on at least four days in about four weeks");
    }
}
