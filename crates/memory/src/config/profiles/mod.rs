//! Profiles: settings of single NPCs, or of NPCs of one kind.
//!
//! `[profiles.NAME]` changes settings for the NPCs that it names, by name or by tag. Exactly one profile applies
//! to an NPC: [`Config::check`](super::Config::check) computes the configuration of each, and
//! [`ValidConfig::for_npc`](super::ValidConfig::for_npc) chooses among them.

mod error;
mod lineage;
mod name_pattern;
mod profile;
mod profile_name;
mod resolved;

pub(super) use self::resolved::ResolvedProfiles;
pub use self::{
    error::ProfileError,
    profile::Profile,
    profile_name::ProfileName,
    resolved::{MatchedBy, ProfileMatch},
};

/// Maximum number of profiles of a configuration.
pub const MAX_PROFILES: usize = 256;

/// Maximum number of names or tags of one profile.
pub const MAX_MATCHES: usize = 4096;

/// Longest name of a profile, in bytes.
pub const MAX_PROFILE_NAME_BYTES: usize = 64;

#[cfg(test)]
mod tests;
