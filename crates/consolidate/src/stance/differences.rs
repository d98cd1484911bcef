//! Facts in which two texts differ. What differs in a fact is never the same, however close its words are.

use std::collections::BTreeSet;

use super::{
    align::Alignment,
    claim::{Claim, Tense},
    classes::{directions, is_mutual},
    lexicon::Kin,
    word::{Kind, Role, Word},
};

/// A fact in which two texts differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Difference {
    /// Other numbers, or the same of other things.
    Number,
    /// Other names.
    Name,
    /// The same things in each other's part.
    Role,
    /// Something is denied that the other affirms.
    Negation,
    /// Two words exclude each other.
    Opposite,
    /// Another day or time of day.
    Time,
    /// What was is not what is, nor what will be.
    Tense,
    /// One is less certain.
    Hedge,
    /// All, some, few.
    Quantity,
    /// On or off, with or without.
    Direction,
    /// "I" is not "she".
    Person,
}

impl Difference {
    /// The name used in reasons.
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

/// All facts in which two aligned lists of claims differ.
pub(super) fn differences(a: &[Claim], b: &[Claim], laid: &Alignment<'_>) -> BTreeSet<Difference> {
    let mut found = BTreeSet::new();
    let mut note = |differs: bool, what| {
        if differs {
            found.insert(what);
        }
    };
    note(numbers(laid), Difference::Number);
    note(rigid(&laid.a, &Kind::Name) != rigid(&laid.b, &Kind::Name), Difference::Name);
    note(swapped(laid) || names_turned(laid), Difference::Role);
    note(negated(a, b, laid), Difference::Negation);
    note(!laid.opposites.is_empty(), Difference::Opposite);
    let times = |claims: &[Claim]| claims.iter().flat_map(|c| c.times.clone()).collect::<BTreeSet<_>>();
    let (when_a, when_b) = (times(a), times(b));
    note(when_a != when_b && !when_a.is_empty() && !when_b.is_empty(), Difference::Time);
    note(tenses_differ(a, b), Difference::Tense);
    let hedged = |claims: &[Claim]| claims.iter().any(|c| c.hedged);
    note(hedged(a) != hedged(b), Difference::Hedge);
    note(quantities_differ(a, b), Difference::Quantity);
    note(turned_about(a, b), Difference::Direction);
    note(persons_differ(laid), Difference::Person);
    found
}

/// The words of one kind, sorted, each as often as it occurs.
fn rigid<'w>(words: &[&'w Word], kind: &Kind) -> Vec<&'w str> {
    let mut found: Vec<&str> = words.iter().filter(|w| w.kind == *kind).map(|w| w.lower.as_str()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn numbers(laid: &Alignment<'_>) -> bool {
    if rigid(&laid.a, &Kind::Number) != rigid(&laid.b, &Kind::Number) {
        return true;
    }
    // "3 coppers for 2 loaves" is not "2 coppers for 3 loaves": look at what each number is of.
    let of = |words: &[&Word], at: usize| words.get(at + 1).map(|w| w.stem.clone());
    let units = |words: &[&Word]| -> BTreeSet<(String, String)> {
        let numbers = (0..words.len()).filter(|&i| words[i].kind == Kind::Number);
        numbers.filter_map(|i| Some((words[i].lower.clone(), of(words, i)?))).collect()
    };
    let (x, y) = (units(&laid.a), units(&laid.b));
    x.iter().any(|(n, unit)| {
        !y.contains(&(n.clone(), unit.clone()))
            && y.iter().any(|(m, other)| m != n && other == unit)
            && y.iter().any(|(m, _)| m == n)
    })
}

/// Whether all that is done has two sides that may change places: who argues with somebody is argued with.
fn mutual(laid: &Alignment<'_>) -> bool {
    let mut verbs = laid.a.iter().chain(&laid.b).filter(|w| w.kind == Kind::Verb).peekable();
    verbs.peek().is_some() && verbs.all(|w| w.lemmas.iter().any(|l| is_mutual(l.word)))
}

/// Whether two things have changed parts: who owes whom, what lies under what.
fn swapped(laid: &Alignment<'_>) -> bool {
    let at = |role: &Role, words: &[&str]| matches!(role, Role::At(p) if words.contains(&p.as_str()));
    // A man with a dog is a dog with a man.
    let beside = |x: &Role, u: &Role| {
        let with = |role: &Role| at(role, &["with", "near", "beside", "between"]);
        (*x == Role::Agent && with(u)) || (*u == Role::Agent && with(x))
    };
    let things: Vec<_> = laid
        .pairs
        .iter()
        .filter(|(i, j, kin)| {
            *kin <= Kin::Kind && laid.a[*i].kind != Kind::Verb && laid.b[*j].kind != Kind::Verb
        })
        .map(|&(i, j, _)| (&laid.a[i].role, &laid.b[j].role, laid.a[i].is_rigid()))
        .collect();
    let agent = |role: &Role| *role == Role::Agent;
    things.iter().enumerate().any(|(k, &(x, y, named))| {
        things[k + 1..].iter().any(|&(u, v, other_named)| {
            let changed = x == v && u == y && x != u && !beside(x, u);
            // The one did it here, the other there; but "a measure of salt costs" what salt costs a measure.
            let did = (agent(x) && agent(v) && !agent(y) && !agent(u))
                || (agent(u) && agent(y) && !agent(v) && !agent(x));
            let whose = !(named || other_named) && [x, y, u, v].into_iter().any(|r| at(r, &["of"]));
            let with = beside(x, u) || beside(y, v);
            changed || did && !whose && !with
        })
    }) && !mutual(laid)
}

/// Names in another order, where nothing explains it: neither the passive nor an "and".
fn names_turned(laid: &Alignment<'_>) -> bool {
    if mutual(laid) {
        return false;
    }
    let names: Vec<_> = laid.pairs.iter().filter(|(i, _, _)| laid.a[*i].kind == Kind::Name).collect();
    names.iter().enumerate().any(|(k, x)| {
        names[k + 1..].iter().any(|y| {
            let (first, second) = ((laid.a[x.0], laid.b[x.1]), (laid.a[y.0], laid.b[y.1]));
            let turned = x.1 > y.1;
            let alike = first.0.role == first.1.role && second.0.role == second.1.role;
            turned && !alike && first.0.lower != second.0.lower
        })
    })
}

/// Whether one denies what the other affirms: another number of negations, or the same about other words.
fn negated(a: &[Claim], b: &[Claim], laid: &Alignment<'_>) -> bool {
    let count = |claims: &[Claim]| claims.iter().map(|c| c.negations).sum::<usize>();
    if count(a) != count(b) {
        return true;
    }
    if count(a) == 0 {
        return false;
    }
    // A word denied here and affirmed in the other text.
    laid.pairs.iter().any(|(i, j, _)| laid.a[*i].negated != laid.b[*j].negated)
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
    let of = |claims: &[Claim]| claims.iter().flat_map(|c| c.quantities.clone()).collect::<Vec<_>>();
    let (own, other) = (of(a), of(b));
    let far = |x: i8, y: i8| (x == 3) != (y == 3) || (x == 2) != (y == 2) && (x == 0) != (y == 0);
    match (own.iter().max(), other.iter().max()) {
        (Some(&most), Some(&theirs)) => far(most, theirs),
        _ => false,
    }
}

fn turned_about(a: &[Claim], b: &[Claim]) -> bool {
    let has = |claims: &[Claim], word: &str| claims.iter().any(|c| c.small.iter().any(|s| s == word));
    directions().any(|(p, q)| {
        let turned = |x: &[Claim], y: &[Claim]| has(x, p) && !has(x, q) && has(y, q) && !has(y, p);
        turned(a, b) || turned(b, a)
    })
}

fn persons_differ(laid: &Alignment<'_>) -> bool {
    let (x, y) = (rigid(&laid.a, &Kind::Person), rigid(&laid.b, &Kind::Person));
    // Who is spoken of may go without saying, but "I" is never "she".
    let speaks = |p: &&str| matches!(*p, "i" | "we" | "you");
    x.iter().filter(|p| speaks(p)).ne(y.iter().filter(|p| speaks(p)))
        || (x.iter().any(|p| !y.contains(p)) && y.iter().any(|p| !x.contains(p)))
}
