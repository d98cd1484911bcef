//! Days: somebody or something that was part of several days, a day's own tone, and what two themes have in common.

use std::cmp::Reverse;

use nightfold_memory::{
    ConclusionSources, Kind, NamedTheme, PatternText, ReflectionKind, ReflectionSource, ThemePattern,
    text::contains_words,
};

use super::{
    Candidate,
    subjects::Subject,
    timeline::{Timeline, TimelineEntry},
    wording::{frequency, times},
};
use crate::{
    lexicon::{number_word, wordnet::is_kind_of},
    synthesize::phrase::{lower_first, upper_first},
    text::{Analysis, analyze},
};

/// Minimum number of days of a subject, of its memories of today in two themes together, and of all of them.
const MIN_DAYS: usize = 3;
const MIN_COMPANY: usize = 3;
/// Minimum strength of a feeling, number of feelings of a day, and share of them that are alike.
const MIN_FEELING: f32 = 0.15;
const MIN_FELT: usize = 5;
const MIN_SHARE: f64 = 0.75;
const WEIGHT_OF_DAYS: u32 = 12;
const WEIGHT_OF_TONE: u32 = 8;
const WEIGHT_OF_LINK: u32 = 18;
/// Maximum number of memories of a link that add weight.
const MAX_WEIGHED: usize = 6;
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

/// Returns who and what was more part of the day than anybody or anything else.
pub(super) fn most_of_day(life: &Timeline<'_>, known: &ConclusionSources<'_>) -> Vec<Candidate> {
    let of_today = |is_in: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let told = (0..life.seen.len()).filter(|&at| life.is_of_today(at) && is_in(at));
        life.occasions(&told.collect::<Vec<_>>())
    };
    let people = life.subjects.iter().map(|subject| {
        let is_central = |at| subject.members.contains(&at) && subject.is_central_to(&life.seen[at]);
        (subject.phrase.clone(), subject.words.clone(), of_today(&is_central))
    });
    let things = known.themes.iter().flat_map(|theme| topics_of(life, theme)).filter_map(|topic| {
        let words = analyze(&topic, []).content;
        let seen = of_today(&|at| tells(&life.seen[at]) && life.seen[at].has_stems(&words));
        (is_certain(&topic) && !is_somebody(life, &topic, &words)).then_some((topic, words, seen))
    });
    let (people, things) = (people.collect(), things.collect());
    [("Nobody", ReflectionKind::Social, people), ("Nothing", ReflectionKind::Pattern, things)]
        .into_iter()
        .filter_map(|(no, kind, met)| first_of_all(no, kind, met))
        .collect()
}

/// Returns which of some subjects, each with its words and occasions, was there on more occasions than any other one.
fn first_of_all(
    no: &str,
    kind: ReflectionKind,
    mut met: Vec<(String, Vec<String>, Vec<usize>)>,
) -> Option<Candidate> {
    // Of "the party" and "the Valentine's Day party" the longer one is named, if as many memories mention it.
    met.sort_by_key(|(_, words, seen)| Reverse((seen.len(), words.len())));
    let mut met = met.into_iter();
    let (subject, about, seen) = met.next()?;
    let is_part = |words: &[String]| {
        words.iter().all(|word| about.contains(word)) || about.iter().all(|word| words.contains(word))
    };
    let next = met.find(|(_, words, _)| !is_part(words)).map_or(0, |(_, _, seen)| seen.len());
    (seen.len() >= MIN_COMPANY && seen.len() > next).then(|| Candidate {
        compared: Vec::new(),
        form: "most-of-day",
        kind,
        text: format!("{no} was more part of my day than {subject}: {}", times(seen.len())),
        occasions: seen.len(),
        of: seen.len(),
        about,
        subject,
        weight: WEIGHT_OF_COMPANY,
        seen,
    })
}

/// True for a memory whose mentions count: in talk much is mentioned, and a line about the scene begins small.
fn tells(seen: &TimelineEntry<'_>) -> bool {
    !matches!(seen.kind, Kind::Chat | Kind::Status) && !seen.text.starts_with(char::is_lowercase)
}

/// True for a topic that is something certain: "the church", "Tanner Street", but not "events".
fn is_certain(topic: &str) -> bool {
    topic.starts_with("the ") || topic.contains(char::is_uppercase)
}

/// True for a topic that is somebody: "Father", but not "the party", which may be one of a contract.
fn is_somebody(life: &Timeline<'_>, topic: &str, words: &[String]) -> bool {
    is_kind_of(&topic.to_lowercase(), "person")
        || life.subjects.iter().any(|subject| subject.words.iter().any(|word| words.contains(word)))
}

/// Returns who links two themes of the day: most memories mention somebody together with what they are about.
pub(super) fn link(life: &Timeline<'_>, known: &ConclusionSources<'_>) -> Option<Candidate> {
    let mut best: Option<Candidate> = None;
    for subject in life.subjects.iter().filter(|subject| subject.is_named) {
        let linked: Vec<(String, Vec<usize>)> =
            known.themes.iter().filter_map(|theme| of_theme(life, theme, subject)).collect();
        for (b, (second, of_second)) in linked.iter().enumerate() {
            for (first, of_first) in &linked[..b] {
                let together = of_first.len() + of_second.len();
                let least = best.as_ref().map_or(0, |best| best.occasions + 1);
                if together >= least && first != second {
                    best = Some(Candidate {
                        compared: Vec::new(),
                        form: "link",
                        kind: ReflectionKind::Connection,
                        text: format!("{} had to do with both {first} and {second} today", subject.phrase),
                        occasions: together,
                        of: together,
                        about: [subject.words.clone(), vec!["link".to_owned()]].concat(),
                        subject: subject.phrase.clone(),
                        weight: WEIGHT_OF_LINK + 2 * together.min(MAX_WEIGHED) as u32,
                        seen: [of_first.as_slice(), of_second].concat(),
                    });
                }
            }
        }
    }
    best
}

/// Returns something certain that a theme is about, and its memories that mention it together with a person.
fn of_theme(life: &Timeline<'_>, theme: &NamedTheme<'_>, person: &Subject) -> Option<(String, Vec<usize>)> {
    topics_of(life, theme).into_iter().filter(|topic| is_certain(topic)).find_map(|topic| {
        let words = analyze(&topic, []).content;
        let lower = topic.to_lowercase();
        let is_other = !person.words.iter().any(|word| contains_words(&lower, word));
        let is_in = |at: &usize| {
            let seen = &life.seen[*at];
            seen.row.is_some_and(|row| theme.rows.contains(&row)) && tells(seen) && seen.has_stems(&words)
        };
        let seen: Vec<usize> = person.members.iter().copied().filter(is_in).collect();
        (is_other && !seen.is_empty()).then_some((topic, seen))
    })
}

/// Returns the topics of a theme's name, as inside a sentence.
fn topics_of(life: &Timeline<'_>, theme: &NamedTheme<'_>) -> Vec<String> {
    let is_of_theme = |at: &usize| life.seen[*at].row.is_some_and(|row| theme.rows.contains(&row));
    let members: Vec<&TimelineEntry<'_>> =
        (0..life.seen.len()).filter(is_of_theme).map(|at| &life.seen[at]).collect();
    let texts: Vec<&str> = members.iter().map(|member| member.text).collect();
    let analyses: Vec<&Analysis> = members.iter().map(|member| member.analysis.as_ref()).collect();
    parts(theme.name, &texts).iter().map(|part| inside(part, &analyses)).collect()
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
