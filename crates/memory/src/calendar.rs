//! Days, weeks and months of game time.

use crate::{record::MemoryRecord, time::GameTime};

/// Stretch of time that a summary covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SummaryPeriod {
    /// A week, Monday to Sunday.
    Week,
    /// A month, whose weeks are summarised.
    Month,
}

impl SummaryPeriod {
    /// Prefix of the ids of its summaries. No other id that Nightfold makes contains a colon.
    pub fn id_prefix(self) -> &'static str {
        match self {
            Self::Week => "week:",
            Self::Month => "month:",
        }
    }
}

/// Calendar that divides game time into days, weeks and months.
#[derive(Debug, Clone, Copy)]
pub struct Calendar {
    /// Seconds after midnight at which a day begins.
    turns_at: i64,
    /// True if days have dates; days without dates are only counted and make months of thirty.
    pub dated: bool,
}

impl Calendar {
    /// Returns the calendar of a record: dated if the record's time is a date.
    pub fn of(memory: &MemoryRecord, turns_at: i64) -> Self {
        let dated = !memory.entry.last_at.night(turns_at).as_str().starts_with("day-");
        Self { turns_at, dated }
    }

    /// Returns the number of the day of a moment, counted from 1 January 1970.
    pub fn day(self, at: GameTime) -> i64 {
        (at.seconds() - self.turns_at).div_euclid(86_400)
    }

    /// Returns the number of the week or month that contains a day, counted without gaps.
    pub fn period(self, level: SummaryPeriod, day: i64) -> i64 {
        match level {
            // 1 January 1970 was a Thursday.
            SummaryPeriod::Week if self.dated => (day + 3).div_euclid(7),
            SummaryPeriod::Week => day.div_euclid(7),
            SummaryPeriod::Month if self.dated => {
                let (year, month, _) = civil(day);
                year * 12 + month
            }
            SummaryPeriod::Month => day.div_euclid(30),
        }
    }
}

/// Returns year, month and day of a day counted from 1 January 1970 (Howard Hinnant, "chrono-Compatible
/// Low-Level Date Algorithms"). Years begin in March there, so that a leap day is the last day of its year.
pub fn civil(day: i64) -> (i64, i64, i64) {
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
    fn civil_dates_follow_the_gregorian_calendar() {
        for date in ["1204-02-29", "1204-03-01", "1900-02-28", "1969-12-31", "2000-02-29", "2026-11-22"] {
            let (y, m, d) = civil(day(date));
            assert_eq!(format!("{y:04}-{m:02}-{d:02}"), date);
        }
    }

    #[test]
    fn weeks_begin_on_monday_and_months_on_the_first() {
        let of = |level, date| calendar(true).period(level, day(date));
        // 16 November 2026 was a Monday.
        assert_eq!(of(SummaryPeriod::Week, "2026-11-16"), of(SummaryPeriod::Week, "2026-11-22"));
        assert_eq!(of(SummaryPeriod::Week, "2026-11-22") + 1, of(SummaryPeriod::Week, "2026-11-23"));
        assert_eq!(of(SummaryPeriod::Month, "2026-12-31") + 1, of(SummaryPeriod::Month, "2027-01-01"));
        let counted = calendar(false);
        assert_eq!(
            (counted.period(SummaryPeriod::Week, -1), counted.period(SummaryPeriod::Week, 6)),
            (-1, 0)
        );
        assert_eq!(
            (counted.period(SummaryPeriod::Month, 29), counted.period(SummaryPeriod::Month, 30)),
            (0, 1)
        );
    }
}
