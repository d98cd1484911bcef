//! Features of two texts without a difference in facts, for the classifier.

use super::{
    align::Alignment,
    word::{ClaimWord, WordKind, WordRole},
};
use crate::lexicon::wordnet::{PartOfSpeech, Relation};

/// Number of features.
pub(super) const FEATURE_COUNT: usize = 17;

/// Names of the features, as in `data/classifier.tsv` and in reasons.
pub(super) const FEATURE_NAMES: [&str; FEATURE_COUNT] = [
    "cosine",
    "least-covered",
    "most-covered",
    "words-shared",
    "synonyms",
    "kinds",
    "substitutions",
    "sisters",
    "verbs-apart",
    "left-both",
    "left-core",
    "left-place",
    "left-more",
    "turned-order",
    "shorter-by",
    "more-done",
    "other-place",
];

/// Returns the features of an alignment. All lie between 0 and 1, counts being cut at 4; swapping the texts
/// changes nothing.
pub(super) fn features(laid: &Alignment<'_>, cosine: f64) -> [f64; FEATURE_COUNT] {
    let count = |n: usize| n.min(4) as f64 / 4.0;
    let (of_a, of_b) = laid.coverage();
    let kin = |kin| laid.pairs.iter().filter(|p| p.2 == kin).count();
    let all = laid.a.len() + laid.b.len();
    let same = kin(Relation::Same);
    let substitutions = laid.substitutions();
    let sisters =
        substitutions.iter().filter(|&&(i, j)| laid.a[i].relation_to(laid.b[j]) == Relation::Sister).count();
    let is_verb = |w: &ClaimWord| w.kind == WordKind::Verb && w.may_be(PartOfSpeech::Verb);
    let verb_a = laid.unaligned_a.iter().any(|&i| is_verb(laid.a[i]));
    let verb_b = laid.unaligned_b.iter().any(|&j| is_verb(laid.b[j]));
    let (left_a, left_b) = (laid.unaligned_a.len(), laid.unaligned_b.len());
    // Words without a counterpart, on the side that has more of them: in the statement itself, in adverbials,
    // and modifiers.
    let core = |w: &ClaimWord| !w.modifier && !matches!(w.role, WordRole::At(_));
    let place = |w: &ClaimWord| !w.modifier && matches!(w.role, WordRole::At(_));
    let of = |is: &dyn Fn(&ClaimWord) -> bool| {
        let n = |left: &[usize], words: &[&ClaimWord]| left.iter().filter(|&&i| is(words[i])).count();
        count(n(&laid.unaligned_a, &laid.a).max(n(&laid.unaligned_b, &laid.b)))
    };
    // An action for which the other text has no word: "bought bread and sold a horse".
    let done = |w: &ClaimWord| w.kind == WordKind::Verb && !w.lower.ends_with("ing");
    let deeds = |left: &[usize], words: &[&ClaimWord]| left.iter().any(|&i| done(words[i]));
    let more_done = deeds(&laid.unaligned_a, &laid.a) != deeds(&laid.unaligned_b, &laid.b);
    // Different things behind the same preposition: "with a spear", "with a sword".
    let other_place =
        substitutions.iter().any(|&(i, j)| place(laid.a[i]) && laid.a[i].role == laid.b[j].role);
    [
        cosine,
        of_a.min(of_b),
        of_a.max(of_b),
        if all == same { 1.0 } else { same as f64 / (all - same) as f64 },
        count(kin(Relation::Synonym)),
        count(kin(Relation::IsA)),
        count(substitutions.len()),
        count(sisters),
        f64::from(u8::from(verb_a && verb_b)),
        count(left_a.min(left_b)),
        of(&core),
        of(&place),
        of(&|w| w.modifier),
        laid.inversions(),
        laid.a.len().abs_diff(laid.b.len()) as f64 / laid.a.len().max(laid.b.len()).max(1) as f64,
        f64::from(u8::from(more_done)),
        f64::from(u8::from(other_place)),
    ]
}
