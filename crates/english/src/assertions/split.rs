//! Assertions: the clauses of a statement that are put forward as true.
//!
//! A statement often holds several assertions, and questions between them: "I've used the ledger since
//! spring, can you show me how to close a month?" A later statement may contradict only one of them, so
//! statements are compared clause by clause; a clause that is asked, wished or only possible is no assertion.
//! Of reported speech the content is compared, so that two speakers who report on one gate are known to speak
//! of the same gate. Content whose meaning depends on the speaker ("I", "here") stays part of the report.

use std::ops::Range;

use nightfold_memory::Assertion;

use super::reports::{is_attribution, is_hedged, is_own_speech, reported_content_start};
use crate::{
    lexicon::{WordClass, is_negation},
    text::{
        Sentence, Token, is_closing_mark, is_quotation_mark, is_quoted, part, quotations, sentences, tokens,
    },
};

/// Maximum number of assertions taken from one statement; later clauses are ignored.
const MAX_ASSERTIONS: usize = 12;
/// Maximum number of words of joined assertions.
const MAX_JOINED_WORDS: usize = 30;
/// Minimum number of words of a clause before a cut; behind the cut and in reported speech one fewer is
/// enough.
const MIN_CLAUSE_WORDS: usize = 4;

/// Joins adjacent assertions while they are short: a clause is best judged together with its neighbour, as in
/// "Hob was relieved, and Dietlind guards the door".
pub(crate) fn join_adjacent(text: &str, parts: &[Assertion]) -> Vec<Assertion> {
    let mut told: Vec<Assertion> = Vec::with_capacity(parts.len());
    for next in parts {
        if let Some(last) = told.last_mut()
            && !part(text, last.span.end..next.span.start).contains(char::is_alphanumeric)
            && tokens(part(text, last.span.start..next.span.end)).len() <= MAX_JOINED_WORDS
        {
            last.span.end = next.span.end;
            last.is_position |= next.is_position;
        } else {
            told.push(next.clone());
        }
    }
    told
}

/// True if a clause says what somebody is doing at a moment: "Wren is baking". Two such clauses refer to two
/// occasions.
pub(crate) fn is_activity(part: &str) -> bool {
    let tokens = tokens(part);
    let words = tokens.iter().map(|t| t.lower.as_str()).filter(|word| !WordClass::Adverb.has(word));
    words.collect::<Vec<_>>().windows(2).take(12).any(|two| {
        WordClass::BeFinite.has(two[0])
            && !is_negation(two[0])
            && two[1].len() > 4
            && two[1].ends_with("ing")
            && !WordClass::NotActivity.has(two[1])
    })
}

/// Returns the clauses of a text that are neither asked nor hedged, whatever the foundation of the text.
pub(super) fn asserted_clauses(text: &str) -> Vec<Range<usize>> {
    let quotations = quotations(text);
    let sentences = sentences(text).filter(|sentence| !opens_with_condition(sentence.text));
    let clauses = sentences.flat_map(|sentence| split_clauses(text, &sentence.span, &quotations));
    let contents = clauses.flat_map(|clause| clause_assertions(text, clause, &quotations));
    contents.filter(|content| is_asserted(part(text, content.clone()))).take(MAX_ASSERTIONS).collect()
}

/// Returns the assertions of a clause: itself, or the reported sentences in it if their meaning does not
/// depend on the speaker.
fn clause_assertions(text: &str, clause: Range<usize>, quotations: &[Range<usize>]) -> Vec<Range<usize>> {
    let quoted = quotations.iter().find(|q| q.start >= clause.start && q.end <= clause.end);
    let framed = reported_content_start(part(text, clause.clone())).map(|at| clause.start + at);
    let content = match (framed, quoted) {
        (Some(from), None) => Some(from..clause.end),
        (framed, Some(quote)) => {
            let before = clause.start..quote.start;
            let behind = part(text, quote.end..clause.end);
            let introduced = part(text, before.clone()).trim_end().ends_with(':')
                && !is_own_speech(part(text, before.clone()));
            let opened = (introduced || framed == Some(quote.start)) && tokens(behind).is_empty();
            let closed = tokens(part(text, before)).is_empty() && is_attribution(behind);
            (opened || closed).then(|| without_quotation_marks(text, quote))
        }
        (None, None) => None,
    };
    let Some(content) = content else { return vec![clause] };
    let said = part(text, content.clone());
    let frame = [part(text, clause.start..content.start), part(text, content.end..clause.end)];
    let told: Vec<Sentence<'_>> = sentences(said).filter(|sentence| is_asserted(sentence.text)).collect();
    if frame.into_iter().any(is_hedged) || !told.iter().all(|sentence| is_self_contained(sentence.text)) {
        return vec![clause];
    }
    told.into_iter()
        .map(|Sentence { span, .. }| content.start + span.start..content.start + span.end)
        .collect()
}

