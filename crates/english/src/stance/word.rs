//! Words of a statement that carry facts, each with its role.

use crate::lexicon::{
    WordClass,
    wordnet::{self, Lemma, PartOfSpeech, Relation},
};

/// Category of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordKind {
    /// A proper name.
    Name,
    /// A personal pronoun, in one form for all cases.
    Person,
    /// A number, by its value.
    Number,
    /// A verb.
    Verb,
    /// Any other word that carries a fact.
    Other,
}

/// Role of a thing in a statement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WordRole {
    /// The one that acts.
    Agent,
    /// The one acted upon.
    Patient,
    /// Object of this preposition: "to", "from", "with".
    At(String),
}

#[derive(Debug, Clone)]
pub(super) struct ClaimWord {
    /// The word in lower case; one form for all cases of a pronoun, the value of a number.
    pub(super) lower: String,
    pub(super) stem: String,
    /// Lemmas that the word may be a form of.
    pub(super) lemmas: Vec<&'static Lemma>,
    pub(super) kind: WordKind,
    pub(super) role: WordRole,
    /// True if a negation applies to it.
    pub(super) negated: bool,
    /// True if it says what something does or is, and does not merely name it.
    pub(super) predicate: bool,
    /// True if it only modifies another word: "old", "slowly".
    pub(super) modifier: bool,
}

impl ClaimWord {
    /// True for a name, a person or a number, which are the same only if they are equal.
    pub(super) fn is_rigid(&self) -> bool {
        matches!(self.kind, WordKind::Name | WordKind::Person | WordKind::Number)
    }

    /// True if it may be a verb that has one value at a time, such as "lives".
    pub(super) fn is_one_valued(&self) -> bool {
        self.lemmas.iter().any(|l| l.part == PartOfSpeech::Verb && WordClass::OneValued.has(l.word))
    }

    /// Returns the relation between two words.
    pub(super) fn relation_to(&self, other: &Self) -> Relation {
        // A capital at the start of a sentence may be that of a name or of any word.
        if self.lower == other.lower {
            return Relation::Same;
        }
        if self.is_rigid() || other.is_rigid() {
            return Relation::None;
        }
        // A participle as a modifier is no action: whoever mends what is broken does not break it.
        let done = |verb: &Self, other: &Self| {
            verb.kind == WordKind::Verb && other.modifier && !other.lower.ends_with("ing")
        };
        if done(self, other) || done(other, self) {
            return Relation::None;
        }
        if self.stem == other.stem || self.lemmas.iter().any(|l| other.lemmas.contains(l)) {
            return Relation::Same;
        }
        let mut best = Relation::None;
        for own in &self.lemmas {
            for theirs in &other.lemmas {
                match wordnet::relation(own, theirs) {
                    Relation::Opposite => return Relation::Opposite,
                    kin => best = best.min(kin),
                }
            }
        }
        if best > Relation::IsA && share_derivation(&self.lower, &other.lower) {
            Relation::Synonym
        } else {
            best
        }
    }
}

/// True if one word is derived from the other, or both from a third: "debt" and "debtor", "ride" and "rider".
fn share_derivation(a: &str, b: &str) -> bool {
    let shared = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    shared >= 4 && shared + 2 >= short && long - shared <= 5
}
