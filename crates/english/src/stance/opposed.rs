//! Contradictions between two texts: statements that cannot both be true.

use super::{
    align::{Alignment, MAX_ALIGNED_WORDS},
    claim::Claim,
    differences::{FactDifference, FactDifferences, differences, differences_without_alignment},
    word::{ClaimWord, WordKind, WordRole},
};

/// Minimum share of aligned words in two statements that differ in negation or in one word.
const MIN_ALIGNED_SHARE: f64 = 0.66;

/// A contradiction between two statements, with the fact in which they differ.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OpposedClaims {
    pub(super) by: FactDifference,
    /// The words that differ, if the difference is one of words.
    pub(super) words: Option<(String, String)>,
}

/// Returns the first contradiction between statements of two texts.
pub(super) fn first_opposed_claims(a: &[Claim], b: &[Claim]) -> Option<OpposedClaims> {
    a.iter().find_map(|x| b.iter().find_map(|y| compare_claims(x, y)))
}

fn compare_claims(x: &Claim, y: &Claim) -> Option<OpposedClaims> {
    let told = |c: &Claim| c.words.len() >= 2 && c.has_finite_verb && !c.hedged && !c.is_episode();
    // Aligning words costs most: it is skipped for statements without a common word, for lengths too
    // different to reach the minimum share of aligned words, and for other differences that are no
    // contradiction.
    let shared = || x.words.iter().any(|w| y.words.iter().any(|v| v.stem == w.stem));
    let may_share = x.stems.iter().any(|stem| y.stems.contains(stem));
    let (few, many) = (
        x.words.len().min(y.words.len()).min(MAX_ALIGNED_WORDS),
        x.words.len().max(y.words.len()).min(MAX_ALIGNED_WORDS),
    );
    let as_long = few as f64 >= MIN_ALIGNED_SHARE * many.saturating_sub(2) as f64;
    if !told(x) || !told(y) || !as_long || !may_share || !shared() {
        return None;
    }
    let denies = x.negations % 2 != y.negations % 2 && !x.negates_subclause && !y.negates_subclause;
    let (one, other) = (std::slice::from_ref(x), std::slice::from_ref(y));
    let seen = differences_without_alignment(one, other);
    let may_be = match seen.iter().next() {
        _ if seen.has_several() => false,
        None | Some(FactDifference::Number | FactDifference::Direction) => true,
        Some(FactDifference::Negation) => denies,
        Some(FactDifference::Name) => x.words.iter().any(ClaimWord::is_one_valued),
        Some(_) => false,
    };
    if !may_be {
        return None;
    }
    let laid = Alignment::of(x.words.iter(), y.words.iter());
    let found = differences(one, other, &laid);
    match found.iter().next() {
        _ if found.has_several() => None,
        Some(FactDifference::Negation) => (denies && is_mostly_aligned(&laid, 0))
            .then_some(OpposedClaims { by: FactDifference::Negation, words: None }),
        Some(FactDifference::Opposite) => {
            // A man and a woman are two people, so opposites must be predicates: a gate is open or closed.
            let &(i, j) =
                laid.opposites.iter().find(|&&(i, j)| laid.a[i].predicate && laid.b[j].predicate)?;
            let words = Some((laid.a[i].lower.clone(), laid.b[j].lower.clone()));
            is_mostly_aligned(&laid, 1).then_some(OpposedClaims { by: FactDifference::Opposite, words })
        }
        Some(FactDifference::Direction) => {
            (laid.unaligned_a.is_empty() && laid.unaligned_b.is_empty() && laid.pairs.len() > 1)
                .then_some(OpposedClaims { by: FactDifference::Direction, words: None })
        }
        Some(FactDifference::Number) => differing_numbers(&laid)
            .map(|words| OpposedClaims { by: FactDifference::Number, words: Some(words) }),
        Some(FactDifference::Name) | None => differing_values(&laid)
            .map(|words| OpposedClaims { by: FactDifference::Name, words: Some(words) }),
        Some(_) => None,
    }
}

/// True if both statements are about the same thing, with `apart` words of each left out.
fn is_mostly_aligned(laid: &Alignment<'_>, apart: usize) -> bool {
    let shared = laid.pairs.len() as f64;
    let all = (laid.a.len() + laid.b.len() - laid.pairs.len()).saturating_sub(2 * apart) as f64;
    let named = |left: &[usize], words: &[&ClaimWord]| left.iter().any(|&i| words[i].is_rigid());
    shared > 0.0
        && shared / all.max(1.0) >= MIN_ALIGNED_SHARE
        && !named(&laid.unaligned_a, &laid.a)
        && !named(&laid.unaligned_b, &laid.b)
}

/// Returns the two numbers if all other words are aligned: one fact with two values.
fn differing_numbers(laid: &Alignment<'_>) -> Option<(String, String)> {
    let (&[i], &[j]) = (laid.unaligned_a.as_slice(), laid.unaligned_b.as_slice()) else { return None };
    let (x, y) = (laid.a[i], laid.b[j]);
    // "Two goats are on the roof" and "three goats are" may be other goats; a price or a content has one
    // value.
    let value =
        |w: &ClaimWord| w.kind == WordKind::Number && w.role != WordRole::Agent && !w.lower.starts_with('#');
    (value(x) && value(y) && laid.pairs.len() > 1).then(|| (x.lower.clone(), y.lower.clone()))
}

/// Returns the two values of a verb that has one value at a time: the place where somebody lives.
fn differing_values(laid: &Alignment<'_>) -> Option<(String, String)> {
    let (&[i], &[j]) = (laid.unaligned_a.as_slice(), laid.unaligned_b.as_slice()) else { return None };
    let verb = laid.pairs.iter().position(|(i, _, _)| laid.a[*i].is_one_valued())?;
    // The value is behind the verb; its owner is before it.
    let (of_a, of_b, _) = laid.pairs[verb];
    let behind = i > of_a && j > of_b;
    (behind && laid.a[i].role == laid.b[j].role && laid.pairs.len() > 1)
        .then(|| (laid.a[i].lower.clone(), laid.b[j].lower.clone()))
}

/// Joins the names of the differences, for a reason.
pub(super) fn join_names(found: FactDifferences) -> String {
    found.iter().map(FactDifference::as_str).collect::<Vec<_>>().join(", ")
}
