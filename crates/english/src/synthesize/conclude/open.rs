//! Open matters: what somebody owes, promised or threatened, and what has not been closed since.

use nightfold_memory::{Meaning, ReflectionKind};

use super::{Candidate, subjects::Subject, timeline::Timeline};
use crate::{
    lexicon::{
        WordClass,
        wordnet::{PartOfSpeech, lemmas},
    },
    meaning::meanings,
    text::{Token, part, statements, tokens, without_full_stop},
};

/// Maximum number of words of a statement.
const MAX_WORDS: usize = 14;
/// Minimum importance of the memory that states the matter.
const MIN_IMPORTANCE: u8 = 4;
const WEIGHT: u32 = 22;

pub(super) fn candidates(life: &Timeline<'_>) -> Vec<Candidate> {
    let people = life.subjects.iter().filter(|subject| subject.is_named);
    people.filter_map(|person| of_person(life, person)).collect()
}

/// Returns the latest open matter of an earlier day with a person who is met or spoken of today.
fn of_person(life: &Timeline<'_>, person: &Subject) -> Option<Candidate> {
    let today = person.members.iter().copied().rfind(|&at| life.is_of_today(at))?;
    let earlier =
        person.members.iter().rev().copied().filter(|&at| life.seen[at].day() < life.seen[today].day());
    let (at, text) = earlier
        .filter(|&at| {
            let entry = &life.seen[at];
            !entry.has_ended && !entry.is_heard && entry.importance >= MIN_IMPORTANCE
        })
        .find_map(|at| Some((at, open_statement(life, person, at)?)))?;
    Some(Candidate {
        compared: Vec::new(),
        form: "open",
        kind: ReflectionKind::Social,
        text,
        occasions: 1,
        of: 1,
        about: [person.words.clone(), vec!["open".to_owned()]].concat(),
        subject: person.phrase.clone(),
        weight: WEIGHT + u32::from(life.seen[at].importance),
        seen: vec![at, today],
    })
}

/// Returns the statement of a memory in which a person owes, promises or threatens, if no later memory closes it.
fn open_statement(life: &Timeline<'_>, person: &Subject, at: usize) -> Option<String> {
    let entry = &life.seen[at];
    statements(entry.text).filter(|sentence| !sentence.is_question()).find_map(|sentence| {
        let text = without_full_stop(sentence.text);
        let words = tokens(text);
        let bound = |m: &Meaning| matches!(m, Meaning::Debt | Meaning::Commitment | Meaning::Threat);
        let is_clear = words.len() <= MAX_WORDS
            && person.opens(text)
            && !words.iter().any(|t| {
                t.negation
                    || WordClass::ThirdPerson.has(&t.lower)
                    || WordClass::Deictic.has(&t.lower) && !t.speaker
            })
            && !text.contains(['"', '\u{201c}', ';', ':', '(', ',']);
        let is_closed = || person.members.iter().any(|&later| later > at && closes(life, later, &words));
        (is_clear && meanings(text).iter().any(bound) && !is_closed()).then(|| still(text, &words))
    })
}

/// True if a memory may tell that a matter is closed: it shares the verb of what is owed or promised with another word of
/// it, or tells of paying or giving back.
fn closes(life: &Timeline<'_>, later: usize, matter: &[Token]) -> bool {
    let entry = &life.seen[later];
    let settles = |token: &Token| {
        lemmas(&token.lower).iter().any(|lemma| {
            lemma.part == PartOfSpeech::Verb
                && matches!(
                    lemma.word,
                    "pay" | "repay" | "settle" | "return" | "keep" | "forgive" | "give" | "bring"
                )
        })
    };
    let shared = matter
        .iter()
        .filter(|t| !t.function && !t.number && !t.capital)
        .filter(|t| entry.analysis.content.binary_search(&t.stem).is_ok());
    entry.analysis.tokens.iter().any(settles) || shared.count() > 1
}

/// Returns a statement as one that holds still: "Joss still owes Tom 5 silver".
fn still(text: &str, words: &[Token]) -> String {
    match words.iter().find(|t| matches!(t.lower.as_str(), "owes" | "owe")) {
        Some(verb) if !words.iter().any(|t| t.lower == "still") => {
            format!("{}still {}", part(text, ..verb.start), part(text, verb.start..))
        }
        Some(_) => text.to_owned(),
        None => format!("Not closed yet: {text}"),
    }
}
