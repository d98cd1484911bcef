//! Courses of a matter: its beginning, and its state at the end of the day.

use nightfold_memory::ReflectionKind;

use super::{
    Candidate,
    changed::{is_report, is_state},
    subjects::Subject,
    timeline::Timeline,
    wording::ago,
};
use crate::text::{analyze, jaccard, tokens};

/// Minimum importance of each of the two memories of a course, and of both together.
const MIN_IMPORTANCE: u8 = 4;
const MIN_IMPORTANCE_OF_BOTH: u8 = 10;
/// Minimum similarity (cosine) of two memories of one matter that share something beside its subject.
const MIN_SIMILARITY: f32 = 0.35;
/// Similarity from which two memories of one subject are of one matter though they share nothing else, for things and
/// for people.
const CLOSE: f32 = 0.5;
const CLOSE_OF_PERSON: f32 = 0.42;
/// Overlap of content (Jaccard) from which two statements say the same.
const MAX_OVERLAP: f64 = 0.4;
/// Minimum strength of a feeling that counts as good or bad.
const MIN_FEELING: f32 = 0.15;
/// Maximum number of reflections that one memory is the beginning of.
const MAX_BEGINNINGS: usize = 2;
const WEIGHT: u32 = 10;
/// Additional weight of a course over several days.
const WEIGHT_OF_DAYS: u32 = 5;
/// Additional weight of a course that turned for better or worse.
const WEIGHT_OF_TURN: u32 = 12;

/// Direction in which a matter turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CourseTurn {
    Better,
    Worse,
}

pub(super) fn candidates(life: &Timeline<'_>) -> Vec<Candidate> {
    life.subjects.iter().filter(|subject| !subject.is_measure).flat_map(|s| of_subject(life, s)).collect()
}

fn of_subject(life: &Timeline<'_>, subject: &Subject) -> Vec<Candidate> {
    let weighty = |at: &&usize| life.seen[**at].importance >= MIN_IMPORTANCE;
    let members: Vec<usize> = subject.members.iter().filter(weighty).copied().collect();
    let ends = members.iter().filter(|&&at| life.is_of_today(at));
    ends.filter_map(|&end| {
        // What is said again and again is no end of anything.
        let now =
            life.told_on(end, subject).filter(|now| !is_looking_back(now) && !life.is_said_before(end))?;
        let starts = members.iter().filter(|&&start| start < end && life.is_later(start, end));
        starts
            .filter(|&&start| {
                life.seen[start].importance + life.seen[end].importance >= MIN_IMPORTANCE_OF_BOTH
            })
            .filter(|&&start| is_one_matter(life, subject, start, end))
            .filter(|&&start| life.times_drawn(start) < MAX_BEGINNINGS)
            .filter_map(|&start| Some((start, life.told_on(start, subject)?)))
            .filter(|(_, before)| !is_same(before, &now) && !is_looking_back(before))
            // Two states of one day hold side by side: neither became the other.
            .filter(|(start, before)| life.days(&[*start, end]) > 1 || !(is_state(before) && is_state(&now)))
            .map(|(start, before)| candidate(life, subject, (start, before), (end, now.clone())))
            .max_by_key(|candidate| candidate.weight)
    })
    .collect()
}

fn candidate(
    life: &Timeline<'_>,
    subject: &Subject,
    start: (usize, String),
    end: (usize, String),
) -> Candidate {
    let ((start, before), (end, now)) = (start, end);
    let days = life.span(&[start, end]).saturating_sub(1);
    // A turn is somebody's own: both memories tell what the person does or suffers, and not the news that it brings.
    let is_act = |said: &str| subject.opens(said) && !is_report(said);
    let is_own = subject.is_person && is_act(&before) && is_act(&now);
    let turn = turn(life.seen[start].feeling, life.seen[end].feeling).filter(|_| is_own);
    let name = &subject.phrase;
    let lead = match turn {
        Some(CourseTurn::Better) => format!("I see it turn for the better with {name}"),
        Some(CourseTurn::Worse) => format!("I see it turn for the worse with {name}"),
        None if subject.is_person => format!("I think of {name}"),
        None => "I think back".to_owned(),
    };
    // What lies between them and points the other way counts against the turn.
    let between = subject.members.iter().filter(|&&at| at > start && at < end);
    let against = between
        .filter(|&&at| match turn {
            Some(CourseTurn::Better) => life.seen[at].feeling >= MIN_FEELING,
            Some(CourseTurn::Worse) => life.seen[at].feeling <= -MIN_FEELING,
            None => false,
        })
        .count();
    let importance = u32::from(life.seen[start].importance) + u32::from(life.seen[end].importance);
    let similarity = (life.similarity(start, end) * 10.0) as u32;
    let later = if days > 0 { "Today" } else { "Later" };
    Candidate {
        form: "course",
        kind: if subject.is_person { ReflectionKind::Social } else { ReflectionKind::Pattern },
        text: format!("{lead}. {}: {before}. {later}: {now}", ago(days)),
        told: vec![name.clone(), before, now],
        occasions: 2,
        of: 2 + against,
        seen: vec![start, end],
        about: subject.words.clone(),
        weight: WEIGHT
            + importance / 2
            + similarity
            + if days > 0 { WEIGHT_OF_DAYS } else { 0 }
            + if turn.is_some() { WEIGHT_OF_TURN } else { 0 },
    }
}

/// True if two memories share something beside the subject, or mean nearly the same.
fn is_one_matter(life: &Timeline<'_>, subject: &Subject, start: usize, end: usize) -> bool {
    let similarity = life.similarity(start, end);
    let close = if subject.is_person { CLOSE_OF_PERSON } else { CLOSE };
    similarity >= close || similarity >= MIN_SIMILARITY && life.share_more(start, end, &subject.words)
}

fn turn(before: f32, now: f32) -> Option<CourseTurn> {
    match () {
        () if before <= -MIN_FEELING && now >= MIN_FEELING => Some(CourseTurn::Better),
        () if before >= MIN_FEELING && now <= -MIN_FEELING => Some(CourseTurn::Worse),
        () => None,
    }
}

/// True for a statement of an earlier time than its memory: "Maria was here a year ago".
fn is_looking_back(said: &str) -> bool {
    tokens(said)
        .iter()
        .any(|t| matches!(t.lower.as_str(), "ago" | "yesterday" | "last" | "once" | "formerly"))
}

fn is_same(one: &str, other: &str) -> bool {
    jaccard(&analyze(one, []).content, &analyze(other, []).content) >= MAX_OVERLAP
}
