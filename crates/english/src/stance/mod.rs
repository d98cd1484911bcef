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

#![expect(clippy::disallowed_types, reason = "claims are looked up by their text, and never listed")]

mod align;
mod cannot_link;
mod claim;
mod differences;
mod grammar;
mod number;
mod opposed;
mod word;

use std::collections::HashMap;

use foldhash::fast::FixedState;
use nightfold_memory::{Evidence, FactRules, Judgement, MIN_SAME_ALIGNED, MIN_SAME_COSINE, Stance};

pub(crate) use self::cannot_link::cannot_link;
pub(crate) use self::grammar::{Tense, predicate, verb_lemmas, verbs};
use self::{
    align::{Alignment, MAX_ALIGNED_WORDS},
    claim::{Claim, claims, reported_claims},
};
use crate::text::tokens;

/// True if a text describes something that happened once, and not only lasting states.
pub(crate) fn is_episode(text: &str) -> bool {
    claims(text).iter().any(Claim::is_episode)
}

/// True if the verb of a text is in the present: "is the bridge standing?", but not "what did Tom say?"
pub(crate) fn is_in_present(text: &str) -> bool {
    let words = tokens(text);
    matches!(predicate(&words, &verbs(&words)), Some((_, Tense::Present)))
}

/// Judges two texts of the given cosine similarity and names the evidence.
pub(crate) fn judge_texts(a: &str, b: &str, cosine: f64) -> Judgement {
    ClaimCache::default().judge(a, b, cosine)
}

/// Claims of texts, kept while the texts are compared with each other: reading a text is costly.
#[derive(Default)]
pub(crate) struct ClaimCache<'t>(HashMap<&'t str, TextClaims, FixedState>);

/// Claims of a text as written, and those that it reports.
struct TextClaims {
    written: Vec<Claim>,
    reported: Vec<Claim>,
}

impl TextClaims {
    fn all(&self) -> impl Iterator<Item = &Claim> {
        self.written.iter().chain(&self.reported)
    }
}

impl<'t> FactRules<'t> for ClaimCache<'t> {
    fn judge(&mut self, a: &'t str, b: &'t str, cosine: f64) -> Judgement {
        let (a, b) = (a.trim().min(b.trim()), a.trim().max(b.trim()));
        if a == b {
            return Judgement::of_equal_words();
        }
        for text in [a, b] {
            let read = || TextClaims { written: claims(text), reported: reported_claims(text) };
            self.0.entry(text).or_insert_with(read);
        }
        judge_claims(&self.0[a], &self.0[b], cosine)
    }
}

fn judge_claims(a: &TextClaims, b: &TextClaims, cosine: f64) -> Judgement {
    let unrelated = |evidence| Judgement::new(Stance::Unrelated, evidence);
    if let Some(found) = a.all().find_map(|x| b.all().find_map(|y| opposed::opposed(x, y))) {
        return Judgement::new(Stance::Contradiction, found);
    }
    let (a, b) = (&a.written[..], &b.written[..]);
    let count = |claims: &[Claim]| claims.iter().map(|claim| claim.words.len()).sum::<usize>();
    if [a, b].into_iter().any(|claims| !(1..=MAX_ALIGNED_WORDS).contains(&count(claims))) {
        return unrelated(Evidence::Unreadable);
    }
    let laid = Alignment::of(a, b);
    let found = differences::differences(a, b, &laid);
    if !found.is_empty() {
        return unrelated(Evidence::DifferingFacts(found.join(", ")));
    }
    if cosine < MIN_SAME_COSINE {
        return unrelated(Evidence::LowCosine(cosine));
    }
    let aligned = laid.aligned_share() * cosine;
    let stance = if aligned >= MIN_SAME_ALIGNED { Stance::Same } else { Stance::Unrelated };
    Judgement::new(stance, Evidence::Aligned(aligned))
}

#[cfg(test)]
mod tests;
