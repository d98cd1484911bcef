//! Feelings: what moments with somebody are like, and whether others are like them.

use nightfold_memory::ReflectionKind;

use super::{
    Candidate,
    subjects::Subject,
    timeline::Timeline,
    turn::turn,
    wording::{is_dense, span},
};
use crate::{lexicon::number_word, synthesize::phrase::upper_first};

/// Minimum strength of a feeling.
const MIN_FEELING: f32 = 0.1;
/// Minimum number of occasions of one feeling, and their minimum share.
const MIN_OFTEN: usize = 3;
const MIN_SHARE: f64 = 0.75;
/// Maximum probability of as many occasions with a feeling if it did not go with the subject (the usual level of
/// Fisher's exact test, 1922).
const MAX_CHANCE: f64 = 0.05;
const WEIGHT: u32 = 16;
/// Additional weight of a feeling that is rarer without the subject, and of somebody with a name.
const WEIGHT_OF_DIFFERENCE: u32 = 4;
const WEIGHT_OF_NAME: u32 = 3;
const MAX_WEIGHED: usize = 6;

pub(super) fn candidates(life: &Timeline<'_>) -> Vec<Candidate> {
    life.subjects.iter().filter_map(|subject| turn(life, subject).or_else(|| steady(life, subject))).collect()
}

/// Returns the occasions of a subject with a feeling, in order of time.
pub(super) fn felt(life: &Timeline<'_>, subject: &Subject) -> Vec<usize> {
    let is_felt = |at: &usize| {
        let entry = &life.seen[*at];
        entry.feeling.abs() >= MIN_FEELING && subject.is_central_to(entry)
    };
    let felt: Vec<usize> = subject.members.iter().copied().filter(is_felt).collect();
    life.occasions(&felt)
}

/// Returns a feeling that nearly all occasions of a subject share.
fn steady(life: &Timeline<'_>, subject: &Subject) -> Option<Candidate> {
    let all: Vec<usize> = felt(life, subject).into_iter().filter(|&at| life.seen[at].is_felt).collect();
    let (good, bad) = good_and_bad(life, &all);
    let is_good = good.len() > bad.len();
    let (same, counter) = if is_good { (good, bad) } else { (bad, good) };
    if same.len() < MIN_OFTEN
        || (same.len() as f64) < MIN_SHARE * all.len() as f64
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
    let weight =
        WEIGHT + 2 * same.len().min(MAX_WEIGHED) as u32 + if subject.is_named { WEIGHT_OF_NAME } else { 0 };
    let (count, of) = (number_word(same.len()), number_word(all.len()));
    let others = others(life, subject, &all);
    let common = Candidate {
        form: "feeling",
        kind: ReflectionKind::Social,
        text: String::new(),
        occasions: same.len(),
        of: all.len(),
        about: subject.words.clone(),
        subject: subject.phrase.clone(),
        weight,
        seen: all,
        compared: Vec::new(),
    };
    let (good, bad) = good_and_bad(life, &others);
    let alike = if is_good { good.len() } else { bad.len() };
    if chance((common.occasions, common.of), (alike, others.len())) <= MAX_CHANCE {
        let alike = if alike == 0 { "none".to_owned() } else { number_word(alike) };
        let text = format!(
            "{} {count} of {of} moments with {} were {how}, and {alike} of {} others",
            upper_first(&within),
            subject.phrase,
            number_word(others.len())
        );
        return Some(Candidate {
            form: "with-without",
            kind: ReflectionKind::Causal,
            text,
            weight: weight + WEIGHT_OF_DIFFERENCE,
            compared: others,
            ..common
        });
    }
    let never = if counter.is_empty() { "no".to_owned() } else { number_word(counter.len()) };
    let other = if counter.len() == 1 { format!("{other} one") } else { format!("{other} ones") };
    let text = format!(
        "{} was part of {count} {how} moments {within}, and of {never} {other}",
        upper_first(&subject.phrase)
    );
    Some(Candidate { text, ..common })
}

/// Returns the occasions without a subject that have a feeling, on the days of these ones.
fn others(life: &Timeline<'_>, subject: &Subject, all: &[usize]) -> Vec<usize> {
    let (Some(&first), Some(&last)) = (all.first(), all.last()) else { return Vec::new() };
    let days = life.seen[first].day()..=life.seen[last].day();
    let is_other = |at: &usize| {
        let entry = &life.seen[*at];
        let is_felt = entry.is_felt && entry.feeling.abs() >= MIN_FEELING;
        is_felt && days.contains(&entry.day()) && !subject.members.contains(at)
    };
    life.occasions(&(0..life.seen.len()).filter(is_other).collect::<Vec<_>>())
}

fn good_and_bad(life: &Timeline<'_>, among: &[usize]) -> (Vec<usize>, Vec<usize>) {
    among.iter().partition(|&&at| life.seen[at].feeling > 0.0)
}

/// Returns the probability that at least as many of the first occasions are alike, given how many of the first and of
/// the others are, if which ones are is chance: Fisher's exact test, one-sided.
fn chance((alike, all): (usize, usize), (others_alike, others): (usize, usize)) -> f64 {
    let log_factorial = |n: usize| (1..=n).map(|k| (k as f64).ln()).sum::<f64>();
    let log_ways = |n: usize, k: usize| log_factorial(n) - log_factorial(k) - log_factorial(n - k);
    let both = alike + others_alike;
    let most = all.min(both);
    let of = |k: usize| {
        if both - k > others {
            return 0.0;
        }
        (log_ways(all, k) + log_ways(others, both - k) - log_ways(all + others, both)).exp()
    };
    (alike..=most).map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::chance;

    #[test]
    fn chance_is_that_of_the_exact_test() {
        assert!((chance((3, 3), (1, 4)) - 4.0 / 35.0).abs() < 1e-9);
        assert!((chance((5, 5), (0, 6)) - 1.0 / 462.0).abs() < 1e-9);
        assert!((chance((3, 4), (1, 4)) - 17.0 / 70.0).abs() < 1e-9, "the lady tasting tea");
        assert!((chance((3, 3), (0, 0)) - 1.0).abs() < 1e-9, "nothing to compare with");
    }
}
