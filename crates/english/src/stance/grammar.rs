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
    behind.next().is_some_and(|w| WordClass::Passive.has(w) || WordClass::Copula.has(w))
}

/// True if a word of place is the whole predicate: "the fire is out", "the quarrel is over".
pub(super) fn is_whole_predicate(tokens: &[Token], at: usize) -> bool {
    let ends = |t: &Token| {
        let word = t.lower.as_str();
        WordClass::Preposition.has(word)
            || WordClass::Coordinator.has(word)
            || matches!(word, "again" | "now")
    };
    WordClass::Particle.has(&tokens[at].lower)
        && is_predicative(tokens, at)
        && tokens.get(at + 1).is_none_or(ends)
}

/// True if a word only modifies the next one, as "old" in "the old miller", or is an adverb of manner.
pub(super) fn is_modifier(tokens: &[Token], verbs: &[bool], at: usize) -> bool {
    let word = tokens[at].lower.as_str();
    let next = tokens.get(at + 1).is_some_and(|t| !WordClass::Function.has(&t.lower) && !verbs[at + 1]);
    word.ends_with("ly") && wordnet::has_part_of_speech(word, PartOfSpeech::Adverb)
        || next && wordnet::has_part_of_speech(word, PartOfSpeech::Adjective)
}

/// True if a word only measures what its "of" introduces: "a group of children".
pub(super) fn is_measure(tokens: &[Token], at: usize) -> bool {
    let of = tokens.get(at + 1).is_some_and(|t| t.lower == "of");
    of && WordClass::Measure.has(&tokens[at].lower)
}

/// Returns the indices of the words that negate the statement.
pub(super) fn negation_indices(tokens: &[Token]) -> Vec<usize> {
    let lower = |i: usize| tokens.get(i).map_or("", |t: &Token| t.lower.as_str());
    let mut found: Vec<usize> = Vec::new();
    for at in 0..tokens.len() {
        let word = lower(at);
        let turned = is_negation(word)
            // "Not only", "no doubt" and "no matter" negate nothing; "no longer" is one with "no".
            && !(matches!(word, "not" | "no") && matches!(lower(at + 1), "only" | "doubt" | "matter" | "just"))
            // A "nor" behind another negation repeats it: "never … nor" negates once.
            && (word != "nor" || found.is_empty());
        if turned {
            found.push(at);
        }
    }
    // "Used to" tells of a state that no longer holds.
    if tokens.windows(2).any(|w| w[0].lower == "used" && w[1].lower == "to") {
        found.extend(tokens.iter().position(|t| t.lower == "used"));
    }
    found
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
    // Behind a name or a thing: "Tom owes", "the boys play", "a man playing".
    if prior.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
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
    // "Joss's debt": a possessive is like "of Joss".
    if tokens[at].end - tokens[at].start > tokens[at].lower.len() {
        return WordRole::At("of".to_owned());
    }
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
                && (wordnet::has_part_of_speech(word, PartOfSpeech::Adjective)
                    || tokens[i].capital
                    || word.bytes().any(|b| b.is_ascii_digit()));
        if verbs[i] || !belongs {
            break;
        }
    }
    // The case of a pronoun decides its role, wherever it stands.
    let word = tokens[at].lower.as_str();
    let side = if WordClass::Nominative.has(word) {
        Some(false)
    } else {
        WordClass::Accusative.has(word).then_some(true)
    };
    let opens = |word: &str| WordClass::Subordinator.has(word) || matches!(word, "but" | "so");
    let clause = (0..at).rev().find(|&i| opens(&tokens[i].lower)).unwrap_or(0);
    let behind = (clause..at).any(|i| verbs[i] || WordClass::Passive.has(&tokens[i].lower) && !passive);
    let after = side.unwrap_or(behind);
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

/// Returns the word that sets the tense of a claim, by its index, and the tense; `None` if no word does.
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
        let held = at > 0 && WordClass::Present.has(&tokens[at - 1].lower);
        // "A woman dressed in black is lighting a candle": a participle before the verb sets no tense.
        let now = |t: &Token| WordClass::BePresent.has(&t.lower) || WordClass::HavePresent.has(&t.lower);
        let described = regular && tokens[at + 1..].iter().any(now);
        if described {
            continue;
        }
        // Death lasts: "has died" and "died" still hold.
        if verbs[at] && verb_lemmas(word).any(|l| WordClass::Final.has(l)) && !word.ends_with("ing") {
            return Some((at, Tense::Perfect));
        }
        if !held && (WordClass::Past.has(word) || (regular && verbs[at])) {
            return Some((at, Tense::Past));
        }
        if verbs[at] && word.ends_with('s') && !WordClass::Function.has(word) {
            return Some((at, Tense::Present));
        }
    }
    None
}

pub(crate) fn verb_lemmas(lower: &str) -> impl Iterator<Item = &'static str> {
    let lemmas = wordnet::lemmas(lower);
    (0..lemmas.len()).map(move |at| lemmas[at]).filter(|l| l.part == PartOfSpeech::Verb).map(|l| l.word)
}
