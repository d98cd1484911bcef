//! A configuration that was checked.

use std::{ops::Deref, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Config, ProfileMatch, ProfileName, profiles::ResolvedProfiles};
use crate::id::NpcId;

/// Configuration in which every value lies in its range, in its profiles too. Only [`Config::check`] makes one;
/// clones share the data.
///
/// It is written and read as a [`Config`]. The name of the profile that [`ValidConfig::for_npc`] chose is not
/// part of that.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidConfig(Arc<Checked>);

#[derive(Debug, Default, PartialEq)]
struct Checked {
    config: Config,
    profiles: ResolvedProfiles,
    /// Profile that this is the configuration of.
    profile: Option<ProfileName>,
}

impl ValidConfig {
    /// Returns a configuration whose values and profiles were checked.
    pub(super) fn of_checked(config: Config, profiles: ResolvedProfiles) -> Self {
        Self(Arc::new(Checked { config, profiles, profile: None }))
    }

    /// Returns the configuration of a profile, whose values were checked.
    pub(super) fn of_profile(config: Config, profile: ProfileName) -> Self {
        let profiles = ResolvedProfiles::default();
        Self(Arc::new(Checked { config, profiles, profile: Some(profile) }))
    }

    /// Returns the configuration of one NPC, without any profiles in it: that of the profile that
    /// [applies](ValidConfig::profile_for) to it, or that of NPCs without a profile. `tags` are those of the NPC
    /// itself, such as its role or faction. Cheap: the configuration of every profile is computed by
    /// [`Config::check`].
    #[must_use]
    pub fn for_npc(&self, npc: &NpcId, tags: &[String]) -> Self {
        let profiles = &self.0.profiles;
        let own = profiles.find(npc, tags).map(|(_, config)| config);
        own.or(profiles.others.as_ref()).unwrap_or(self).clone()
    }

    /// Returns the profile that applies to an NPC; at most one does. A profile with the NPC's whole name goes
    /// before one with a pattern, a longer pattern before a shorter one, and any name before a tag; among
    /// several, the first in the order of the profiles' names applies.
    pub fn profile_for<'a>(&'a self, npc: &NpcId, tags: &'a [String]) -> Option<ProfileMatch<'a>> {
        self.0.profiles.find(npc, tags).map(|(found, _)| found)
    }

    /// Returns the name of the profile that this is the configuration of; `None` for the configuration of NPCs
    /// without a profile.
    pub fn profile(&self) -> Option<&ProfileName> {
        self.0.profile.as_ref()
    }
}

/// The defaults, which are valid.
impl Default for ValidConfig {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl Deref for ValidConfig {
    type Target = Config;

    fn deref(&self) -> &Config {
        &self.0.config
    }
}

impl Serialize for ValidConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.config.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ValidConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Config::deserialize(deserializer)?.check().map_err(serde::de::Error::custom)
    }
}
