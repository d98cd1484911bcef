//! Days: somebody or something that was part of several days, a day's own tone, and what two themes have in common.

use std::cmp::Reverse;

use nightfold_memory::{ConclusionSources, ReflectionKind};

use super::{
    Candidate,
    subjects::Subject,
    timeline::Timeline,
    wording::{frequency, times},
};
use crate::{
    lexicon::number_word,
    synthesize::phrase::{inside_sentence, upper_first},
    text::analyze,
};

/// Minimum number of days of a subject, and of its memories of today in each of two themes.
const MIN_DAYS: usize = 3;
const MIN_IN_THEME: usize = 2;
/// Minimum strength of a feeling, number of feelings of a day, and share of them that are alike.
const MIN_FEELING: f32 = 0.15;
const MIN_FELT: usize = 5;
const MIN_SHARE: f64 = 0.75;
const WEIGHT_OF_DAYS: u32 = 12;
const WEIGHT_OF_TONE: u32 = 8;
const WEIGHT_OF_LINK: u32 = 16;

/// Returns what was part of the day on several days.
pub(super) fn candidates(life: &Timeline<'_>) -> Vec<Candidate> {
    let people = life.subjects.iter().filter(|subject| subject.is_somebody());
    people.filter_map(|subject| of_subject(life, subject)).collect()
}

fn of_subject(life: &Timeline<'_>, subject: &Subject) -> Option<Candidate> {
    let days = life.days(&subject.members);
    let is_of_today = subject.members.iter().any(|&at| life.is_of_today(at));
    let within = life.span(&subject.members);
    if days < MIN_DAYS || 2 * days < within || !is_of_today {
        return None;
    }
    // One memory of each day, the most important one.
    let mut seen: Vec<usize> = Vec::new();
    let mut members = subject.members.clone();
    members.sort_by_key(|&at| (life.seen[at].day(), Reverse(life.seen[at].importance), at));
    for at in members {
        if seen.last().is_none_or(|&last| life.seen[last].day() != life.seen[at].day()) {
            seen.push(at);
        }
    }
    let often = frequency(days, days, within);
    let importance: u32 = seen.iter().map(|&at| u32::from(life.seen[at].importance)).sum();
    Some(Candidate {
        form: "days",
        kind: if subject.is_person { ReflectionKind::Social } else { ReflectionKind::Pattern },
        text: format!("{} {} was part of my day", upper_first(&often), subject.phrase),
        occasions: days,
        of: within,
        about: subject.words.clone(),
        subject: subject.phrase.clone(),
        weight: WEIGHT_OF_DAYS + days.min(MIN_DAYS * 2) as u32 + importance / days as u32,
        seen,
    })
}

/// Returns how the day went as a whole, if most of what was felt is alike.
pub(super) fn tone(life: &Timeline<'_>) -> Option<Candidate> {
    let felt: Vec<usize> = (0..life.seen.len())
        .filter(|&at| life.is_of_today(at) && life.seen[at].feeling.abs() >= MIN_FEELING)
        .collect();
    let felt = life.occasions(&felt);
    let (good, bad): (Vec<usize>, Vec<usize>) = felt.iter().partition(|&&at| life.seen[at].feeling > 0.0);
    let is_good = good.len() > bad.len();
    let alike = if is_good { good } else { bad };
    if felt.len() < MIN_FELT || (alike.len() as f64) < MIN_SHARE * felt.len() as f64 {
        return None;
    }
    let (more, less) = if is_good { ("glad", "troubled") } else { ("troubled", "glad") };
    Some(Candidate {
        form: "tone",
        kind: ReflectionKind::Oneself,
        text: format!(
            "I was {more} more than {less} today: {} times of {}",
            number_word(alike.len()),
            number_word(felt.len())
        ),
        occasions: alike.len(),
        of: felt.len(),
        about: vec!["day".to_owned()],
        subject: "my day".to_owned(),
        weight: WEIGHT_OF_TONE,
        seen: alike,
    })
}

/// Returns people who are in two themes of the day, and link them.
pub(super) fn links(life: &Timeline<'_>, known: &ConclusionSources<'_>) -> Vec<Candidate> {
    let themes = known.themes;
    let pairs = (1..themes.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let of = |subject: &Subject, theme: usize| -> Vec<usize> {
        let is_in = |at: &usize| life.row(*at).is_some_and(|row| themes[theme].rows.contains(&row));
        subject.members.iter().copied().filter(is_in).collect()
    };
    let mut found = Vec::new();
    for (a, b) in pairs {
        for subject in life.subjects.iter().filter(|subject| subject.is_person) {
            let (first, second) = (of(subject, a), of(subject, b));
            let is_named = |theme: usize| {
                let name = themes[theme].name.to_lowercase();
                subject.words.iter().any(|word| name.contains(word.as_str()))
            };
            if first.len() < MIN_IN_THEME || second.len() < MIN_IN_THEME || is_named(a) || is_named(b) {
                continue;
            }
            let seen = [first, second].concat();
            found.push(Candidate {
                form: "link",
                kind: ReflectionKind::Connection,
                text: format!(
                    "{} and {} had {} in common today",
                    upper_first(themes[a].name),
                    inside(themes[b].name),
                    subject.phrase
                ),
                occasions: seen.len(),
                of: seen.len(),
                about: [subject.words.clone(), vec!["link".to_owned()]].concat(),
                subject: subject.phrase.clone(),
                weight: WEIGHT_OF_LINK,
                seen,
            });
        }
    }
    found
}

/// Returns the name of a theme inside a sentence.
fn inside(name: &str) -> String {
    inside_sentence(name, &analyze(name, []))
}

/// Minimum share of a day's memories for "much" of it.
const MUCH: f64 = 0.25;

/// Returns the sentence on a theme of the day that is mentioned `count` times among `of` memories, and was a theme on
/// `nights` earlier nights.
pub(crate) fn pattern(name: &str, count: usize, of: usize, nights: usize) -> String {
    let share = count as f64 / of.max(1) as f64;
    if share >= MUCH {
        let part = if share >= 2.0 * MUCH { "Most" } else { "Much" };
        format!("{part} of my day was about {}.", inside(name))
    } else if nights > 1 {
        format!("{} came up {} in my day, as on {nights} nights before.", upper_first(name), times(count))
    } else {
        format!("{} came up {} in my day.", upper_first(name), times(count))
    }
}
