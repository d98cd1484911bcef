//! Spelling of words in several texts, which distinguishes a name at the start of a sentence from a common
//! word.

use std::collections::BTreeSet;

use super::{Token, read_tokens};
use crate::lexicon::WordClass;

/// Names and common words of texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spelling {
    /// Words capitalised inside a sentence, and the names of people.
    pub(crate) names: BTreeSet<String>,
    /// Words written in lower case somewhere.
    pub(crate) common: BTreeSet<String>,
}

impl Spelling {
    /// Collects the names of people, and the names and common words among the tokens of all texts.
    pub(crate) fn of<'a, 't>(
        people: impl Iterator<Item = &'a str>,
        tokens: impl IntoIterator<Item = &'t Token>,
    ) -> Self {
        let mut spelling = Self { names: names_in(people).collect(), common: BTreeSet::new() };
        for token in tokens {
            let words = if is_name(token) {
                &mut spelling.names
            } else if token.capital {
                continue;
            } else {
                &mut spelling.common
            };
            if !words.contains(&token.lower) {
                words.insert(token.lower.clone());
            }
        }
        spelling
    }
}

/// True if a word looks like a proper name: capitalised inside a sentence. At the start of a sentence every
/// word is.
pub(super) fn is_name(token: &Token) -> bool {
    let is_me = token.lower == "i" || token.lower.starts_with("i'");
    token.capital && !token.starts_sentence && !is_me && !token.function
}

/// Returns the words of people's names.
pub(crate) fn names_in<'a>(people: impl Iterator<Item = &'a str>) -> impl Iterator<Item = String> {
    people.flat_map(read_tokens).map(|token| token.lower).filter(|word| !WordClass::Stopword.has(word))
}
