//! Kind of a statement: an intention, a state, a reason, or none of these.

use crate::text::{Token, is_negation, tokens};

/// Kind of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StatementKind {
    Plain,
    Reason,
    /// A state, now or in the future.
    Holds,
    /// An intention of the NPC.
    Intent,
}

impl StatementKind {
    pub(super) fn bonus(self) -> u32 {
        match self {
            Self::Plain => 0,
            Self::Reason | Self::Holds => 1,
            Self::Intent => 4,
        }
    }
}

/// Words that state an intention.
const INTENTS: &[&str] = &[
    "i'll", "intend", "mean", "must", "need", "plan", "promise", "promised", "shall", "should", "swore",
    "will",
];
/// Words that state how things are, or will be.
const HOLDING: &[&str] =
    &["am", "are", "can", "cannot", "has", "have", "is", "must", "needs", "owes", "still", "will", "won't"];
/// Words that begin a clause which belongs to another.
const SUBORDINATE: &[&str] = &[
    "and", "because", "but", "if", "said", "says", "that", "though", "told", "what", "when", "which", "who",
];

pub(super) fn standing(said: &str) -> StatementKind {
    let words = tokens(said);
    let is = |i: usize, list: &[&str]| words.get(i).is_some_and(|t| list.contains(&t.lower.as_str()));
    let means = (0..words.len()).any(|i| {
        is(i, &["i'll"])
            || is(i, &["i"]) && (is(i + 1, INTENTS) || is(i + 2, INTENTS) && is_negation(&words[i + 1].lower))
    });
    // In a statement that somebody else makes, "I" is not the NPC.
    let mine = words.first().is_some_and(|t| t.lower == "i" || t.lower == "i'll")
        || (0..words.len()).any(|i| is(i, &["so"]) && is(i + 1, &["i"]));
    if means && mine {
        StatementKind::Intent
    } else if gives_reason(&words) {
        StatementKind::Reason
    } else if (0..words.len()).take_while(|&i| !is(i, SUBORDINATE)).any(|i| is(i, HOLDING)) {
        StatementKind::Holds
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
