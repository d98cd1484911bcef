//! People who come together, and people who have to do with two matters.

use nightfold_memory::ReflectionKind;

use super::{
    Candidate,
    life::Life,
    subjects::Subject,
    wording::{span, times, times_of},
};

/// Minimum number of occasions on which both come.
const MIN_TOGETHER: usize = 3;
/// Minimum number of days on which both come.
const MIN_DAYS: usize = 2;
/// Minimum share of the occasions of one on which the other comes too.
const MIN_SHARE: f64 = 0.75;
/// Factor by which the other comes more often with the one than on all occasions.
const MIN_LIFT: f64 = 1.5;
/// Minimum importance of a memory that connects two matters.
const MIN_IMPORTANCE: u8 = 4;
const WEIGHT: u32 = 18;
const WEIGHT_OF_CONNECTION: u32 = 17;

pub(super) fn candidates(life: &Life<'_>) -> Vec<Candidate> {
    let people = || life.subjects.iter().filter(|subject| subject.is_person);
    let pairs = people().flat_map(|one| people().map(move |other| (one, other)));
    let mut candidates: Vec<Candidate> =
        pairs.filter_map(|(one, other)| when_then(life, one, other)).collect();
    candidates.extend(people().filter_map(|between| connection(life, between)));
    candidates
}

fn share_words(one: &Subject, other: &Subject) -> bool {
    one.words.iter().any(|word| other.words.contains(word))
}

/// The first person seldom comes without the second.
fn when_then(life: &Life<'_>, one: &Subject, other: &Subject) -> Option<Candidate> {
    if share_words(one, other) {
        return None;
    }
    let of = life.occasions(&one.members);
    let with: Vec<usize> = of.iter().copied().filter(|at| other.members.contains(at)).collect();
    let newest = *with.last().filter(|&&at| life.is_of_today(at))?;
    let others = life.occasions(&other.members).len();
    let all = life.occasions(&(0..life.seen.len()).collect::<Vec<_>>()).len();
    let share = with.len() as f64 / of.len() as f64;
    let is_telling = share >= MIN_SHARE && share * all as f64 >= MIN_LIFT * others as f64;
    if with.len() < MIN_TOGETHER || life.days(&with) < MIN_DAYS || !is_telling {
        return None;
    }
    let said = life.statement_on(newest, one).filter(|said| other.is_told_by(said))?;
    let days = span(life.span(&with));
    let without = match others.saturating_sub(with.len()) {
        0 => String::new(),
        count => format!("; {} came {} without {}", other.phrase, times(count), one.phrase),
    };
    let text = format!(
        "I seldom have to do with {} without {}: {counted} in {days} they came together{without}. The latest is that \
         {said}",
        one.phrase,
        other.phrase,
        counted = times_of(with.len(), of.len())
    );
    Some(Candidate {
        form: "when-then",
        kind: ReflectionKind::Pattern,
        text,
        told: vec![one.phrase.clone(), other.phrase.clone(), said],
        occasions: with.len(),
        of: of.len(),
        weight: WEIGHT + with.len().min(6) as u32,
        seen: with,
        about: one.words.iter().chain(&other.words).cloned().collect(),
    })
}

/// A person who has to do with two matters that have nothing else in common.
fn connection(life: &Life<'_>, between: &Subject) -> Option<Candidate> {
    let tell = |matter: &Subject, at: usize| life.told_on(at, matter).filter(|said| between.is_told_by(said));
    let weighty = |at: &&usize| between.members.contains(at) && life.seen[**at].importance >= MIN_IMPORTANCE;
    let matters: Vec<(&Subject, usize, String)> = life
        .subjects
        .iter()
        .filter(|matter| {
            !matter.is_person
                && !matter.is_measure
                && !matter.phrase.starts_with("my ")
                && !share_words(matter, between)
        })
        .filter(|matter| life.occasions(&matter.members).len() >= 2)
        .filter_map(|matter| {
            let (at, said) =
                matter.members.iter().rev().filter(weighty).find_map(|&at| Some((at, tell(matter, at)?)))?;
            Some((matter, at, said))
        })
        .collect();
    let are_apart = |one: &Subject, other: &Subject| {
        !share_words(one, other) && !one.members.iter().any(|at| other.members.contains(at))
    };
    let pairs = (0..matters.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let (first, second) = pairs
        .map(|(a, b)| {
            if matters[a].1 <= matters[b].1 { (&matters[a], &matters[b]) } else { (&matters[b], &matters[a]) }
        })
        .filter(|(first, second)| are_apart(first.0, second.0) && life.are_two_occasions(first.1, second.1))
        .filter(|(_, second)| life.is_of_today(second.1))
        .max_by_key(|(first, second)| {
            (life.seen[first.1].importance + life.seen[second.1].importance, first.1, second.1)
        })?;
    let ((one, first, a), (other, second, b)) = (first, second);
    let shared = between.members.iter().filter(|at| one.members.contains(at) || other.members.contains(at));
    let occasions = life.occasions(&shared.copied().collect::<Vec<_>>()).len();
    Some(Candidate {
        form: "connection",
        kind: ReflectionKind::Connection,
        text: format!(
            "I see that {} has to do both with {} and with {}. First: {a}. And then: {b}",
            between.phrase, one.phrase, other.phrase
        ),
        told: vec![between.phrase.clone(), one.phrase.clone(), other.phrase.clone(), a.clone(), b.clone()],
        seen: vec![*first, *second],
        occasions,
        of: life.occasions(&between.members).len(),
        about: between.words.iter().chain(&one.words).chain(&other.words).cloned().collect(),
        weight: WEIGHT_OF_CONNECTION
            + u32::from(life.seen[*first].importance + life.seen[*second].importance) / 4,
    })
}
