//! What a status line says once all that changes from reading to reading is left out.

use super::token::{Token, tokens};

/// Words that say nothing by themselves. Negations are not among them.
const STOPWORDS: [&str; 34] = [
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "for", "from", "had", "has", "have",
    "in", "into", "is", "it", "its", "of", "on", "or", "that", "the", "their", "there", "these", "this",
    "those", "to", "was", "were", "with",
];

/// The fewest words of meaning that make a token key.
const LEAST_WORDS: usize = 3;

/// The line with every ephemeral token replaced by its placeholder, in lower case, plurals stripped.
pub(super) fn signature(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for token in tokens(text) {
        if !out.is_empty() {
            out.push(' ');
        }
        match &token {
            Token::Word(word) => out.push_str(&stem(word)),
            other => out.push_str(other.placeholder().unwrap_or_default()),
        }
    }
    out
}

/// The words of meaning of a signature, each once and sorted; nothing where there are fewer than three.
pub(super) fn token_key(signature: &str) -> Option<Vec<&str>> {
    let meaning = |word: &&str| !word.starts_with('<') && STOPWORDS.binary_search(word).is_err();
    let mut words: Vec<&str> = signature.split(' ').filter(meaning).filter(|w| !w.is_empty()).collect();
    words.sort_unstable();
    words.dedup();
    (words.len() >= LEAST_WORDS).then_some(words)
}

/// A word in lower case without its plural s.
pub(crate) fn stem(word: &str) -> String {
    let mut word = word.to_lowercase();
    let plural = word.chars().count() > 3
        && word.ends_with('s')
        && !["ss", "us", "is"].iter().any(|kept| word.ends_with(kept));
    if plural {
        word.pop();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_design_come_out() {
        let one = signature("Gateway health: 3 agents, latency 45ms, 2026-03-15");
        assert_eq!(one, "gateway health <num> agent latency <num> ms <datetime>");
        assert_eq!(one, signature("Gateway health: 5 agents, latency 30ms, 2026-03-16"));
        assert_ne!(one, signature("Gateway health: 5 agents lost, latency 30ms, 2026-03-16"));
    }

    #[test]
    fn a_key_needs_three_words_of_meaning() {
        assert_eq!(token_key("the service status is <num>"), None);
        assert_eq!(token_key("status of the gate <num> alert"), Some(vec!["alert", "gate", "status"]));
        assert_eq!(stem("services"), "service");
        assert_eq!(stem("Status"), "status");
    }

    #[test]
    fn stopwords_are_found() {
        assert!(STOPWORDS.is_sorted());
    }
}
