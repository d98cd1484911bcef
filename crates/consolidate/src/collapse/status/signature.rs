//! Signature of a status line: its text without the parts that change from reading to reading.

use nightfold_memory::LanguagePack;

use super::token::{StatusToken, tokens};

/// Minimum number of key words in a token key.
const MIN_KEY_WORDS: usize = 3;

/// Returns the line with every ephemeral token replaced by its placeholder, in lower case, plurals stripped.
pub(super) fn signature(text: &str, pack: &dyn LanguagePack) -> String {
    let mut out = String::with_capacity(text.len());
    for token in tokens(text) {
        if !out.is_empty() {
            out.push(' ');
        }
        match &token {
            StatusToken::Word(word) => out.push_str(&pack.base_form(word)),
            other => out.push_str(other.placeholder().unwrap_or_default()),
        }
    }
    out
}

/// Returns the key words of a signature (all but placeholders and filler words), each once and sorted; `None`
/// if there are fewer than three.
pub(super) fn token_key<'s>(signature: &'s str, pack: &dyn LanguagePack) -> Option<Vec<&'s str>> {
    let meaning = |word: &&str| !word.starts_with('<') && !pack.is_filler(word);
    let mut words: Vec<&str> = signature.split(' ').filter(meaning).filter(|w| !w.is_empty()).collect();
    words.sort_unstable();
    words.dedup();
    (words.len() >= MIN_KEY_WORDS).then_some(words)
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;

    use super::*;

    #[test]
    fn signature_replaces_ephemeral_tokens() {
        let one = signature("Gateway health: 3 agents, latency 45ms, 2026-03-15", &English);
        assert_eq!(one, "gateway health <num> agent latency <num> ms <datetime>");
        assert_eq!(one, signature("Gateway health: 5 agents, latency 30ms, 2026-03-16", &English));
        assert_ne!(one, signature("Gateway health: 5 agents lost, latency 30ms, 2026-03-16", &English));
    }

    #[test]
    fn token_key_needs_three_key_words() {
        assert_eq!(token_key("the service status is <num>", &English), None);
        assert_eq!(
            token_key("status of the gate <num> alert", &English),
            Some(vec!["alert", "gate", "status"])
        );
    }
}
