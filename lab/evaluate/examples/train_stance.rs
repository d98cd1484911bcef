//! Trainer of the learned part of the stance judge: fits its weights on the project's own pairs and writes
//! them with their report.
//!
//! ```sh
//! cargo run --release -p nightfold-evaluate --example train_stance > classifier.tsv
//! mv classifier.tsv crates/english/data/classifier.tsv
//! ```
//!
//! Nothing is random: the same pairs give the same weights. Pairs decided by the rules are left out of
//! training, because the judge does not ask the weights about them.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use linfa::{Dataset, traits::Fit};
use linfa_logistic::LogisticRegression;
use ndarray::{Array1, Array2};
use nightfold_english::{FEATURES, classifier_features};
use nightfold_evaluate::{LabelledPairs, OWN_SETS, own_pairs};
use nightfold_memory::{MIN_SAME_PROBABILITY, Stance};

/// Strength of the L2 penalty on weights.
const ALPHA: f64 = 1.0;

/// Features of a pair, and true if people say that it is the same.
type Row = ([f64; FEATURES.len()], bool);

fn rows(pairs: &LabelledPairs) -> Vec<Row> {
    let asked = pairs.pairs.iter().filter_map(|p| {
        classifier_features(&p.a, &p.b, p.cosine.unwrap())
            .map(|features| (features, p.stance == Stance::Same))
    });
    asked.collect()
}

fn fit(rows: &[Row]) -> (f64, Vec<f64>) {
    let features = Array2::from_shape_fn((rows.len(), FEATURES.len()), |(i, j)| rows[i].0[j]);
    let same: Array1<bool> = rows.iter().map(|r| r.1).collect();
    let settings = LogisticRegression::default().alpha(ALPHA).max_iterations(1_000).gradient_tolerance(1e-8);
    let model = settings.fit(&Dataset::new(features, same)).unwrap();
    // The library chooses the positive label.
    let sign = if model.labels().pos.class { 1.0 } else { -1.0 };
    (sign * model.intercept(), model.params().iter().map(|w| sign * w).collect())
}

fn right(rows: &[Row], bias: f64, weights: &[f64]) -> usize {
    let likely =
        |x: &[f64]| 1.0 / (1.0 + (-(bias + x.iter().zip(weights).map(|(a, b)| a * b).sum::<f64>())).exp());
    rows.iter().filter(|(x, same)| (likely(x) >= MIN_SAME_PROBABILITY) == *same).count()
}

fn main() {
    let [dev, held, fresh] = OWN_SETS.map(|set| own_pairs(set).unwrap());
    let (train, held, fresh) = (rows(&dev), rows(&held), rows(&fresh));
    let (bias, weights) = fit(&train);
    // Cross-validation by families, so that held-out pairs differ in kind from the training pairs.
    let families: std::collections::BTreeSet<&str> = dev.pairs.iter().map(|p| p.family.as_str()).collect();
    let mut crossed = 0;
    for family in &families {
        let part = |inside: bool| LabelledPairs {
            name: String::new(),
            pairs: dev.pairs.iter().filter(|p| (p.family == *family) == inside).cloned().collect(),
        };
        let (bias, weights) = fit(&rows(&part(false)));
        crossed += right(&rows(&part(true)), bias, &weights);
    }
    let share =
        |right: usize, of: usize| format!("{right} of {of} ({:.1} %)", 100.0 * right as f64 / of as f64);
    println!("# Weights of the stance judge's learned part. Written by a command; do not edit.");
    println!("#   cargo run --release -p nightfold-evaluate --example train_stance");
    println!("# Logistic regression (linfa-logistic), L2 {ALPHA}, no seed: nothing is drawn by lot.");
    println!("# Pairs: lab/evaluate/data/stance-pairs.tsv, written for this project; no other data.");
    println!(
        "# Trained on {} of {} dev pairs: the others are decided by rules.",
        train.len(),
        dev.pairs.len()
    );
    println!("# Right on those it was trained on: {}", share(right(&train, bias, &weights), train.len()));
    println!("# Right on families left out one by one: {}", share(crossed, train.len()));
    for (name, rows) in [("held-out families", &held), ("families written later", &fresh)] {
        println!("# Right on {name}: {}", share(right(rows, bias, &weights), rows.len()));
    }
    println!("bias\t{bias:.4}");
    for (name, weight) in FEATURES.iter().zip(weights) {
        println!("{name}\t{weight:.4}");
    }
}
