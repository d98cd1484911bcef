//! Words that texts have in common.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use nightfold_memory::{Analysis, Token};

use crate::naming::DocumentFrequencies;

/// Length of a word that says something, in characters: in scripts without spaces a single one is no word.
const WORD_CHARS: RangeInclusive<usize> = 2..=32;

/// Returns up to `most` words that at least `least` texts of a group contain, the most distinctive first: those in many
/// texts of the group and in few of `all`. Each is spelled as at its first occurrence. Numbers and the words in
/// `excluded` are left out.
pub(super) fn shared_words(
    group: &[(&str, &Analysis)],
    all: &DocumentFrequencies<'_>,
    excluded: &Analysis,
    least: usize,
    most: usize,
) -> Vec<String> {
    let mut found: BTreeMap<&str, (&str, BTreeSet<usize>)> = BTreeMap::new();
    for (at, (text, analysis)) in group.iter().enumerate() {
        let is_word = |token: &&Token| token.names_theme && WORD_CHARS.contains(&token.lower.chars().count());
        for token in analysis.tokens.iter().filter(is_word) {
            found.entry(&token.stem).or_insert_with(|| (token.word(text), BTreeSet::new())).1.insert(at);
        }
    }
    found.retain(|stem, (_, texts)| {
        texts.len() >= least && excluded.content.binary_search_by(|own| own.as_str().cmp(stem)).is_err()
    });
    let score = |stem: &str, texts: &BTreeSet<usize>| texts.len() as f64 * all.rareness(stem);
    let mut scored: Vec<(f64, &str)> =
        found.iter().map(|(stem, (word, texts))| (score(stem, texts), *word)).collect();
    // The map is sorted by stem, and the sort is stable: ties go by stem.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(most).map(|(_, word)| word.to_owned()).collect()
}
