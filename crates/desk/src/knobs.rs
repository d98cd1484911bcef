//! The keys that can be turned. What each means and may be is said once, in the documented configuration file.

use std::{collections::BTreeMap, sync::LazyLock};

use nightfold::memory::Config;
use serde::Serialize;

/// A key of the configuration that decides about a night, with what it may be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Knob {
    /// With its section, such as `budget.storage`.
    pub key: &'static str,
    /// What it means.
    pub about: String,
    /// What it may be.
    #[serde(flatten)]
    pub dial: Dial,
}

/// What a knob may be set to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Dial {
    /// A number.
    Slider {
        /// The least allowed.
        low: f64,
        /// The most allowed.
        high: f64,
        /// Where the slider begins and ends: what is worth trying. A number beside it takes the whole range.
        from_to: (f64, f64),
        /// From one stop to the next.
        step: f64,
    },
    /// One of some words.
    Choice {
        /// The words.
        words: &'static [&'static str],
    },
}

/// Of a number: the key, where its slider begins and ends, the step.
type Slider = (&'static str, f64, f64, f64);

const SLIDERS: &[Slider] = &[
    ("budget.storage", 0.01, 1.0, 0.01),
    ("budget.storage_floor", 0.0, 5.0, 1.0),
    ("budget.unrated_free", 0.0, 1.0, 0.05),
    ("budget.recurring", 1.0, 4.0, 0.05),
    ("budget.reflection_clusters", 0.0, 10.0, 1.0),
    ("budget.reflections_per_cluster", 0.0, 5.0, 1.0),
    ("budget.reflection_cohesion", -0.2, 1.0, 0.01),
    ("budget.reflection_importance", 1.0, 10.0, 0.5),
    ("triage.important", 1.0, 10.0, 1.0),
    ("triage.unimportant", 1.0, 10.0, 1.0),
    ("triage.incoherent", -0.2, 1.0, 0.01),
    ("triage.similar", 0.0, 1.0, 0.01),
    ("triage.similar_over_budget", 0.0, 1.0, 0.01),
    ("triage.max_group", 2.0, 32.0, 1.0),
    ("triage.novel", 0.0, 1.0, 0.01),
    ("cluster.k_min", 2.0, 12.0, 1.0),
    ("cluster.k_max", 2.0, 20.0, 1.0),
    ("cluster.min_size", 1.0, 10.0, 1.0),
    ("cluster.small_day", 2.0, 30.0, 1.0),
    ("cluster.min_points", 2.0, 10.0, 1.0),
    ("cluster.reach", 0.0, 1.0, 0.01),
    ("cluster.time", 0.0, 1.0, 0.01),
    ("cohesion.cosine", 0.0, 5.0, 0.1),
    ("cohesion.inverse_variance", 0.0, 5.0, 0.1),
    ("cohesion.silhouette", 0.0, 5.0, 0.1),
    ("cohesion.importance", 0.0, 5.0, 0.1),
    ("cohesion.temporal", 0.0, 5.0, 0.1),
    ("cohesion.emotion", 0.0, 5.0, 0.1),
    ("sleep.quality", 0.0, 1.0, 0.01),
    ("sleep.hours", 0.0, 12.0, 0.25),
    ("sleep.full_hours", 1.0, 12.0, 0.25),
    ("sleep.least", 0.0, 1.0, 0.01),
    ("themes.same_from", 0.0, 1.0, 0.01),
    ("themes.cohesion", -0.2, 1.0, 0.01),
    ("themes.importance", 1.0, 10.0, 0.5),
    ("reconcile.band", 0.0, 1.0, 0.01),
    ("reconcile.claims", 0.0, 1.0, 0.01),
    ("reconcile.neighbours", 1.0, 10.0, 1.0),
    ("synthesis.near_copy", 0.0, 1.0, 0.01),
    ("synthesis.max_chars", 80.0, 3000.0, 20.0),
    ("cap.most", 1.0, 10.0, 1.0),
];

const CHOICES: &[(&str, &[&str])] = &[
    ("cluster.algorithm", &["kmeans", "hierarchical", "dbscan", "hdbscan", "single"]),
    ("cluster.choose_k", &["silhouette", "elbow", "heuristic"]),
];

/// All knobs, those that are turned most first.
pub fn knobs() -> &'static [Knob] {
    static KNOBS: LazyLock<Vec<Knob>> = LazyLock::new(|| {
        let documented = documented();
        let about = |key: &str| documented.get(key).cloned().unwrap_or_default();
        let sliders = SLIDERS.iter().map(|&(key, from, to, step)| {
            let (about, (low, high)) = about(key);
            Knob { key, about, dial: Dial::Slider { low, high, from_to: (from, to), step } }
        });
        let choices = CHOICES.iter().map(|&(key, words)| {
            // What it may be, the page shows.
            Knob { key, about: about(key).0, dial: Dial::Choice { words } }
        });
        sliders.chain(choices).collect()
    });
    &KNOBS
}

