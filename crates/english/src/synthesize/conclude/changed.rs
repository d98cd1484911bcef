//! Changes of mind: what was believed, and is not so since today, and whose word did not hold.

use nightfold_memory::{ConclusionSources, Kind, ReflectionKind};

use super::{
    Candidate,
    timeline::{Timeline, is_named},
};
use crate::{
    lexicon::{WordClass, is_reported_by, is_speech_verb, wordnet::lemmas},
    synthesize::{clause::is_verb_form, phrase::inside_sentence},
    text::{Analysis, Token, analyze, is_quotation_mark, statements},
};

/// Minimum number of content words that two statements share, and their minimum share of the shorter one.
const MIN_SHARED_WORDS: usize = 2;
const MIN_SHARED: f64 = 0.4;
/// Maximum number of words of a statement that is repeated.
const MAX_WORDS: usize = 14;
/// Number of tokens at the start of a statement among which the verb of its report stands.
const OPENING: usize = 4;
const WEIGHT: u32 = 40;
/// Additional weight of a word that did not hold: it says whose.
const WEIGHT_OF_WORD: u32 = 2;

pub(super) fn candidates(life: &Timeline<'_>, known: &ConclusionSources<'_>) -> Vec<Candidate> {
    known
        .changes
        .iter()
        .filter_map(|change| {
            let earlier = life.seen.iter().position(|entry| entry.earlier == Some(change.earlier))?;
            let row = life.seen.iter().position(|entry| entry.row == Some(change.row))?;
            candidate(life, earlier, row)
        })
        .collect()
}

fn candidate(life: &Timeline<'_>, older: usize, newer: usize) -> Option<Candidate> {
    // In talk many things are said of "it" and "they": only a denial changes a mind.
    let is_talk = [older, newer].iter().any(|&at| life.seen[at].kind == Kind::Chat);
    let denials = |at: usize| life.seen[at].analysis.negations;
    if is_talk && denials(older) % 2 == denials(newer) % 2 {
        return None;
    }
    let learned = statements_of(life, newer);
    let shared = |(_, read): &(String, Analysis)| {
        learned.iter().map(|(_, learned)| shared_content(read, learned)).fold(0.0, f64::max)
    };
    let believed = statements_of(life, older).into_iter().filter(|said| shared(said) >= MIN_SHARED);
    let (believed, read) = believed.max_by(|a, b| shared(a).total_cmp(&shared(b)))?;
    let told = teller(life, older, &believed, &read);
    // In talk "I" may be somebody else.
    if is_talk && read.tokens.iter().any(|token| token.speaker) {
        return None;
    }
    let (form, kind, text, weight) = match told {
        Some((name, said)) if denies(life, newer) => {
            let text = format!("{name}'s word that {said} did not hold");
            ("word-held", ReflectionKind::Social, text, WEIGHT + WEIGHT_OF_WORD)
        }
        told => {
            let text = match told {
                Some((name, said)) => format!("I no longer believe {name}'s word that {said}"),
                None => format!("I no longer believe that {}", inside_sentence(&believed, &read)),
            };
            ("change-of-mind", ReflectionKind::Oneself, text, WEIGHT)
        }
    };
    Some(Candidate {
        compared: Vec::new(),
        form,
        kind,
        text,
        subject: life.shared_subject(newer, older),
        about: life.seen[newer].analysis.content.clone(),
        weight: weight + u32::from(life.seen[newer].importance),
        seen: vec![older, newer],
        occasions: 1,
        of: 1,
    })
}

