//! Reading of English text: tokens, numbers, names, negations, stems.

mod lexicon;
mod sentence;
mod token;
mod words;

pub(crate) use nightfold_memory::text::{Analysis, Token, contains_words, jaccard, part};

pub(crate) use lexicon::{is_negation, is_stopword};
pub(crate) use sentence::{
    cuttable, is_closing_mark, is_line_end, is_quotation_mark, is_quoted, quotations, sentences, word_starts,
};
pub(crate) use token::{Vocabulary, analyze, analyze_within, stem, tokens};
pub(crate) use words::{content_stems, is_filler, is_generic, singular};

/// Returns the text without white space at its ends and without closing full stops.
pub(crate) fn bare(text: &str) -> &str {
    text.trim().trim_end_matches(['.', ' '])
}

/// Returns true for a word, as written, with a possessive ending.
pub(crate) fn is_possessive(written: &str) -> bool {
    written.ends_with("'s") || written.ends_with("\u{2019}s")
}
