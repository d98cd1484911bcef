//! Foundation of a statement: lived through, told by somebody, rumoured, or not put forward as true at all.

use nightfold_memory::{Foundation, Kind};

use super::assertion::asserted;
use crate::text::{is_closing_mark, is_negation, is_quotation_mark, part, tokens};

/// Returns the foundation of a memory, from its kind and its words.
pub(crate) fn foundation(kind: Kind, text: &str) -> Foundation {
    let words = spaced(text);
    if holds(&words, FRAMES) || asserted(text).is_empty() {
        Foundation::Unasserted
    } else if holds(&words, RUMOUR) {
        Foundation::Rumour
    } else if kind == Kind::Chat || is_attributed(&words) {
        Foundation::Told
    } else {
        Foundation::Lived
    }
}

fn holds(words: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| words.contains(phrase))
}

/// True if a clause is wished, feared or only possible.
pub(super) fn is_hedged(clause: &str) -> bool {
    holds(&spaced(clause), HEDGES)
}

/// Phrases of dreams, lies and stories: a text with one of them is not put forward as true.
const FRAMES: &[&str] = &[
    " dream ",
    " dreams ",
    " dreamt ",
    " dreamed ",
    " dreaming ",
    " nightmare ",
    " pretend ",
    " pretends ",
    " pretended ",
    " pretending ",
    " imagine ",
    " imagines ",
    " imagined ",
    " lied ",
    " lies that ",
    " lie that ",
    " a lie ",
    " falsely ",
    " made up ",
    " joked ",
    " jested ",
    " in jest ",
    " in the song ",
    " in the tale ",
    " in the story ",
    " in the play ",
];

/// Phrases that mark their clause as not put forward as true.
const HEDGES: &[&str] = &[
    " i wish ",
    " wished ",
    " wishes ",
    " hope ",
    " hopes ",
    " hoped ",
    " hoping ",
    " fear that ",
    " fears that ",
    " feared that ",
    " feared the ",
    " afraid that ",
    " afraid the ",
    " worried that ",
    " worries that ",
    " lying ",
    " perhaps ",
    " maybe ",
    " possibly ",
    " might ",
    " may be ",
    " may have ",
    " could be ",
    " could have ",
    " whether ",
    " asked if ",
    " asks if ",
    " ask if ",
    " wonder if ",
    " wonders if ",
    " wondered if ",
    " wonder ",
    " wondered ",
    " suppose ",
    " supposes ",
    " supposed that ",
    " what if ",
    " unless ",
    " would have ",
    " as if ",
];

/// Phrases that attribute a text to nobody in particular.
const RUMOUR: &[&str] = &[
    " they say ",
    " they said ",
    " people say ",
    " people are saying ",
    " folk say ",
    " folks say ",
    " some say ",
    " word is ",
    " word has it ",
    " word on the street ",
    " word around ",
    " word going ",
    " rumour ",
    " rumor ",
    " rumours ",
    " rumors ",
    " rumoured ",
    " rumored ",
    " gossip ",
    " gossips ",
    " hearsay ",
    " it is said ",
    " it's said ",
    " heard tell ",
    " supposedly ",
    " allegedly ",
    " apparently ",
    " the talk is ",
    " there is talk ",
    " there's talk ",
    " talk of the town ",
    " the story goes ",
    " story going ",
    " overheard ",
    " somebody said ",
    " someone said ",
    " a stranger said ",
    " everyone says ",
    " everybody says ",
];

/// Phrases that attribute a text to somebody else: `who VERB (me|us|him|her|them) that …`.
const SAYS: &[&str] = &[
    " told me ",
    " tells me ",
    " told us ",
    " tells us ",
    " says ",
    " swears ",
    " claims ",
    " claimed ",
    " insists ",
    " insisted that ",
    " reported that ",
    " reports that ",
    " announced that ",
    " assured me ",
    " informed me ",
    " according to ",
    " swore that ",
    " wrote that ",
    " writes that ",
    " said that ",
    " mentioned that ",
    " i heard that ",
    " i heard from ",
    " i was told ",
    " let me know that ",
];

/// Verbs of speech that introduce reported content.
const REPORTS: &[&str] = &[
    "announced",
    "assured",
    "claimed",
    "claims",
    "informed",
    "insisted",
    "insists",
    "mentioned",
    "reported",
    "reports",
    "said",
    "says",
    "shouted",
    "swears",
    "swore",
    "tells",
    "told",
    "writes",
    "wrote",
];

/// Words, other than names, for a person who is told something.
const HEARERS: &[&str] = &["all", "everybody", "everyone", "her", "him", "me", "them", "us"];

/// Auxiliary verbs, which distinguish a clause from the name of a thing: "told me |the gate is shut" and
/// "told me a story".
const AUXILIARIES: &[&str] = &[
    "is", "isn't", "are", "aren't", "was", "wasn't", "were", "weren't", "has", "hasn't", "have", "haven't",
    "had", "hadn't", "will", "won't", "would", "can", "can't", "cannot", "must", "does", "doesn't", "did",
    "didn't",
];

/// Maximum number of words before the verb of a report: "the captain of the guard said".
const MAX_REPORT_SUBJECT_WORDS: usize = 6;

/// Returns the byte offset at which reported content begins in a clause: "Tom told me that |the gate is
/// shut", "Tom said: |"The gate is shut."" `None` if nobody else reports anything, or if the report is
/// negated or subordinate.
pub(super) fn reported_content_start(clause: &str) -> Option<usize> {
    let words = tokens(clause);
    let lower = |at: usize| words.get(at).map_or("", |w| w.lower.as_str());
    let verb = (1..words.len().min(MAX_REPORT_SUBJECT_WORDS + 1)).find(|&at| REPORTS.contains(&lower(at)))?;
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
    if HEARERS.contains(&lower(next)) || named {
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
    let clause = || content.iter().skip(1).any(|w| AUXILIARIES.contains(&w.lower.as_str()));
    let said = matches!(lower(verb), "said" | "says") && next == verb + 1;
    (that || said || next > verb + 1 && clause()).then_some(from)
}

/// True if the words behind a quotation only attribute it: "said Tom", "the captain told me".
pub(super) fn is_attribution(words: &str) -> bool {
    let words = tokens(words);
    let verbs = words.iter().filter(|w| REPORTS.contains(&w.lower.as_str())).count();
    let other = |w: &str| is_negation(w) || matches!(w, "i" | "we" | "and" | "but" | "if");
    verbs == 1 && words.len() <= MAX_REPORT_SUBJECT_WORDS && !words.iter().any(|w| other(&w.lower))
}

/// True if a text is attributed to somebody else. A statement of the NPC about itself ("I said that …") is
/// its own.
fn is_attributed(words: &str) -> bool {
    SAYS.iter().any(|says| words.contains(says)) || words.contains(" said ") && !words.contains(" i said ")
}

/// Returns the words in lower case between single spaces, with one at either end.
fn spaced(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 2);
    for token in tokens(text) {
        words.push(' ');
        words.push_str(&token.lower);
    }
    words.push(' ');
    words
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
