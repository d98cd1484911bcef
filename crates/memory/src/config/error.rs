//! Errors of a configuration.

use super::ProfileError;

/// Error in a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A value is outside its range.
    #[error("{key} is {given}; it must lie between {low} and {high}")]
    Range {
        /// Key, with its section, and in a profile with the profile.
        key: String,
        /// Value that was given.
        given: String,
        /// Least value that is allowed.
        low: String,
        /// Greatest value that is allowed.
        high: String,
    },
    /// The profiles are not whole.
    #[error(transparent)]
    Profile(#[from] ProfileError),
}

impl ConfigError {
    /// Returns the key that the error is about, with its section: `budget.storage`, `profiles.guard.inherits`.
    pub fn key(&self) -> String {
        match self {
            Self::Range { key, .. } => key.clone(),
            Self::Profile(error) => error.key(),
        }
    }

    /// Returns the error as one of a profile.
    pub(super) fn in_profile(self, profile: &str) -> Self {
        match self {
            Self::Range { key, given, low, high } => {
                Self::Range { key: format!("profiles.{profile}.{key}"), given, low, high }
            }
            other @ Self::Profile(_) => other,
        }
    }
}
