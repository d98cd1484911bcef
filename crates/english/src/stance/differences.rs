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

/// A fact in which two texts differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FactDifference {
    /// Different numbers, or the same numbers of different things.
    Number,
    /// Different names.
    Name,
    /// The same things in swapped roles.
    Role,
    /// One text denies what the other affirms.
    Negation,
    /// Two words exclude each other.
    Opposite,
    /// Different days or times of day.
    Time,
    /// Different tenses: past, present or future.
    Tense,
    /// One text is less certain.
    Hedge,
    /// Different quantifiers: all, some, few.
    Quantity,
    /// Different directions: on or off, with or without.
    Direction,
    /// Different persons: "I" is not "she".
    Person,
}

impl FactDifference {
    /// Returns the name used in reasons.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Name => "name",
            Self::Role => "role",
            Self::Negation => "negation",
            Self::Opposite => "opposite",
            Self::Time => "time",
            Self::Tense => "tense",
            Self::Hedge => "hedge",
            Self::Quantity => "quantity",
            Self::Direction => "direction",
            Self::Person => "person",
        }
    }
}

const ALL_DIFFERENCES: [FactDifference; 11] = [
    FactDifference::Number,
    FactDifference::Name,
    FactDifference::Role,
    FactDifference::Negation,
    FactDifference::Opposite,
    FactDifference::Time,
    FactDifference::Tense,
    FactDifference::Hedge,
    FactDifference::Quantity,
    FactDifference::Direction,
    FactDifference::Person,
];

/// Set of differences, a bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FactDifferences(u16);

impl FactDifferences {
    fn set_if(&mut self, differs: bool, what: FactDifference) {
        self.0 |= u16::from(differs) << what as u16;
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn has_several(self) -> bool {
        self.0.count_ones() > 1
    }

    fn has(self, what: FactDifference) -> bool {
        self.0 & 1 << what as u16 != 0
    }

    /// Returns the differences of the set, in their order.
    pub(super) fn iter(self) -> impl Iterator<Item = FactDifference> {
        ALL_DIFFERENCES.into_iter().filter(move |what| self.has(*what))
    }
}

/// Returns the differences between two lists of claims that can be found without an alignment.
pub(super) fn differences_without_alignment(a: &[Claim], b: &[Claim]) -> FactDifferences {
    let mut found = FactDifferences::default();
    found.set_if(tenses_differ(a, b), FactDifference::Tense);
    found.set_if(quantities_differ(a, b), FactDifference::Quantity);
    let hedged = |claims: &[Claim]| claims.iter().any(|c| c.hedged);
    found.set_if(hedged(a) != hedged(b), FactDifference::Hedge);
    found.set_if(count_negations(a) != count_negations(b), FactDifference::Negation);
    found.set_if(directions_are_opposed(a, b), FactDifference::Direction);
    found.set_if(times_differ(a, b), FactDifference::Time);
    found.set_if(
        words_of_kind(a, &WordKind::Number) != words_of_kind(b, &WordKind::Number),
        FactDifference::Number,
    );
    found.set_if(lacks_name(a, b) || lacks_name(b, a), FactDifference::Name);
    found.set_if(persons_differ(a, b), FactDifference::Person);
    found
}

/// Returns all differences between two aligned lists of claims.
pub(super) fn differences(a: &[Claim], b: &[Claim], laid: &Alignment<'_>) -> FactDifferences {
    let mut found = differences_without_alignment(a, b);
    found.set_if(same_numbers_count_other_things(laid), FactDifference::Number);
    found.set_if(roles_are_swapped(laid) || names_are_reordered(laid), FactDifference::Role);
    // A word that is negated in only one of the texts.
    let denied = || laid.pairs.iter().any(|(i, j, _)| laid.a[*i].negated != laid.b[*j].negated);
    found.set_if(count_negations(a) > 0 && denied(), FactDifference::Negation);
    found.set_if(!laid.opposites.is_empty(), FactDifference::Opposite);
    found
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

fn count_negations(claims: &[Claim]) -> usize {
    claims.iter().map(|c| c.negations).sum()
}

fn times_differ(a: &[Claim], b: &[Claim]) -> bool {
    fn times(claims: &[Claim]) -> BTreeSet<&str> {
        claims.iter().flat_map(|c| &c.times).map(String::as_str).collect()
    }
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
    let most = |claims: &[Claim]| claims.iter().flat_map(|c| &c.quantities).copied().max();
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
