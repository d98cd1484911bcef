//! Grammatical roles of words, inferred from their neighbours; sentences are not parsed.

use super::word::WordRole;
use crate::{
    lexicon::{
        WordClass, is_negation, person,
        wordnet::{self, PartOfSpeech},
    },
    text::Token,
};

/// True if a word is predicative: "is open", "are friends", "is a good man".
pub(super) fn is_predicative(tokens: &[Token], at: usize) -> bool {
    let behind = (0..at).rev().map(|i| tokens[i].lower.as_str());
    let mut behind =
        behind.skip_while(|w| is_adverb(w) || WordClass::Determiner.has(w) || WordClass::Degree.has(w));
    behind.next().is_some_and(|w| WordClass::Passive.has(w))
}

fn is_adverb(word: &str) -> bool {
    is_negation(word) || word.ends_with("ly") || WordClass::Adverb.has(word)
}

/// Returns for each word whether it is a verb.
pub(crate) fn verbs(tokens: &[Token]) -> Vec<bool> {
    (0..tokens.len()).map(|at| is_verb(tokens, at)).collect()
}

fn is_verb(tokens: &[Token], at: usize) -> bool {
    let word = tokens[at].lower.as_str();
    if WordClass::Function.has(word) && !is_speech_form(word)
        || tokens[at].capital && !tokens[at].starts_sentence
    {
        return false;
    }
    if verb_lemmas(word).next().is_none() {
        return false;
    }
    let before = (0..at).rev().find(|&i| !is_adverb(&tokens[i].lower)).map(|i| &tokens[i]);
    let ing = word.ends_with("ing");
    let past =
        WordClass::Past.has(word) || (word.ends_with("ed") && word.len() > 3 && !word.ends_with("eed"));
    let participle = ing
        || past
        || wordnet::lemmas(word).first().is_some_and(|l| l.part == PartOfSpeech::Verb && l.word != word);
    let Some(before) = before else {
        return ing && tokens.len() > at + 1 && wordnet::lemmas(word).len() == 1;
    };
    let prior = before.lower.as_str();
    if WordClass::Passive.has(prior) {
        return participle;
    }
    if WordClass::Auxiliary.has(prior) {
        // "Has fallen", "to pay": a word behind an auxiliary is a verb, but not one behind "has a" or "to the".
        return !(prior == "to" && tokens[at].lower.ends_with('s'));
    }
    if person(prior).is_some() || matches!(prior, "who" | "which" | "that" | "and" | "there") {
        return participle || word.ends_with('s') || person(prior).is_some() || prior == "who";
    }
    if WordClass::Determiner.has(prior) || WordClass::Preposition.has(prior) || WordClass::Function.has(prior)
    {
        return ing && WordClass::Preposition.has(prior);
    }
    // "3 patrols".
    if prior.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    // Behind a name or a thing: "Tom owes", "the boys play", "a man playing".
    let nouns = wordnet::lemmas(prior);
    let noun_first = before.capital || nouns.is_empty() || nouns.iter().any(|l| l.part == PartOfSpeech::Noun);
    let inflected = participle || word.ends_with('s');
    noun_first
        && (inflected
            || prior.ends_with('s')
            || nouns.iter().any(|l| l.part == PartOfSpeech::Noun && l.word != prior))
}

fn is_speech_form(word: &str) -> bool {
    matches!(word, "said" | "say" | "says")
}

/// True if the claim is in the passive: "was hit by Joss".
pub(super) fn is_passive(tokens: &[Token], verbs: &[bool]) -> bool {
    (1..tokens.len()).any(|i| {
        let word = tokens[i].lower.as_str();
        let behind_be = (0..i)
            .rev()
            .find(|&j| !is_adverb(&tokens[j].lower))
            .is_some_and(|j| WordClass::Passive.has(&tokens[j].lower));
        verbs[i] && behind_be && !word.ends_with("ing")
    })
}

/// Returns the role of a thing, inferred from the words around it.
pub(super) fn word_role(tokens: &[Token], verbs: &[bool], passive: bool, at: usize) -> WordRole {
    // Goes back over the words of the same noun phrase: "to the old miller".
    let mut i = at;
    while i > 0 && !verbs[i] {
        i -= 1;
        let word = tokens[i].lower.as_str();
        if WordClass::Preposition.has(word) {
            return match word {
                "by" if passive => WordRole::Agent,
                _ => WordRole::At(word.to_owned()),
            };
        }
        let belongs = WordClass::Determiner.has(word)
            || !WordClass::Function.has(word)
                && (wordnet::lemmas(word).iter().any(|lemma| lemma.part == PartOfSpeech::Adjective)
                    || tokens[i].capital
                    || word.bytes().any(|b| b.is_ascii_digit()));
        if verbs[i] || !belongs {
            break;
        }
    }
    let after = (0..at).any(|i| verbs[i] || WordClass::Passive.has(&tokens[i].lower) && !passive);
    match (after, passive) {
        (false, false) | (true, true) => WordRole::Agent,
        (true, false) | (false, true) => WordRole::Patient,
    }
}

/// Tense of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tense {
    Past,
    /// Happened, and still holds: "has fallen".
    Perfect,
    Present,
    Future,
}

/// Returns the word that sets the tense of a claim, by its index, and the tense: the present for a verb that sets none,
/// such as "owe" in "you owe me"; `None` without a verb.
pub(crate) fn predicate(tokens: &[Token], verbs: &[bool]) -> Option<(usize, Tense)> {
    for at in 0..tokens.len() {
        let word = tokens[at].lower.as_str();
        let behind = |n: usize| {
            tokens[at + 1..].iter().filter(|t| !is_adverb(&t.lower)).nth(n).map_or("", |t| t.lower.as_str())
        };
        let participle = |w: &str| {
            w == "been"
                || WordClass::Past.has(w)
                || w.ends_with("ed")
                || verb_lemmas(w).any(|l| l != w) && !w.ends_with('s') && !w.ends_with("ing")
        };
        if WordClass::Future.has(word) {
            return Some((at, Tense::Future));
        }
        if word == "going" && behind(0) == "to" && verb_lemmas(behind(1)).any(|l| l == behind(1)) {
            return Some((at, Tense::Future));
        }
        if WordClass::BePresent.has(word) && behind(0) != "going" {
            return Some((at, Tense::Present));
        }
        if WordClass::HavePresent.has(word) {
            return Some((at, if participle(behind(0)) { Tense::Perfect } else { Tense::Present }));
        }
        if WordClass::PresentModal.has(word) {
            return Some((at, Tense::Present));
        }
        let regular = word.len() > 3
            && word.ends_with("ed")
            && !word.ends_with("eed")
            && verb_lemmas(word).next().is_some();
        // "A woman dressed in black is lighting a candle": a participle before the verb sets no tense.
        let now = |t: &Token| WordClass::BePresent.has(&t.lower) || WordClass::HavePresent.has(&t.lower);
        let described = regular && tokens[at + 1..].iter().any(now);
        if described {
            continue;
        }
        if WordClass::Past.has(word) || (regular && verbs[at]) {
            return Some((at, Tense::Past));
        }
        if verbs[at] && word.ends_with('s') && !WordClass::Function.has(word) {
            return Some((at, Tense::Present));
        }
    }
    verbs.iter().position(|verb| *verb).map(|at| (at, Tense::Present))
}

pub(crate) fn verb_lemmas(lower: &str) -> impl Iterator<Item = &'static str> {
    let lemmas = wordnet::lemmas(lower);
    (0..lemmas.len()).map(move |at| lemmas[at]).filter(|l| l.part == PartOfSpeech::Verb).map(|l| l.word)
}
