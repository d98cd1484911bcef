//! Retention on a small talk of our own, with an embedder that only counts words.

use std::path::Path;

use nightfold_evaluate::{
    data,
    suites::{RetentionScore, Store, retention},
};
use nightfold_memory::{Embedded, Embedder, EmbedderError, ModelId, ValidConfig, Vectors};

/// Each word adds to one of the numbers: texts are alike that share words.
struct Words(ModelId);

const NUMBERS: usize = 256;

impl Embedder for Words {
    fn model(&self) -> &ModelId {
        &self.0
    }

    fn dimensions(&self) -> usize {
        NUMBERS
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        let mut vectors = Vectors::with_capacity(NUMBERS, texts.len());
        for text in texts {
            let mut row = [0.0_f32; NUMBERS];
            for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
                let hash = word.bytes().fold(7_usize, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
                row[hash % NUMBERS] += 1.0;
            }
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            vectors.push(&row.map(|x| x / length)).expect("a row of the right length");
        }
        Ok(Embedded { truncated: vec![false; texts.len()], vectors })
    }
}

fn measured(config: &ValidConfig) -> Vec<RetentionScore> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/talks");
    let talks = data::locomo(&dir).expect("the talk");
    retention(&talks, &Words("words@1".parse().expect("a name")), config).expect("scores")
}

fn of(scores: &[RetentionScore], store: Store) -> &RetentionScore {
    scores.iter().find(|s| s.store == store).expect("every store is measured")
}

#[test]
fn every_store_is_measured_and_half_the_turns_find_less() {
    let scores = measured(&ValidConfig::default());
    let full = of(&scores, Store::Full);
    assert!((full.entries - 24.0).abs() < 1e-9 && (full.kept - 1.0).abs() < 1e-9);
    for store in [Store::RandomHalf, Store::LongestHalf, Store::ImportantHalf, Store::Night] {
        let half = of(&scores, store);
        assert!((0.4..=0.55).contains(&half.kept), "{half:?}");
        assert!(half.recall[2] <= full.recall[2] && half.recall[2] > 0.0, "{half:?}");
    }
    // What is gone is not found. What is long is what is asked in this talk.
    assert!(of(&scores, Store::RandomHalf).recall[2] + 0.2 < full.recall[2], "{scores:?}");
    assert!(of(&scores, Store::LongestHalf).recall[2] > of(&scores, Store::RandomHalf).recall[2]);
}

#[test]
fn recall_never_falls_with_more_entries_read_and_is_the_same_again() {
    let scores = measured(&ValidConfig::default());
    for score in &scores {
        assert!(score.recall.is_sorted(), "{score:?}");
        assert!(score.recall.iter().all(|r| (0.0..=1.0).contains(r)));
    }
    assert_eq!(scores, measured(&ValidConfig::default()));
}
