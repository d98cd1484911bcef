//! The words of a statement that carry facts, each with its part in it.

use super::{
    classes::is_one_valued,
    lexicon::{self, Kin, Lemma, Part},
};

/// What a word stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// Somebody's or something's own name.
    Name,
    /// "I", "he": in one form each.
    Person,
    /// A number, by its value.
    Number,
    /// What is done.
    Verb,
    /// Anything else that carries a fact.
    Other,
}

/// The part a thing has in what is told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Does it.
    Agent,
    /// It is done to.
    Patient,
    /// Stands behind this small word: "to", "from", "with".
    At(String),
}

#[derive(Debug, Clone)]
pub(super) struct Word {
    /// In lower case, in one form for persons and by value for numbers.
    pub(super) lower: String,
    pub(super) stem: String,
    /// The words of the dictionary that it may be a form of.
    pub(super) lemmas: Vec<&'static Lemma>,
    pub(super) kind: Kind,
    pub(super) role: Role,
    /// A negation speaks of it.
    pub(super) negated: bool,
    /// Says what something does or is, and does not merely name it.
    pub(super) predicate: bool,
    /// Only says more of another word: "old", "slowly".
    pub(super) modifier: bool,
}

impl Word {
    /// Whether a name, a person or a number: what must be the very same to be the same.
    pub(super) fn is_rigid(&self) -> bool {
        matches!(self.kind, Kind::Name | Kind::Person | Kind::Number)
    }

    /// Whether it may be this part of speech where it stands.
    pub(super) fn may_be(&self, part: Part) -> bool {
        if self.is_rigid() {
            return false;
        }
        match (&self.kind, part) {
            (Kind::Verb, Part::Verb) => true,
            (Kind::Verb, _) => false,
            _ => self.lemmas.is_empty() && part == Part::Noun || self.lemmas.iter().any(|l| l.part == part),
        }
    }

    /// Whether it may say what has one value at a time: where somebody lives.
    pub(super) fn is_one_valued(&self) -> bool {
        self.lemmas.iter().any(|l| l.part == Part::Verb && is_one_valued(l.word))
    }

    /// What two words are to each other.
    pub(super) fn kin(&self, other: &Self) -> Kin {
        if self.lower == other.lower && (self.kind == other.kind || !(self.is_rigid() || other.is_rigid())) {
            return Kin::Same;
        }
        if self.is_rigid() || other.is_rigid() {
            return Kin::None;
        }
        // Who mends what is broken does not break it.
        let done = |verb: &Self, other: &Self| {
            verb.kind == Kind::Verb && other.modifier && !other.lower.ends_with("ing")
        };
        if done(self, other) || done(other, self) {
            return Kin::None;
        }
        if self.stem == other.stem || self.lemmas.iter().any(|l| other.lemmas.contains(l)) {
            return Kin::Same;
        }
        let mut best = Kin::None;
        for own in &self.lemmas {
            for theirs in &other.lemmas {
                match lexicon::kin(own, theirs) {
                    Kin::Opposite => return Kin::Opposite,
                    kin => best = best.min(kin),
                }
            }
        }
        if best > Kin::Kind && derived(&self.lower, &other.lower) { Kin::Synonym } else { best }
    }
}

/// Whether one word is made from the other, or both from a third: "debt" and "debtor", "ride" and "rider".
fn derived(a: &str, b: &str) -> bool {
    let shared = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    shared >= 4 && shared + 2 >= short && long - shared <= 5
}
