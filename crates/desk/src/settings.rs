//! The settings that the desk offers: configuration keys with a plain name. Meaning and range of each are
//! those of the configuration.

use std::sync::LazyLock;

use nightfold::memory::Config;
use serde::Serialize;

/// A configuration key that affects a night, with its name, meaning and range.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeskSetting {
    /// The key with its section, such as `budget.storage`.
    pub key: &'static str,
    /// Plain name, unique among the settings of its section.
    pub name: &'static str,
    /// Meaning of the setting.
    pub about: String,
    /// Allowed values.
    #[serde(flatten)]
    pub range: SettingRange,
}

/// Allowed values of a setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SettingRange {
    /// A number.
    Slider {
        /// Minimum.
        low: f64,
        /// Maximum.
        high: f64,
        /// Ends of the slider: the range of useful values. The number field beside it takes the whole range.
        from_to: (f64, f64),
        /// Distance from one stop of the slider to the next.
        step: f64,
    },
    /// One of several words.
    Choice {
        /// The allowed words.
        words: &'static [&'static str],
    },
}

/// Key and name of a number, the ends of its slider, and its step.
type Slider = (&'static str, &'static str, f64, f64, f64);

const SLIDERS: &[Slider] = &[
    ("budget.storage", "Share of memories kept", 0.01, 1.0, 0.01),
    ("budget.text", "Share of the text of unrated talk kept", 0.01, 1.0, 0.01),
    ("budget.condensed", "Condensed paragraphs kept beside", 0.0, 64.0, 1.0),
    ("budget.condensed_chars", "Characters of a condensed paragraph", 40.0, 1000.0, 10.0),
    ("budget.cohesion_weight", "Room divided by cohesion", 0.0, 1.0, 0.05),
    ("budget.storage_floor", "Entries of each theme that go first", 0.0, 5.0, 1.0),
    ("budget.min_kept", "Memories kept at least", 0.0, 50.0, 1.0),
    ("budget.recurring", "Bonus of recurring themes", 1.0, 4.0, 0.05),
    ("budget.reflection_clusters", "Themes that give insights", 0.0, 10.0, 1.0),
    ("budget.reflections_per_cluster", "Insights per theme", 0.0, 5.0, 1.0),
    ("budget.connections", "Insights across themes", 0.0, 10.0, 1.0),
    ("budget.tokens", "Tokens of a language model", 0.0, 20000.0, 100.0),
    ("budget.conclusions", "Conclusions per night", 0.0, 10.0, 1.0),
    ("budget.reflection_importance", "Mean importance needed for insights", 1.0, 10.0, 0.5),
    ("triage.important", "Important from", 1.0, 10.0, 1.0),
    ("triage.unimportant", "Unimportant below", 1.0, 10.0, 1.0),
    ("triage.similar", "Similarity that makes a synthesis", 0.0, 1.0, 0.01),
    ("triage.similar_over_budget", "The same, for nights over budget", 0.0, 1.0, 0.01),
    ("triage.max_group", "Memories in one synthesis", 2.0, 32.0, 1.0),
    ("salience.emotion", "Weight of emotion", 0.0, 0.8, 0.02),
    ("salience.surprise", "Weight of surprise", 0.0, 0.8, 0.02),
    ("salience.meaning", "Weight of what is told", 0.0, 0.8, 0.02),
    ("salience.repetition", "Weight of repetition", 0.0, 0.8, 0.02),
    ("collapse.fuzzy_similarity", "Overlap of words of like status lines", 0.1, 1.0, 0.01),
    ("cluster.k_min", "Fewest clusters", 2.0, 12.0, 1.0),
    ("cluster.k_growth", "Growth of the number of clusters", 1.0, 12.0, 0.5),
    ("cluster.min_size", "Smallest cluster", 1.0, 10.0, 1.0),
    ("cluster.small_day", "Days too small to divide", 2.0, 30.0, 1.0),
    ("cluster.eps", "Radius of a neighbourhood", 0.0, 1.0, 0.01),
    ("cluster.words_weight", "Weight of shared words", 0.0, 1.0, 0.05),
    ("cluster.time_weight", "Weight of the time between memories", 0.0, 1.0, 0.01),
    ("cluster.dimensions", "Dimensions after a reduction", 2.0, 384.0, 2.0),
    ("cluster.max_distinct", "Memories of a night at most", 10.0, 10000.0, 10.0),
    ("cluster.flood", "Share of the day that makes a flood", 0.0, 1.0, 0.01),
    ("cohesion.proximity", "Similarity of meaning and words", 0.0, 5.0, 0.1),
    ("cohesion.inverse_variance", "Narrowness", 0.0, 5.0, 0.1),
    ("cohesion.silhouette", "Distance from other themes", 0.0, 5.0, 0.1),
    ("cohesion.importance", "Importance", 0.0, 5.0, 0.1),
    ("cohesion.temporal", "Closeness in time", 0.0, 5.0, 0.1),
    ("cohesion.emotion", "Emotion", 0.0, 5.0, 0.1),
    ("sleep.quality", "Quality of sleep", 0.0, 1.0, 0.01),
    ("sleep.hours", "Hours slept", 0.0, 12.0, 0.25),
    ("sleep.min_share", "Budget left without sleep", 0.0, 1.0, 0.01),
    ("themes.match_similarity", "Similarity of the same theme", 0.0, 1.0, 0.01),
    ("themes.proximity", "Proximity needed in a theme", -0.2, 1.0, 0.01),
    ("themes.importance", "Mean importance needed in a theme", 1.0, 10.0, 0.5),
    ("themes.most", "Most themes of a day", 1.0, 20.0, 1.0),
    ("reconcile.min_similarity", "Similarity of the same statement", 0.0, 1.0, 0.01),
    ("reconcile.rival_similarity", "Similarity at which a contradiction is sought", 0.0, 1.0, 0.01),
    ("reconcile.fallback_similarity", "Similarity of the same without a judge", 0.0, 1.0, 0.01),
    ("reconcile.high_confidence_after", "Corroborations that make sure", 1.0, 10.0, 1.0),
    ("judge.same_from", "Probability of the same", 0.0, 1.0, 0.01),
    ("judge.contradiction_from", "Probability of a contradiction", 0.0, 1.0, 0.01),
    ("judge.max_pairs", "Pairs judged in a night", 0.0, 200.0, 1.0),
    ("reconcile.neighbours", "Older entries compared", 1.0, 10.0, 1.0),
    ("synthesis.reflection_importance", "Importance of insights", 1.0, 10.0, 1.0),
    ("synthesis.near_copy", "Insight too close to its source", 0.0, 1.0, 0.01),
    ("synthesis.max_chars", "Characters in one synthesis", 80.0, 3000.0, 20.0),
    ("cap.max_insights", "Insights kept per subject", 1.0, 10.0, 1.0),
    ("cap.stem_words", "Words of a subject", 1.0, 8.0, 1.0),
];

