//! Configuration: all settings, unchecked as they are read and checked before a night uses them.

mod check;
mod defaults;
mod error;
mod profiles;
mod range;
mod sections;
mod settings;
mod valid_config;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use settings::settings;

pub use error::ConfigError;
pub use profiles::{
    MAX_MATCHES, MAX_PROFILE_NAME_BYTES, MAX_PROFILES, MatchedBy, Profile, ProfileError, ProfileMatch,
    ProfileName,
};
pub use range::SettingRange;
pub use sections::{
    Approval, BudgetChanges, BudgetConfig, CapChanges, CapConfig, ChooseK, ClusterAlgorithm, ClusterChanges,
    ClusterConfig, CohesionChanges, CohesionConfig, CollapseConfig, DayConfig, EmbedConfig, EmbedEngine,
    HttpConfig, InputConfig, JudgeBy, JudgeChanges, JudgeConfig, KeptReading, LanguageConfig,
    MaintainChanges, MaintainConfig, RecallChanges, RecallConfig, ReconcileChanges, ReconcileConfig, Reduce,
    ReviewConfig, RunConfig, SalienceChanges, SalienceConfig, SleepChanges, SleepConfig, SynthesisChanges,
    SynthesisConfig, ThemesChanges, ThemesConfig, TriageChanges, TriageConfig,
};
pub use valid_config::ValidConfig;

settings! {
    /// Configuration as a user writes it: every key is optional, and nothing is checked yet.
    ///
    /// ```
    /// use nightfold_memory::Config;
    ///
    /// let mut config = Config::default();
    /// config.budget.storage = 1.5;
    /// let error = config.check().unwrap_err();
    /// assert_eq!(error.to_string(), "budget.storage is 1.5; it must lie between 0.01 and 1");
    /// ```
    pub struct Config {
        /// Seed of all random choices; 42 by default.
        pub seed: Seed,
        /// Limits on input.
        pub input: InputConfig,
        /// Boundary between days.
        pub day: DayConfig,
        /// Embedding of texts.
        pub embed: EmbedConfig,
        /// Folding of repeated status lines.
        pub collapse: CollapseConfig,
        /// Clustering of a day's memories.
        pub cluster: ClusterConfig,
        /// Measure of a cluster's cohesion.
        pub cohesion: CohesionConfig,
        /// Themes that are followed over the nights.
        pub themes: ThemesConfig,
        /// Storage, token and reflection budgets of clusters.
        pub budget: BudgetConfig,
        /// Sleep of NPCs and the cost of poor sleep.
        pub sleep: SleepConfig,
        /// Measure of how much a memory matters by itself.
        pub salience: SalienceConfig,
        /// Decision whether a memory is kept, synthesized or pruned.
        pub triage: TriageConfig,
        /// Syntheses and reflections.
        pub synthesis: SynthesisConfig,
        /// Language pack, language model and the model's limits.
        pub language: LanguageConfig,
        /// Comparison with long-term memory.
        pub reconcile: ReconcileConfig,
        /// Judge that decides whether two statements say the same.
        pub judge: JudgeConfig,
        /// Limit on reflections on one subject.
        pub cap: CapConfig,
        /// Maintenance: forgetting, summaries and purging.
        pub maintain: MaintainConfig,
        /// Approval of plans.
        pub review: ReviewConfig,
        /// Many NPCs in one run.
        pub run: RunConfig,
        /// Ranking of recalled entries.
        pub recall: RecallConfig,
        /// Connections of the HTTP servers.
        pub http: HttpConfig,
        /// Settings of single NPCs, or of NPCs of one kind, by name of the profile; at most 256.
        pub profiles: BTreeMap<String, Profile>,
    }
}

impl Config {
    /// Every key with its default, its meaning and its range, as a commented TOML file.
    pub const DEFAULT_FILE: &'static str = defaults::FILE;
}

/// Seed of all random choices: any whole number from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Seed(pub u64);

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
    fn documented_file_states_every_range() {
        let mut section = String::new();
        let mut above = String::new();
        let mut documented = BTreeMap::new();
        for line in Config::DEFAULT_FILE.lines() {
            if let Some(name) = line.strip_prefix('[') {
                section = name.split(']').next().unwrap().to_owned();
            } else if let Some(comment) = line.strip_prefix('#') {
                above.push_str(comment);
                continue;
            } else if let Some((key, rest)) = line.split_once('=') {
                documented.insert(format!("{section}.{}", key.trim()), format!("{above}{rest}"));
            }
            above.clear();
        }
        for SettingRange { key, low, high } in Config::ranges() {
            let about = &documented[key];
            assert!(
                about.contains(&format!("{low} to {high}")) || about.contains(&format!("at most {high}")),
                "{key}: {low} to {high}: {about}"
            );
        }
    }

    #[test]
    fn an_error_names_the_key_the_value_and_the_range() {
        let with = |edit: fn(&mut Config)| {
            let mut config = Config::default();
            edit(&mut config);
            config.check().unwrap_err().to_string()
        };
        assert_eq!(with(|c| c.cluster.k_min = 1), "cluster.k_min is 1; it must lie between 2 and 1000");
        assert_eq!(with(|c| c.triage.important = 11), "triage.important is 11; it must lie between 1 and 10");
        assert_eq!(
            with(|c| c.reconcile.min_similarity = f64::NAN),
            "reconcile.min_similarity is NaN; it must lie between 0 and 1"
        );
        assert_eq!(
            with(|c| {
                c.salience.actors.insert("Player One".to_owned(), 99.0);
            }),
            "salience.actors.\"Player One\" is 99; it must lie between -9 and 9"
        );
    }

    #[test]
    fn an_unknown_key_is_refused() {
        let error = serde_json::from_str::<Config>(r#"{"triage":{"imporant":7}}"#).unwrap_err();
        assert!(error.to_string().contains("unknown field `imporant`"), "{error}");
    }
}
