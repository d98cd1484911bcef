//! Conclusions by rules: what several memories, of the day and of earlier nights, show together.
//!
//! Every conclusion counts the occasions that support it and those that do not, and rests on statements in the
//! words of its memories. Memories close in time are one occasion, so that two wordings of one event count once.

mod changed;
mod course;
mod distil;
mod feeling;
mod price;
mod subjects;
#[cfg(test)]
mod tests;
mod timeline;
mod wording;

use std::cmp::Reverse;

use nightfold_memory::{Conclusion, ConclusionSources, ReflectionKind};

pub(crate) use self::distil::distillates;
use self::timeline::{Origin, Timeline};
use super::{
    check::{is_first_person, is_grounded},
    phrase::end_sentence,
};
use crate::text::Analysis;

/// Maximum number of characters of a conclusion.
const MAX_CHARS: usize = 420;

/// Conclusion before it is chosen.
#[derive(Debug)]
struct Candidate {
    form: &'static str,
    kind: ReflectionKind,
    text: String,
    /// Parts of the text that are told by memories; the rest is wording and counts.
    told: Vec<String>,
    /// Memories that it rests on.
    seen: Vec<usize>,
    /// Occasions that support it.
    occasions: usize,
    /// Occasions on which it could have shown itself.
    of: usize,
    /// Stems of its subject.
    about: Vec<String>,
    weight: u32,
}

/// Returns up to `most` conclusions, the weightiest first, each about something else.
pub(crate) fn conclude(known: &ConclusionSources<'_>, most: usize) -> Vec<Conclusion> {
    if most == 0 || known.today.is_empty() {
        return Vec::new();
    }
    let life = Timeline::read(known);
    let mut candidates = changed::candidates(&life, known);
    candidates.extend(course::candidates(&life));
    candidates.extend(feeling::candidates(&life));
    candidates.extend(price::candidates(&life));
    candidates.sort_by_key(|candidate| Reverse(candidate.weight));
    let mut chosen: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        if chosen.len() < most && is_new(&candidate, &chosen) && is_sound(&candidate, &life) {
            chosen.push(candidate);
        }
    }
    chosen.into_iter().map(|candidate| candidate.into_conclusion(&life)).collect()
}

/// True unless another conclusion is about the same, says the same or rests mostly on the same memories.
fn is_new(candidate: &Candidate, chosen: &[Candidate]) -> bool {
    chosen.iter().all(|other| {
        let again = candidate.seen.iter().filter(|at| other.seen.contains(at)).count();
        other.about != candidate.about
            && 2 * again <= candidate.seen.len()
            && candidate.told.iter().all(|told| !other.told.contains(told))
    })
}

/// True if the conclusion rests on a memory of the day and on another one, and nothing in it is from nowhere.
fn is_sound(candidate: &Candidate, life: &Timeline<'_>) -> bool {
    let sources: Vec<&Analysis> = candidate.seen.iter().map(|&at| life.analysis(at)).collect();
    candidate.seen.len() >= 2
        && !life.is_drawn(&candidate.seen)
        && candidate.seen.iter().any(|&at| life.is_of_today(at))
        && candidate.text.chars().count() <= MAX_CHARS
        && is_first_person(&candidate.text)
        && candidate.told.iter().all(|told| is_grounded(told, &sources, life.own))
}

impl Candidate {
    fn into_conclusion(self, life: &Timeline<'_>) -> Conclusion {
        let (mut rows, mut earlier) = (Vec::new(), Vec::new());
        for at in self.seen {
            match life.origin(at) {
                Origin::Row(row) => rows.push(row),
                Origin::Earlier(index) => earlier.push(index),
            }
        }
        rows.sort_unstable();
        rows.dedup();
        earlier.sort_unstable();
        earlier.dedup();
        Conclusion {
            kind: self.kind,
            form: self.form,
            text: end_sentence(&self.text),
            rows,
            earlier,
            occasions: self.occasions,
            of: self.of.max(self.occasions),
        }
    }
}
