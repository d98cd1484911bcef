//! Changes of mind: what was believed, and what is known instead since today.

use nightfold_memory::{ConclusionSources, ReflectionKind};

use super::{
    Candidate,
    timeline::{Origin, Timeline},
};
use crate::{
    lexicon::{WordClass, is_reported_by},
    text::{analyze, part, tokens},
};

/// Minimum share of the content of the shorter statement that the other one has too.
const MIN_SHARED: f64 = 0.5;
const WEIGHT: u32 = 40;

pub(super) fn candidates(life: &Timeline<'_>, known: &ConclusionSources<'_>) -> Vec<Candidate> {
    known
        .changes
        .iter()
        .filter_map(|change| {
            let place = |origin| (0..life.seen.len()).find(|&at| life.origin(at) == origin);
            candidate(life, place(Origin::Earlier(change.earlier))?, place(Origin::Row(change.row))?)
        })
        .collect()
}

fn candidate(life: &Timeline<'_>, older: usize, newer: usize) -> Option<Candidate> {
    let learned = life.statements(newer);
    let pairs = life.statements(older).iter().filter_map(|believed| {
        let against = |learned: &String| (shared_content(believed, learned), learned.clone());
        let best = learned.iter().map(against).max_by(|(a, _), (b, _)| a.total_cmp(b));
        best.map(|(shared, learned)| (shared, believed, learned))
    });
    // The statement itself that is contradicted, and not another one of the same memory.
    let (shared, believed, learned) = pairs.max_by(|(a, ..), (b, ..)| a.total_cmp(b))?;
    if shared < MIN_SHARED || !is_state(&learned) {
        return None;
    }
    // What follows the statement says more: "It is in the water of the well".
    let now = life.told(newer).filter(|told| told.len() > learned.len()).unwrap_or_else(|| learned.clone());
    let text = if is_own_state(believed) && is_own_state(&learned) {
        format!("It is no longer with me as it was. Before: {believed}. Now: {now}")
    } else if is_report(believed) || is_report(&learned) {
        format!("I have changed my mind. What I went by was that {believed}. Now I go by this: {now}")
    } else {
        format!("I have changed my mind. I believed that {}. Now I go by this: {now}", in_the_past(believed))
    };
    Some(Candidate {
        form: "change-of-mind",
        kind: ReflectionKind::Oneself,
        text,
        weight: WEIGHT + u32::from(life.seen[newer].importance),
        about: life.seen[newer].analysis.content.clone(),
        told: vec![believed.clone(), learned, now],
        seen: vec![older, newer],
        occasions: 1,
        of: 1,
    })
}

fn shared_content(one: &str, other: &str) -> f64 {
    let [one, other] = [one, other].map(|text| analyze(text, []).content);
    let shared = one.iter().filter(|word| other.binary_search(word).is_ok()).count();
    shared as f64 / one.len().min(other.len()).max(1) as f64
}

/// Returns a statement of how something is as one of how it was, if it has one verb: "the sickness was in the air".
fn in_the_past(said: &str) -> String {
    let words = tokens(said);
    let mut verbs = words.iter().filter_map(|t| Some((t, past_of(&t.lower)?)));
    match (verbs.next(), verbs.next()) {
        (Some((verb, past)), None) => {
            format!("{}{past}{}", part(said, ..verb.start), part(said, verb.end..))
        }
        _ => said.to_owned(),
    }
}

fn past_of(lower: &str) -> Option<&'static str> {
    Some(match lower {
        "is" | "am" => "was",
        "are" => "were",
        "has" | "have" => "had",
        "can" => "could",
        "cannot" => "could not",
        "will" => "would",
        "does" | "do" => "did",
        _ => return None,
    })
}

/// True for a statement of how something is: "the bridge has not fallen", and not "Tom struck Joss".
pub(super) fn is_state(said: &str) -> bool {
    tokens(said).iter().any(|t| {
        WordClass::BePresent.has(&t.lower)
            || WordClass::HavePresent.has(&t.lower)
            || WordClass::Future.has(&t.lower)
            || WordClass::State.has(&t.lower)
            || matches!(t.lower.as_str(), "do" | "does" | "don't" | "doesn't" | "can" | "cannot" | "can't")
    })
}

/// True for a statement that says who told it.
pub(super) fn is_report(said: &str) -> bool {
    tokens(said)
        .iter()
        .any(|t| t.lower == "that" || is_reported_by(&t.lower) || WordClass::Speech.has(&t.stem))
}

/// True for what the NPC says of itself, in which nobody else can correct it: "I owe Otto 60 marks".
fn is_own_state(said: &str) -> bool {
    tokens(said).first().is_some_and(|t| t.speaker && WordClass::FirstPerson.has(&t.lower))
}
