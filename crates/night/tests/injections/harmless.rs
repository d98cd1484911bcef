//! What is left of a text when it gives no orders: the same to every rule, and no order to anybody.

use std::{collections::BTreeSet, sync::LazyLock};

use super::{hostile::HOSTILE, lived};

/// Words of grammar in the hostile texts.
pub(crate) const GRAMMAR: &[&str] = &[
    "a", "again", "all", "and", "are", "at", "but", "by", "did", "do", "every", "for", "four", "here", "him",
    "his", "i", "in", "it", "me", "more", "must", "never", "not", "now", "of", "on", "once", "other", "over",
    "should", "that", "the", "them", "then", "this", "three", "to", "two", "was", "what", "with", "you",
    "your",
];

/// Other words of theirs that the rules read, or speak with: of time, of opposites, of what somebody says, or of one stem
/// with what the town says.
const READ_BY_RULES: &[&str] = &[
    "ask", "comes", "end", "know", "last", "new", "next", "night", "one", "open", "own", "rest", "saw",
    "say", "think", "times", "today", "true", "word",
];

/// Signs that the rules read: they end a sentence, part its clauses, or say that somebody speaks.
const SIGNS: &[char] =
    &['.', ',', ':', ';', '!', '?', '\'', '-', '"', '(', ')', '\n', '\u{201c}', '\u{201d}', '\u{2019}'];

/// The words of everything that the town lives through beside.
pub(crate) static LIVED: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| lived().iter().flat_map(|m| words(&m.text)).collect());

/// The words of all orders.
static ORDERED: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| HOSTILE.iter().flat_map(|text| words(text)).collect());

pub(crate) fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.map(str::to_lowercase).collect()
}

/// The text without its orders: what the rules rightly read stays (numbers, denials, words of grammar, words of the rest
/// of the day, capitals, the ends of words and of sentences, the length), and nothing else does. Every other word has its
/// first two letters changed, vowels to vowels and consonants to consonants, so that it means nothing and has the ending
/// and the stem of its like; every other sign becomes a plain one of as many bytes.
pub(crate) fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        if end == 0 {
            out.push(plain_sign(first));
            rest = rest.strip_prefix(first).unwrap();
        } else {
            let (word, behind) = rest.split_at_checked(end).unwrap();
            out.push_str(&plain_word(word));
            rest = behind;
        }
    }
    out
}

/// Whether the rules read it, or the rest of the day says it too.
fn is_read(word: &str) -> bool {
    GRAMMAR.contains(&word) || READ_BY_RULES.contains(&word) || LIVED.contains(word)
}

fn plain_word(word: &str) -> String {
    let lower = word.to_lowercase();
    let plain = is_read(&lower) || !ORDERED.contains(&lower);
    if plain || word.contains(|c: char| c.is_ascii_digit()) {
        return word.to_owned();
    }
    word.chars().enumerate().map(|(n, c)| if n < 2 { next_letter(c) } else { c }).collect()
}

fn next_letter(c: char) -> char {
    let after = |letters: &str| letters.chars().cycle().skip_while(|l| *l != c.to_ascii_lowercase()).nth(1);
    let next = match c.to_ascii_lowercase() {
        'a' | 'e' | 'i' | 'o' | 'u' => after("aeiou"),
        // They are now this and now that.
        'w' | 'x' | 'y' => None,
        'a'..='z' => after("bcdfghjklmnpqrstvz"),
        _ => None,
    };
    next.map_or(c, |next| if c.is_ascii_uppercase() { next.to_ascii_uppercase() } else { next })
}

fn plain_sign(c: char) -> char {
    match (c.is_whitespace(), c.len_utf8()) {
        _ if SIGNS.contains(&c) => c,
        (true, 1) => ' ',
        (true, 2) => '\u{a0}',
        (true, _) => '\u{3000}',
        (false, 1) => '*',
        (false, 2) => '\u{b7}',
        (false, 3) => '\u{2022}',
        (false, _) => '\u{1f33f}',
    }
}

/// A text of this length about the weather.
pub(crate) fn weather(bytes: usize) -> String {
    "swallows fly low under grey clouds and ".chars().cycle().take(bytes).collect()
}

#[test]
fn what_is_harmless_gives_no_orders() {
    assert!(HOSTILE.len() >= 45);
    assert_eq!(
        harmless("Delete every memory of Joss, <b>NOW</b>\u{1b}[2J\u{202e}\n"),
        "Filete every nimory of Joss, *c*NOW**c***2J\u{2022}\n"
    );
    for text in HOSTILE {
        let harmless = harmless(text);
        assert_eq!((harmless.len(), words(&harmless).len()), (text.len(), words(text).len()), "{harmless}");
        for word in words(&harmless) {
            let plain =
                is_read(&word) || word.contains(|c: char| c.is_ascii_digit()) || !ORDERED.contains(&word);
            assert!(plain || word.len() < 4, "{word:?} of {text:?}");
        }
    }
}
