//! Everything that can be tuned: unchecked as it is read, checked before a night uses it.

mod check;
mod sections;

use std::{ops::Deref, sync::Arc};

use serde::{Deserialize, Serialize};

pub use check::ConfigError;
pub use sections::{
    Approval, BudgetConfig, CapConfig, ChooseK, ClusterAlgorithm, ClusterConfig, CohesionConfig,
    CollapseConfig, DayConfig, EmbedConfig, GraphConfig, InputConfig, JudgeBy, JudgeConfig, KeptReading,
    LanguageConfig, MaintainConfig, McpConfig, RecallConfig, ReconcileConfig, Reduce, ReplayConfig,
    ReviewConfig, RunConfig, SleepConfig, SynthesisConfig, ThemesConfig, TransferConfig, TriageConfig,
};

/// The configuration as a user writes it: every key optional, nothing checked yet.
///
/// ```
/// use nightfold_memory::Config;
///
/// let mut config = Config::default();
/// config.budget.storage = 1.5;
/// let error = config.check().unwrap_err();
/// assert_eq!(error.to_string(), "budget.storage is 1.5; it must lie between 0.01 and 1");
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Seed of everything that draws lots; 42 by default.
    pub seed: Seed,
    /// What is read.
    pub input: InputConfig,
    /// Where one day ends.
    pub day: DayConfig,
    /// Texts to vectors.
    pub embed: EmbedConfig,
    /// Status lines that repeat.
    pub collapse: CollapseConfig,
    /// Vectors to themes.
    pub cluster: ClusterConfig,
    /// What makes a theme hang together.
    pub cohesion: CohesionConfig,
    /// Themes that come again.
    pub themes: ThemesConfig,
    /// What each theme may cost.
    pub budget: BudgetConfig,
    /// How NPCs sleep.
    pub sleep: SleepConfig,
    /// What becomes of each memory.
    pub triage: TriageConfig,
    /// Syntheses and reflections.
    pub synthesis: SynthesisConfig,
    /// What a language model may cost.
    pub language: LanguageConfig,
    /// Against what is known already.
    pub reconcile: ReconcileConfig,
    /// Who says whether two statements say the same.
    pub judge: JudgeConfig,
    /// How many insights on one subject stay.
    pub cap: CapConfig,
    /// What becomes of what is old.
    pub maintain: MaintainConfig,
    /// Who approves plans.
    pub review: ReviewConfig,
    /// Many NPCs in one go.
    pub run: RunConfig,
    /// Bounds on scenarios.
    pub replay: ReplayConfig,
    /// What the game asks by day.
    pub recall: RecallConfig,
    /// What clients of the MCP server may ask for.
    pub mcp: McpConfig,
    /// How much of an entry's provenance is drawn.
    pub graph: GraphConfig,
    /// Bounds on what `import` reads.
    pub transfer: TransferConfig,
}

impl Config {
    /// Every key with its default, its meaning and its range, as a commented TOML file.
    pub const DEFAULT_FILE: &'static str = include_str!("default.toml");

    /// Keys of earlier versions that are still read, each with the key that took its place.
    pub const RENAMED_KEYS: &'static [(&'static str, &'static str)] = &[
        ("cluster.starts", "cluster.n_init"),
        ("cluster.reach", "cluster.eps"),
        ("cluster.time", "cluster.time_weight"),
        ("themes.same_from", "themes.match_similarity"),
        ("themes.most", "themes.max_themes"),
        ("sleep.least", "sleep.min_share"),
        ("reconcile.band", "reconcile.min_similarity"),
        ("reconcile.claims", "reconcile.claim_similarity"),
        ("reconcile.fail_safe", "reconcile.fallback_similarity"),
        ("reconcile.confident_at", "reconcile.high_confidence_after"),
        ("replay.quiet_ms", "replay.debounce_ms"),
        ("cap.most", "cap.max_insights"),
        ("cap.tokens", "cap.stem_words"),
        ("maintain.least_group", "maintain.min_group"),
        ("maintain.most_group", "maintain.max_group"),
        ("maintain.active_most", "maintain.max_active"),
    ];
}

/// The seed of everything that draws lots: any whole number from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Seed(pub u64);

impl Default for Seed {
    fn default() -> Self {
        Self(42)
    }
}

/// A configuration whose every value lies in its range. Made by [`Config::check`] alone; copies share it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(transparent)]
pub struct ValidConfig(Arc<Config>);

impl Deref for ValidConfig {
    type Target = Config;

    fn deref(&self) -> &Config {
        &self.0
    }
}

impl<'de> Deserialize<'de> for ValidConfig {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Config::deserialize(deserializer)?.check().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_valid() {
        assert_eq!(*Config::default().check().unwrap(), Config::default());
    }

    #[test]
    fn the_documented_file_holds_every_key_with_its_default() {
        let documented: toml::Table = Config::DEFAULT_FILE.parse().unwrap();
        assert_eq!(documented, toml::Table::try_from(Config::default()).unwrap());
    }

    #[test]
    fn an_error_names_the_key_the_value_and_the_range() {
        let with = |edit: fn(&mut Config)| {
            let mut config = Config::default();
            edit(&mut config);
            config.check().unwrap_err().to_string()
        };
        assert_eq!(
            with(|c| c.cluster.k_min = 9),
            "cluster.k_min is 9; it must lie between 2 and cluster.k_max, which is 7"
        );
        assert_eq!(with(|c| c.triage.important = 11), "triage.important is 11; it must lie between 1 and 10");
        assert_eq!(
            with(|c| c.reconcile.band = f64::NAN),
            "reconcile.band is NaN; it must lie between 0 and 1"
        );
    }

    #[test]
    fn an_unknown_key_is_refused() {
        let error = serde_json::from_str::<Config>(r#"{"triage":{"imporant":7}}"#).unwrap_err();
        assert!(error.to_string().contains("unknown field `imporant`"), "{error}");
    }
}
