//! Classifier: the likelihood that two texts that differ in no fact say the same.
//!
//! A logistic regression over `features`, trained on pairs written for this project. The first lines
//! of `data/classifier.tsv` name its training data, its accuracy and the command that writes the file.

use std::sync::LazyLock;

use super::features::{FEATURE_COUNT, FEATURE_NAMES};

struct Classifier {
    bias: f64,
    weights: [f64; FEATURE_COUNT],
}

static CLASSIFIER: LazyLock<Classifier> = LazyLock::new(|| {
    let mut classifier = Classifier { bias: 0.0, weights: [0.0; FEATURE_COUNT] };
    let lines = include_str!("../../data/classifier.tsv").lines().filter(|l| !l.starts_with('#'));
    for (name, weight) in lines.filter_map(|l| l.split_once('\t')) {
        let weight = weight.trim().parse().unwrap_or(0.0);
        match FEATURE_NAMES.iter().position(|n| *n == name) {
            Some(at) => classifier.weights[at] = weight,
            None => classifier.bias = weight,
        }
    }
    classifier
});

/// Returns the likelihood, from 0 to 1.
pub(super) fn likelihood(features: &[f64; FEATURE_COUNT]) -> f64 {
    let classifier = &*CLASSIFIER;
    let sum: f64 = classifier.weights.iter().zip(features).map(|(w, x)| w * x).sum();
    1.0 / (1.0 + (-(sum + classifier.bias)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_a_weight() {
        let file = include_str!("../../data/classifier.tsv");
        let named = |name: &str| file.lines().filter(|l| l.split('\t').next() == Some(name)).count();
        assert!(FEATURE_NAMES.iter().chain(&["bias"]).all(|name| named(name) == 1));
        assert!(CLASSIFIER.weights.iter().any(|w| *w != 0.0));
    }
}
