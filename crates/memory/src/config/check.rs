//! Checks of the configuration: every value against its range.

use super::{
    CohesionConfig, Config, ProfileError, SettingRange, ValidConfig,
    profiles::ResolvedProfiles,
    range::{Section, within},
};

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
        Ok(ValidConfig::of_checked(self, profiles))
    }

    /// Returns the range of every setting that has one.
    pub fn ranges() -> Vec<SettingRange> {
        Self::default().sections().iter().flat_map(|section| section.ranges()).collect()
    }

    fn sections(&self) -> [&dyn Section; 21] {
        // Named one by one, so that a new section cannot be left out.
        let Self {
            seed: _,
            input,
            day,
            embed,
            collapse,
            cluster,
            cohesion,
            themes,
            budget,
            sleep,
            salience,
            triage,
            synthesis,
            language,
            reconcile,
            judge,
            cap,
            maintain,
            run,
            recall,
            http,
            review,
            profiles: _,
        } = self;
        [
            input, day, embed, collapse, cluster, cohesion, themes, budget, sleep, salience, triage,
            synthesis, language, reconcile, judge, cap, maintain, run, recall, http, review,
        ]
    }

    /// Checks every value outside of the profiles against its range.
    pub(super) fn check_values(&self) -> Result<(), ConfigError> {
        self.sections().into_iter().try_for_each(Section::check_ranges)?;
        let (low, high) = (self.cluster.k_min, self.cluster.k_max);
        if low > high {
            return Err(ConfigError::Range {
                key: "cluster.k_min".to_owned(),
                given: low.to_string(),
                low: 2.to_string(),
                high: format!("cluster.k_max, which is {high}"),
            });
        }
        self.cohesion.check_sum()?;
        for keyword in &self.collapse.keywords {
            within("collapse.keywords (one of them)", keyword, 1..=64)?;
        }
        let salience = &self.salience;
        let actors = salience.actors.iter().map(|(name, points)| (format!("actors.{name:?}"), points));
        let kinds = salience.kinds.iter().map(|(kind, points)| (format!("kinds.{}", kind.as_str()), points));
        let tags = salience.tags.iter().map(|(tag, points)| (format!("tags.{tag:?}"), points));
        for (name, points) in actors.chain(kinds).chain(tags) {
            within(&format!("salience.{name}"), points, -9.0..=9.0)?;
        }
        Ok(())
    }
}

impl CohesionConfig {
    /// Refuses weights that are all 0.
    fn check_sum(&self) -> Result<(), ConfigError> {
        if self.named().iter().any(|(_, weight)| *weight > 0.0) {
            return Ok(());
        }
        Err(ConfigError::Range {
            key: "cohesion.cosine".to_owned(),
            given: "0, as is every other weight of [cohesion]".to_owned(),
            low: 0.001.to_string(),
            high: 100.to_string(),
        })
    }
}
