//! Sleep of an NPC.

use serde::{Deserialize, Serialize};

/// Quality and length of an NPC's sleep: after poor sleep a night keeps less, spends less and reflects less.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Unchecked")]
pub struct SleepBudget {
    quality: f64,
    hours: f64,
}

/// Error for a quality or length of sleep out of range.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("sleep {field} is {given}; it must lie between 0 and {most}")]
pub struct SleepError {
    /// Field: `quality` or `hours`.
    pub field: &'static str,
    /// Value that was given.
    pub given: f64,
    /// Greatest value that is allowed.
    pub most: f64,
}

/// [`SleepBudget`] before its values are checked.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Unchecked {
    /// Quality, from 0 (awake all night) to 1 (sound).
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    quality: f64,
    /// Length in game hours, 0 to 24.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 24.0)))]
    hours: f64,
}

impl TryFrom<Unchecked> for SleepBudget {
    type Error = SleepError;

    fn try_from(read: Unchecked) -> Result<Self, SleepError> {
        Self::new(read.quality, read.hours)
    }
}

impl SleepBudget {
    /// Returns a sleep of `quality` from 0 (awake all night) to 1 (sound) and `hours` of game time from 0 to
    /// 24.
    ///
    /// # Errors
    /// [`SleepError`] outside these ranges.
    pub fn new(quality: f64, hours: f64) -> Result<Self, SleepError> {
        for (field, given, most) in [("quality", quality, 1.0), ("hours", hours, 24.0)] {
            // NaN lies in no range.
            if !(0.0..=most).contains(&given) {
                return Err(SleepError { field, given, most });
            }
        }
        Ok(Self { quality, hours })
    }

    /// Returns the quality, from 0 (awake all night) to 1 (sound).
    pub fn quality(self) -> f64 {
        self.quality
    }

    /// Returns the length in game hours, 0 to 24.
    pub fn hours(self) -> f64 {
        self.hours
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_range_sleep_is_refused_by_field_name() {
        let read = |json: &str| serde_json::from_str::<SleepBudget>(json);
        assert_eq!(read(r#"{"quality":0.5,"hours":6}"#).unwrap(), SleepBudget::new(0.5, 6.0).unwrap());
        let error = read(r#"{"quality":80,"hours":6}"#).unwrap_err();
        assert!(error.to_string().contains("sleep quality is 80; it must lie between 0 and 1"), "{error}");
        assert!(SleepBudget::new(f64::NAN, 8.0).is_err());
        assert_eq!(SleepBudget::new(1.0, -1.0).unwrap_err().field, "hours");
    }
}
