//! Reading of English text: tokens, numbers, names, negations, stems.

mod contractions;
mod normal_form;
mod noun_group;
mod placeholder;
mod sentence;
mod spelling;
mod stems;
mod token;

pub(crate) use nightfold_memory::text::{Analysis, Token, contains_words, jaccard, part};

pub(crate) use contractions::write_out_contractions;
pub(crate) use normal_form::normal_form;
#[cfg(test)]
pub(crate) use noun_group::tests::tagged;
pub(crate) use noun_group::{NounGroup, noun_groups, token_of, words_text};
pub(crate) use placeholder::placeholders;
pub(crate) use sentence::{
    Sentence, is_closing_mark, is_quotation_mark, is_quoted, quotations, sentences, statements,
};
pub(crate) use spelling::{Spelling, names_in};
pub(crate) use stems::{content_stems, singular};
pub(crate) use token::{analyze, analyze_knowing, analyze_within, read_tokens, spaced, stem, tokens};

/// Returns the text without white space at its ends and without closing full stops.
pub(crate) fn without_full_stop(text: &str) -> &str {
    text.trim().trim_end_matches(['.', ' '])
}

/// Returns true for a word, as written, with a possessive ending.
pub(crate) fn is_possessive(written: &str) -> bool {
    written.ends_with("'s") || written.ends_with("\u{2019}s")
}
