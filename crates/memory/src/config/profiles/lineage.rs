//! Inheritance among profiles.

use std::collections::BTreeMap;

use super::{Profile, ProfileError};
use crate::config::Config;

impl Config {
    /// Returns a profile and all that it inherits from: itself first, the furthest ancestor last.
    ///
    /// # Errors
    /// [`ProfileError::UnknownParent`] if there is no such profile, or it inherits from none that exists;
    /// [`ProfileError::Cycle`].
    pub fn lineage<'a>(&'a self, profile: &'a str) -> Result<Vec<(&'a str, &'a Profile)>, ProfileError> {
        lineage(&self.profiles, profile)
    }
}

/// Returns a profile and all that it inherits from: itself first, the furthest ancestor last.
///
/// # Errors
/// [`ProfileError::UnknownParent`] and [`ProfileError::Cycle`].
pub(super) fn lineage<'a>(
    profiles: &'a BTreeMap<String, Profile>,
    name: &'a str,
) -> Result<Vec<(&'a str, &'a Profile)>, ProfileError> {
    let mut line: Vec<(&str, &Profile)> = Vec::new();
    let mut next = Some(name);
    while let Some(name) = next {
        if let Some(from) = line.iter().position(|(known, _)| *known == name) {
            let circle = line[from..].iter().map(|(name, _)| *name).chain([name]);
            return Err(ProfileError::Cycle { circle: circle.map(str::to_owned).collect() });
        }
        let Some((name, profile)) = profiles.get_key_value(name) else {
            return Err(ProfileError::UnknownParent {
                profile: line.last().map_or_else(String::new, |(child, _)| (*child).to_owned()),
                parent: name.to_owned(),
                known: profiles.keys().cloned().collect(),
            });
        };
        line.push((name, profile));
        next = profile.inherits.as_deref();
    }
    Ok(line)
}