/// Key, name and allowed words.
const CHOICES: &[(&str, &str, &[&str])] = &[
    (
        "cluster.algorithm",
        "Method of finding themes",
        &["kmeans", "hierarchical", "dbscan", "hdbscan", "single"],
    ),
    ("cluster.choose_k", "Way to choose the number of themes", &["silhouette", "elbow", "heuristic"]),
    ("cluster.reduce", "Reduction of dimensions", &["none", "truncate", "pca"]),
    ("collapse.day", "Fold status lines of the day", &["true", "false"]),
    ("collapse.fuzzy", "Fold lines with like words too", &["true", "false"]),
    ("collapse.keep", "Reading that is kept", &["oldest", "newest"]),
    ("salience.calibrate", "Calibrate the game's ratings", &["true", "false"]),
];

/// All settings of the desk, the most used first.
pub fn desk_settings() -> &'static [DeskSetting] {
    static SETTINGS: LazyLock<Vec<DeskSetting>> = LazyLock::new(|| {
        let about = |key: &str| meaning(key).unwrap_or_default();
        let ranges = Config::ranges();
        let range_of = |key: &str| {
            let range = ranges.iter().find(|range| range.key == key)?;
            Some((range.low.parse().ok()?, range.high.parse().ok()?))
        };
        let sliders = SLIDERS.iter().map(|&(key, name, from, to, step)| {
            let (low, high) = range_of(key).unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            let range = SettingRange::Slider { low, high, from_to: (from, to), step };
            DeskSetting { key, name, about: about(key), range }
        });
        let choices = CHOICES.iter().map(|&(key, name, words)| {
            // The page shows the allowed words.
            DeskSetting { key, name, about: about(key), range: SettingRange::Choice { words } }
        });
        sliders.chain(choices).collect()
    });
    &SETTINGS
}

