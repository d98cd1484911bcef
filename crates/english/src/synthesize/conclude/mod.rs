//! Conclusions by rules: what several memories, of the day and of earlier nights, show together.
//!
//! A conclusion is one short sentence that says what can be counted or shown: what was done again and again, what turned,
//! what goes well in one way and badly in another, what is still open, whose word did not hold. It counts the occasions
//! that support it and those that do not. Memories close in time are one occasion, so that two wordings of one event count
//! once.

mod changed;
mod contrast;
mod days;
mod deeds;
mod feeling;
mod open;
mod price;
mod subjects;
#[cfg(test)]
mod tests;
mod timeline;
mod turn;
mod wording;

use std::{cmp::Reverse, collections::BTreeSet};

use nightfold_memory::{Conclusion, ConclusionSources, ReflectionKind};

pub(crate) use self::days::pattern;
use self::timeline::Timeline;
use super::phrase::end_sentence;

/// Maximum number of words of a conclusion.
const MAX_WORDS: usize = 24;
/// Maximum number of conclusions of one form in a night.
const MAX_OF_FORM: usize = 2;

/// Conclusion before it is chosen.
#[derive(Debug)]
struct Candidate {
    form: &'static str,
    kind: ReflectionKind,
    text: String,
    /// Memories that it rests on.
    seen: Vec<usize>,
    /// Memories that it is compared with.
    compared: Vec<usize>,
    /// Occasions that support it.
    occasions: usize,
    /// Occasions on which it could have shown itself.
    of: usize,
    /// Stems of whom and what it is about: a night concludes once about the same.
    about: Vec<String>,
    /// Whom or what it is about, as spoken of.
    subject: String,
    weight: u32,
}

/// Returns up to `most` conclusions, the weightiest first, each about something else.
pub(crate) fn conclude(known: &ConclusionSources<'_>, most: usize) -> Vec<Conclusion> {
    if most == 0 || known.today.is_empty() {
        return Vec::new();
    }
    let life = Timeline::read(known);
    let mut candidates = changed::candidates(&life, known);
    candidates.extend(contrast::candidates(&life));
    candidates.extend(feeling::candidates(&life));
    candidates.extend(open::candidates(&life));
    candidates.extend(deeds::candidates(&life));
    candidates.extend(price::candidates(&life));
    candidates.extend(days::candidates(&life));
    candidates.extend(days::tone(&life));
    candidates.extend(days::company(&life));
    candidates.sort_by_key(|candidate| Reverse(candidate.weight));
    let mut chosen: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        if chosen.len() < most && is_new(&candidate, &chosen) && is_sound(&candidate, &life) {
            chosen.push(candidate);
        }
    }
    chosen.into_iter().map(|candidate| candidate.into_conclusion(&life)).collect()
}

/// True unless another conclusion is about the same or rests mostly on the same memories, or several have the same form.
fn is_new(candidate: &Candidate, chosen: &[Candidate]) -> bool {
    let of_form = chosen.iter().filter(|other| other.form == candidate.form).count();
    of_form < MAX_OF_FORM
        && chosen.iter().all(|other| {
            let again = candidate.seen.iter().filter(|at| other.seen.contains(at)).count();
            other.about != candidate.about && 2 * again <= candidate.seen.len()
        })
}

/// True if the conclusion rests on a memory of the day and on another one, and is a short sentence.
fn is_sound(candidate: &Candidate, life: &Timeline<'_>) -> bool {
    candidate.seen.len() >= 2
        && candidate.seen.iter().any(|&at| life.is_of_today(at))
        && candidate.text.split_whitespace().count() <= MAX_WORDS
        && !candidate.text.contains(char::is_control)
}

impl Candidate {
    fn into_conclusion(self, life: &Timeline<'_>) -> Conclusion {
        let seen = || self.seen.iter().chain(&self.compared).map(|&at| &life.seen[at]);
        let rows: BTreeSet<usize> = seen().filter_map(|entry| entry.row).collect();
        let earlier: BTreeSet<usize> = seen().filter_map(|entry| entry.earlier).collect();
        Conclusion {
            kind: self.kind,
            form: self.form,
            subject: self.subject,
            text: end_sentence(&self.text),
            rows: rows.into_iter().collect(),
            earlier: earlier.into_iter().collect(),
            occasions: self.occasions,
            of: self.of.max(self.occasions),
        }
    }
}
