//! Errors of profiles.

use super::{MAX_MATCHES, MAX_PROFILE_NAME_BYTES, MAX_PROFILES};

/// Error in `[profiles]`, other than a value outside its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// There are too many profiles.
    #[error("profiles has {given} profiles; at most {MAX_PROFILES} are allowed")]
    TooMany {
        /// Number of profiles.
        given: usize,
    },
    /// The name of a profile is not a bare key.
    #[error(
        "profiles has a profile named {name:?}; a name is 1 to {MAX_PROFILE_NAME_BYTES} letters from a to z, digits, `-` and `_`"
    )]
    Name {
        /// Name that was given.
        name: String,
    },
    /// A profile inherits from one that does not exist.
    #[error("profiles.{profile}.inherits is {parent:?}, and there is no such profile; there are {}", known.join(", "))]
    UnknownParent {
        /// Profile that inherits.
        profile: String,
        /// Name of the missing profile.
        parent: String,
        /// Names of all profiles, in order.
        known: Vec<String>,
    },
    /// Profiles inherit from each other in a circle.
    #[error("profiles.{}.inherits leads back to itself: {}", circle.first().map_or("", String::as_str), circle.join(" → "))]
    Cycle {
        /// Profiles of the circle, each followed by the one that it inherits from; the first one is also the last.
        circle: Vec<String>,
    },
    /// A profile sets a key that all NPCs of a run share.
    #[error("profiles.{profile}.{key} cannot differ from NPC to NPC: {why}")]
    WholeRun {
        /// Profile that sets it.
        profile: String,
        /// Section, or key with its section.
        key: String,
        /// Reason that all NPCs share it.
        why: &'static str,
    },
    /// A profile has too many names or tags.
    #[error("profiles.{profile}.{list} has {given} items; at most {MAX_MATCHES} are allowed")]
    TooManyMatches {
        /// Profile with the list.
        profile: String,
        /// `npcs` or `tags`.
        list: &'static str,
        /// Number of items.
        given: usize,
    },
    /// A name or tag of a profile cannot match any NPC.
    #[error("profiles.{profile}.{list} has {given:?}, which {problem}")]
    Match {
        /// Profile with the list.
        profile: String,
        /// `npcs` or `tags`.
        list: &'static str,
        /// Item that was given.
        given: String,
        /// Description of the problem.
        problem: String,
    },
}

impl ProfileError {
    /// Returns the key that the error is about, with its section.
    pub fn key(&self) -> String {
        match self {
            Self::TooMany { .. } => "profiles".to_owned(),
            Self::Name { name } => format!("profiles.{name}"),
            Self::UnknownParent { profile, .. } => format!("profiles.{profile}.inherits"),
            Self::Cycle { circle } => {
                format!("profiles.{}.inherits", circle.first().map_or("", String::as_str))
            }
            Self::WholeRun { profile, key, .. } => format!("profiles.{profile}.{key}"),
            Self::TooManyMatches { profile, list, .. } | Self::Match { profile, list, .. } => {
                format!("profiles.{profile}.{list}")
            }
        }
    }
}
