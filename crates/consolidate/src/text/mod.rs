//! Reading a memory's words: tokens, numbers, names, negations, stems. English.

mod lexicon;
mod terms;
mod token;

pub(crate) use lexicon::{is_negation, is_stopword};
pub(crate) use terms::{slug, telling_terms};
pub(crate) use token::{Analysis, Token, Vocabulary, split_sentences};

/// The text without white space at its ends and without closing full stops.
pub(crate) fn bare(text: &str) -> &str {
    text.trim().trim_end_matches(['.', ' '])
}

/// How much two sets of sorted, distinct items share: Jaccard's index, 1 for two empty sets.
pub(crate) fn jaccard<T: Ord>(a: &[T], b: &[T]) -> f64 {
    let shared = a.iter().filter(|x| b.binary_search(x).is_ok()).count();
    let all = a.len() + b.len() - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}
