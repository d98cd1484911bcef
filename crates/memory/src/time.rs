//! Game time: a calendar instant or a count of seconds.

use std::{fmt, str::FromStr};

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::id::NightLabel;

/// Time in the game, to the second.
///
/// It is read from an RFC 3339 text (`"1204-05-03T06:10:00Z"`; UTC if it has no offset) or from a whole
/// number of seconds since the game began. A date is written as a date, in UTC, and seconds as seconds. Days
/// also begin at midnight UTC; `day.turns_at` shifts that for a game with another clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameTime {
    seconds: i64,
    calendar: bool,
}

/// Error for a text that is not a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{given:?} is not a time; write RFC 3339 such as \"1204-05-03T06:10:00Z\", or whole seconds such as 22200"
)]
pub struct TimeError {
    /// Text that was given.
    pub given: String,
}

const DAY: i64 = 86_400;
/// Greatest time in plain seconds: the end of the calendar's range, so that sums with calendar times cannot
/// overflow.
const MAX_SECONDS: i64 = 253_402_207_200;

impl GameTime {
    /// Moment at which the game began.
    pub const ZERO: Self = Self { seconds: 0, calendar: false };

    /// Returns the time a number of seconds after the game began; `None` beyond ± 8,000 years.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        (-MAX_SECONDS..=MAX_SECONDS).contains(&seconds).then_some(Self { seconds, calendar: false })
    }

    /// Returns the seconds since 1970-01-01T00:00:00Z, or since the game began.
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    /// Returns the time as one number, from which [`GameTime::from_number`] makes it again: twice the seconds, and one more
    /// for a date.
    pub fn to_number(self) -> i64 {
        self.seconds * 2 + i64::from(self.calendar)
    }

    /// Returns the time that [`GameTime::to_number`] made this number of; `None` beyond the years that a time may have.
    pub fn from_number(number: i64) -> Option<Self> {
        let (seconds, calendar) = (number.div_euclid(2), number.rem_euclid(2) == 1);
        if calendar {
            Timestamp::from_second(seconds).is_ok().then_some(Self { seconds, calendar })
        } else {
            Self::from_seconds(seconds)
        }
    }

    /// True for a date, false for plain seconds since the game began. The two are of different clocks: their difference
    /// says nothing.
    pub fn is_date(self) -> bool {
        self.calendar
    }

    /// Returns the second of the day, 0 to 86,399.
    pub fn second_of_day(self) -> i64 {
        self.seconds.rem_euclid(DAY)
    }

    /// Returns the night that closes the day of this time, if days begin `turns_at` seconds after midnight: a
    /// date for calendar times, `day-N` (from 0) for plain seconds.
    pub fn night(self, turns_at: i64) -> NightLabel {
        let day = (self.seconds - turns_at).div_euclid(DAY);
        let label = if self.calendar {
            Timestamp::from_second(day * DAY)
                .map_or_else(|_| format!("day-{day}"), |t| t.to_zoned(TimeZone::UTC).date().to_string())
        } else {
            format!("day-{day}")
        };
        NightLabel::new(label).unwrap_or_else(|_| unreachable!("a date is a printable, short name"))
    }
}

impl FromStr for GameTime {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        if let Ok(seconds) = text.parse::<i64>() {
            return Self::from_seconds(seconds).ok_or_else(|| TimeError { given: text.to_owned() });
        }
        let timestamp = text
            .parse::<Timestamp>()
            .or_else(|_| {
                text.parse::<DateTime>().and_then(|d| d.to_zoned(TimeZone::UTC)).map(|z| z.timestamp())
            })
            .map_err(|_| TimeError { given: text.chars().take(64).collect() })?;
        Ok(Self { seconds: timestamp.as_second(), calendar: true })
    }
}

impl fmt::Display for GameTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_second(self.seconds) {
            Ok(t) if self.calendar => f.pad(&t.to_string()),
            _ => f.pad(&self.seconds.to_string()),
        }
    }
}

impl Serialize for GameTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.calendar { serializer.collect_str(self) } else { serializer.serialize_i64(self.seconds) }
    }
}

impl<'de> Deserialize<'de> for GameTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct GameTimeVisitor;
        impl de::Visitor<'_> for GameTimeVisitor {
            type Value = GameTime;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a time: RFC 3339 such as \"1204-05-03T06:10:00Z\", or whole seconds such as 22200",
                )
            }

            fn visit_i64<E: de::Error>(self, v: i64) -> Result<GameTime, E> {
                GameTime::from_seconds(v).ok_or_else(|| E::custom(TimeError { given: v.to_string() }))
            }

            fn visit_u64<E: de::Error>(self, v: u64) -> Result<GameTime, E> {
                i64::try_from(v)
                    .ok()
                    .and_then(GameTime::from_seconds)
                    .ok_or_else(|| E::custom(TimeError { given: v.to_string() }))
            }

            fn visit_str<E: de::Error>(self, v: &str) -> Result<GameTime, E> {
                v.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(GameTimeVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for GameTime {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "GameTime".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A moment of the game: RFC 3339, or whole seconds since it began.",
            "anyOf": [{ "type": "string", "examples": ["1204-05-03T06:10:00Z"] }, { "type": "integer" }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_stands_for_one_time() {
        for text in
            ["1204-05-03T06:10:00Z", "-8000-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "22200", "-1", "0"]
        {
            if let Ok(time) = text.parse::<GameTime>() {
                assert_eq!(GameTime::from_number(time.to_number()), Some(time));
            }
        }
        let date: GameTime = "1970-01-01T00:00:01Z".parse().unwrap();
        assert_ne!(date.to_number(), GameTime::from_seconds(1).unwrap().to_number());
        for number in [i64::MAX, i64::MIN, MAX_SECONDS * 2 + 3, -MAX_SECONDS * 2 - 2] {
            assert_eq!(GameTime::from_number(number), None, "{number}");
        }
    }

    #[test]
    fn dates_and_seconds_roundtrip() {
        for json in [r#""1204-05-03T06:10:00Z""#, "22200", "-5"] {
            let time: GameTime = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&time).unwrap(), json);
        }
        let local: GameTime = "2023-02-13T00:00:00".parse().unwrap();
        assert_eq!(local.to_string(), "2023-02-13T00:00:00Z");
        let offset: GameTime = "2023-02-13T01:30:00+02:00".parse().unwrap();
        assert_eq!(offset.to_string(), "2023-02-12T23:30:00Z");
    }

    #[test]
    fn day_begins_at_the_configured_time() {
        let late: GameTime = "2023-02-14T03:59:59".parse().unwrap();
        assert_eq!(late.night(0).as_str(), "2023-02-14");
        assert_eq!(late.night(4 * 3600).as_str(), "2023-02-13");
        assert_eq!(GameTime::from_seconds(90_000).unwrap().night(0).as_str(), "day-1");
    }

    #[test]
    fn invalid_times_are_refused_with_the_valid_forms() {
        for json in [r#""yesterday""#, "1.5", "null", r#""NaN""#, "9223372036854775807"] {
            assert!(serde_json::from_str::<GameTime>(json).is_err(), "{json}");
        }
        let message = serde_json::from_str::<GameTime>(r#""soon""#).unwrap_err().to_string();
        assert!(message.contains("\"soon\" is not a time") && message.contains("RFC 3339"), "{message}");
    }
}
