//! A configuration that was checked.

use std::{ops::Deref, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Config, ConfigError, ProfileMatch, ProfileName, profiles::ResolvedProfiles};
use crate::id::NpcId;

/// Configuration in which every value lies in its range, in its profiles too. Only [`Config::check`] makes one;
/// clones share the data. The default is that of the default file.
///
/// It is written and read as a [`Config`]. The name of the profile that [`ValidConfig::for_npc`] chose is not
/// part of that.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ValidConfig {
    config: Arc<Config>,
    profiles: Arc<ResolvedProfiles>,
    /// Profile that this is the configuration of.
    profile: Option<ProfileName>,
}

impl Config {
    /// Checks every value against its range, in every profile too, and computes the configuration of each
    /// profile.
    ///
    /// # Errors
    /// [`ConfigError`] names the first key that is out of range, its value and the allowed range, or what is
    /// wrong with a profile.
    pub fn check(self) -> Result<ValidConfig, ConfigError> {
        self.check_values()?;
        let profiles = ResolvedProfiles::of(&self)?;
        Ok(ValidConfig { config: self.into(), profiles: profiles.into(), profile: None })
    }
}

impl ValidConfig {
    /// Returns the configuration of one NPC, without any profiles in it: that of the profile that
    /// [applies](ValidConfig::profile_for) to it, or that of NPCs without a profile. `tags` are those of the NPC
    /// itself, such as its role or faction. Cheap: the configuration of every profile is computed by
    /// [`Config::check`].
    #[must_use]
    pub fn for_npc(&self, npc: &NpcId, tags: &[String]) -> Self {
        let of = |config: &Arc<Config>, profile| {
            let (config, profiles) = (Arc::clone(config), Arc::default());
            Self { config, profiles, profile }
        };
        match (self.profiles.find(npc, tags), &self.profiles.others) {
            (Some((found, config)), _) => of(config, Some(found.name.clone())),
            (None, Some(others)) => of(others, None),
            (None, None) => self.clone(),
        }
    }

    /// Returns the profile that applies to an NPC; at most one does. A profile with the NPC's whole name goes
    /// before one with a pattern, a longer pattern before a shorter one, and any name before a tag; among
    /// several, the first in the order of the profiles' names applies.
    pub fn profile_for<'a>(&'a self, npc: &NpcId, tags: &'a [String]) -> Option<ProfileMatch<'a>> {
        self.profiles.find(npc, tags).map(|(found, _)| found)
    }

    /// Returns the name of the profile that this is the configuration of; `None` for the configuration of NPCs
    /// without a profile.
    pub fn profile(&self) -> Option<&ProfileName> {
        self.profile.as_ref()
    }
}

impl Deref for ValidConfig {
    type Target = Config;

    fn deref(&self) -> &Config {
        &self.config
    }
}

impl Serialize for ValidConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.config.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ValidConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Config::deserialize(deserializer)?.check().map_err(serde::de::Error::custom)
    }
}