/// Returns the comment of a key in the documented file, which stands beside or above it, without the range that ends it.
fn meaning(key: &str) -> Option<String> {
    let (section, key) = key.split_once('.')?;
    let (_, section) = Config::DEFAULT_FILE.split_once(&format!("\n[{section}]"))?;
    let mut above = String::new();
    for line in section.lines() {
        if let Some(comment) = line.strip_prefix('#') {
            above = format!("{above} {}", comment.trim());
        } else if line.strip_prefix(key).is_some_and(|rest| rest.starts_with(" = ")) {
            let comment = line.split_once("  #").map_or(above.as_str(), |(_, beside)| beside);
            return Some(comment.rsplit_once('[').map_or(comment, |(about, _)| about).trim().to_owned());
        } else {
            above.clear();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::BaseConfig;

    #[test]
    fn every_setting_has_a_meaning_and_the_range_that_the_configuration_checks() {
        let base = BaseConfig::default();
        for setting in desk_settings() {
            assert!(setting.about.len() > 8, "{}: {:?}", setting.key, setting.about);
            let SettingRange::Slider { low, high, from_to: (from, to), step } = setting.range else {
                continue;
            };
            assert!(
                low <= from && from < to && (to <= high || high.is_infinite()) && step > 0.0,
                "{setting:?}"
            );
            let refused = |value: f64| {
                let value = if step.fract() == 0.0 { json!(value as i64) } else { json!(value) };
                let error = base.with(&[(setting.key.to_owned(), value)].into()).unwrap_err();
                error.to_string()
            };
            if high.is_finite() {
                let said = refused(high + 1.0);
                assert!(
                    said.starts_with(setting.key) && said.ends_with(&format!("{low} and {high}")),
                    "{said}"
                );
            }
            let said = refused(low - 1.0);
            assert!(said.starts_with(setting.key), "{said}");
        }
    }

    #[test]
    fn every_key_that_decides_a_night_is_a_setting() {
        // Lists and tables of names, and the judge, who is opened with the desk.
        let left_out = [
            "collapse.keywords",
            "collapse.kinds",
            "judge.by",
            "salience.actors",
            "salience.kinds",
            "salience.tags",
        ];
        // Limits of machines, clocks, models and stores decide nothing about a memory.
        let others = [
            "seed", "input", "day", "embed", "language", "maintain", "recall", "review", "run", "http",
            "packs", "profiles",
        ];
        let config = toml::Table::try_from(Config::default()).unwrap();
        for (section, keys) in config.iter().filter(|(section, _)| !others.contains(&section.as_str())) {
            for key in keys.as_table().unwrap().keys().map(|key| format!("{section}.{key}")) {
                let is_setting = desk_settings().iter().any(|setting| setting.key == key);
                assert_ne!(is_setting, left_out.contains(&key.as_str()), "{key}");
            }
        }
    }

    #[test]
    fn every_choice_of_a_setting_is_accepted() {
        for setting in desk_settings() {
            if let SettingRange::Choice { words } = setting.range {
                for word in words {
                    let changed = BaseConfig::default().with(&[(setting.key.to_owned(), json!(word))].into());
                    assert!(changed.is_ok(), "{} {word}", setting.key);
                }
            }
        }
    }
}
