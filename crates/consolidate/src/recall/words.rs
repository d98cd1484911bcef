//! Inverted index of the words of entries.

use std::collections::{BTreeMap, BTreeSet};

/// Words of entries, weighed by rarity: inverse document frequency (Spärck Jones 1972) in the form of BM25 (Robertson &
/// Zaragoza 2009).
#[derive(Debug, Clone, Default)]
pub(super) struct WordIndex {
    /// Rows of the entries that contain a stem.
    postings: BTreeMap<Box<str>, Vec<u32>>,
    entries: usize,
}

impl WordIndex {
    /// Appends an entry.
    pub(super) fn push(&mut self, stems: &BTreeSet<String>) {
        let row = self.entries as u32;
        for stem in stems {
            match self.postings.get_mut(stem.as_str()) {
                Some(rows) => rows.push(row),
                None => drop(self.postings.insert(Box::from(stem.as_str()), vec![row])),
            }
        }
        self.entries += 1;
    }

    /// Returns for each entry the share of the query's words that it has, by rarity, 0 to 1. A word that no entry has counts
    /// among those of the query.
    pub(super) fn scores(&self, query: &BTreeSet<String>) -> Vec<f64> {
        let mut scores = vec![0.0; self.entries];
        let found: Vec<(&[u32], f64)> = query
            .iter()
            .map(|stem| {
                let rows = self.postings.get(stem.as_str()).map_or(&[][..], Vec::as_slice);
                (rows, self.rarity(rows.len()))
            })
            .collect();
        let total: f64 = found.iter().map(|(_, rarity)| rarity).sum();
        if total > 0.0 {
            for (rows, rarity) in found {
                rows.iter().for_each(|&row| scores[row as usize] += rarity / total);
            }
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
        let mut index = WordIndex::default();
        texts.iter().for_each(|text| index.push(&query(text)));
        index
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
            prop_assert!(scores.iter().all(|score| (0.0..=1.0 + 1e-9).contains(score)), "{:?}", scores);
        }
    }
}
