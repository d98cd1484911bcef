//! Checks of the configuration: every value against its range.

use std::fmt::Display;

use super::{
    BudgetConfig, ClusterConfig, CohesionConfig, Config, HttpConfig, InputConfig, JudgeConfig,
    LanguageConfig, MaintainConfig, McpConfig, ProfileError, SalienceConfig, ThemesConfig, TriageConfig,
    ValidConfig, profiles::ResolvedProfiles,
};
use crate::record::MemorySnapshot;

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

fn within<T: PartialOrd + Display + Copy>(key: &str, given: T, low: T, high: T) -> Result<(), ConfigError> {
    // Written so that NaN, which compares false with everything, is refused.
    if given >= low && given <= high {
        return Ok(());
    }
    Err(outside(key, given.to_string(), low.to_string(), high.to_string()))
}

fn outside(key: &str, given: String, low: String, high: String) -> ConfigError {
    ConfigError::Range { key: key.to_owned(), given, low, high }
}

impl InputConfig {
    fn check(&self) -> Result<(), ConfigError> {
        within("input.max_text_bytes", self.max_text_bytes, 1, 1 << 20)?;
        within("input.max_line_bytes", self.max_line_bytes, 1024, 1 << 24)?;
        within("input.max_list", self.max_list, 0, 4096)?;
        within("input.max_memories", self.max_memories, 1, 1_000_000)?;
        within("input.held_bytes", self.held_bytes, 1, 1 << 40)?;
        within("input.max_save_bytes", self.max_save_bytes, 1024, 1 << 30)?;
        within("input.max_save_files", self.max_save_files, 1, 1_000_000)?;
        within("input.max_inbox_files", self.max_inbox_files, 1, 1_000_000)
    }
}

impl LanguageConfig {
    fn check(&self) -> Result<(), ConfigError> {
        within("language.pack (bytes)", self.pack.len(), 1, 64)?;
        within("language.model (bytes)", self.model.len(), 0, 200)?;
        within("language.tokens_per_run", self.tokens_per_run, 0, 1_000_000_000_000)?;
        within("language.memories", self.memories, 2, 200)?;
        within("language.in_flight", self.in_flight, 1, 256)?;
        within("language.temperature", self.temperature, 0.0, 2.0)?;
        within("language.seconds", self.seconds, 1, 3600)?;
        within("language.retries", self.retries, 0, 10)
    }
}

impl JudgeConfig {
    fn check(&self) -> Result<(), ConfigError> {
        within("judge.same_from", self.same_from, 0.0, 1.0)?;
        within("judge.contradiction_from", self.contradiction_from, 0.0, 1.0)?;
        within("judge.max_pairs", self.max_pairs, 0, 100_000)
    }
}

impl ClusterConfig {
    fn check(&self) -> Result<(), ConfigError> {
        within("cluster.k_max", self.k_max, 2, 1000)?;
        within("cluster.k_min", self.k_min, 2, 1000)?;
        if self.k_min > self.k_max {
            let high = format!("cluster.k_max, which is {}", self.k_max);
            let given = self.k_min.to_string();
            return Err(outside("cluster.k_min", given, 2.to_string(), high));
        }
        within("cluster.small_day", self.small_day, 2, 100)?;
        within("cluster.min_size", self.min_size, 1, 100)?;
        within("cluster.n_init", self.n_init, 1, 100)?;
        within("cluster.max_iterations", self.max_iterations, 1, 1000)?;
        within("cluster.min_points", self.min_points, 2, 100)?;
        within("cluster.eps", self.eps, 0.0, 2.0)?;
        within("cluster.time_weight", self.time_weight, 0.0, 1.0)?;
        within("cluster.dimensions", self.dimensions, 2, 4096)?;
        within("cluster.max_distinct", self.max_distinct, 10, 20_000)
    }
}

impl CohesionConfig {
    fn check(&self) -> Result<(), ConfigError> {
        within("cohesion.cosine", self.cosine, 0.0, 100.0)?;
        within("cohesion.inverse_variance", self.inverse_variance, 0.0, 100.0)?;
        within("cohesion.silhouette", self.silhouette, 0.0, 100.0)?;
        within("cohesion.importance", self.importance, 0.0, 100.0)?;
        within("cohesion.temporal", self.temporal, 0.0, 100.0)?;
        within("cohesion.emotion", self.emotion, 0.0, 100.0)?;

        if self.named().iter().all(|(_, weight)| *weight <= 0.0) {
            let given = "0, as is every other weight of [cohesion]".to_owned();
            let (low, high) = (0.001.to_string(), 100.to_string());
            return Err(outside("cohesion.cosine", given, low, high));
        }
        Ok(())
    }
}

