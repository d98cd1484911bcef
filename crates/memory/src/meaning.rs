//! Matters that people remember.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Matter of a text that people remember whatever else it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Meaning {
    /// Somebody is bound by a word given.
    Commitment,
    /// Something is owed or lent.
    Debt,
    /// Something is given for good.
    Gift,
    /// Somebody is hurt, robbed or betrayed, or dies.
    Harm,
    /// Something is hidden from others.
    Secret,
    /// Somebody announces harm.
    Threat,
}

impl Meaning {
    /// Returns the name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Commitment => "commitment",
            Self::Debt => "debt",
            Self::Gift => "gift",
            Self::Harm => "harm",
            Self::Secret => "secret",
            Self::Threat => "threat",
        }
    }
}

impl fmt::Display for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
