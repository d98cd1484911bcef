//! Tokens of a text, and the analysis of its words.

#![expect(clippy::disallowed_types, reason = "stems are looked up, and never listed")]

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

use foldhash::fast::RandomState;
use nightfold_memory::{Analysis, Token};
use rust_stemmers::{Algorithm, Stemmer};

use crate::lexicon::{WordClass, is_negation, is_number_word};

use super::{
    part, placeholders,
    sentence::opens_sentence,
    spelling::{Spelling, is_name, names_in},
};

/// Maximum number of words in a thread's cache.
const WORD_CACHE_SIZE: usize = 1 << 14;
/// Maximum length of a word in the cache, in bytes; longer ones are no words that come again.
const MAX_CACHED_BYTES: usize = 48;

/// Maximum number of texts in a thread's cache.
const TEXT_CACHE_SIZE: usize = 1 << 12;
/// Maximum length of a text in the cache, in bytes.
const MAX_CACHED_TEXT_BYTES: usize = 512;

/// Properties that a word has by itself, in any text.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own, as of a token")]
struct WordFacts {
    stem: Box<str>,
    number: bool,
    function: bool,
    negation: bool,
    speaker: bool,
    names_theme: bool,
}

impl WordFacts {
    fn of(lower: &str, stemmer: &Stemmer) -> Self {
        // "Everything" and "somebody" are part of what a text says, but name no theme.
        let indefinite = WordClass::Indefinite.has(lower);
        let (function, negation) = (WordClass::Stopword.has(lower) && !indefinite, is_negation(lower));
        let number = lower.bytes().any(|b| b.is_ascii_digit()) || is_number_word(lower);
        let vague = indefinite
            || WordClass::Vague.has(lower)
            || WordClass::Boilerplate.has(lower)
            || lower.chars().count() < 3;
        Self {
            stem: stemmer.stem(lower).into(),
            number,
            function,
            negation,
            speaker: WordClass::FirstPerson.has(lower),
            names_theme: !(number || function || negation || vague),
        }
    }
}

/// A stemmer with a cache of words: a night reads the same words again and again.
struct WordCache {
    stemmer: Stemmer,
    known: HashMap<Box<str>, WordFacts, RandomState>,
}

thread_local! {
    static WORDS: RefCell<WordCache> =
        RefCell::new(WordCache { stemmer: Stemmer::create(Algorithm::English), known: HashMap::default() });
    static TEXTS: RefCell<HashMap<Box<str>, Rc<[Token]>, RandomState>> = RefCell::default();
}

/// Calls `read` with the properties of a lower-case word.
fn with_word<T>(lower: &str, read: impl FnOnce(&WordFacts) -> T) -> T {
    WORDS.with_borrow_mut(|WordCache { stemmer, known }| {
        if let Some(facts) = known.get(lower) {
            return read(facts);
        }
        let facts = WordFacts::of(lower, stemmer);
        let result = read(&facts);
        if lower.len() <= MAX_CACHED_BYTES {
            if known.len() >= WORD_CACHE_SIZE {
                known.clear();
            }
            known.insert(lower.into(), facts);
        }
        result
    })
}

/// Returns the stem of a lower-case word (Snowball, "Porter2").
pub(crate) fn stem(lower: &str) -> String {
    with_word(lower, |facts| facts.stem.to_string())
}

/// Returns the token of a word as written.
fn token(word: &str, start: usize, end: usize, capital: bool, opens: bool) -> Token {
    let mut lower = in_lower_case(word);
    let mut word_end = end;
    if lower.ends_with("'s") {
        lower.truncate(lower.len() - 2);
        word_end -= word.chars().rev().take(2).map(char::len_utf8).sum::<usize>();
    }
    let facts = with_word(&lower, WordFacts::clone);
    Token {
        start,
        end,
        word_end,
        lower,
        stem: facts.stem.into(),
        capital,
        starts_sentence: opens,
        number: facts.number,
        function: facts.function,
        negation: facts.negation,
        speaker: facts.speaker,
        names_theme: facts.names_theme,
    }
}

/// Returns the words of a text in order. What is read again and again by a thread, such as a statement by every rule, is
/// read once.
pub(crate) fn tokens(text: &str) -> Rc<[Token]> {
    TEXTS.with_borrow_mut(|known| {
        if let Some(tokens) = known.get(text) {
            return Rc::clone(tokens);
        }
        let tokens: Rc<[Token]> = read_tokens(text).into();
        if text.len() <= MAX_CACHED_TEXT_BYTES {
            if known.len() >= TEXT_CACHE_SIZE {
                known.clear();
            }
            known.insert(text.into(), Rc::clone(&tokens));
        }
        tokens
    })
}

