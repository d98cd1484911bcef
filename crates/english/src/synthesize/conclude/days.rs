//! Days: who was part of several days or most of one, a day's own tone, and what much of it was about.

use std::cmp::Reverse;

use nightfold_memory::{
    Kind, PatternText, ReflectionKind, ReflectionSource, ThemePattern, text::contains_words,
};

use super::{
    Candidate,
    subjects::Subject,
    timeline::Timeline,
    wording::{frequency, times},
};
use crate::{
    lexicon::number_word,
    synthesize::phrase::{lower_first, upper_first},
    text::{Analysis, analyze},
};

/// Minimum number of days of a subject, and of its memories of today.
const MIN_DAYS: usize = 3;
const MIN_COMPANY: usize = 3;
/// Minimum strength of a feeling, number of feelings of a day, and share of them that are alike.
const MIN_FEELING: f32 = 0.15;
const MIN_FELT: usize = 5;
const MIN_SHARE: f64 = 0.75;
const WEIGHT_OF_DAYS: u32 = 12;
const WEIGHT_OF_TONE: u32 = 8;
const WEIGHT_OF_COMPANY: u32 = 6;

/// Returns what was part of the day on several days.
pub(super) fn candidates(life: &Timeline<'_>) -> Vec<Candidate> {
    life.subjects.iter().filter_map(|subject| of_subject(life, subject)).collect()
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
        compared: Vec::new(),
        form: "days",
        kind: if subject.is_named { ReflectionKind::Social } else { ReflectionKind::Pattern },
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
        .filter(|&at| {
            life.is_of_today(at) && life.seen[at].is_felt && life.seen[at].feeling.abs() >= MIN_FEELING
        })
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
        compared: Vec::new(),
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
        seen: felt,
    })
}

/// Returns who was more part of the day than anybody else.
pub(super) fn company(life: &Timeline<'_>) -> Option<Candidate> {
    let of_today = |subject: &Subject| -> Vec<usize> {
        let is_central = |at: &usize| life.is_of_today(*at) && subject.is_central_to(&life.seen[*at]);
        life.occasions(&subject.members.iter().copied().filter(is_central).collect::<Vec<_>>())
    };
    let met = life.subjects.iter().map(|subject| (subject, of_today(subject)));
    let mut met: Vec<(&Subject, Vec<usize>)> = met.collect();
    met.sort_by_key(|(_, seen)| Reverse(seen.len()));
    let next = met.get(1).map_or(0, |(_, seen)| seen.len());
    let (subject, seen) = met.into_iter().next()?;
    if seen.len() < MIN_COMPANY || seen.len() == next {
        return None;
    }
    Some(Candidate {
        compared: Vec::new(),
        form: "company",
        kind: ReflectionKind::Social,
        text: format!("Nobody was more part of my day than {}: {}", subject.phrase, times(seen.len())),
        occasions: seen.len(),
        of: seen.len(),
        about: subject.words.clone(),
        subject: subject.phrase.clone(),
        weight: WEIGHT_OF_COMPANY,
        seen,
    })
}

/// Returns the topics that a name joins. The "and" of "The Rose and Crown" joins none.
fn parts(name: &str, texts: &[&str]) -> Vec<String> {
    let is_written = |words: &str| texts.iter().any(|text| contains_words(text, words));
    let mut parts: Vec<String> = Vec::new();
    for part in name.split(" and ") {
        match parts.last_mut().map(|last| (format!("{last} and {part}"), last)) {
            Some((joined, last)) if is_written(&joined) => *last = joined,
            _ => parts.push(part.to_owned()),
        }
    }
    parts
}

/// Minimum number of memories for "much" of a day, and their minimum share of it.
const MIN_MENTIONS: usize = 3;
const MUCH: f64 = 0.25;

/// Returns the sentence that says how much of a day was about the part of a theme's name that most of its memories mention.
pub(crate) fn pattern(theme: &ThemePattern<'_>) -> Option<PatternText> {
    let is_talk = theme.sources.iter().all(|source| source.kind == Kind::Chat);
    let analyses: Vec<&Analysis> = theme.sources.iter().map(|source| source.analysis).collect();
    let mentions = |part: &str| -> Vec<usize> {
        let words = analyze(part, []).content;
        let found =
            (0..theme.sources.len()).filter(|&at| words.iter().all(|word| says(&theme.sources[at], word)));
        if words.is_empty() { Vec::new() } else { found.collect() }
    };
    let texts: Vec<&str> = theme.sources.iter().map(|source| source.text).collect();
    let parts = parts(theme.name, &texts);
    let mut mentioned: Vec<(&String, Vec<usize>)> = parts.iter().map(|part| (part, mentions(part))).collect();
    mentioned.sort_by_key(|(_, sources)| Reverse(sources.len()));
    let (name, sources) = mentioned.into_iter().next()?;
    let share = sources.len() as f64 / theme.of.max(1) as f64;
    // Of talk the name of a person is mostly that of who is spoken to.
    let is_addressed = is_talk && is_proper(name, &analyses);
    if sources.len() < MIN_MENTIONS || share < MUCH || is_addressed {
        return None;
    }
    let subject = inside(name, &analyses);
    let much = if share >= 2.0 * MUCH { "Most" } else { "Much" };
    let day = if is_talk { "talk today" } else { "day" };
    Some(PatternText { text: format!("{much} of my {day} was about {subject}."), subject, sources })
}

/// True if a memory says a word itself, and not only in brackets, as the caption of a photo does.
fn says(source: &ReflectionSource<'_>, stem: &str) -> bool {
    let open = source.text.find('[').unwrap_or(source.text.len());
    source.analysis.tokens.iter().any(|token| token.stem == *stem && token.start < open)
}

/// True if a memory has the first word of a name as a proper name.
fn is_proper(name: &str, sources: &[&Analysis]) -> bool {
    let first = name.split([' ', '\'', '\u{2019}']).next().unwrap_or_default().to_lowercase();
    sources.iter().any(|source| source.names.binary_search(&first).is_ok())
}

/// Returns the name of a theme inside a sentence: the capital of a proper name stays.
fn inside(name: &str, sources: &[&Analysis]) -> String {
    if is_proper(name, sources) { name.to_owned() } else { lower_first(name) }
}
