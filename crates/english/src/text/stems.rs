//! Stems and base forms of words.

use super::stem;
use crate::lexicon::{WordClass, is_negation};

/// Returns a word in lower case without its plural s.
pub(crate) fn singular(word: &str) -> String {
    let mut word = word.to_lowercase();
    let plural = word.chars().count() > 3
        && word.ends_with('s')
        && !["ss", "us", "is"].iter().any(|kept| word.ends_with(kept));
    if plural {
        word.pop();
    }
    word
}

/// Passes the stem of every content word to `take`.
pub(crate) fn content_stems(text: &str, take: &mut dyn FnMut(&str)) {
    let mut word = String::new();
    for written in text.split(|c: char| !c.is_alphanumeric()) {
        // A letter that an apostrophe leaves over.
        if written.len() < 2 && !written.bytes().all(|b| b.is_ascii_digit()) || written.is_empty() {
            continue;
        }
        word.clear();
        word.extend(written.chars().flat_map(char::to_lowercase));
        if !WordClass::Stopword.has(&word) && !is_negation(&word) {
            take(&stem(&word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_lose_their_ending() {
        assert_eq!(singular("services"), "service");
        assert_eq!(singular("Status"), "status");
    }
}
