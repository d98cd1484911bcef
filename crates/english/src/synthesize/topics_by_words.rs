//! Topics of a text without a grammar: names, and nouns of the dictionary behind articles and the like.

use nightfold_memory::{TopicForm, TopicPhrase};

use super::topics::{MAX_CHARS, may_name, stems};
use crate::{
    lexicon::{
        WordClass,
        wordnet::{PartOfSpeech, lemmas},
    },
    text::{Analysis, Token, part},
};

/// Maximum number of words of a phrase.
const MAX_WORDS: usize = 3;

/// Returns names, and nouns as far as words alone show them.
pub(super) fn topics_by_words(text: &str, analysis: &Analysis) -> Vec<TopicPhrase> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < analysis.tokens.len() {
        let run = run_of_words(text, analysis, at);
        let topic =
            if is_name(analysis, at) { name(text, run) } else { noun_phrase(text, analysis, at, run) };
        at += topic.as_ref().map_or(1, |(_, words)| *words);
        found.extend(topic.map(|(topic, _)| topic));
    }
    found
}

fn is_name(analysis: &Analysis, at: usize) -> bool {
    analysis.tokens.get(at).is_some_and(|token| {
        token.capital && token.names_theme && analysis.names.binary_search(&token.lower).is_ok()
    })
}

/// Returns the words from `at` that stand beside each other and say something.
fn run_of_words<'a>(text: &str, analysis: &'a Analysis, at: usize) -> &'a [Token] {
    let tokens = analysis.tokens.get(at..).unwrap_or_default();
    let ends = |(i, token): (usize, &Token)| {
        let joins = i == 0 || part(text, tokens[i - 1].end..token.start) == " ";
        token.function || token.number || token.negation || !joins || i == MAX_WORDS
    };
    let length = tokens.iter().enumerate().position(|(i, token)| ends((i, token))).unwrap_or(tokens.len());
    tokens.get(..length.min(MAX_WORDS)).unwrap_or_default()
}

/// Returns the name that a run of words begins with, and its number of words.
fn name(text: &str, run: &[Token]) -> Option<(TopicPhrase, usize)> {
    let length = run.iter().take_while(|token| token.capital && token.end == token.word_end).count().max(1);
    let words = run.get(..length)?;
    let last = words.last()?;
    let written = part(text, words.first()?.start..last.word_end).to_owned();
    let form =
        TopicForm { named: written.clone(), text: written, stems: stems(words.iter()), stands_alone: true };
    let topic = |form: TopicForm| TopicPhrase { forms: vec![form], is_name: true, is_central: true };
    (form.text.chars().count() <= MAX_CHARS).then(|| (topic(form), length))
}

/// Returns the noun that a run of words leads to, and the number of words up to it.
fn noun_phrase(text: &str, analysis: &Analysis, at: usize, run: &[Token]) -> Option<(TopicPhrase, usize)> {
    let before = at.checked_sub(1).and_then(|at| analysis.tokens.get(at));
    let before = before.filter(|token| part(text, token.end..run.first().map_or(0, |t| t.start)) == " ");
    let opens = |token: &Token| {
        WordClass::Determiner.has(&token.lower) || WordClass::Preposition.has(&token.lower) || token.number
    };
    let is_opened = before.is_some_and(opens);
    let noun = if is_opened { noun_of(run)? } else { usize::from(!is_only_noun(run.first()?)) };
    if !is_opened && noun != 0 {
        return None;
    }
    let words = run.get(..=noun)?;
    let head = words.last().filter(|head| may_name(head))?;
    let is_definite = before.is_some_and(|token| {
        token.lower == "the"
            || WordClass::Possessive.has(&token.lower)
            || WordClass::Demonstrative.has(&token.lower)
    });
    let mut forms: Vec<TopicForm> = Vec::new();
    for from in [0, noun] {
        let form = words.get(from..)?;
        let written = part(text, form.first()?.start..head.word_end).to_owned();
        if written.chars().count() <= MAX_CHARS && forms.iter().all(|form| form.text != written) {
            let named = match before.map(|token| token.lower.as_str()) {
                _ if is_definite => format!("the {written}"),
                Some(article @ ("a" | "an")) if forms.is_empty() => format!("{article} {written}"),
                _ => written.clone(),
            };
            forms.push(TopicForm { text: written, named, stems: stems(form.iter()), stands_alone: true });
        }
    }
    let topic = TopicPhrase { forms, is_name: false, is_central: is_opened };
    (!topic.forms.is_empty()).then_some((topic, words.len()))
}

/// Returns the index of the first word that is a noun and no adjective, or else of the last if it is a noun.
/// Words before it describe it.
fn noun_of(run: &[Token]) -> Option<usize> {
    let describes = |token: &Token| {
        !WordClass::Selecting.has(&token.lower)
            && has(token, PartOfSpeech::Adjective)
            && token.end == token.word_end
    };
    for (at, token) in run.iter().enumerate() {
        let is_last = at + 1 == run.len();
        if has(token, PartOfSpeech::Noun) && (is_last || !has(token, PartOfSpeech::Adjective)) {
            return Some(at);
        }
        if !describes(token) {
            return None;
        }
    }
    None
}

fn has(token: &Token, part: PartOfSpeech) -> bool {
    lemmas(&token.lower).iter().any(|lemma| lemma.part == part)
}

/// True for a word that the dictionary has as a noun only.
fn is_only_noun(token: &Token) -> bool {
    let lemmas = lemmas(&token.lower);
    !lemmas.is_empty() && lemmas.iter().all(|lemma| lemma.part == PartOfSpeech::Noun)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::analyze;

    fn found(text: &str) -> Vec<String> {
        let topics = topics_by_words(text, &analyze(text, ["Joss", "Odo"]));
        topics.into_iter().map(|topic| topic.forms[0].named.clone()).collect()
    }

    #[test]
    fn names_and_nouns_behind_articles_are_topics() {
        assert_eq!(found("Joss paid for the broken axle"), ["Joss", "the broken axle"]);
        assert_eq!(found("I gave Odo a dose against fever"), ["Odo", "a dose", "fever"]);
        assert_eq!(found("The fever broke at night"), ["the fever"]);
    }

    #[test]
    fn verbs_and_log_words_are_no_topics() {
        assert!(found("I slept, gave and went past again").is_empty());
        assert!(found("status idle <random>").is_empty());
        assert!(found("").is_empty());
    }
}
