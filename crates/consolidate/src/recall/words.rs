//! Inverted index of the words of entries, weighed by BM25.

use std::collections::{BTreeMap, BTreeSet};

/// Number of occurrences of a word in an entry beyond which more of them hardly count (k1 of BM25).
const SATURATION: f64 = 1.2;

/// Share of an entry's length that lowers the weight of its words (b of BM25). Entries are a sentence or a few:
/// a long one says more and is not merely wordy.
const LENGTH_SHARE: f64 = 0.3;

/// Share of a query's weight that the best entry is assumed to have at least: of two words that no entry has
/// together, either alone is no full match.
const MIN_BEST_SHARE: f64 = 0.5;

/// Words of entries with their weights: BM25 (Robertson & Zaragoza 2009, "The Probabilistic Relevance
/// Framework").
#[derive(Debug, Clone, Default)]
pub(super) struct WordIndex {
    /// Rows of the entries that contain a stem, each with the weight of the stem in it.
    postings: BTreeMap<Box<str>, Vec<(u32, f32)>>,
    entries: usize,
    /// Mean number of stems of an entry, repeats included; at least 1.
    mean_length: f64,
}

impl WordIndex {
    /// Builds the index from the stems of each entry, repeats included.
    pub(super) fn new(entries: &[Vec<String>]) -> Self {
        let total: usize = entries.iter().map(Vec::len).sum();
        let mean_length = (total as f64 / entries.len().max(1) as f64).max(1.0);
        let mut index = Self { postings: BTreeMap::new(), entries: 0, mean_length };
        entries.iter().for_each(|stems| index.push(stems));
        index
    }

    /// Appends an entry. The mean length stays that of the entries that the index was built from.
    pub(super) fn push(&mut self, stems: &[String]) {
        let length = 1.0 - LENGTH_SHARE + LENGTH_SHARE * stems.len() as f64 / self.mean_length.max(1.0);
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        stems.iter().for_each(|stem| *counts.entry(stem).or_default() += 1.0);
        let row = self.entries as u32;
        for (stem, count) in counts {
            let weight = count * (SATURATION + 1.0) / (count + SATURATION * length);
            self.postings.entry(Box::from(stem)).or_default().push((row, weight as f32));
        }
        self.entries += 1;
    }

    /// Returns a score of 0 to 1 for each entry: 1 for the entry that has most of the query's words, by
    /// rarity, if it has at least half of them.
    pub(super) fn scores(&self, query: &BTreeSet<String>) -> Vec<f64> {
        let mut scores = vec![0.0; self.entries];
        let mut total = 0.0;
        for stem in query {
            let postings = self.postings.get(stem.as_str()).map_or(&[][..], Vec::as_slice);
            let rarity = self.rarity(postings.len());
            total += rarity;
            postings.iter().for_each(|&(row, weight)| scores[row as usize] += rarity * f64::from(weight));
        }
        let best = scores.iter().copied().fold(MIN_BEST_SHARE * total, f64::max);
        if best > 0.0 {
            scores.iter_mut().for_each(|score| *score /= best);
        }
        scores
    }

    /// Returns the weight of a word that this many entries contain (inverse document frequency).
    fn rarity(&self, entries: usize) -> f64 {
        let with = entries as f64;
        ((self.entries as f64 - with + 0.5) / (with + 0.5)).ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn index(texts: &[&str]) -> WordIndex {
        let stems = |text: &&str| text.split(' ').map(str::to_owned).collect();
        WordIndex::new(&texts.iter().map(stems).collect::<Vec<_>>())
    }

    fn query(words: &str) -> BTreeSet<String> {
        words.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn rare_words_weigh_more_than_common_ones() {
        let index = index(&["joss mill axle", "joss mill", "joss mill", "mill rain"]);
        let scores = index.scores(&query("mill axle"));
        assert!(scores[0] > 3.0 * scores[1] && scores[1] > 0.0, "{scores:?}");
        assert!(index.scores(&query("dragon")).iter().all(|score| *score == 0.0));
    }

    #[test]
    fn entry_with_few_of_the_words_is_no_full_match() {
        let index = index(&["rain", "sun", "snow"]);
        assert!((index.scores(&query("rain"))[0] - 1.0).abs() < 1e-12);
        assert!(index.scores(&query("rain dragon cave hoard gold"))[0] < 0.5);
        assert!(WordIndex::default().scores(&query("rain")).is_empty());
    }

    proptest! {
        #[test]
        fn scores_are_shares(texts in prop::collection::vec("[a-d]( [a-d]){0,6}", 0..12), words in "[a-f]( [a-f]){0,4}") {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let scores = index(&texts).scores(&query(&words));
            prop_assert_eq!(scores.len(), texts.len());
            prop_assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{:?}", scores);
        }
    }
}