/// True if words are put forward as true: neither asked nor supposed nor hedged.
fn is_asserted(words: &str) -> bool {
    words.contains(char::is_alphanumeric)
        && !is_remark(words)
        && !is_question(words)
        && !is_hedged(words)
        && !opens_with_condition(words)
}

/// True for a remark in brackets: it describes the text it stands in.
fn is_remark(words: &str) -> bool {
    let words = words.trim().trim_end_matches('.');
    words.starts_with(['[', '(']) && words.ends_with([']', ')'])
}

/// Returns the range of a quotation without its quotation marks.
fn without_quotation_marks(text: &str, quote: &Range<usize>) -> Range<usize> {
    let is_mark = |c: char| is_quotation_mark(c) || is_closing_mark(c) || c.is_whitespace();
    let marked = part(text, quote.clone());
    let start = marked.len() - marked.trim_start_matches(is_mark).len();
    let end = marked.trim_end_matches(is_mark).len().max(start);
    quote.start + start..quote.start + end
}

/// True if words mean the same whoever says them, and are enough for a statement.
fn is_self_contained(content: &str) -> bool {
    let words = tokens(content);
    let depends_on_speaker = |word: &str| {
        WordClass::ThirdPerson.has(word) || WordClass::Deictic.has(word) || WordClass::Anaphor.has(word)
    };
    words.len() >= MIN_CLAUSE_WORDS - 1 && !words.iter().any(|word| depends_on_speaker(&word.lower))
}

fn is_question(clause: &str) -> bool {
    let words = tokens(clause);
    let lower = |at: usize| words.get(at).map_or("", |w: &Token| w.lower.as_str());
    let from = usize::from(WordClass::ClauseOpener.has(lower(0)));
    clause.trim_end().trim_end_matches(is_closing_mark).ends_with('?')
        || opens_question(lower(from), lower(from + 1))
}

fn opens_with_condition(sentence: &str) -> bool {
    tokens(sentence).first().is_some_and(|word| matches!(word.lower.as_str(), "if" | "should"))
}

/// Splits a sentence behind a comma or dash where a question, or a clause with its own subject, begins.
/// Quotations stay whole.
fn split_clauses(text: &str, sentence: &Range<usize>, quotations: &[Range<usize>]) -> Vec<Range<usize>> {
    let words = tokens(part(text, sentence.clone()));
    let place = |word: &Token| sentence.start + word.start;
    let mut cuts: Vec<usize> = Vec::new();
    let mut since = 0;
    for at in 1..words.len() {
        let from = place(&words[at]);
        let gap = part(text, sentence.start + words[at - 1].end..from);
        let opens = || opens_clause(&words[at..]);
        let rest = words.len() - at;
        if gap.contains([',', '\u{2014}', '\u{2013}'])
            && at - since >= MIN_CLAUSE_WORDS
            && rest >= MIN_CLAUSE_WORDS - 1
            && opens()
            && !is_quoted(quotations, from)
        {
            cuts.push(from);
            since = at;
        }
    }
    let starts = std::iter::once(sentence.start).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([sentence.end]);
    starts
        .zip(ends)
        .map(|(start, end)| {
            let trimmed = part(text, start..end).trim_end_matches([',', ' ', '\u{2014}', '\u{2013}']);
            start..start + trimmed.len()
        })
        .collect()
}

/// True if these words begin a new clause: a question, a pronoun, or a conjunction followed by a subject.
fn opens_clause(words: &[Token]) -> bool {
    let lower = |at: usize| words.get(at).map_or("", |w| w.lower.as_str());
    let first = lower(0);
    if opens_question(first, lower(1)) {
        return true;
    }
    let joined = WordClass::ClauseOpener.has(first);
    let (subject, next) = if joined { (lower(1), lower(2)) } else { (first, lower(1)) };
    let named = joined && words.get(1).is_some_and(|w| w.capital);
    let begins = |word: &str| {
        WordClass::Determiner.has(word) || matches!(word, "because" | "now" | "since" | "there" | "today")
    };
    joined && (opens_question(subject, next) || named || begins(subject)) || WordClass::Subject.has(subject)
}