impl MaintainConfig {
    fn check(&self) -> Result<(), ConfigError> {
        within("maintain.base_days", self.base_days, 0.1, 3650.0)?;
        within("maintain.doubling", self.doubling, 0.1, 100.0)?;
        within("maintain.practice", self.practice, 0.0, 3.0)?;
        within("maintain.forget_below", self.forget_below, 0.0, 1.0)?;
        within("maintain.week_after_days", self.week_after_days, 1, 3650)?;
        within("maintain.month_after_days", self.month_after_days, 1, 3650)?;
        within("maintain.summarize_below", self.summarize_below, 0.0, 1.0)?;
        within("maintain.similar", self.similar, 0.0, 1.0)?;
        within("maintain.min_group", self.min_group, 2, 64)?;
        within("maintain.max_group", self.max_group, 2, 1000)?;
        within("maintain.distill_similar", self.distill_similar, 0.0, 1.0)?;
        within("maintain.distill_days", self.distill_days, 2, 365)?;
        within("maintain.distill_from", self.distill_from, 0, 10_000)?;
        within("maintain.max_active", self.max_active, 10, 1_000_000)?;
        within("maintain.purge_after_nights", self.purge_after_nights, 1, 100_000)
    }
}

impl McpConfig {
    fn check(&self) -> Result<(), ConfigError> {
        within("mcp.max_message_bytes", self.max_message_bytes, 1024, 1 << 26)?;
        within("mcp.max_argument_bytes", self.max_argument_bytes, 256, 1 << 26)?;
        within("mcp.max_memories", self.max_memories, 1, 100_000)?;
        within("mcp.max_result_bytes", self.max_result_bytes, 1024, 1 << 24)?;
        within("mcp.page", self.page, 1, 1000)?;
        within("mcp.max_calls", self.max_calls, 1, 256)
    }
}

impl HttpConfig {
    fn check(&self) -> Result<(), ConfigError> {
        within("http.connections", self.connections, 4, 65_536)?;
        within("http.head_seconds", self.head_seconds, 1, 3600)?;
        within("http.body_seconds", self.body_seconds, 1, 3600)
    }
}

impl ThemesConfig {
    fn check(&self) -> Result<(), ConfigError> {
        within("themes.match_similarity", self.match_similarity, 0.0, 1.0)?;
        within("themes.cohesion", self.cohesion, -1.0, 1.0)?;
        within("themes.importance", self.importance, 1.0, 10.0)?;
        within("themes.max_themes", self.max_themes, 0, MemorySnapshot::MAX_THEMES)?;
        within("themes.days", self.days, 1, 31)
    }
}

impl BudgetConfig {
    fn check(&self) -> Result<(), ConfigError> {
        within("budget.storage", self.storage, 0.01, 1.0)?;
        within("budget.text", self.text, 0.01, 1.0)?;
        within("budget.storage_floor", self.storage_floor, 0, 100)?;
        within("budget.min_kept", self.min_kept, 0, 1000)?;
        within("budget.recurring", self.recurring, 1.0, 10.0)?;
        within("budget.tokens", self.tokens, 0, 10_000_000)?;
        within("budget.reflection_clusters", self.reflection_clusters, 0, 64)?;
        within("budget.connections", self.connections, 0, 10)?;
        within("budget.reflections_per_cluster", self.reflections_per_cluster, 0, 10)?;
        within("budget.conclusions", self.conclusions, 0, 10)?;
        within("budget.concluded_from", self.concluded_from, 0, 10_000)?;
        within("budget.reflection_cohesion", self.reflection_cohesion, -1.0, 1.0)?;
        within("budget.reflection_importance", self.reflection_importance, 1.0, 10.0)
    }
}

impl SalienceConfig {
    fn check(&self) -> Result<(), ConfigError> {
        within("salience.emotion", self.emotion, 0.0, Self::MAX_ADDED)?;
        within("salience.surprise", self.surprise, 0.0, Self::MAX_ADDED)?;
        within("salience.meaning", self.meaning, 0.0, Self::MAX_ADDED)?;
        within("salience.repetition", self.repetition, 0.0, Self::MAX_ADDED)?;
        within("salience.actors (their number)", self.actors.len(), 0, Self::MAX_WEIGHTS)?;
        within("salience.tags (their number)", self.tags.len(), 0, Self::MAX_WEIGHTS)?;
        for (name, points) in &self.actors {
            within(&format!("salience.actors.{name:?}"), *points, -9.0, 9.0)?;
        }
        for (kind, points) in &self.kinds {
            within(&format!("salience.kinds.{}", kind.as_str()), *points, -9.0, 9.0)?;
        }
        for (tag, points) in &self.tags {
            within(&format!("salience.tags.{tag:?}"), *points, -9.0, 9.0)?;
        }
        Ok(())
    }
}

