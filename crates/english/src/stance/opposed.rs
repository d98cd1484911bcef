//! Contradictions between two texts: statements that cannot both be true.

use std::slice::from_ref;

use nightfold_memory::Evidence;

use super::{
    align::Alignment,
    claim::Claim,
    differences::differences,
    word::{ClaimWord, WordKind, WordRole},
};

/// Minimum share of aligned words in two statements that differ in negation or in one word.
const MIN_ALIGNED_SHARE: f64 = 0.66;

/// Returns the evidence that two statements contradict each other, if they do.
pub(super) fn opposed(x: &Claim, y: &Claim) -> Option<Evidence> {
    let told = |c: &Claim| c.words.len() >= 2 && c.tense.is_some() && !c.hedged && !c.is_episode();
    // Aligning words costs most: it is skipped for statements without a common word.
    let shared = || x.words.iter().any(|w| y.words.iter().any(|v| v.stem == w.stem));
    if !told(x) || !told(y) || !shared() {
        return None;
    }
    let (one, other) = (from_ref(x), from_ref(y));
    let laid = Alignment::of(one, other);
    let (by, words) = match differences(one, other, &laid)[..] {
        ["negation"] => {
            let denies = x.negations % 2 != y.negations % 2;
            ("negation", (denies && is_mostly_aligned(&laid, 0)).then_some(None)?)
        }
        ["opposite"] => {
            // A man and a woman are two people, so opposites must be predicates: a gate is open or closed.
            let are_predicates = |(i, j): &&(usize, usize)| laid.a[*i].predicate && laid.b[*j].predicate;
            let &(i, j) = laid.opposites.iter().find(are_predicates)?;
            ("opposite", is_mostly_aligned(&laid, 1).then(|| Some(laid.words(i, j)))?)
        }
        ["number"] => ("number", Some(differing_numbers(&laid)?)),
        _ => return None,
    };
    Some(Evidence::Opposed { by: by.into(), words })
}

/// True if both statements are about the same thing, with `apart` words of each left out.
fn is_mostly_aligned(laid: &Alignment<'_>, apart: usize) -> bool {
    let shared = laid.pairs.len() as f64;
    let all = (laid.a.len() + laid.b.len() - laid.pairs.len()).saturating_sub(2 * apart) as f64;
    shared > 0.0 && shared / all.max(1.0) >= MIN_ALIGNED_SHARE
}

/// Returns the two numbers if all other words are aligned: one fact with two values.
fn differing_numbers(laid: &Alignment<'_>) -> Option<(String, String)> {
    let (i, j) = laid.only_unaligned()?;
    // "Two goats are on the roof" and "three goats are" may be other goats; a price or a content has one
    // value.
    let value =
        |w: &ClaimWord| w.kind == WordKind::Number && w.role != WordRole::Agent && !w.lower.starts_with('#');
    (value(laid.a[i]) && value(laid.b[j]) && laid.pairs.len() > 1).then(|| laid.words(i, j))
}
