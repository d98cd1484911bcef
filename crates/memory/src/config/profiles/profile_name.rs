//! Names of profiles.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::{MAX_PROFILE_NAME_BYTES, ProfileError};

/// Name of a profile: 1 to 64 letters from a to z, in either case, digits, `-` and `_`. It is a bare key of
/// TOML, and harmless wherever it is shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ProfileName(String);

impl ProfileName {
    /// Returns the name.
    ///
    /// # Errors
    /// [`ProfileError::Name`] if it has other characters, or too many.
    pub fn new(name: &str) -> Result<Self, ProfileError> {
        let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if (1..=MAX_PROFILE_NAME_BYTES).contains(&name.len()) && name.chars().all(bare) {
            return Ok(Self(name.to_owned()));
        }
        Err(ProfileError::Name { name: name.to_owned() })
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl<'de> Deserialize<'de> for ProfileName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
