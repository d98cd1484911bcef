//! Everything the pack knows of single words: closed classes of words and phrases, numbers, and WordNet.

mod classes;
mod number;
pub(crate) mod wordnet;

pub(crate) use classes::{
    DIRECTIONS, WordClass, contraction, is_direction, is_filler, is_negation, is_reported_by, is_speech_verb,
    means_all, person,
};
pub(crate) use number::{cardinal, is_number_word, multiple, number_word, ordinal};

/// True if a lower-case word is an English one, as far as the lexicon knows.
pub(crate) fn is_english_word(lower: &str) -> bool {
    WordClass::Stopword.has(lower) || is_negation(lower) || !wordnet::lemmas(lower).is_empty()
}