/// Reads the words of a text in order.
pub(crate) fn read_tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut opens = true;
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if !c.is_alphanumeric() {
            opens |= opens_sentence(c);
            continue;
        }
        let mut end = start + c.len_utf8();
        let mut digits = c.is_ascii_digit();
        while let Some(&(at, next)) = chars.peek() {
            let joins =
                matches!(next, '\'' | '\u{2019}' | '-') || (digits && matches!(next, '.' | ',' | ':'));
            let inner = joins && chars.clone().nth(1).is_some_and(|(_, behind)| behind.is_alphanumeric());
            if !(next.is_alphanumeric() || inner) {
                break;
            }
            digits = next.is_ascii_digit() || (joins && digits);
            end = at + next.len_utf8();
            chars.next();
        }
        out.push(token(part(text, start..end), start, end, c.is_uppercase(), opens));
        opens = false;
    }
    if text.contains(['<', '[', '{']) {
        for range in placeholders(text) {
            let inside = out.iter_mut().filter(|t| range.start < t.end && t.start < range.end);
            inside.for_each(|t| t.names_theme = false);
        }
    }
    out
}

/// Returns a word in lower case and with straight apostrophes.
fn in_lower_case(word: &str) -> String {
    if word.is_ascii() { word.to_ascii_lowercase() } else { word.to_lowercase().replace('\u{2019}', "'") }
}

fn sorted(mut items: Vec<String>) -> Vec<String> {
    items.sort_unstable();
    items.dedup();
    items
}

/// Analyses a text on its own. `known` are names known from elsewhere, such as the actors of the memory: they
/// are recognised at the start of a sentence too.
pub(crate) fn analyze<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Analysis {
    analyze_knowing(text, &[&names_in(known.into_iter()).collect()])
}

/// Analyses a text on its own, with the [words of names](names_in) that are known from elsewhere.
pub(crate) fn analyze_knowing(text: &str, known: &[&BTreeSet<String>]) -> Analysis {
    analyze_tokens(read_tokens(text), |word| known.iter().any(|names| names.contains(word)), |_| false)
}

/// Analyses the words of a text as one of a day.
pub(crate) fn analyze_within(tokens: Vec<Token>, day: &Spelling) -> Analysis {
    analyze_tokens(tokens, |word| day.names.contains(word), |word| day.common.contains(word))
}

fn analyze_tokens(
    tokens: Vec<Token>,
    known_name: impl Fn(&str) -> bool,
    is_common: impl Fn(&str) -> bool,
) -> Analysis {
    let own: BTreeSet<&str> = tokens.iter().filter(|t| is_name(t)).map(|t| t.lower.as_str()).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut name_order: Vec<String> = Vec::new();
    for token in tokens.iter().filter(|t| t.capital) {
        let named = own.contains(token.lower.as_str()) || known_name(&token.lower);
        if named && seen.insert(&token.lower) {
            name_order.push(token.lower.clone());
        }
    }
    let names = sorted(name_order.clone());
    let marked = |t: &Token| t.number || names.binary_search(&t.lower).is_ok();
    let (mut content, mut frame) = (Vec::new(), Vec::new());
    for token in tokens.iter().filter(|t| !t.function && !t.negation) {
        let stem = token.stem.clone();
        if !marked(token) {
            frame.push(stem.clone());
        }
        content.push(stem);
    }
    Analysis {
        content: sorted(content),
        plain_content: sorted(frame),
        numbers: sorted(tokens.iter().filter(|t| t.number).map(|t| t.lower.clone()).collect()),
        starts_common: tokens.first().is_some_and(|t| {
            t.starts_sentence && names.binary_search(&t.lower).is_err() && (t.function || is_common(&t.lower))
        }),
        negations: tokens.iter().filter(|t| t.negation).count(),
        names,
        name_order,
        tokens,
        grammar: None,
    }
}
/// Returns the words in lower case between single spaces, with one at either end.
pub(crate) fn spaced(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 2);
    for token in &*tokens(text) {
        words.push(' ');
        words.push_str(&token.lower);
    }
    words.push(' ');
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_and_negations_are_found() {
        let a = analyze("Tom said Joss won't pay the 14 silver, only nine.", ["Tom Aldous"]);
        assert_eq!(a.name_order, ["tom", "joss"]);
        assert_eq!(a.numbers, ["14", "nine"]);
        assert_eq!(a.negations, 1);
        assert!(a.content.contains(&"silver".to_owned()) && !a.content.contains(&"the".to_owned()));
    }

    #[test]
    fn a_capital_at_the_start_of_a_sentence_is_no_name() {
        assert!(analyze("Salt is dear. Bread is not.", []).names.is_empty());
        assert_eq!(analyze("I saw Bran's brazier", []).names, ["bran"]);
    }

    #[test]
    fn numbers_keep_their_points_and_colons() {
        let a = analyze("At 14:30 it cost 3.5 coppers, not 1,000.", []);
        assert_eq!(a.numbers, ["1,000", "14:30", "3.5"]);
    }
}
