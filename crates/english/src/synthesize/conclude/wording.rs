//! Counts and spans of time in words.

use crate::{lexicon::number_word, synthesize::phrase::upper_first};

/// Number of days up to which a span is counted in days.
const MAX_DAYS: usize = 13;
/// Number of days up to which a span is counted in weeks.
const MAX_DAYS_IN_WEEKS: usize = 60;

/// Returns "once", "twice", "three times".
pub(super) fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{} times", number_word(count)),
    }
}

/// Returns the length of a span of days: "one day", "three days", "about five weeks".
pub(super) fn span(days: usize) -> String {
    match days {
        0 | 1 => "one day".to_owned(),
        2..=MAX_DAYS => format!("{} days", number_word(days)),
        _ if days <= MAX_DAYS_IN_WEEKS => format!("about {} weeks", number_word((days + 3) / 7)),
        _ => format!("about {} months", number_word((days + 15) / 30)),
    }
}

/// Returns when something was, a number of days before today: "Yesterday", "Three days ago", "About five weeks ago".
pub(super) fn ago(days: usize) -> String {
    match days {
        0 => "Earlier today".to_owned(),
        1 => "Yesterday".to_owned(),
        _ => format!("{} ago", upper_first(&span(days))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_words() {
        assert_eq!([times(1), times(2), times(3)], ["once", "twice", "three times"]);
        assert_eq!([span(1), span(3), span(21)], ["one day", "three days", "about three weeks"]);
        assert_eq!(span(154), "about five months");
        assert_eq!(
            [ago(0), ago(1), ago(2), ago(35)],
            ["Earlier today", "Yesterday", "Two days ago", "About five weeks ago"]
        );
    }
}
