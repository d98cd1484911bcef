//! Everything the pack knows of single words: closed classes, numbers, set phrases, and WordNet.

mod classes;
mod number;
mod phrases;
pub(crate) mod wordnet;

pub(crate) use classes::{
    WordClass, contraction, direction, directions, is_filler, is_negation, is_reported_by, is_speech_verb,
    person, quantity,
};
pub(crate) use number::{cardinal, is_number_word, multiple, number_word, ordinal};
pub(crate) use phrases::PhraseClass;

/// True if a lower-case word is an English one, as far as the lexicon knows.
pub(crate) fn is_english_word(lower: &str) -> bool {
    WordClass::Stopword.has(lower) || is_negation(lower) || !wordnet::lemmas(lower).is_empty()
}
