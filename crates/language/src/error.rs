//! Error of a setting.

use std::{fmt, ops::RangeInclusive};

/// Invalid setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value:?}; allowed: {allowed}")]
pub struct SettingError {
    /// Name of the setting.
    pub field: &'static str,
    /// Value of the setting, without any secret.
    pub value: String,
    /// The allowed values.
    pub allowed: String,
}

impl SettingError {
    /// Checks that a value lies in its range.
    pub(crate) fn unless_within<T: PartialOrd + fmt::Debug>(
        field: &'static str,
        value: &T,
        allowed: RangeInclusive<T>,
    ) -> Result<(), Self> {
        if allowed.contains(value) {
            return Ok(());
        }
        let allowed = format!("{:?} to {:?}", allowed.start(), allowed.end());
        Err(Self { field, value: format!("{value:?}"), allowed })
    }
}
