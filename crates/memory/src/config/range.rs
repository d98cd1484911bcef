//! Ranges of settings. Each stands beside its setting; what is checked, documented and shown is drawn from it.

use std::{collections::BTreeMap, fmt::Display, ops::RangeInclusive};

use super::ConfigError;

/// Range of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingRange {
    /// Key with its section: `budget.storage`.
    pub key: &'static str,
    /// Least value, as a configuration states it; of a text the least number of bytes, of a list of entries.
    pub low: String,
    /// Greatest value.
    pub high: String,
}

/// Section of a configuration.
pub(crate) trait Section {
    /// Checks every setting against its range.
    fn check_ranges(&self) -> Result<(), ConfigError>;

    /// Returns the range of every setting that has one.
    fn ranges(&self) -> Vec<SettingRange>;
}

/// Value with a measure that lies in a range.
pub(crate) trait Measured {
    type Measure: PartialOrd + Display;
    /// Words that follow the key if it is not the value itself that is measured.
    const UNIT: &'static str;
    fn measure(&self) -> Self::Measure;
}

macro_rules! measured {
    ($($number:ty)*) => { $(
        impl Measured for $number {
            type Measure = Self;
            const UNIT: &'static str = "";

            fn measure(&self) -> Self {
                *self
            }
        }
    )* };
}

measured!(f64 u8 u16 u32 u64 usize i64);

impl Measured for String {
    type Measure = usize;
    const UNIT: &'static str = " (bytes)";

    fn measure(&self) -> usize {
        self.len()
    }
}

impl<T> Measured for Vec<T> {
    type Measure = usize;
    const UNIT: &'static str = " (their number)";

    fn measure(&self) -> usize {
        self.len()
    }
}

impl<K, V> Measured for BTreeMap<K, V> {
    type Measure = usize;
    const UNIT: &'static str = " (their number)";

    fn measure(&self) -> usize {
        self.len()
    }
}

/// Checks a value against its range. NaN lies in none.
pub(crate) fn within<T: Measured>(
    key: &str,
    value: &T,
    range: RangeInclusive<T::Measure>,
) -> Result<(), ConfigError> {
    let given = value.measure();
    if range.contains(&given) {
        return Ok(());
    }
    let (low, high) = (range.start().to_string(), range.end().to_string());
    Err(ConfigError::Range { key: format!("{key}{}", T::UNIT), given: given.to_string(), low, high })
}

/// Returns the range of a setting like `value`.
pub(crate) fn range_of<T: Measured>(
    key: &'static str,
    _: &T,
    range: RangeInclusive<T::Measure>,
) -> SettingRange {
    SettingRange { key, low: range.start().to_string(), high: range.end().to_string() }
}
