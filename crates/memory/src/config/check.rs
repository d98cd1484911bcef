//! Checks of values against their ranges.

use super::{
    CohesionConfig, Config, ConfigError, SettingRange,
    range::{Section, within},
};

impl Config {
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