impl TriageConfig {
    fn check(&self) -> Result<(), ConfigError> {
        within("triage.important", self.important, 1, 10)?;
        within("triage.unimportant", self.unimportant, 1, 10)?;
        within("triage.incoherent", self.incoherent, -1.0, 1.0)?;
        within("triage.similar", self.similar, 0.0, 1.0)?;
        within("triage.similar_over_budget", self.similar_over_budget, 0.0, 1.0)?;
        within("triage.max_group", self.max_group, 2, 64)?;
        within("triage.novel", self.novel, 0.0, 1.0)
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

    /// Checks every value outside of the profiles against its range.
    pub(super) fn check_values(&self) -> Result<(), ConfigError> {
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
            replay,
            recall,
            mcp,
            http,
            review,
            profiles: _,
        } = self;

        input.check()?;

        within("day.turns_at", day.turns_at, 0, 86_399)?;
        within("day.stray_days", day.stray_days, 1, 6_000_000)?;

        within("embed.window", embed.window, 1, 1_000_000)?;
        within("embed.cache", embed.cache, 0, 10_000_000)?;
        within("embed.file_cache", embed.file_cache, 0, 100_000_000)?;

        within("collapse.keywords (their number)", collapse.keywords.len(), 0, 256)?;
        for keyword in &collapse.keywords {
            within("collapse.keywords (bytes of one)", keyword.len(), 1, 64)?;
        }
        within("collapse.fuzzy_similarity", collapse.fuzzy_similarity, 0.1, 1.0)?;
        within("collapse.fuzzy_shared", collapse.fuzzy_shared, 1, 100)?;
        within("collapse.max_samples", collapse.max_samples, 0, 1000)?;
        within("collapse.page", collapse.page, 1, 100_000)?;

        cluster.check()?;
        cohesion.check()?;
        themes.check()?;

        budget.check()?;

        within("sleep.quality", sleep.quality, 0.0, 1.0)?;
        within("sleep.hours", sleep.hours, 0.0, 24.0)?;
        within("sleep.full_hours", sleep.full_hours, 0.1, 24.0)?;
        within("sleep.min_share", sleep.min_share, 0.0, 1.0)?;

        salience.check()?;
        triage.check()?;

        within("synthesis.reflection_importance", synthesis.reflection_importance, 1, 10)?;
        within("synthesis.near_copy", synthesis.near_copy, 0.0, 1.0)?;
        within("synthesis.brief_below", synthesis.brief_below, 1, 11)?;
        within("synthesis.max_chars", synthesis.max_chars, 80, 10_000)?;

        language.check()?;

        within("reconcile.neighbours", reconcile.neighbours, 1, 100)?;
        within("reconcile.min_similarity", reconcile.min_similarity, 0.0, 1.0)?;
        within("reconcile.rival_similarity", reconcile.rival_similarity, 0.0, 1.0)?;
        within("reconcile.fallback_similarity", reconcile.fallback_similarity, 0.0, 1.0)?;
        within("reconcile.high_confidence_after", reconcile.high_confidence_after, 1, 1000)?;

        judge.check()?;

        within("cap.max_insights", cap.max_insights, 1, 1000)?;
        within("cap.stem_words", cap.stem_words, 1, 8)?;

        maintain.check()?;

        within("run.npcs", run.npcs, 1, 4096)?;
        within("run.memories", run.memories, 1, 10_000_000)?;
        within("run.lease_seconds", run.lease_seconds, 5, 86_400)?;
        within("run.shard_tries", run.shard_tries, 1, 1000)?;

        within("replay.max_file_bytes", replay.max_file_bytes, 1024, 1 << 30)?;
        within("replay.max_nights", replay.max_nights, 1, 1_000_000)?;

        within("review.plan_hours", review.plan_hours, 0, 87_600)?;

        within("recall.limit", recall.limit, 1, 1000)?;
        within("recall.relevance", recall.relevance, 0.0, 100.0)?;
        within("recall.words", recall.words, 0.0, 1.0)?;
        within("recall.min_relevance", recall.min_relevance, 0.0, 1.0)?;
        within("recall.recency", recall.recency, 0.0, 100.0)?;
        within("recall.importance", recall.importance, 0.0, 100.0)?;
        within("recall.half_life_hours", recall.half_life_hours, 1.0, 1_000_000.0)?;

        mcp.check()?;
        http.check()
    }
}
