//! Turns: what goes with somebody or something, for a while badly and then well, or the other way round.

use nightfold_memory::ReflectionKind;

use super::{
    Candidate,
    subjects::Subject,
    timeline::Timeline,
    wording::{is_dense, span},
};
use crate::{lexicon::number_word, synthesize::phrase::upper_first, text::without_full_stop};

/// Minimum strength of a feeling, and the minimum difference of the mean feelings before and after a turn.
const MIN_FEELING: f32 = 0.1;
const MIN_GAP: f32 = 0.3;
/// Minimum number of occasions before and after a turn.
const MIN_SIDE: usize = 2;
/// Minimum number of occasions of one feeling without a turn, and their minimum share.
const MIN_OFTEN: usize = 3;
const MIN_SHARE: f64 = 0.75;
const WEIGHT_OF_TURN: u32 = 24;
const WEIGHT: u32 = 16;
const MAX_WEIGHED: usize = 6;

pub(super) fn candidates(life: &Timeline<'_>) -> Vec<Candidate> {
    life.subjects.iter().filter_map(|subject| turn(life, subject).or_else(|| steady(life, subject))).collect()
}

/// Returns the occasions of a subject with a feeling, in order of time.
fn felt(life: &Timeline<'_>, subject: &Subject) -> Vec<usize> {
    let is_felt = |at: &usize| {
        let entry = &life.seen[*at];
        entry.feeling.abs() >= MIN_FEELING && subject.is_central_to(entry)
    };
    let felt: Vec<usize> = subject.members.iter().copied().filter(is_felt).collect();
    life.occasions(&felt)
}

fn turn(life: &Timeline<'_>, subject: &Subject) -> Option<Candidate> {
    let felt = felt(life, subject);
    let is_good = |at: &usize| life.seen[*at].feeling > 0.0;
    let last = felt.last().filter(|&&at| life.is_of_today(at))?;
    let for_better = is_good(last);
    // A feeling that is only read from a text is not sure enough to be counted.
    let is_felt = felt.iter().all(|&at| life.seen[at].is_felt);
    // All before the turn is of one kind, all after it of the other.
    let start = felt.iter().rposition(|at| is_good(at) != for_better)? + 1;
    let (before, after) = felt.split_at(start);
    let is_clear = before.iter().all(|at| is_good(at) != for_better);
    let mean = |side: &[usize]| side.iter().map(|&at| life.seen[at].feeling).sum::<f32>() / side.len() as f32;
    if before.len() < MIN_SIDE
        || after.len() < MIN_SIDE
        || !is_clear
        || (mean(after) - mean(before)).abs() < MIN_GAP
    {
        return None;
    }
    let how = if for_better { "better" } else { "worse" };
    let cause = cause(life, subject, *before.last()?, *after.first()?);
    if cause.is_none() && !is_felt {
        return None;
    }
    let text = if let Some((_, clause)) = &cause {
        format!("It has gone {how} with {} since {clause}", subject.phrase)
    } else {
        let (now, then) = if for_better { ("good", "bad") } else { ("bad", "good") };
        let [after, before] = [after, before].map(|side| number_word(side.len()));
        format!("The last {after} moments with {} were {now}, the {before} before {then}", subject.phrase)
    };
    let mut seen = felt.clone();
    seen.extend(cause.map(|(at, _)| at).filter(|at| !felt.contains(at)));
    seen.sort_unstable();
    Some(Candidate {
        form: "turn",
        kind: ReflectionKind::Social,
        text,
        occasions: felt.len(),
        of: felt.len(),
        about: subject.words.clone(),
        subject: subject.phrase.clone(),
        weight: WEIGHT_OF_TURN + felt.len().min(MAX_WEIGHED) as u32,
        seen,
    })
}

/// Returns the last thing that the NPC did for the subject before a turn, as a clause.
fn cause(
    life: &Timeline<'_>,
    subject: &Subject,
    last_before: usize,
    first_after: usize,
) -> Option<(usize, String)> {
    let between = subject.members.iter().rev().filter(|&&at| at >= last_before && at <= first_after);
    between.copied().find_map(|at| {
        let clause = life.told(at)?.opening(without_full_stop(life.seen[at].text).len())?;
        clause.starts_with("I ").then_some((at, clause))
    })
}

/// Returns a feeling that nearly all occasions of a subject share.
fn steady(life: &Timeline<'_>, subject: &Subject) -> Option<Candidate> {
    let all: Vec<usize> = felt(life, subject).into_iter().filter(|&at| life.seen[at].is_felt).collect();
    let (good, bad): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&at| life.seen[at].feeling > 0.0);
    let is_good = good.len() > bad.len();
    let (same, counter) = if is_good { (good, bad) } else { (bad, good) };
    let is_common = same.len() as f64 >= MIN_SHARE * all.len() as f64;
    if same.len() < MIN_OFTEN
        || !is_common
        || !is_dense(same.len(), life.span(&same))
        || !same.iter().any(|&at| life.is_of_today(at))
    {
        return None;
    }
    let (how, other) = if is_good { ("good", "bad") } else { ("bad", "good") };
    let within = match life.days(&same) {
        1 => "today".to_owned(),
        _ => format!("in {}", span(life.span(&same))),
    };
    let never = if counter.is_empty() { "no".to_owned() } else { number_word(counter.len()) };
    let other = if counter.len() == 1 { format!("{other} one") } else { format!("{other} ones") };
    Some(Candidate {
        form: "feeling",
        kind: ReflectionKind::Social,
        text: format!(
            "{} was part of {} {how} moments {within}, and of {never} {other}",
            upper_first(&subject.phrase),
            number_word(same.len())
        ),
        occasions: same.len(),
        of: all.len(),
        about: subject.words.clone(),
        subject: subject.phrase.clone(),
        weight: WEIGHT + 2 * same.len().min(MAX_WEIGHED) as u32 + if subject.is_named { 3 } else { 0 },
        seen: all,
    })
}
