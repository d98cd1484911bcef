//! Days, weeks and months of game time, and how they are spoken of.

use nightfold_memory::{GameTime, LongTermMemory};

/// What a summary tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// What happened in a week, Monday to Sunday.
    Week,
    /// The weeks of a month.
    Month,
}

impl Level {
    /// What the ids of its summaries begin with. No other id of ours has a colon.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Self::Week => "week:",
            Self::Month => "month:",
        }
    }
}

/// A calendar: how game time is cut into days, weeks and months.
#[derive(Debug, Clone, Copy)]
pub(super) struct Calendar {
    /// Seconds after midnight at which a day begins.
    turns_at: i64,
    /// Whether days have dates. Days that are only counted make months of thirty.
    dated: bool,
}

impl Calendar {
    /// The one that an entry's time is of.
    pub(super) fn of(memory: &LongTermMemory, turns_at: i64) -> Self {
        let dated = !memory.entry.last_at.night(turns_at).as_str().starts_with("day-");
        Self { turns_at, dated }
    }

    /// The day of a moment, counted from that of 1970.
    pub(super) fn day(self, at: GameTime) -> i64 {
        (at.seconds() - self.turns_at).div_euclid(86_400)
    }

    /// The week or month of a day, counted without gaps.
    pub(super) fn period(self, level: Level, day: i64) -> i64 {
        match level {
            // 1 January 1970 was a Thursday.
            Level::Week if self.dated => (day + 3).div_euclid(7),
            Level::Week => day.div_euclid(7),
            Level::Month if self.dated => {
                let (year, month, _) = civil(day);
                year * 12 + month
            }
            Level::Month => day.div_euclid(30),
        }
    }

    /// `On 3 May 1204`, `From 3 to 9 May 1204`, `From day 3 to day 9`.
    pub(super) fn span(self, first: i64, last: i64) -> String {
        if !self.dated {
            return if first == last {
                format!("On day {first}")
            } else {
                format!("From day {first} to day {last}")
            };
        }
        let ((y, m, d), (year, month, day)) = (civil(first), civil(last));
        let until = format!("{day} {} {year}", name(month));
        if first == last {
            format!("On {until}")
        } else if (y, m) == (year, month) {
            format!("From {d} to {until}")
        } else if y == year {
            format!("From {d} {} to {until}", name(m))
        } else {
            format!("From {d} {} {y} to {until}", name(m))
        }
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn name(month: i64) -> &'static str {
    MONTHS[(month - 1).rem_euclid(12) as usize]
}

/// Year, month and day of a day counted from 1 January 1970 (Howard Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms"): years begin in March, so that leap days end them.
fn civil(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let era = day.div_euclid(146_097);
    let of_era = day.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calendar(dated: bool) -> Calendar {
        Calendar { turns_at: 0, dated }
    }

    fn day(date: &str) -> i64 {
        calendar(true).day(format!("{date}T12:00:00Z").parse().unwrap())
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        for date in ["1204-02-29", "1204-03-01", "1900-02-28", "1969-12-31", "2000-02-29", "2026-11-22"] {
            let (y, m, d) = civil(day(date));
            assert_eq!(format!("{y:04}-{m:02}-{d:02}"), date);
        }
    }

    #[test]
    fn weeks_begin_on_monday_and_months_on_the_first() {
        let of = |level, date| calendar(true).period(level, day(date));
        // 16 November 2026 was a Monday.
        assert_eq!(of(Level::Week, "2026-11-16"), of(Level::Week, "2026-11-22"));
        assert_eq!(of(Level::Week, "2026-11-22") + 1, of(Level::Week, "2026-11-23"));
        assert_eq!(of(Level::Month, "2026-12-31") + 1, of(Level::Month, "2027-01-01"));
        let counted = calendar(false);
        assert_eq!((counted.period(Level::Week, -1), counted.period(Level::Week, 6)), (-1, 0));
        assert_eq!((counted.period(Level::Month, 29), counted.period(Level::Month, 30)), (0, 1));
    }

    #[test]
    fn a_stretch_of_days_is_spoken_of_as_people_do() {
        let span = |a, b| calendar(true).span(day(a), day(b));
        assert_eq!(span("1204-05-03", "1204-05-03"), "On 3 May 1204");
        assert_eq!(span("1204-05-03", "1204-05-09"), "From 3 to 9 May 1204");
        assert_eq!(span("1204-04-28", "1204-05-03"), "From 28 April to 3 May 1204");
        assert_eq!(span("1203-12-29", "1204-01-03"), "From 29 December 1203 to 3 January 1204");
        assert_eq!(calendar(false).span(3, 9), "From day 3 to day 9");
        assert_eq!(calendar(false).span(3, 3), "On day 3");
    }
}