/// Returns the plain statements of a memory, each with its analysis.
fn statements_of(life: &Timeline<'_>, at: usize) -> Vec<(String, Analysis)> {
    let entry = &life.seen[at];
    // "Behind the counter is busy": what a game writes of a thing is nobody's mind.
    if entry.text.trim_start().starts_with(char::is_lowercase) {
        return Vec::new();
    }
    let plain = statements(entry.text).filter(|sentence| {
        !sentence.is_question()
            && !sentence.text.contains(is_quotation_mark)
            && !sentence.text.contains([';', ':', '('])
    });
    let mut said: Vec<(String, Analysis)> = Vec::new();
    let parts = plain.flat_map(|sentence| sentence.text.split(", and "));
    for text in parts.flat_map(|text| text.split(", but ")) {
        let names = entry.analysis.names.iter().map(String::as_str);
        let mut read = analyze(text, names);
        let is_name = |t: &Token| entry.analysis.names.binary_search(&t.lower).is_ok();
        // "Nobody", "Salt": a common word has its capital from the sentence.
        let is_common = |t: &Token| !is_name(t) && (t.function || !lemmas(&t.lower).is_empty());
        read.starts_common |= read.tokens.first().is_some_and(is_common);
        let points_back = read.tokens.first().is_none_or(|t| {
            WordClass::ThirdPerson.has(&t.lower)
                || WordClass::Demonstrative.has(&t.lower)
                || WordClass::Coordinator.has(&t.lower)
        });
        let is_own_word = read.tokens.first().is_some_and(|t| t.speaker)
            && read.tokens.iter().take(OPENING).any(|t| is_speech_verb(&t.lower));
        if !points_back && !is_own_word && read.tokens.len() <= MAX_WORDS && is_clause(&read) {
            said.push((text.to_owned(), read));
        }
    }
    said
}

/// Returns who told a statement, and the statement: of "Pell said that the bridge fell" Pell, of talk its only speaker.
fn teller(life: &Timeline<'_>, at: usize, text: &str, read: &Analysis) -> Option<(String, String)> {
    let entry = &life.seen[at];
    let first = read.tokens.first()?;
    let is_own = |name: &str| is_named(name, &life.own.names);
    let is_name = |t: &Token| t.capital && read.names.binary_search(&t.lower).is_ok() && !is_own(&t.lower);
    if let Some(verb) = read.tokens.iter().take(OPENING).position(|t| is_reported_by(&t.lower)) {
        let is_hearer = |t: &Token| t.speaker || t.lower == "that";
        let start = verb + 1 + read.tokens[verb + 1..].iter().take_while(|t| is_hearer(t)).count();
        let said = text.get(read.tokens.get(start)?.start..)?.trim_end_matches(['.', '!']);
        return is_name(first).then(|| (first.written(text).to_owned(), said.to_owned()));
    }
    let [speaker] = entry.actors else { return None };
    let name = speaker.split([' ', '_']).next()?;
    // Who is quoted is named beside the quotation.
    let is_quoted = entry.text.contains(is_quotation_mark);
    let is_talk = entry.kind == Kind::Chat && !is_own(name) && !is_quoted;
    (is_talk && !read.tokens.iter().any(|t| t.speaker))
        .then(|| (name.to_owned(), inside_sentence(text, read)))
}

/// True if a memory denies, and does not merely tell of a change: "never fell", "still stands".
fn denies(life: &Timeline<'_>, at: usize) -> bool {
    life.seen[at].kind != Kind::Chat
        && life.seen[at].analysis.tokens.iter().any(|t| t.negation || t.lower == "still")
}

/// True if a text has a verb behind its first word, which may be its subject: "keep going" has none.
fn is_clause(read: &Analysis) -> bool {
    let is_auxiliary = |t: &Token| WordClass::FiniteAuxiliary.has(&t.lower);
    let opens = |t: &Token| {
        t.function || WordClass::Indefinite.has(&t.lower) || read.names.binary_search(&t.lower).is_ok()
    };
    let behind = read.tokens.get(1..).unwrap_or_default();
    let is_told = read.tokens.first().is_some_and(opens) && behind.iter().any(|t| is_verb_form(&t.lower));
    is_told || behind.iter().any(is_auxiliary)
}

fn shared_content(one: &Analysis, other: &Analysis) -> f64 {
    let shared = one.content.iter().filter(|word| other.content.binary_search(word).is_ok()).count();
    if shared < MIN_SHARED_WORDS {
        return 0.0;
    }
    shared as f64 / one.content.len().min(other.content.len()).max(1) as f64
}
