//! Kind of a statement: an intention, a state, a reason, or none of these.

use crate::{
    lexicon::{WordClass, is_negation, is_reported_by},
    text::{Token, tokens},
};

/// Kind of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StatementKind {
    Plain,
    Reason,
    /// A state, now or in the future.
    State,
    /// An intention of the NPC.
    Intent,
}

impl StatementKind {
    pub(super) fn bonus(self) -> u32 {
        match self {
            Self::Plain => 0,
            Self::Reason | Self::State => 1,
            Self::Intent => 4,
        }
    }
}

pub(super) fn statement_kind(said: &str) -> StatementKind {
    let words = tokens(said);
    let lower = |i: usize| words.get(i).map_or("", |t| t.lower.as_str());
    let will = |i: usize| WordClass::FirstPerson.has(lower(i)) && WordClass::Future.has(lower(i));
    let means = (0..words.len()).any(|i| {
        let intends = |i: usize| WordClass::Intention.has(lower(i));
        will(i) || lower(i) == "i" && (intends(i + 1) || intends(i + 2) && is_negation(lower(i + 1)))
    });
    // In a statement that somebody else makes, "I" is not the NPC.
    let mine =
        lower(0) == "i" || will(0) || (0..words.len()).any(|i| lower(i) == "so" && lower(i + 1) == "i");
    let belongs = |i: usize| {
        let word = lower(i);
        WordClass::Coordinator.has(word)
            || WordClass::Subordinator.has(word)
            || WordClass::Relative.has(word)
            || is_reported_by(word)
    };
    let holds = |i: usize| {
        let word = lower(i);
        WordClass::BePresent.has(word)
            || WordClass::HavePresent.has(word)
            || WordClass::Future.has(word)
            || WordClass::State.has(word) && (word != "still" || lower(i + 1).ends_with('s'))
    };
    if means && mine {
        StatementKind::Intent
    } else if gives_reason(&words) {
        StatementKind::Reason
    } else if (0..words.len()).take_while(|&i| !belongs(i)).any(holds) {
        StatementKind::State
    } else {
        StatementKind::Plain
    }
}

/// True if a cause is stated and not only named: "because", but not "because of".
fn gives_reason(words: &[Token]) -> bool {
    let is = |i: usize, word: &str| words.get(i).is_some_and(|t| t.lower == word);
    (1..words.len()).any(|i| {
        is(i, "because") && !is(i + 1, "of") || is(i, "whenever") || is(i, "so") && is(i + 1, "that")
    })
}
