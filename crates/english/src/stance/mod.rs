//! Judgement of two statements: the same, a contradiction, or unrelated. Without a language model.
//!
//! Vectors alone do not suffice: in adversarial pairs most contradictions are as similar as paraphrases.
//! Therefore a text is read into claims (`claim`), the words of two texts are aligned by WordNet (`align`),
//! and then
//!
//! 1. two claims that cannot both hold are a contradiction (`opposed`);
//! 2. a fact in which the texts differ rules out that they are the same (`differences`): numbers, names,
//!    roles, negation, opposites, days, tense, doubt, quantity, direction;
//! 3. texts that differ in no fact are the same if their words have counterparts.
//!
//! A judge beside the rules, such as the stance model, replaces the last step, and finds contradictions that the
//! rules do not; a verdict of *same* is still rejected if numbers, names, roles or negations differ (`verdict`).

mod align;
mod cannot_link;
mod claim;
mod claim_cache;
mod differences;
mod grammar;
mod number;
mod opposed;
mod word;

use nightfold_memory::{Evidence, FactRules as _, Judgement, MIN_SAME_ALIGNED, MIN_SAME_COSINE, Stance};

pub(crate) use self::cannot_link::cannot_link;
pub(crate) use self::claim_cache::ClaimCache;
use self::claim_cache::TextClaims;
pub(crate) use self::grammar::{Tense, is_verb, predicate, verb_lemmas};
use self::{align::Alignment, claim::Claim};
use crate::text::tokens;

/// True if a text describes something that happened once, and not only lasting states.
pub(crate) fn is_episode(text: &str) -> bool {
    TextClaims::of(text).claims_as_written().iter().any(Claim::is_episode)
}

/// True if the verb of a text is in the present: "is the bridge standing?", but not "what did Tom say?"
pub(crate) fn is_in_present(text: &str) -> bool {
    let words = tokens(text);
    let verbs: Vec<bool> = (0..words.len()).map(|at| is_verb(&words, at)).collect();
    matches!(predicate(&words, &verbs), Some((_, Tense::Present)))
}

/// Judges two texts of the given cosine similarity and names the evidence.
pub(crate) fn judge_texts(a: &str, b: &str, cosine: f64) -> Judgement {
    ClaimCache::default().judge(a, b, cosine)
}

fn judge_claims(a: &TextClaims, b: &TextClaims, cosine: f64) -> Judgement {
    let unrelated = |evidence| Judgement::new(Stance::Unrelated, evidence);
    if let Some(found) = contradiction_of_claims(a.claims_with_reported(), b.claims_with_reported()) {
        return found;
    }
    let Some(laid) = align_claims(a, b) else { return unrelated(Evidence::Unreadable) };
    let found = differences::differences(a.claims_as_written(), b.claims_as_written(), &laid);
    if !found.is_empty() {
        return unrelated(Evidence::DifferingFacts(opposed::join_names(found)));
    }
    if cosine < MIN_SAME_COSINE {
        return unrelated(Evidence::LowCosine(cosine));
    }
    let aligned = laid.aligned_share() * cosine;
    let stance = if aligned >= MIN_SAME_ALIGNED { Stance::Same } else { Stance::Unrelated };
    Judgement::new(stance, Evidence::Aligned(aligned))
}

/// Returns the first contradiction between the claims of two texts, whatever else they claim.
fn contradiction_of_claims(a: &[Claim], b: &[Claim]) -> Option<Judgement> {
    let found = opposed::first_opposed_claims(a, b)?;
    let evidence = Evidence::Opposed { by: found.by.as_str(), words: found.words };
    Some(Judgement::new(Stance::Contradiction, evidence))
}

/// Aligns the words of two texts; `None` if one has none, or too many.
fn align_claims<'a>(a: &'a TextClaims, b: &'a TextClaims) -> Option<Alignment<'a>> {
    let count = |claims: &[Claim]| claims.iter().map(|c| c.words.len()).sum::<usize>();
    let fits = |n: usize| (1..=align::MAX_ALIGNED_WORDS).contains(&n);
    (fits(count(a.claims_as_written())) && fits(count(b.claims_as_written()))).then(|| {
        Alignment::of(
            a.claims_as_written().iter().flat_map(|c| &c.words),
            b.claims_as_written().iter().flat_map(|c| &c.words),
        )
    })
}

#[cfg(test)]
mod tests;
