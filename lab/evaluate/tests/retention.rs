//! Retention on a small conversation of our own, with an embedder that only counts words.

use std::path::Path;

use nightfold_evaluate::{
    data,
    suites::{RetentionScore, Store, retention},
};
use nightfold_memory::{Embedded, Embedder, EmbedderError, ModelId, ValidConfig, Vectors};

/// Embedder that adds 1 to one number per word: texts that share words are close.
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
        Ok(Embedded::without_grammar(vectors, vec![false; texts.len()]))
    }
}

fn measured(config: &ValidConfig) -> Vec<RetentionScore> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/talks");
    let talks = data::conversations(&dir).expect("the talk");
    retention(&talks, &Words("words@1".parse().expect("a name")), config).expect("scores")
}

fn of(scores: &[RetentionScore], store: Store) -> &RetentionScore {
    scores.iter().find(|s| s.store == store).expect("every store is measured")
}

#[test]
fn halved_stores_find_less_evidence() {
    let scores = measured(&ValidConfig::default());
    let full = of(&scores, Store::Full);
    assert!((full.entries - 24.0).abs() < 1e-9 && (full.kept - 1.0).abs() < 1e-9);
    for store in [Store::RandomHalf, Store::LongestHalf, Store::ImportantHalf, Store::Night] {
        let half = of(&scores, store);
        // The night is limited by the text of its talk, the others by the number of turns.
        let left = if store == Store::Night { half.text - 0.25 } else { half.kept };
        assert!((0.4..=0.55).contains(&left), "{half:?}");
        assert!(half.recall[2] <= full.recall[2] && half.recall[2] > 0.0, "{half:?}");
    }
    // Removed turns are not found; the questions of this conversation are about long turns.
    assert!(of(&scores, Store::RandomHalf).recall[2] + 0.2 < full.recall[2], "{scores:?}");
    assert!(of(&scores, Store::LongestHalf).recall[2] > of(&scores, Store::RandomHalf).recall[2]);
}

#[test]
fn recall_grows_with_entries_read_and_is_reproducible() {
    let scores = measured(&ValidConfig::default());
    for score in &scores {
        assert!(score.recall.is_sorted(), "{score:?}");
        assert!(score.recall.iter().all(|r| (0.0..=1.0).contains(r)));
    }
    assert_eq!(scores, measured(&ValidConfig::default()));
}
