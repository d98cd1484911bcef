//! Words that start a sentence, of which the spelling of two texts decides if they are names.

use std::collections::BTreeSet;

use crate::{
    lexicon::wordnet::{self, PartOfSpeech},
    text::{Spelling, Token},
};

/// A capitalised word at the start of a sentence, which may be a name.
pub(super) struct SentenceOpener {
    word: String,
    may_be_a_name: bool,
}

impl SentenceOpener {
    /// Returns the capitalised words that start a sentence, each once.
    pub(super) fn all(tokens: Vec<Token>) -> Vec<Self> {
        let openers = tokens.into_iter().filter(|t| t.capital && t.starts_sentence);
        let words: BTreeSet<String> = openers.map(|t| t.lower).collect();
        words.into_iter().map(|word| Self { may_be_a_name: may_be_a_name(&word), word }).collect()
    }

    /// True if the word is a name by the spelling of two texts.
    pub(super) fn is_name(&self, own: &Spelling, other: &Spelling) -> bool {
        let holds = |of: fn(&Spelling) -> &BTreeSet<String>| {
            of(own).contains(&self.word) || of(other).contains(&self.word)
        };
        holds(|s| &s.names) || (!holds(|s| &s.common) && self.may_be_a_name)
    }
}

/// True if a word is a name, by the spelling of its text.
pub(super) fn is_name(token: &Token, spelling: &Spelling) -> bool {
    let word = token.lower.as_str();
    if !token.capital || !token.starts_sentence || spelling.names.contains(word) {
        return token.capital;
    }
    !spelling.common.contains(word) && may_be_a_name(word)
}

/// Returns a spelling with decisions on the words that start sentences added.
pub(super) fn with_decisions<'a>(
    spelling: &Spelling,
    decided: impl Iterator<Item = (&'a SentenceOpener, &'a bool)>,
) -> Spelling {
    let mut decided_on = spelling.clone();
    for (opener, is_name) in decided {
        let words = if *is_name { &mut decided_on.names } else { &mut decided_on.common };
        words.insert(opener.word.clone());
    }
    decided_on
}

/// True if a word that starts a sentence may be a name: "Bran", taken for one to be safe, but not "Pigeons",
/// "Old" or "Running".
fn may_be_a_name(word: &str) -> bool {
    wordnet::lemmas(word).iter().all(|lemma| lemma.part == PartOfSpeech::Noun && lemma.word == word)
}
