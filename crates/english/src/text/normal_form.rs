//! Normal form of a memory: in the first person, and without a label before it.

use nightfold_memory::{Edit, Kind, NormalForm};

use super::{Token, is_possessive, is_quoted, part, quotations, tokens};
use crate::lexicon::{
    WordClass,
    wordnet::{self, PartOfSpeech},
};

/// Maximum number of words of a label in brackets.
const MAX_LABEL_WORDS: usize = 4;

/// Returns a memory of the NPC `name` as the NPC would write it: "\[seen\] Alice served table 5." as "I served table 5.";
/// `None` if it is written so. In talk only a label goes, since others name the NPC there.
pub(crate) fn normal_form(kind: Kind, text: &str, name: &str) -> Option<NormalForm> {
    let label = label_len(text);
    let mut edits = Vec::new();
    if label > 0 {
        edits.push(Edit { span: 0..label, with: String::new() });
    }
    if kind != Kind::Chat {
        edits.extend(own_names(text, name, label));
    }
    NormalForm::new(text, edits)
}

/// Returns the length in bytes of a label in brackets before a text, with the space behind it; 0 if there is none.
fn label_len(text: &str) -> usize {
    let closing = match text.trim_start().chars().next() {
        Some('[') => ']',
        Some('<') => '>',
        Some('{') => '}',
        _ => return 0,
    };
    let Some((label, rest)) = text.split_once(closing) else { return 0 };
    let rest = rest.trim_start();
    if label.split_whitespace().count() > MAX_LABEL_WORDS || rest.is_empty() {
        0
    } else {
        text.len() - rest.len()
    }
}

/// Returns the replacements of the NPC's name by pronouns. A quotation stays as it is, and so does a name that is called.
fn own_names(text: &str, name: &str, from: usize) -> Vec<Edit> {
    let (words, full, quoted) = (tokens(text), tokens(name), quotations(text));
    let full: Vec<&str> = full.iter().map(|token| token.lower.as_str()).collect();
    let mut edits = Vec::new();
    let mut at = words.partition_point(|token| token.start < from);
    while at < words.len() {
        let len = own_name_len(&words, at, &full);
        let Some(last) = words.get((at + len).wrapping_sub(1)).filter(|_| len > 0) else {
            at += 1;
            continue;
        };
        let (first, next) = (&words[at], words.get(at + len));
        let before = at.checked_sub(1).and_then(|i| words.get(i)).filter(|before| before.end > from);
        at += len;
        let gap = |from: usize, to: usize| part(text, from..to).contains([',', ':', '!', '?']);
        let is_called = before.is_some_and(|before| gap(before.end, first.start))
            || next.is_some_and(|next| gap(last.end, next.start));
        if is_called || is_quoted(&quoted, first.start) {
            continue;
        }
        let with = if is_possessive(last.written(text)) {
            if before.is_none() || first.starts_sentence { "My" } else { "my" }
        } else if first.starts_sentence || before.is_none_or(opens_clause) || next.is_some_and(is_finite) {
            "I"
        } else {
            "me"
        };
        edits.push(Edit { span: first.start..last.end, with: with.to_owned() });
        let agreeing = match next.map(|token| token.lower.as_str()) {
            Some("is") => "am",
            Some("has") => "have",
            Some("does") => "do",
            _ => continue,
        };
        if let Some(verb) = next.filter(|_| with == "I") {
            edits.push(Edit { span: verb.start..verb.end, with: agreeing.to_owned() });
        }
    }
    edits
}

/// Returns the number of words at a place that name the NPC: the whole name, or its first word if that is no common word and
/// no name beside it makes it somebody else's; 0 if there is none.
fn own_name_len(words: &[Token], at: usize, full: &[&str]) -> usize {
    let is_whole =
        || full.iter().enumerate().all(|(i, part)| words.get(at + i).is_some_and(|t| t.lower == *part));
    let Some((first, _)) = full.split_first().filter(|_| words[at].capital) else { return 0 };
    if is_whole() {
        return full.len();
    }
    let is_name = |token: &&Token| token.capital && !token.starts_sentence && !token.speaker;
    let beside = [at.checked_sub(1).and_then(|i| words.get(i)), words.get(at + 1)];
    let is_given = full.len() > 1
        && words[at].lower == *first
        && wordnet::lemmas(first).is_empty()
        && !beside.iter().flatten().any(is_name);
    usize::from(is_given)
}

/// True for a word after which a clause begins.
fn opens_clause(word: &Token) -> bool {
    [WordClass::Coordinator, WordClass::Subordinator, WordClass::Relative, WordClass::ClauseOpener]
        .iter()
        .any(|class| class.has(&word.lower))
}

/// True for a finite form of a verb: an auxiliary, or an inflected form other than in "-ing".
fn is_finite(word: &Token) -> bool {
    let lower = word.lower.as_str();
    let inflected = || wordnet::lemmas(lower).iter().any(|l| l.part == PartOfSpeech::Verb && l.word != lower);
    WordClass::FiniteAuxiliary.has(lower) || !lower.ends_with("ing") && inflected()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(text: &str, name: &str) -> String {
        normal_form(Kind::Event, text, name)
            .map_or_else(|| text.to_owned(), |normal| normal.text().to_owned())
    }

    #[test]
    fn own_name_becomes_the_first_person() {
        for (text, name, expected) in [
            ("Bera served table 5.", "Bera", "I served table 5."),
            ("[observation] Bera swept the hall.", "Bera", "I swept the hall."),
            ("[08:15] I swept the hall.", "Bera", "I swept the hall."),
            ("The reeve offered Bera a purse.", "Bera", "The reeve offered me a purse."),
            (
                "A boy Bera did not know greeted Bera by name.",
                "Bera",
                "A boy I did not know greeted me by name.",
            ),
            ("Bera's dog ran off and Bera wept.", "Bera", "My dog ran off and I wept."),
            ("Ysra Mott is idle.", "Ysra Mott", "I am idle."),
            ("Ysra has a cold.", "Ysra Mott", "I have a cold."),
        ] {
            assert_eq!(normal(text, name), expected);
        }
    }

    #[test]
    fn others_quotations_calls_and_talk_stay() {
        for (text, name) in [
            ("Ysra Holt is idle.", "Ysra Mott"),
            ("Captain Rook lost his hat.", "Captain Holt"),
            ("Tam said \"Bera is a thief\" to the reeve.", "Bera"),
            ("Bera, the goat is loose!", "Bera"),
            ("[the whole text is a label]", "Bera"),
            ("I served table 5.", "Bera"),
        ] {
            assert_eq!(normal(text, name), text);
        }
        assert_eq!(normal_form(Kind::Chat, "Bera owes me silver.", "Bera"), None);
    }
}
