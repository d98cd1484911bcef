//! Facts in which two texts differ. Texts that differ in a fact are never the same, however similar their
//! words are.

use std::collections::BTreeSet;

use super::{
    align::{Alignment, MAX_ALIGNED_WORDS},
    claim::Claim,
    grammar::Tense,
    word::{ClaimWord, WordKind, WordRole},
};
use crate::lexicon::{WordClass, directions, wordnet::Relation};

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
        ("role", roles_are_swapped(laid) || names_are_reordered(laid)),
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
        // "I" is not "she".
        ("person", persons_differ(a, b)),
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

/// True if all verbs are symmetric: whoever argues with somebody is argued with.
fn all_verbs_are_symmetric(laid: &Alignment<'_>) -> bool {
    let mut verbs = laid.a.iter().chain(&laid.b).filter(|w| w.kind == WordKind::Verb).peekable();
    verbs.peek().is_some() && verbs.all(|w| w.lemmas.iter().any(|l| WordClass::Mutual.has(l.word)))
}

/// True if two things have swapped roles: who owes whom, what lies under what.
fn roles_are_swapped(laid: &Alignment<'_>) -> bool {
    let at = |role: &WordRole, words: &[&str]| matches!(role, WordRole::At(p) if words.contains(&p.as_str()));
    // "A man with a dog" and "a dog with a man" are the same.
    let beside = |x: &WordRole, u: &WordRole| {
        let with = |role: &WordRole| at(role, &["with", "near", "beside", "between"]);
        (*x == WordRole::Agent && with(u)) || (*u == WordRole::Agent && with(x))
    };
    let things: Vec<_> = laid
        .pairs
        .iter()
        .filter(|(i, j, kin)| {
            *kin <= Relation::IsA && laid.a[*i].kind != WordKind::Verb && laid.b[*j].kind != WordKind::Verb
        })
        .map(|&(i, j, _)| (&laid.a[i].role, &laid.b[j].role, laid.a[i].is_rigid()))
        .collect();
    let agent = |role: &WordRole| *role == WordRole::Agent;
    things.iter().enumerate().any(|(k, &(x, y, named))| {
        things[k + 1..].iter().any(|&(u, v, other_named)| {
            let changed = x == v && u == y && x != u && !beside(x, u);
            // Each of the two is the agent in one text only. "A measure of salt costs" and "salt costs a
            // measure" are no such swap.
            let did = (agent(x) && agent(v) && !agent(y) && !agent(u))
                || (agent(u) && agent(y) && !agent(v) && !agent(x));
            let whose = !(named || other_named) && [x, y, u, v].into_iter().any(|r| at(r, &["of"]));
            let with = beside(x, u) || beside(y, v);
            changed || did && !whose && !with
        })
    }) && !all_verbs_are_symmetric(laid)
}

/// True if names are in another order and neither the passive nor an "and" explains it.
fn names_are_reordered(laid: &Alignment<'_>) -> bool {
    if all_verbs_are_symmetric(laid) {
        return false;
    }
    let names: Vec<_> = laid.pairs.iter().filter(|(i, _, _)| laid.a[*i].kind == WordKind::Name).collect();
    names.iter().enumerate().any(|(k, x)| {
        names[k + 1..].iter().any(|y| {
            let (first, second) = ((laid.a[x.0], laid.b[x.1]), (laid.a[y.0], laid.b[y.1]));
            let turned = x.1 > y.1;
            let alike = first.0.role == first.1.role && second.0.role == second.1.role;
            turned && !alike && first.0.lower != second.0.lower
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
    let has = |claims: &[Claim], tense| claims.iter().any(|c| c.tense == tense);
    let only = |x: &[Claim], y: &[Claim], tense: Tense, allowed: &[Tense]| {
        has(x, tense) && !has(y, tense) && !y.iter().any(|c| allowed.contains(&c.tense))
    };
    let differ = |x: &[Claim], y: &[Claim]| {
        only(x, y, Tense::Future, &[])
            || only(x, y, Tense::Past, &[Tense::Perfect])
            || only(x, y, Tense::Present, &[Tense::Perfect])
    };
    differ(a, b) || differ(b, a)
}

fn quantities_differ(a: &[Claim], b: &[Claim]) -> bool {
    let most = |claims: &[Claim]| claims.iter().filter_map(|claim| claim.quantity).max();
    let far = |x: i8, y: i8| (x == 3) != (y == 3) || (x == 2) != (y == 2) && (x == 0) != (y == 0);
    most(a).zip(most(b)).is_some_and(|(own, other)| far(own, other))
}

fn directions_are_opposed(a: &[Claim], b: &[Claim]) -> bool {
    let all = |claims: &[Claim]| claims.iter().fold(0, |all, c| all | c.directions);
    let (one, other) = (all(a), all(b));
    directions().iter().any(|(p, q)| {
        let turned = |x: u32, y: u32| x & (p | q) == *p && y & (p | q) == *q;
        turned(one, other) || turned(other, one)
    })
}

fn persons_differ(a: &[Claim], b: &[Claim]) -> bool {
    let (x, y) = (words_of_kind(a, &WordKind::Person), words_of_kind(b, &WordKind::Person));
    // A third person may be implied, but "I" is never "she".
    let speaks = |p: &&str| matches!(*p, "i" | "we" | "you");
    x.iter().filter(|p| speaks(p)).ne(y.iter().filter(|p| speaks(p)))
        || (x.iter().any(|p| !y.contains(p)) && y.iter().any(|p| !x.contains(p)))
}
