//! Words of a statement that carry facts, each with its role.

use crate::lexicon::wordnet::{self, Lemma, Relation};

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
}

impl ClaimWord {
    /// True for a name, a person or a number, which are the same only if they are equal.
    pub(super) fn is_rigid(&self) -> bool {
        matches!(self.kind, WordKind::Name | WordKind::Person | WordKind::Number)
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
        best
    }
}
