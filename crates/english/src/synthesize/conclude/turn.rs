//! Turns: what goes with somebody or something, for a while badly and then well, or the other way round.

use nightfold_memory::ReflectionKind;

use super::{Candidate, feeling::felt, subjects::Subject, timeline::Timeline};
use crate::{lexicon::number_word, text::without_full_stop};

/// Minimum difference of the mean feelings before and after a turn.
const MIN_GAP: f32 = 0.3;
/// Minimum number of occasions before and after a turn.
const MIN_SIDE: usize = 2;
const WEIGHT_OF_TURN: u32 = 24;
const MAX_WEIGHED: usize = 6;

/// Returns the turn for better or worse with a subject, and what it was told to begin with.
pub(super) fn turn(life: &Timeline<'_>, subject: &Subject) -> Option<Candidate> {
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
    let kind = if cause.is_some() { ReflectionKind::Causal } else { ReflectionKind::Social };
    let mut seen = felt.clone();
    seen.extend(cause.map(|(at, _)| at).filter(|at| !felt.contains(at)));
    seen.sort_unstable();
    Some(Candidate {
        compared: Vec::new(),
        form: "turn",
        kind,
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