/// True if these two words open a question or a request.
fn opens_question(first: &str, second: &str) -> bool {
    let someone = WordClass::Subject.has(second)
        || WordClass::Demonstrative.has(second)
        || matches!(second, "my" | "the" | "there");
    let asked = || {
        WordClass::Inverting.has(second)
            || matches!(second, "about" | "i" | "if" | "long" | "many" | "much" | "to")
    };
    WordClass::Inverting.has(first) && someone || matches!(first, "how" | "what" | "why") && asked()
}

#[cfg(test)]
mod tests {
    use nightfold_memory::{Foundation, Kind};

    use super::{super::assertions, *};

    fn told(text: &str) -> Vec<&str> {
        assertions(Kind::Event, text).into_iter().map(|a| text.get(a.span).unwrap()).collect()
    }

    #[test]
    fn statements_are_split_into_assertions() {
        for (text, expected) in [
            ("The north gate is open.", vec!["The north gate is open."]),
            ("I bought the mule, the dog and the cart.", vec!["I bought the mule, the dog and the cart."]),
            (
                "Joss sold the old cart, but Wren still has the mule.",
                vec!["Joss sold the old cart", "but Wren still has the mule."],
            ),
            (
                "I've used the ledger since spring, can you show me how to close a month?",
                vec!["I've used the ledger since spring"],
            ),
            ("The gate is shut. Is the bridge open? I hope the mill stands.", vec!["The gate is shut."]),
            (
                "I've never sent the letter to Greg, should I ask him first?",
                vec!["I've never sent the letter to Greg"],
            ),
            (
                "Tom said: \"I sold it. I want it back, and I'll pay.\"",
                vec!["Tom said: \"I sold it. I want it back, and I'll pay.\""],
            ),
            (
                "Tom told me that the gate is shut, and the bridge is down.",
                vec!["the gate is shut", "and the bridge is down."],
            ),
            ("Wren said: \"The gate is shut. Is the bridge down? It may be.\"", vec!["The gate is shut."]),
            ("\u{201c}The gate is shut,\u{201d} Tom told me.", vec!["The gate is shut,"]),
            ("Tom told me the gate is shut.", vec!["the gate is shut."]),
            ("Tom told me a story of the old gate.", vec!["Tom told me a story of the old gate."]),
            ("Tom says he sold the cart.", vec!["Tom says he sold the cart."]),
            ("Tom never said that the gate is shut.", vec!["Tom never said that the gate is shut."]),
            (
                "Tom said: \"The gate is shut\" and laughed.",
                vec!["Tom said: \"The gate is shut\" and laughed."],
            ),
            ("Is the gate open?", vec![]),
            ("I dreamt last night. The mayor died.", vec![]),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
    }

    #[test]
    fn adjacent_short_assertions_are_joined() {
        let long = "The miller sold the two old grey mules at the fair in Hollowfen, and the carter has bought the smaller one for his youngest \
                    daughter, but he still wants the bigger one for himself.";
        for (text, expected) in [
            (
                "Hob was relieved, and the cook guards the door.",
                vec!["Hob was relieved, and the cook guards the door."],
            ),
            ("The gate is shut. The bell rang.", vec!["The gate is shut. The bell rang."]),
            (
                "The gate is shut. Is the bridge down? The bell rang.",
                vec!["The gate is shut.", "The bell rang."],
            ),
            (
                long,
                vec![
                    "The miller sold the two old grey mules at the fair in Hollowfen, and the carter has bought the smaller one for his \
                     youngest daughter",
                    "but he still wants the bigger one for himself.",
                ],
            ),
        ] {
            let told = join_adjacent(text, &assertions(Kind::Event, text));
            assert_eq!(told.into_iter().map(|a| part(text, a.span)).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn assertions_inherit_foundation_of_statement() {
        let founded =
            |kind, text| assertions(kind, text).into_iter().map(|a| a.foundation).collect::<Vec<_>>();
        assert_eq!(
            founded(Kind::Event, "Tom told me that the gate is shut, and the bridge is down."),
            [Foundation::Told; 2]
        );
        assert_eq!(
            founded(Kind::Chat, "Word is the gate is shut, and the bridge is down."),
            [Foundation::Rumour; 2]
        );
    }
}
