//! Facts in which two texts differ. Texts that differ in a fact are never the same, however similar their
//! words are.

use std::collections::BTreeSet;

use super::{
    align::{Alignment, MAX_ALIGNED_WORDS},
    claim::Claim,
    grammar::Tense,
    word::{ClaimWord, WordKind, WordRole},
};
use crate::lexicon::DIRECTIONS;

/// Returns the facts in which two aligned lists of claims differ, by their names.
pub(super) fn differences(a: &[Claim], b: &[Claim], laid: &Alignment<'_>) -> Vec<&'static str> {
    let negations = |claims: &[Claim]| claims.iter().map(|claim| claim.negations).sum::<usize>();
    let numbers = |claims| words_of_kind(claims, &WordKind::Number);
    let hedged = |claims: &[Claim]| claims.iter().any(|claim| claim.hedged);
    // A word that is negated in only one of the texts.
    let denied = || laid.pairs.iter().any(|(i, j, _)| laid.a[*i].negated != laid.b[*j].negated);
    let found = [
        // Different numbers, or the same numbers of different things.
        ("number", numbers(a) != numbers(b) || same_numbers_count_other_things(laid)),
        ("name", lacks_name(a, b) || lacks_name(b, a)),
        // The same things in swapped roles.
        ("role", roles_are_swapped(laid)),
        ("negation", negations(a) != negations(b) || negations(a) > 0 && denied()),
        ("opposite", !laid.opposites.is_empty()),
        // Different days or times of day.
        ("time", times_differ(a, b)),
        ("tense", tenses_differ(a, b)),
        ("hedge", hedged(a) != hedged(b)),
        // All, some, few.
        ("quantity", quantities_differ(a, b)),
        // On or off, with or without.
        ("direction", directions_are_opposed(a, b)),
    ];
    found.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

/// Returns the words of one kind, sorted, each once.
fn words_of_kind<'w>(claims: &'w [Claim], kind: &WordKind) -> Vec<&'w str> {
    let words = claims.iter().flat_map(|c| &c.words).take(MAX_ALIGNED_WORDS);
    let mut found: Vec<&str> = words.filter(|w| w.kind == *kind).map(|w| w.lower.as_str()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// True if the first claims have a name that is no word of the others.
fn lacks_name(a: &[Claim], b: &[Claim]) -> bool {
    let words = || b.iter().flat_map(|c| &c.words).take(MAX_ALIGNED_WORDS);
    words_of_kind(a, &WordKind::Name).iter().any(|name| words().all(|word| word.lower != *name))
}

/// True if the same numbers count different things: "3 coppers for 2 loaves" is not "2 coppers for 3 loaves".
fn same_numbers_count_other_things(laid: &Alignment<'_>) -> bool {
    fn units<'w>(words: &[&'w ClaimWord]) -> BTreeSet<(&'w str, &'w str)> {
        let numbers = words.windows(2).filter(|pair| pair[0].kind == WordKind::Number);
        numbers.map(|pair| (pair[0].lower.as_str(), pair[1].stem.as_str())).collect()
    }
    let (x, y) = (units(&laid.a), units(&laid.b));
    x.iter().any(|(n, unit)| {
        !y.contains(&(*n, *unit))
            && y.iter().any(|(m, other)| m != n && other == unit)
            && y.iter().any(|(m, _)| m == n)
    })
}

/// True if two things have swapped roles: who owes whom, what lies under what.
fn roles_are_swapped(laid: &Alignment<'_>) -> bool {
    let is_thing = |(i, j, _): &&(usize, usize, _)| {
        laid.a[*i].kind != WordKind::Verb && laid.b[*j].kind != WordKind::Verb
    };
    let roles = laid.pairs.iter().filter(is_thing).map(|&(i, j, _)| (&laid.a[i].role, &laid.b[j].role));
    let roles: Vec<_> = roles.collect();
    let agent = |role: &WordRole| *role == WordRole::Agent;
    roles.iter().enumerate().any(|(k, &(x, y))| {
        roles[k + 1..].iter().any(|&(u, v)| {
            // Each of the two is the agent in one text only. "A measure of salt costs" and "salt costs a
            // measure" are no such swap.
            let did = (agent(x) && agent(v) && !agent(y) && !agent(u))
                || (agent(u) && agent(y) && !agent(v) && !agent(x));
            did || x == v && u == y && x != u
        })
    })
}

fn times_differ(a: &[Claim], b: &[Claim]) -> bool {
    let times =
        |claims: &'_ [Claim]| claims.iter().flat_map(|claim| claim.times.clone()).collect::<BTreeSet<_>>();
    let (when_a, when_b) = (times(a), times(b));
    when_a != when_b && !when_a.is_empty() && !when_b.is_empty()
}

fn tenses_differ(a: &[Claim], b: &[Claim]) -> bool {
    let agree = |x: &Claim, y: &Claim| {
        let both = [x, y].map(|claim| claim.tense.unwrap_or(Tense::Present));
        both[0] == both[1] || both.contains(&Tense::Perfect) && !both.contains(&Tense::Future)
    };
    !a.iter().any(|x| b.iter().any(|y| agree(x, y)))
}

fn quantities_differ(a: &[Claim], b: &[Claim]) -> bool {
    let means_all = |claims: &[Claim]| claims.iter().filter_map(|claim| claim.means_all).max();
    means_all(a).zip(means_all(b)).is_some_and(|(own, other)| own != other)
}

fn directions_are_opposed(a: &[Claim], b: &[Claim]) -> bool {
    let has = |claims: &[Claim], word: &str| claims.iter().any(|claim| claim.directions.contains(word));
    let is_only = |claims: &[Claim], word: &str, other: &str| has(claims, word) && !has(claims, other);
    DIRECTIONS
        .iter()
        .any(|(p, q)| is_only(a, p, q) && is_only(b, q, p) || is_only(b, p, q) && is_only(a, q, p))
}
