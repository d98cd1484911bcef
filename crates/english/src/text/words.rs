//! Classes of single words in status lines and ids, and the stems of a whole text.

use super::{is_negation, is_stopword, stem};

/// Words that carry no information in a status line. Negations are not among them.
const FILLERS: [&str; 34] = [
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "for", "from", "had", "has", "have",
    "in", "into", "is", "it", "its", "of", "on", "or", "that", "the", "their", "there", "these", "this",
    "those", "to", "was", "were", "with",
];

/// True for a word that carries no information in a status line.
pub(crate) fn is_filler(word: &str) -> bool {
    FILLERS.binary_search(&word).is_ok()
}

/// Words that name the kind of item in an id, and not its subject.
const KINDS: &[&str] =
    &["reflection", "insight", "thought", "memory", "note", "position", "belief", "npc", "entry", "item"];

/// True for a word that names the kind of item in an id.
pub(crate) fn is_generic(word: &str) -> bool {
    KINDS.contains(&word)
}

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
        if !is_stopword(&word) && !is_negation(&word) {
            take(&stem(&word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillers_are_found() {
        assert!(FILLERS.is_sorted());
        assert!(is_filler("the") && !is_filler("not"));
    }

    #[test]
    fn plurals_lose_their_ending() {
        assert_eq!(singular("services"), "service");
        assert_eq!(singular("Status"), "status");
    }
}
