//! Causes that are stated by one memory and borne out by another one.

use nightfold_memory::ReflectionKind;

use super::{Candidate, life::Life, subjects::Subject};
use crate::text::{Analysis, analyze, part, tokens};

/// Minimum importance of the memory that states the cause.
const MIN_IMPORTANCE: u8 = 4;
const WEIGHT: u32 = 22;

pub(super) fn candidates(life: &Life<'_>) -> Vec<Candidate> {
    (0..life.seen.len())
        .filter(|&at| life.is_of_today(at) && life.seen[at].importance >= MIN_IMPORTANCE)
        .filter_map(|at| candidate(life, at))
        .collect()
}

fn candidate(life: &Life<'_>, at: usize) -> Option<Candidate> {
    let mut told = life.told(at).into_iter().chain(life.statements(at).iter().cloned());
    let (said, effect, cause) =
        told.find_map(|said| split(&said).map(|(effect, cause)| (said, effect, cause)))?;
    // The cause must be known from elsewhere: somebody or something in it has happened before.
    let borne_out = |subject: &&Subject| {
        !subject.is_measure
            && subject.is_in_words(&cause)
            && !subject.is_in_words(&effect)
            && earlier_occasions(life, subject, at).next().is_some()
    };
    let subject = life.subjects.iter().find(borne_out)?;
    let before: Vec<usize> = earlier_occasions(life, subject, at).collect();
    let start = *before.last()?;
    let known = life.told_on(start, subject)?;
    Some(Candidate {
        form: "cause",
        kind: ReflectionKind::Causal,
        text: format!("I have seen what came of {}. First: {known}. And then: {said}", subject.phrase),
        told: vec![subject.phrase.clone(), known, said],
        seen: vec![start, at],
        occasions: 1 + before.len(),
        of: life.occasions(&subject.members).len(),
        about: subject.words.iter().cloned().chain(effect.content).collect(),
        weight: WEIGHT + u32::from(life.seen[at].importance) / 2,
    })
}

/// Returns the earlier weighty memories of a subject that are of another occasion.
fn earlier_occasions<'a>(
    life: &'a Life<'_>,
    subject: &'a Subject,
    at: usize,
) -> impl Iterator<Item = usize> + 'a {
    let members = subject.members.iter().copied();
    members.filter(move |&other| {
        other < at && life.seen[other].importance >= MIN_IMPORTANCE && life.are_two_occasions(other, at)
    })
}

/// Returns the words of effect and cause of a statement that gives a reason.
fn split(said: &str) -> Option<(Analysis, Analysis)> {
    let words = tokens(said);
    let at = |word: &str| words.iter().position(|t| t.lower == word).filter(|&at| at > 0);
    let halves = |word: usize| {
        let split = words[word].start;
        (analyze(part(said, ..split), []), analyze(part(said, split..), []))
    };
    if let Some(because) = at("because") {
        return Some(halves(because));
    }
    // "The gates are shut, so there will be no honey": the cause comes first.
    let so = at("so").filter(|&so| part(said, words[so - 1].end..words[so].start).contains(','))?;
    let (cause, effect) = halves(so);
    Some((effect, cause))
}
