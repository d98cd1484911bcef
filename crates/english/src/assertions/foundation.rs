//! Foundation of a statement: lived through, told by somebody, rumoured, or not put forward as true at all.

use nightfold_memory::{Foundation, Kind};

use super::split::asserted_clauses;
use crate::{
    lexicon::{PhraseClass, WordClass, is_negation, is_reported_by},
    text::{is_closing_mark, is_quotation_mark, part, spaced, tokens},
};

/// Returns the foundation of a memory, from its kind and its words.
pub(crate) fn foundation(kind: Kind, text: &str) -> Foundation {
    let words = spaced(text);
    if PhraseClass::Fiction.occurs_in(&words) || asserted_clauses(text).is_empty() {
        Foundation::Unasserted
    } else if PhraseClass::Rumour.occurs_in(&words) {
        Foundation::Rumour
    } else if kind == Kind::Chat || is_attributed(&words) {
        Foundation::Told
    } else {
        Foundation::Lived
    }
}

/// True if a clause is wished, feared or only possible.
pub(super) fn is_hedged(clause: &str) -> bool {
    PhraseClass::Unasserted.occurs_in(&spaced(clause))
}

/// Maximum number of words before the verb of a report: "the captain of the guard said".
const MAX_REPORT_SUBJECT_WORDS: usize = 6;

/// Returns the byte offset at which reported content begins in a clause: "Tom told me that |the gate is
/// shut", "Tom said: |"The gate is shut."" `None` if nobody else reports anything, or if the report is
/// negated or subordinate.
pub(super) fn reported_content_start(clause: &str) -> Option<usize> {
    let words = tokens(clause);
    let lower = |at: usize| words.get(at).map_or("", |w| w.lower.as_str());
    let verb = (1..words.len().min(MAX_REPORT_SUBJECT_WORDS + 1)).find(|&at| is_reported_by(lower(at)))?;
    if (0..verb).any(|at| {
        is_negation(lower(at)) || matches!(lower(at), "i" | "we" | "who" | "what" | "when" | "as" | "if")
    }) {
        return None;
    }
    let mut next = verb + 1;
    if lower(next) == "to" {
        next += 1;
    }
    let named = words.get(next).is_some_and(|w| w.capital) && lower(next + 1) == "that";
    if is_hearer(lower(next)) || named {
        next += 1;
    }
    let that = lower(next) == "that";
    let from = words.get(next + usize::from(that))?.start;
    let behind = part(clause, words[next - 1].end..from);
    let mark = behind.rfind(|c: char| is_quotation_mark(c) || is_closing_mark(c));
    if let Some(mark) = mark {
        return Some(words[next - 1].end + mark);
    }
    let content = words.get(next..).unwrap_or_default();
    let clause = || content.iter().skip(1).any(|w| WordClass::FiniteAuxiliary.has(&w.lower));
    let said = matches!(lower(verb), "said" | "says") && next == verb + 1;
    (that || said || next > verb + 1 && clause()).then_some(from)
}

/// True for a word, other than a name, for a person who is told something.
fn is_hearer(word: &str) -> bool {
    WordClass::Accusative.has(word) || matches!(word, "all" | "everybody" | "everyone" | "her")
}

/// True if the words behind a quotation only attribute it: "said Tom", "the captain told me".
pub(super) fn is_attribution(words: &str) -> bool {
    let words = tokens(words);
    let verbs = words.iter().filter(|w| is_reported_by(&w.lower)).count();
    let other = |w: &str| is_negation(w) || matches!(w, "i" | "we" | "and" | "but" | "if");
    verbs == 1 && words.len() <= MAX_REPORT_SUBJECT_WORDS && !words.iter().any(|w| other(&w.lower))
}

/// True if a text is attributed to somebody else. A statement of the NPC about itself ("I said that …") is
/// its own.
fn is_attributed(words: &str) -> bool {
    PhraseClass::Attribution.occurs_in(words) || words.contains(" said ") && !words.contains(" i said ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foundation_follows_from_kind_and_words() {
        use Foundation::{Lived, Rumour, Told, Unasserted};
        use Kind::{Chat, Event, Thought};
        for (kind, text, expected) in [
            (Event, "The north gate is open.", Lived),
            (Thought, "I think the baker is a liar.", Lived),
            (Chat, "The north gate is open.", Told),
            (Event, "Tom told me that the north gate is open.", Told),
            (Event, "Tom said the north gate is open.", Told),
            (Chat, "Word is the north gate is open.", Rumour),
            (Event, "They say the bridge has fallen.", Rumour),
            (Chat, "The player lied to me: The north gate is open", Unasserted),
            (Chat, "It is a lie that Wren is not my sister", Unasserted),
            (Event, "I dreamt that the mayor died.", Unasserted),
            (Chat, "Is the north gate open?", Unasserted),
            (Thought, "If the gate is open, I can leave at night.", Unasserted),
            (Thought, "Perhaps the gate is open.", Unasserted),
            (Chat, "Is it so? The north gate is open.", Told),
            (Event, "The north gate is shut. I hope the mill stands.", Lived),
            (Event, "I hope the north gate is shut, can you ask Tom about it?", Unasserted),
        ] {
            assert_eq!(foundation(kind, text), expected, "{text}");
        }
    }
}