/// Every key of the documented file with its meaning and its range; −∞ to ∞ where it has none.
fn documented() -> BTreeMap<String, (String, (f64, f64))> {
    let mut keys = BTreeMap::new();
    let (mut section, mut above) = (String::new(), String::new());
    for line in Config::DEFAULT_FILE.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            (section, above) = (format!("{name}."), String::new());
        } else if let Some(comment) = line.strip_prefix('#') {
            above = format!("{above} {}", comment.trim());
        } else if let Some((key, value)) = line.split_once(" = ") {
            let beside = value.split_once("  #").map_or("", |(_, comment)| comment);
            let comment = if beside.is_empty() { above.as_str() } else { beside };
            keys.insert(format!("{section}{}", key.trim()), meaning(comment));
            above.clear();
        } else {
            above.clear();
        }
    }
    keys
}

/// A comment without its range, and the range.
fn meaning(comment: &str) -> (String, (f64, f64)) {
    let (about, range) = match comment.rsplit_once('[') {
        Some((about, range)) => (about, range.trim_end().trim_end_matches(['.', ']'])),
        None => (comment, ""),
    };
    let (low, high) = range.split_once(" to ").unwrap_or_default();
    let bound = |text: &str, none: f64| text.parse().unwrap_or(none);
    (about.trim().to_owned(), (bound(low, f64::NEG_INFINITY), bound(high, f64::INFINITY)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Settings;

    #[test]
    fn every_knob_says_what_it_means_and_its_range_is_the_one_that_is_checked() {
        let settings = Settings::default();
        for knob in knobs() {
            assert!(knob.about.len() > 8, "{}: {:?}", knob.key, knob.about);
            let Dial::Slider { low, high, from_to: (from, to), step } = knob.dial else { continue };
            assert!(low <= from && from < to && (to <= high || high.is_infinite()) && step > 0.0, "{knob:?}");
            let refused = |value: f64| {
                let value = if step.fract() == 0.0 { json!(value as i64) } else { json!(value) };
                let error = settings.turned(&[(knob.key.to_owned(), value)].into()).unwrap_err();
                error.to_string()
            };
            // `k_min` ends at another key.
            if high.is_finite() {
                let said = refused(high + 1.0);
                assert!(said.starts_with(knob.key) && said.ends_with(&format!("{low} and {high}")), "{said}");
            }
            let said = refused(low - 1.0);
            assert!(said.starts_with(knob.key), "{said}");
        }
    }

    #[test]
    fn every_word_of_a_choice_is_one() {
        for knob in knobs() {
            if let Dial::Choice { words } = knob.dial {
                for word in words {
                    let turned = Settings::default().turned(&[(knob.key.to_owned(), json!(word))].into());
                    assert!(turned.is_ok(), "{} {word}", knob.key);
                }
            }
        }
    }
}
